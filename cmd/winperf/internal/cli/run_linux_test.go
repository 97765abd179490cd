package cli

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/experiment"
)

// An experiment whose commands say in files that they run. DEAF ignores what asks it to end, and so
// does the child that it starts.
const signalledRun = `name: signalled
events: [{name: tick, interval: 20ms}]
bindings:
  - {events: [run, tick], sensors: ['\System\Processes']}
commands:
  - {name: quick, run: [sh, -c, 'echo $$ >>DIR/quick']}
  - {name: LONG, run: [sh, -c, 'SETUP sleep 600 & echo $! >>DIR/pids; echo $$ >>DIR/pids; echo >DIR/LONG; while :; do wait; done']}
order: in_turn
repetitions: 2
interval: 20ms
`

// What is there of an experiment that is stopped is complete, the command and what it started end with
// it, and a second signal ends those that do not end by themselves.
func TestRunSignals(t *testing.T) {
	for name, c := range map[string]struct {
		deaf, warmup bool
		signals      []syscall.Signal
	}{
		"in a run":            {signals: []syscall.Signal{syscall.SIGINT}},
		"SIGTERM":             {signals: []syscall.Signal{syscall.SIGTERM}},
		"hangup":              {signals: []syscall.Signal{syscall.SIGHUP}},
		"in a warm-up":        {warmup: true, signals: []syscall.Signal{syscall.SIGINT}},
		"twice":               {deaf: true, signals: []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
		"twice, in a warm-up": {deaf: true, warmup: true, signals: []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			setup := ""
			if c.deaf {
				setup = `trap "" TERM INT;`
			}
			text := strings.NewReplacer("DIR", dir, "SETUP", setup, "LONG", "long").Replace(signalledRun)
			if c.warmup {
				text += "warmup: 1\n"
			}
			p := startRun(t, dir, text)
			p.waitFor(t, func(*signalProgram) bool { return exists(filepath.Join(dir, "long")) })
			for _, s := range c.signals { // two of one kind may become one
				if err := p.cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			p.wait(t)

			last := checkStopped(t, p, 2)
			if last.Variant != "long" || last.Warmup != c.warmup || !last.Exit.Stopped {
				t.Errorf("the last run is %+v", last)
			}
			if want := map[bool]string{false: "SIGTERM", true: "SIGKILL"}[c.deaf]; last.Exit.Signal != want {
				t.Errorf("it ended by %q, want %q", last.Exit.Signal, want)
			}
			checkGone(t, filepath.Join(dir, "pids"))
		})
	}
}

// TestRunSignalsBetween stops an experiment of many short runs at any moment.
func TestRunSignalsBetween(t *testing.T) {
	for round := range 5 {
		dir := t.TempDir()
		text := strings.NewReplacer("DIR", dir, "repetitions: 2", "repetitions: 1000", "SETUP sleep 600 &", "").Replace(
			strings.ReplaceAll(signalledRun, "while :; do wait; done", "exit 0"))
		p := startRun(t, dir, text)
		p.waitFor(t, func(*signalProgram) bool { return exists(filepath.Join(dir, "quick")) })
		time.Sleep(time.Duration(round) * 3 * time.Millisecond) // at another moment each time
		if err := p.cmd.Process.Signal(endSignals[round%len(endSignals)]); err != nil {
			t.Fatal(err)
		}
		p.wait(t)
		checkStopped(t, p, 1)
	}
}

// startRun runs an experiment in a directory; its results go to results.
func startRun(t *testing.T, dir, text string) *signalProgram {
	t.Helper()
	file := filepath.Join(dir, "x.yaml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &signalProgram{dir: dir}
	p.cmd = process(t, "winperf", "run", file, "-o", filepath.Join(dir, "results"))
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.launch(t)
	return p
}

// checkStopped checks the results of an experiment that was stopped, of which there are some runs at
// least, and returns the last one.
func checkStopped(t *testing.T, p *signalProgram, runs int) *trial.Result {
	t.Helper()
	folder := filepath.Join(p.dir, "results")
	if p.status != console.ExitPartial {
		t.Fatalf("status %d, standard error %s", p.status, p.stderr.String())
	}
	all, err := trial.ReadRuns(folder)
	if err != nil || len(all) < runs {
		t.Fatalf("%d runs, error %v", len(all), err)
	}
	c, err := trial.ReadConditions(folder)
	if err != nil || len(c.Plan) <= len(all) {
		t.Errorf("%d of %d runs of the plan, error %v", len(all), len(c.Plan), err)
	}
	if want := fmt.Sprintf("%d of %d runs were started", len(all), len(c.Plan)); !strings.Contains(p.stderr.String(), want) {
		t.Errorf("standard error lacks %q: %s", want, p.stderr.String())
	}

	records := readRecords(t, filepath.Join(folder, trial.FileRecords))
	if last := records[len(records)-1]; last.Event.Name != "detached" {
		t.Errorf("the last record is %+v", last)
	}
	if samples, damage := samplesIn(t, filepath.Join(folder, trial.FileSamples)); samples == 0 || damage > 0 {
		t.Errorf("%d raw samples and %d places of damage", samples, damage)
	}
	return all[len(all)-1]
}

// readRecords reads a file of records, all of it.
func readRecords(t *testing.T, name string) (all []experiment.Record) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		r, err := experiment.ParseRecord([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// checkGone checks that processes have ended. One that nobody has waited for yet holds no memory.
func checkGone(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(text)) {
		status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
		if err == nil && strings.Contains(string(status), "VmRSS") {
			t.Errorf("process %s goes on:\n%s", pid, status)
		}
		if n, err := strconv.Atoi(pid); err == nil {
			_ = syscall.Kill(n, syscall.SIGKILL) // it has ended, or the test has failed
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestFullDiskRun fills the disk under the results folder: the command that runs ends as it would, no
// further one is begun, and what was kept can be read.
func TestFullDiskRun(t *testing.T) {
	for kind, disk := range fullDisks(t) {
		t.Run(kind, func(t *testing.T) {
			done := filepath.Join(t.TempDir(), "done")
			file := filepath.Join(t.TempDir(), "x.yaml")
			text := "name: full\nevents: [{name: tick, interval: 10ms}]\n" +
				"bindings: [{events: [run, tick], sensors: ['\\Processor(*)\\*', '\\Memory\\*'], policy: wait, capacity: 5}]\n" +
				"commands: [{run: [sh, -c, 'while ! test -e " + file + ".full; do sleep 0.02; done; echo x >>" + done + "']}]\n" +
				"repetitions: 3\ninterval: 10ms\n"
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(disk.dir, "results")
			cmd := disk.run("run", file, "-o", folder)
			p := &signalProgram{cmd: cmd}
			cmd.Stderr = &p.stderr
			p.launch(t)

			// The command goes on until the program has gone on for a while without writing more.
			size, since := int64(0), 0
			p.waitFor(t, func(*signalProgram) bool {
				var now int64
				for _, name := range []string{trial.FileRecords, trial.FileSamples} {
					if info, err := os.Stat(filepath.Join(folder, name)); err == nil {
						now += info.Size()
					}
				}
				slept := p.sleeps()
				if now != size {
					size, since = now, slept
				}
				return now > diskRoom/2 && slept > since+200
			})
			if err := os.WriteFile(file+".full", nil, 0o666); err != nil {
				t.Fatal(err)
			}
			p.wait(t)

			if text := p.stderr.String(); p.status != console.ExitFailed || !strings.Contains(text, disk.want) {
				t.Errorf("status %d, standard error %s", p.status, tail(text))
			}
			if text, err := os.ReadFile(done); err != nil || string(text) != "x\n" {
				t.Errorf("the command wrote %q, error %v", text, err)
			}
			if records := readWhole(t, filepath.Join(folder, trial.FileRecords)); records == 0 {
				t.Error("no record was kept")
			}
			if samples, damage := samplesIn(t, filepath.Join(folder, trial.FileSamples)); samples == 0 || damage > 0 {
				t.Errorf("%d samples were kept, with %d places of damage", samples, damage)
			}
			if _, err := trial.ReadRuns(folder); err != nil {
				t.Error(err)
			}
			_ = os.RemoveAll(folder) // to make room
		})
	}
}

// sleeps returns how often the threads of a program have waited for something, which says how far it has gone on, however
// slow the machine is.
func (p *signalProgram) sleeps() (n int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.cmd.Process.Pid)) // the pattern is valid
	for _, name := range files {
		text, _ := os.ReadFile(name) // a thread may end meanwhile
		_, count, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		count, _, _ = strings.Cut(count, "\n")
		if switches, err := strconv.Atoi(strings.TrimSpace(count)); err == nil {
			n += switches
		}
	}
	return n
}

// readWhole counts the whole lines of records in a file.
func readWhole(t *testing.T, name string) (n int) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		if _, err := experiment.ParseRecord([]byte(line)); err != nil {
			t.Errorf("record %d: %v", n, err)
		}
		n++
	}
	return n
}

// Lines come through a pipe and a socket, which is gone afterwards, and the end is a good one.
func TestRunLines(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p := startRun(t, dir, "name: lines\nevents: [{name: p, lines: "+pipe+"}, {name: s, lines: 'unix:"+socket+"'}]\n"+
		"bindings: [{events: ['*'], sensors: ['\\System\\Processes']}]\n")
	var c net.Conn
	p.waitFor(t, func(*signalProgram) (listens bool) { // a moment after its name is there
		var err error
		c, err = net.Dial("unix", socket)
		return err == nil
	})
	defer c.Close()
	if err := os.WriteFile(pipe, []byte("piped\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("sent\n")); err != nil {
		t.Fatal(err)
	}

	both := func(*signalProgram) bool {
		text, err := os.ReadFile(filepath.Join(dir, "results", trial.FileRecords))
		return err == nil && strings.Contains(string(text), `"piped"`) && strings.Contains(string(text), `"sent"`)
	}
	p.waitFor(t, both)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.wait(t)
	if p.status != console.ExitDone || !both(p) || exists(socket) {
		t.Errorf("status %d, the socket is there: %v, standard error %s", p.status, exists(socket), p.stderr.String())
	}
}
