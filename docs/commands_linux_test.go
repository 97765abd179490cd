package docs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// deadline is the longest time that a command may take.
const deadline = 2 * time.Minute

// tally counts the commands of all pages.
type tally struct {
	mu      sync.Mutex
	blocks  int
	ran     int
	flags   int
	excused map[string]int // by reason
}

func (t *tally) String() string {
	var text strings.Builder
	excused := 0
	for _, reason := range slices.Sorted(maps.Keys(t.excused)) {
		excused += t.excused[reason]
		fmt.Fprintf(&text, "\n%4d not run: %s", t.excused[reason], reason)
	}
	return fmt.Sprintf("%d blocks; %d commands ran, only the flags of %d were checked, %d were not run%s",
		t.blocks, t.ran, t.flags, excused, &text)
}

// TestCommands runs the commands of each page in a directory of its own, in the order of the page, and
// compares the form of their output with the page. It checks the flags of the commands that only Windows has.
func TestCommands(t *testing.T) {
	bin := program(t)
	count := &tally{excused: map[string]int{}}
	t.Run("pages", func(t *testing.T) {
		for _, p := range pages(t) {
			t.Run(strings.TrimPrefix(p.file, "../"), func(t *testing.T) {
				t.Parallel()
				newReader(t, bin, count).read(p)
			})
		}
	})
	t.Run("dist", func(t *testing.T) {
		r := newReader(t, bin, count)
		files, err := filepath.Glob("../dist/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if info, err := os.Stat(file); err != nil || info.IsDir() {
				continue
			}
			for _, found := range inComments.FindAllStringSubmatch(readFile(t, file), -1) {
				r.flags(file, found[1])
				count.flags++
			}
		}
	})
	t.Run("flags", func(t *testing.T) { checkFlags(t, filepath.Join(bin, "winperf")) })
	t.Log(count)
	if !testing.Short() && count.ran < 20 {
		t.Errorf("only %d commands ran", count.ran)
	}
}

// foreignFlags are flags of other programs in the text of the pages.
var foreignFlags = []string{
	"--collector.process.cmdline", "--enable-feature", "--query.lookback-delta", "--storage.tsdb.retention.time",
	"--web.enable-remote-write-receiver",
}

