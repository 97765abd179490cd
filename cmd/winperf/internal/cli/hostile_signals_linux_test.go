package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/perftest"
	"golang.org/x/sys/unix"
)

// TestHostileSignals sends signals at random moments to commands that go on until
// they are stopped.
func TestHostileSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	hostileSignals(t, perftest.SuiteCases(2*len(signalled)))
}

// TestSoakHostileSignals is TestHostileSignals for as long as WINPERF_SOAK says.
func TestSoakHostileSignals(t *testing.T) {
	hostileSignals(t, perftest.SoakCases(t))
}

// signalCase is a command, which OUT and LOG in its arguments stand in for files
// of, and what must be there when it has ended.
type signalCase struct {
	args  []string
	ready func(p *signalProgram) bool // signals are heard from then on
	check func(t *testing.T, p *signalProgram)
}

var signalled = []signalCase{
	{[]string{"watch", `\Memory\*`, "-i", "0.01", "-o", "json"}, shows, checkJSON},
	{[]string{"watch", `\Memory\*`, "-i", "0.01", "-o", "jsonl"}, shows, checkJSONLines},
	{[]string{"watch", `\Processor(*)\*`, "-i", "0.01", "-o", "csv"}, shows, checkCSV},
	{[]string{"watch", "-i", "0.01"}, shows, checkTable},
	{[]string{"get", `\Processor(*)\% Processor Time`, "-i", "1:00:00"}, sampled, checkTable},
	{[]string{"record", `\Memory\*`, "-i", "0.01", "--progress", "-o", "OUT.capture"}, tells, checkRecord},
	{[]string{"record", `\Memory\*`, "-i", "0.01", "--progress", "-o", "OUT.blg"}, tells, checkRecord},
	{[]string{"record", `\Memory\*`, "-i", "0.01", "--progress", "-o", "OUT.csv"}, tells, checkRecord},
	{[]string{"record", `\Memory\Available MBytes`, "-i", "0.01", "--progress", "-o", "OUT.jsonl"},
		tells, checkRecord},
	{[]string{"publish", "--schema", "SCHEMA", "--dir", "DIR", "--keep"}, published, checkPublish},
	{[]string{"convert", "LOG", "-o", "OUT.tsv"}, converts, checkConvert},
}

// endSignals end a program with complete output.
var endSignals = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// disturb are signals after which a program goes on: to be stopped for a while,
// and those that it has no use for.
var disturb = [][]syscall.Signal{
	{syscall.SIGSTOP, syscall.SIGCONT}, {syscall.SIGTSTP, syscall.SIGCONT},
	{syscall.SIGWINCH}, {syscall.SIGPIPE}, {syscall.SIGCONT},
}

