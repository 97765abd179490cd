package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tmuxLimit is the longest wait for a screen.
const tmuxLimit = 15 * time.Second

// tmux is a terminal of the program tmux, which shows what a program draws as text.
type tmux struct {
	t       *testing.T
	socket  string
	program string
}

// newTmux runs the program with a command line of the shell in a terminal of a size. It skips the test
// without tmux.
func newTmux(t *testing.T, width, height int, command string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("skipped: tmux is not installed: ", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "tmux") // a short name: that of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	x := &tmux{t, filepath.Join(dir, "s"), filepath.Join(dir, "winperf")}
	if err := os.Symlink(exe, x.program); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() // it may have ended
		_ = os.RemoveAll(dir)
	})
	script := strings.ReplaceAll(command, "winperf", x.program) + `; echo "exit status $?"; read go`
	x.run("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), script)
	return x
}

func (x *tmux) run(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// press types keys, named as tmux names them.
func (x *tmux) press(keys ...string) {
	x.t.Helper()
	for _, key := range keys {
		x.run("send-keys", key)
	}
}

// screen returns the text on the terminal.
func (x *tmux) screen() string {
	x.t.Helper()
	var lines []string
	for line := range strings.Lines(x.run("capture-pane", "-p")) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// await waits until the text on the terminal matches a pattern.
func (x *tmux) await(pattern string) {
	x.t.Helper()
	is := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(tmuxLimit); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if is.MatchString(x.screen()) {
			return
		}
	}
	x.t.Fatalf("%q does not match\n%s", pattern, x.screen())
}

// awaitScreen waits until the text on the terminal begins with lines.
func (x *tmux) awaitScreen(lines ...string) {
	x.t.Helper()
	x.await("^" + regexp.QuoteMeta(strings.Join(lines, "\n")))
}

// topLog writes a log of five samples, one each second, and returns its name. The processor time of cc
// rises from 10 to 50.
func topLog(t *testing.T) string {
	t.Helper()
	var log strings.Builder
	for second := range 5 {
		add := func(path, unit string, value float64) {
			const form = `{"time":"2026-01-02T15:04:0%dZ","path":"\\\\H\\%s","value":%v,"unit":"%s","status":"ok"}` + "\n"
			fmt.Fprintf(&log, form, second, strings.ReplaceAll(path, `\`, `\\`), value, unit)
		}
		add(`Processor(_Total)\% Processor Time`, "percent", float64(20*(second+1)))
		for _, p := range []struct {
			name       string
			id, parent float64
			time, size float64
		}{
			{"init", 1, 0, 1, 3 << 20},
			{"bash", 10, 1, 5, 2 << 20},
			{"make", 11, 10, 30, 1 << 20},
			{"cc", 12, 11, float64(10 * (second + 1)), 4 << 20},
		} {
			add("Process("+p.name+`)\% Processor Time`, "percent", p.time)
			add("Process("+p.name+`)\ID Process`, "count", p.id)
			add("Process("+p.name+`)\Creating Process ID`, "count", p.parent)
			add("Process("+p.name+`)\Working Set`, "count", p.size)
		}
	}
	name := filepath.Join(t.TempDir(), "top.jsonl")
	if err := os.WriteFile(name, []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	topHead = "Process   ID Process  % Processor Time  Working Set"
	topInit = "init               1            1.00 %      3.0 MiB"
	topBash = "bash              10            5.00 %      2.0 MiB"
	topMake = "make              11           30.00 %      1.0 MiB"
	topCC   = "cc                12           50.00 %      4.0 MiB"
)

// TestTopLog opens a log: at its last sample, paused; sorts, filters, searches, moves in time.
func TestTopLog(t *testing.T) {
	x := newTmux(t, 80, 24, "winperf top --source "+topLog(t)+" --zone UTC")
	title := func(second, sample int, more string) string {
		return fmt.Sprintf("winperf H  2026-01-02 15:04:0%d  sample %d of 5%s", second, sample, more)
	}
	last := title(4, 5, " paused")
	all := "Processors  100.00 %                                                       ▂▄▅▇█"
	x.awaitScreen(last, all, topHead, topCC, topMake, topBash, topInit)

	x.press("s") // by name
	x.awaitScreen(last, all, topHead, topBash, topCC, topInit, topMake)
	x.press("s")
	x.awaitScreen(last, all, topHead, topMake, topInit, topCC, topBash)
	x.press("t") // siblings are alone here
	tree := []string{
		topHead,
		topInit,
		"└ bash            10            5.00 %      2.0 MiB",
		"  └ make          11           30.00 %      1.0 MiB",
		"    └ cc          12           50.00 %      4.0 MiB",
	}
	x.awaitScreen(append([]string{last, all}, tree...)...)
	x.press("t")

	x.press("f", "a")
	x.awaitScreen(last+"   filter: a", all, topHead, topMake, topBash)
	x.press("Enter", "Escape")
	x.awaitScreen(last, all, topHead, topMake, topInit, topCC, topBash)

	// The history of the cell that the search and the column keys reach.
	x.press("/", "c", "c", "Enter", "Right", "Right", "Enter")
	x.await(`(?m)^cc  % Processor Time\nnow 50.00 %  minimum 10.00 %  average 30.00 %  maximum 50.00 %  in the last 4s$`)
	x.press("Escape") // alone, as Escape and a key together are another key
	x.awaitScreen(last, all, topHead)
	x.press(",")
	x.awaitScreen(title(3, 4, " paused"), "Processors   80.00 %")
	x.await(`(?m)^cc +12 +40.00 % `)
	x.press(":", "0", "%", "Enter")
	x.awaitScreen(title(0, 1, " paused"))
	x.press(".")
	x.awaitScreen(title(1, 2, " paused"))
	x.press(">") // a tenth of five samples is one
	x.awaitScreen(title(2, 3, " paused"))
	x.press("<")
	x.awaitScreen(title(1, 2, " paused"))
	x.press(":", "1", "5", ":", "0", "4", ":", "0", "3", "Enter")
	x.awaitScreen(title(3, 4, " paused"))
	x.press(":", "x", "Enter")
	x.await(`(?m)^x: expected a time such as 15:42, \+90s, 50% or end$`)
	x.press(":", "+", "0", "Enter")
	x.awaitScreen(title(0, 1, " paused"))
	x.press("Space") // to the end, where it pauses
	x.awaitScreen(last)

	x.press("?")
	x.await(`(?m)^t                   processes as a tree by parent$`)
	x.press("Escape")
	x.awaitScreen(last, all, topHead)
	x.press("q")
	x.await("exit status 0")
}

// TestTopOther opens logs without processes: it shows the first object with instances, with its well-known
// counters if the log has one of them.
func TestTopOther(t *testing.T) {
	for _, tt := range []struct {
		counter string
		lines   []string
	}{
		{"Disk Reads/sec", []string{"PhysicalDisk  Disk Reads/sec", "0 C:                      17"}},
		{"Split IO/Sec", []string{"PhysicalDisk  Split IO/Sec", "0 C:                    17"}},
	} {
		head := `"(PDH-CSV 4.0) (UTC)(0)","\\H\Memory\Pages/sec","\\H\PhysicalDisk(0 C:)\` + tt.counter + `"`
		log := head + "\n" + `"01/02/2026 15:04:05.000","3","17"` + "\n"
		name := filepath.Join(t.TempDir(), "disks.csv")
		if err := os.WriteFile(name, []byte(log), 0o666); err != nil {
			t.Fatal(err)
		}

		x := newTmux(t, 80, 24, "winperf top --source "+name)
		x.awaitScreen(append([]string{
			"winperf H  2026-01-02 15:04:05  sample 1 of 1 paused",
			"Memory      pages       3.00",
		}, tt.lines...)...)
		x.press("q")
		x.await("exit status 0")
	}
}

// TestTopResize draws in terminals of several sizes.
func TestTopResize(t *testing.T) {
	x := newTmux(t, 120, 40, "winperf top --source "+topLog(t)+" --zone UTC")
	x.await(`(?m)^\? help.*o counters$`)
	for _, size := range []struct{ width, height string }{{"80", "24"}, {"40", "8"}, {"100", "30"}} {
		x.run("resize-window", "-x", size.width, "-y", size.height)
		x.await(`(?m)^cc +12 +50.00 %[^?]*\n\? help`)
	}
	x.press("q")
	x.await("exit status 0")
}

// TestTopLive shows this machine: its processes, one of which is found and has details, another object,
// and a pause.
func TestTopLive(t *testing.T) {
	found := exec.Command("sleep", "600")
	name := fmt.Sprintf("t%d", os.Getpid())
	found.Path = filepath.Join(t.TempDir(), name)
	if sleep, err := exec.LookPath("sleep"); err != nil || os.Symlink(sleep, found.Path) != nil {
		t.Fatal(err)
	}
	if err := found.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Wait() }() // killed
	defer func() { _ = found.Process.Kill() }()

	x := newTmux(t, 100, 30, "winperf top -i 0.2")
	x.await(`(?m)^Processors .*\n(.*\n)*Process +ID Process +% Processor Time`)
	x.press("f", name, "Enter")
	x.await(`(?m)^` + name + ` +` + fmt.Sprint(found.Process.Pid))
	x.press("d")
	x.await(`(?m)^Command Line +sleep 600$`)
	x.await(`(?m)^User +\S`)
	x.press("Escape")
	x.await(`(?m)^Process +ID Process`)

	x.press("o", "/", "m", "e", "m", "o", "r", "y", "Enter")
	x.await(`(?m)^Memory$`)
	x.press("Enter")
	x.await(`(?m)^\[x\] Available Bytes +count$`)
	x.await(`(?m)^Page faults, minor and major`) // the help of the first counter
	x.press("Enter", "Escape")
	x.await(`(?m)^Available Bytes +[0-9.]+ [GM]iB$`)

	x.press("Space")
	x.await(`(?m)^winperf .* paused $|^winperf .* paused$`)
	before := x.screen()
	time.Sleep(time.Second)
	if after := x.screen(); after != before {
		t.Errorf("the screen changed during a pause:\n%s\n%s", before, after)
	}
	x.press("q")
	x.await("exit status 0")
	x.await(`(?m)^Available Bytes +[0-9.]+ [GM]iB$`) // it remains
}

// TestTopColors uses colors, but not with NO_COLOR.
func TestTopColors(t *testing.T) {
	color := regexp.MustCompile("\x1b\\[[0-9;]*3[0-7][0-9;]*m")
	log := topLog(t)
	for _, tt := range []struct {
		environment string
		colors      bool
	}{{"TERM=xterm-256color", true}, {"TERM=xterm-256color NO_COLOR=1", false}} {
		x := newTmux(t, 80, 24, "env "+tt.environment+" winperf top --source "+log)
		x.await(`(?m)^cc +12`)
		if shown := x.run("capture-pane", "-p", "-e"); color.MatchString(shown) != tt.colors {
			t.Errorf("%s: %q", tt.environment, shown)
		}
	}
}

// TestWatchKeys watches paths with the same keys, without the summary.
func TestWatchKeys(t *testing.T) {
	const paths = `'\Process(*)\ID Process' '\Memory\Available MBytes' '\Nothing(*)\At all'`
	x := newTmux(t, 80, 24, `winperf watch `+paths+` -i 0.2`)
	x.await(`(?m)^Process.* ID Process\n(_Total|\S+ +[0-9]+\n)`)
	x.press("Tab")
	x.await(`(?m)^Memory +Value\nAvailable MBytes +[0-9]+$`)
	x.press("Tab")
	x.await(`(?m)^\* +no_object$`) // why a path shows nothing
	x.press("q")
	x.await(`winperf: \\Nothing\(\*\)\\At all: no such object\nexit status 3`)
}