// checkFlags checks that each flag that the text of a page names without a command is a flag of a command.
func checkFlags(t *testing.T, winperf string) {
	known := map[string]bool{}
	for _, name := range foreignFlags {
		known[name] = true
	}

	commands := regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`)
	var read func(command ...string)
	read = func(command ...string) {
		help, err := exec.Command(winperf, append([]string{"help"}, command...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v", command, err)
		}
		_, flags, _ := strings.Cut(string(help), "\nFlags:")
		for _, name := range regexp.MustCompile(`--[a-z][a-z0-9.-]*`).FindAllString(flags, -1) {
			known[name] = true
		}
		_, list, _ := strings.Cut(string(help), "\nAvailable Commands:")
		for _, found := range commands.FindAllStringSubmatch(list, -1) {
			read(append(command, found[1])...)
		}
	}
	read()

	inText := regexp.MustCompile("`(--[a-z][a-z0-9.-]*[a-z0-9])(?:[ =][^`]*)?`")
	for _, p := range pages(t) {
		if strings.Contains(p.file, "/") && p.file != "../README.md" {
			continue // mostly for programmers
		}
		for _, found := range inText.FindAllStringSubmatch(p.prose, -1) {
			if !known[found[1]] {
				t.Errorf("%s: no command has the flag %s", p.file, found[1])
			}
		}
	}
}

// inComments are commands in the comments and settings of files in dist.
var inComments = regexp.MustCompile(`(?m)^(?:#\s+|ExecStart=\S*/)(winperf [a-z]+ --?\w.*?)(?:\s{3,}.*)?$`)

// program makes winperf and the examples, in the directory that it returns.
func program(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	commands := [][]string{{"build", "-ldflags=-w", "-o", bin, "../cmd/winperf"}}
	if !testing.Short() {
		to := filepath.Join(bin, "examples") + "/"
		commands = append(commands, []string{"-C", "../examples", "build", "-ldflags=-w", "-o", to, "./..."})
	}
	for _, args := range commands {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return bin
}

// A reader does what a page shows.
type reader struct {
	t     *testing.T
	bin   string
	dir   string
	count *tally

	port     string // of the latest server
	receiver string // the address of a server that accepts everything
}

// newReader prepares an empty directory.
func newReader(t *testing.T, bin string, count *tally) *reader {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	return &reader{t: t, bin: bin, dir: t.TempDir(), count: count, receiver: receiver.Listener.Addr().String()}
}

// example matches a command that runs a program of the examples.
var example = regexp.MustCompile(`go run \./(?:\w+/)?\w+\b`)

// here replaces ports and names in a command by those of the test. Each server gets a free port.
func (r *reader) here(text string) string {
	if strings.Contains(text, "winperf serve") {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			r.t.Fatal(err)
		}
		r.port = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
		if err := listener.Close(); err != nil {
			r.t.Fatal(err)
		}
	}
	text = example.ReplaceAllStringFunc(text, func(run string) string {
		if run == "go run ./cmd/winperf" {
			return "winperf"
		}
		return filepath.Join(r.bin, "examples", filepath.Base(run))
	})
	return strings.NewReplacer("9182", r.port,
		"localhost:9090", r.receiver, "localhost:4318", r.receiver,
		"winperf serve", "winperf serve --web.listen-address 127.0.0.1:"+r.port).Replace(text)
}

// read does everything that a page shows. Files that its commands need are in testdata, in a directory
// with the name of the page.
func (r *reader) read(p page) {
	files := filepath.Join("testdata", strings.TrimSuffix(filepath.Base(p.file), ".md"))
	if _, err := os.Stat(files); err == nil {
		if err := os.CopyFS(r.dir, os.DirFS(files)); err != nil {
			r.t.Fatal(err)
		}
	}

	r.count.mu.Lock()
	r.count.blocks += len(p.blocks)
	r.count.mu.Unlock()
	for _, b := range p.blocks {
		switch b.language {
		case "":
			for i, c := range b.commands(r.t, p.file) {
				r.do(p.file, b, c, i == 0)
			}
		case "yaml":
			r.keep(p.file, b)
		case "sh", "bash", "console", "shell":
			r.t.Errorf("%s:%d: commands are indented lines that begin with $", p.file, b.line)
		}
	}
	for _, span := range spans.FindAllStringSubmatch(p.prose, -1) {
		r.flags(p.file, strings.ReplaceAll(strings.Join(strings.Fields(span[1]), " "), `\|`, "|"))
	}
}

// do runs a command, or checks its flags, or counts the reason why it does neither.
func (r *reader) do(file string, b *block, c *command, first bool) {
	at := fmt.Sprintf("%s:%d: %s", file, c.line, c.text)
	reason, skipped := b.mark("skip")
	if flags, only := b.mark("flags"); only {
		skipped, reason = true, flags
	}
	program, _, _ := strings.Cut(c.text, " ")
	if needed, ok := b.mark("needs"); ok {
		program = needed
	}
	_, err := exec.LookPath(program)
	switch {
	case c.windows:
		reason = "only Windows has this command"
	case skipped && reason == "":
		r.t.Errorf("%s: the mark gives no reason", at)
	case skipped:
	case testing.Short():
		reason = "short test"
	case err != nil && !slices.Contains([]string{"winperf", "while"}, program):
		reason = program + " is not installed"
	default:
		r.prepare(at, b, first)
		r.run(at, b, c)
		return
	}

	checked := r.flags(at, c.text)
	r.count.mu.Lock()
	defer r.count.mu.Unlock()
	if checked {
		r.count.flags++
	} else {
		r.count.excused[reason]++
	}
}

// prepare runs the commands that a reader of the page does not see.
func (r *reader) prepare(at string, b *block, first bool) {
	if !first {
		return
	}
	for _, m := range b.marks {
		if m.word != "before" {
			continue
		}
		text, background := strings.CutSuffix(m.rest, " &")
		p := r.start(text)
		if background {
			r.watch(at, nil, p)
		} else if out, status := r.wait(p); status != 0 && status != 3 {
			r.t.Fatalf("%s: before it, %s ends with status %d\n%s", at, m.rest, status, out)
		}
	}
}

// run runs a command and compares its output. A command in the background ends with the test.
func (r *reader) run(at string, b *block, c *command) {
	text, want := c.text, []string{"0"}
	for _, m := range b.marks {
		switch m.word {
		case "with":
			text = subcommand.ReplaceAllString(text, "$0 "+m.rest)
		case "replace":
			from, to, _ := strings.Cut(m.rest, " => ")
			text = strings.ReplaceAll(text, from, to)
		case "status":
			want = strings.Fields(m.rest)
		}
	}
	_, background := b.mark("background")
	text, amp := strings.CutSuffix(text, " &")
	p := r.start(text)

	r.count.mu.Lock()
	r.count.ran++
	r.count.mu.Unlock()
	if background || amp {
		r.watch(at, c.output, p)
		return
	}
	out, status := r.wait(p)
	if len(usual(out)) < len(out) {
		want = append(want, "3")
	}
	if !slices.Contains(want, strconv.Itoa(status)) {
		r.t.Errorf("%s\nends with status %d, want %s:\n%s", at, status, want, out)
	}
	out = usual(out)
	if len(c.output) > 0 && !form(c.output, true).MatchString(shape(lines(out))) {
		r.t.Errorf("%s\nprints another form (-page +program):\n%s", at, difference(c.output, out))
	}
}

var subcommand = regexp.MustCompile(`\bwinperf [a-z]+`)

// watch waits until a command in the background printed what the page shows, or anything.
func (r *reader) watch(at string, output []string, p *process) {
	r.t.Cleanup(func() { p.kill(r.t) })
	for {
		ended := false
		select {
		case <-p.ended:
			ended = true
		case <-time.After(50 * time.Millisecond):
		}

		out := usual(p.output(r.t))
		switch {
		case len(output) == 0 && out != "" && !ended:
			return
		case len(output) > 0 && form(output, false).MatchString(shape(lines(out))):
			return
		}
		if ended {
			r.t.Fatalf("%s\nended: %v (-page +program):\n%s", at, p.cmd.ProcessState, difference(output, out))
		}
	}
}

// A process is a running command.
type process struct {
	cmd   *exec.Cmd
	out   string // a file
	ended chan struct{}
}

// start starts a command in a shell.
func (r *reader) start(text string) *process {
	r.t.Helper()
	out, err := os.CreateTemp(r.bin, "output")
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), deadline)
	cmd := exec.CommandContext(ctx, "sh", "-c", r.here(text))
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	source, err := filepath.Abs("..")
	if err != nil {
		r.t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "SOURCE="+source, "HOME="+r.dir, "TZ=UTC", "LC_ALL=C",
		"PATH="+r.bin+":"+os.Getenv("PATH"),
		"WINPERF_PUBLISH="+filepath.Join(r.dir, "published"), "WINPERF_EXPERIMENTS="+filepath.Join(r.dir, "s"))
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}

	p := &process{cmd, out.Name(), make(chan struct{})}
	go func() {
		defer cancel()
		_ = cmd.Wait() // its status is in ProcessState
		_ = out.Close()
		close(p.ended)
	}()
	return p
}