func hostileSignals(t *testing.T, cases *perftest.Cases) {
	log, schema := signalFiles(t)
	stopped := map[string]int{}
	for n, r := range cases.All() {
		c := signalled[n%len(signalled)]
		p := &signalProgram{dir: t.TempDir(), log: log}
		p.start(t, schema, c.args)
		p.waitFor(t, c.ready)
		sent := p.signal(r, n/len(signalled))
		p.wait(t)
		if p.check(t, n); !t.Failed() {
			c.check(t, p)
		}
		if t.Failed() {
			t.Fatalf("round %d: winperf %q after %v: status %d, standard error %q",
				n, c.args, sent, p.status, tail(p.stderr.String()))
		}
		stopped[c.args[0]]++
		if err := os.RemoveAll(p.dir); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d programs were ended: %v", cases.Done, stopped)
}

// signalFiles are a log that takes a while to convert and a schema.
func signalFiles(t *testing.T) (log, schema string) {
	t.Helper()
	dir := t.TempDir()
	log, schema = filepath.Join(dir, "log.csv"), filepath.Join(dir, "app.json")
	if err := generateLog(log, 4<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(schema, run(t, "provider", "init", "--example"), 0o666); err != nil {
		t.Fatal(err)
	}
	return log, schema
}

// signalProgram is a program that is sent signals.
type signalProgram struct {
	dir, log       string
	cmd            *exec.Cmd
	stdout, stderr lockedBuffer
	exited         chan struct{}
	status         int
}

// lockedBuffer can be looked at while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (p *signalProgram) start(t *testing.T, schema string, args []string) {
	t.Helper()
	out := filepath.Join(p.dir, "out")
	names := strings.NewReplacer("OUT", out, "DIR", p.dir, "LOG", p.log, "SCHEMA", schema)
	var real []string
	for _, arg := range args {
		real = append(real, names.Replace(arg))
	}
	p.cmd = process(t, "winperf", real...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.launch(t)
}

// launch starts the command.
func (p *signalProgram) launch(t *testing.T) {
	t.Helper()
	p.exited = make(chan struct{})
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the status says how it ended
		p.status = p.cmd.ProcessState.ExitCode()
		close(p.exited)
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // it has ended, or the test has failed
}

// waitFor waits until a program hears signals, or has ended.
func (p *signalProgram) waitFor(t *testing.T, ready func(*signalProgram) bool) {
	t.Helper()
	for deadline := time.Now().Add(hostileLimit); !ready(p); {
		select {
		case <-p.exited:
			return
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q does not begin", p.cmd.Args)
		}
	}
}

// signal disturbs a program for a while and then ends it.
func (p *signalProgram) signal(r *rand.Rand, round int) (sent []syscall.Signal) {
	for range r.IntN(4) {
		for _, s := range disturb[r.IntN(len(disturb))] {
			time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			sent = append(sent, s)
			_ = p.cmd.Process.Signal(s) // it may have ended by itself
		}
	}
	time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
	end := endSignals[round%len(endSignals)]
	_ = p.cmd.Process.Signal(end)
	return append(sent, end)
}

// wait waits for the end.
func (p *signalProgram) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(hostileLimit):
		t.Fatalf("%q does not end", p.cmd.Args)
	}
}

// check checks what holds of every command.
func (p *signalProgram) check(t *testing.T, n int) {
	t.Helper()
	text := p.stderr.String()
	if strings.Contains(text, "internal error") || strings.Contains(text, "goroutine ") || p.status < 0 {
		t.Errorf("round %d: the program failed inside, or a signal ended it", n)
	}
	if p.status != console.ExitDone && p.cmd.Args[1] != "convert" {
		t.Errorf("round %d: status %d, want %d", n, p.status, console.ExitDone)
	}
}

// What shows that a program hears signals: a line of output, a line on standard
// error, files of /proc that it has open, what it publishes, what it converts.

func shows(p *signalProgram) bool { return strings.Contains(p.stdout.String(), "\n") }

func tells(p *signalProgram) bool { return strings.Contains(p.stderr.String(), "\n") }

func sampled(p *signalProgram) bool {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid)) // none when it has ended
	for _, fd := range fds {
		if name, err := os.Readlink(fd); err == nil && name == "/proc/stat" {
			return true
		}
	}
	return false
}

func published(p *signalProgram) bool { return p.holds("*.winperf") }

func converts(p *signalProgram) bool { return p.holds("*.part") }

func (p *signalProgram) holds(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(p.dir, pattern))
	return err == nil && len(found) > 0
}

func checkJSON(t *testing.T, p *signalProgram) {
	var readings []reading
	if err := json.Unmarshal([]byte(p.stdout.String()), &readings); err != nil || len(readings) == 0 {
		t.Errorf("%d readings: %v in %s", len(readings), err, tail(p.stdout.String()))
	}
}

func checkJSONLines(t *testing.T, p *signalProgram) {
	last := ""
	for line := range strings.Lines(p.stdout.String()) {
		var r reading
		if err := json.Unmarshal([]byte(line), &r); err != nil || !strings.HasSuffix(line, "\n") {
			t.Errorf("%q: %v", line, err)
		}
		if r.Time < last {
			t.Errorf("%s stands behind %s", r.Time, last)
		}
		last = r.Time
	}
}

func checkCSV(t *testing.T, p *signalProgram) {
	text := p.stdout.String()
	head, _, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		if strings.Count(line, `","`) != strings.Count(head, `","`) || !strings.HasSuffix(line, "\n") {
			t.Errorf("not a whole line: %q", line)
		}
	}
}

func checkTable(t *testing.T, p *signalProgram) {
	if text := p.stdout.String(); text != "" && !strings.HasSuffix(text, "\n") {
		t.Errorf("the last line is not whole: %q", tail(text))
	}
}

func checkRecord(t *testing.T, p *signalProgram) {
	acknowledged := 0
	for line := range strings.Lines(p.stderr.String()) {
		if number, _, ok := strings.Cut(line, " sample"); ok {
			if n, err := strconv.Atoi(number); err == nil {
				acknowledged = n
			}
		}
	}
	held, damage := samplesIn(t, p.cmd.Args[len(p.cmd.Args)-1])
	if acknowledged == 0 || held < acknowledged || held > acknowledged+1 || damage > 0 {
		t.Errorf("%d samples and %d places of damage; %d were acknowledged", held, damage, acknowledged)
	}
}

func checkPublish(t *testing.T, p *signalProgram) {
	if p.holds("*") {
		t.Error("what was published is still there")
	}
}

// checkConvert takes both ends: interrupted, with nothing left, or done.
func checkConvert(t *testing.T, p *signalProgram) {
	name := filepath.Join(p.dir, "out.tsv")
	switch {
	case p.holds("*.part"):
		t.Error("an unfinished file is left")
	case p.status == console.ExitFailed && p.holds("*"):
		t.Error("there is a file though nothing was converted")
	case p.status == console.ExitDone:
		want, _ := samplesIn(t, p.log)
		if got, damage := samplesIn(t, name); got != want || damage > 0 {
			t.Errorf("%d samples of %d, %d places of damage", got, want, damage)
		}
	case p.status != console.ExitFailed:
		t.Errorf("status %d", p.status)
	}
}

// TestHostileReaders closes the other end of standard output after some bytes.
func TestHostileReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	log, _ := signalFiles(t)
	r := rand.New(rand.NewPCG(1, 1))
	for _, args := range [][]string{
		{"watch", `\Processor(*)\*`, "-i", "0.01", "-o", "csv"},
		{"watch", `\Memory\*`, "-i", "0.01", "-o", "json"},
		{"watch", "-i", "0.01"}, {"get", `\*(*)\*`, "-i", "0.01", "-o", "jsonl"},
		{"convert", log, "-o", "jsonl"}, {"list", "-o", "jsonl"}, {"help", "watch"}, {"dump"},
	} {
		for range 2 {
			cmd := process(t, "winperf", args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			room := r.Int64N(5000)
			if _, err := io.CopyN(io.Discard, out, room); err != nil && !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if err := out.Close(); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil || !isQuiet(stderr.String()) {
				t.Errorf("%q, read up to byte %d: %v, standard error %q", args, room, err, &stderr)
			}
		}
	}
}

// isQuiet reports whether standard error has nothing but that the machine is busy.
func isQuiet(stderr string) bool {
	for line := range strings.Lines(stderr) {
		if !strings.Contains(line, " missed because ") {
			return false
		}
	}
	return true
}

// TestHostileTerminal changes the size of a terminal again and again while a
// picture is drawn on it, and types Ctrl-Z and Ctrl-C.
func TestHostileTerminal(t *testing.T) {
	master, terminal := openTerminal(t)
	p := &signalProgram{cmd: process(t, "winperf", "watch", "-i", "0.01")}
	p.cmd.Env = append(os.Environ(), "TERM=xterm")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = terminal, terminal, terminal
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	p.launch(t)

	var shown lockedBuffer
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(&shown, master) // until the terminal is closed
		close(copied)
	}()
	p.waitFor(t, func(*signalProgram) bool { return strings.Contains(shown.String(), "available") })

	r := rand.New(rand.NewPCG(1, 1))
	sizes := []uint16{0, 1, 2, 3, 24, 80, 500, 65535}
	for range 100 {
		size := &unix.Winsize{Row: sizes[r.IntN(len(sizes))], Col: sizes[r.IntN(len(sizes))]}
		if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, size); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(8)) * time.Millisecond)
	}
	if _, err := master.WriteString("\x1a\x03"); err != nil { // there is no shell that would stop it for Ctrl-Z
		t.Fatal(err)
	}
	p.wait(t)
	_ = terminal.Close()
	if text := shown.String(); p.status != console.ExitDone || strings.Contains(text, "internal error") {
		t.Errorf("status %d, at the end is shown %q", p.status, tail(text))
	}
	_ = master.Close()
	<-copied
}

// openTerminal opens a pair of terminals, of which one is the other's user.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("skipped: no terminals: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("skipped: no terminals: %v", err)
	}
	return master, terminal
}