// kill ends a process and its children, if it runs.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
	<-p.ended
}

func (p *process) output(t *testing.T) string {
	t.Helper()
	return readFile(t, p.out)
}

func (r *reader) wait(p *process) (out string, status int) {
	r.t.Helper()
	<-p.ended
	return p.output(r.t), p.cmd.ProcessState.ExitCode()
}

// keep writes a file that a page shows, whose first line is its name as a comment. It checks the file if a
// program can.
func (r *reader) keep(file string, b *block) {
	text := strings.Join(b.lines, "\n") + "\n"
	var any yaml.Node
	if err := yaml.Unmarshal([]byte(text), &any); err != nil {
		r.t.Errorf("%s:%d: %v", file, b.line, err)
	}
	named := fileName.FindStringSubmatch(text)
	if named == nil {
		return
	}
	if err := os.WriteFile(filepath.Join(r.dir, named[1]), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}

	check := map[string]string{
		"winperf.yaml":         "winperf serve --check --config winperf.yaml",
		"windows_exporter.yml": "winperf serve --check --config windows_exporter.yml",
		"prometheus.yml":       "promtool check config prometheus.yml",
	}[named[1]]
	if check != "" {
		r.do(file, &block{marks: b.marks}, &command{line: b.line, text: check}, true)
	}
}

var fileName = regexp.MustCompile(`^# (\S+\.ya?ml)\n`)

// spans are commands in the text of a page.
var spans = regexp.MustCompile("(?s)`(winperf [a-z][^`]*)`")

// flags checks the name and the flags of a command of winperf, and reports whether it is one.
func (r *reader) flags(at, text string) bool {
	words := shellWords(strings.ReplaceAll(text, "./cmd/winperf ", "winperf "))
	i := slices.Index(words, "winperf")
	if i < 0 || i+1 == len(words) || !regexp.MustCompile(`^[a-z]+$`).MatchString(words[i+1]) {
		return false
	}
	words = words[i+1:]
	if of := slices.Index(words, "--"); of >= 0 && words[0] == "service" {
		r.flags(at, "winperf "+strings.Join(words[of+1:], " "))
	}
	ends := func(w string) bool { return w == "--" || strings.ContainsAny(w, "|&>") }
	if end := slices.IndexFunc(words, ends); end >= 0 {
		words = words[:end]
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "…" || w == "COMMAND" })
	if words[0] != "help" {
		words = append(words, "--help")
	}

	cmd := exec.Command(filepath.Join(r.bin, "winperf"), words...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Errorf("%s: %v: %s", at, err, bytes.TrimSpace(out))
	}
	return true
}
