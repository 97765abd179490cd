package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// reading is a line of -o jsonl.
type reading struct {
	Time   string
	Path   string
	Value  *float64
	Unit   string
	Status string
	Age    float64
}

// readings runs get or watch.
func readings(t *testing.T, args ...string) []reading {
	t.Helper()
	return decodeReadings(t, run(t, append(args, "-o", "jsonl")...))
}

func decodeReadings(t *testing.T, lines []byte) []reading {
	t.Helper()
	var all []reading
	for line := range bytes.Lines(lines) {
		var r reading
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

// pids returns the processes that /proc lists.
func pids(t *testing.T) map[int]bool {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]bool{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			found[pid] = true
		}
	}
	return found
}

// TestLiveProcesses checks that get lists the processes that /proc has, all
// but those that came or went meanwhile.
func TestLiveProcesses(t *testing.T) {
	var missing, invented []int
	for range 5 { // a process may come and go between the listings
		before := pids(t)
		listed := map[int]bool{}
		for _, r := range readings(t, "get", `\Process(*)\ID Process`, "--exclude", `\Process(Idle)\*`, "--exclude", `\Process(_Total)\*`) {
			if r.Value == nil {
				t.Errorf("%s: %s", r.Path, r.Status)
				continue
			}
			listed[int(*r.Value)] = true
		}
		after := pids(t)
		missing, invented = nil, nil
		for pid := range before {
			if after[pid] && !listed[pid] {
				missing = append(missing, pid)
			}
		}
		for pid := range listed {
			if !before[pid] && !after[pid] {
				invented = append(invented, pid)
			}
		}
		if len(missing) == 0 && len(invented) == 0 {
			return
		}
	}
	t.Errorf("missing %v, listed but not there %v", missing, invented)
}

// TestLiveCostly checks that a costly object is sampled apart where others are
// watched, and says how old its values are; one answer has it with the others.
func TestLiveCostly(t *testing.T) {
	paths := []string{`\System\Processes`, `\Process Memory Details(cli.test)\Proportional Set Bytes`}
	moments := map[string][]reading{}
	for _, r := range readings(t, append([]string{"watch", "-n", "3", "-i", "1"}, paths...)...) {
		if r.Status != "ok" {
			t.Errorf("%+v", r)
		}
		moments[r.Time] = append(moments[r.Time], r)
	}
	if len(moments) != 3 {
		t.Errorf("%d moments, want 3", len(moments))
	}
	old := 0
	for _, m := range moments {
		if len(m) != 2 || m[0].Age != 0 {
			t.Errorf("%+v", m)
		} else if m[1].Age > 0 {
			old++
		}
	}
	if old < 2 { // the first sample is waited for, the others come before the next moment
		t.Errorf("%d moments have costly values of before, want 2: %+v", old, moments)
	}
	for _, r := range readings(t, append([]string{"get"}, paths...)...) {
		if r.Status != "ok" || r.Age != 0 {
			t.Errorf("get: %+v", r)
		}
	}
}

// TestLiveCostlyUnknown suggests names of a costly object too.
func TestLiveCostlyUnknown(t *testing.T) {
	for path, want := range map[string]string{
		`\Process Memory Detals(*)\Proportional Set Bytes`: `did you mean "Process Memory Details"?`,
		`\Process Memory Details(*)\Proportional Set Byte`: `did you mean "Proportional Set Bytes"?`,
		`\Process Memory Details\Proportional Set Bytes`:   `write \Process Memory Details(*)\Proportional Set Bytes`,
	} {
		var stdout, stderr bytes.Buffer
		if status := Run(t.Context(), []string{"get", path}, strings.NewReader(""), &stdout, &stderr); status != console.ExitFailed || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, standard error %q, want %q", path, status, &stderr, want)
		}
	}
}

// TestLiveList checks that everything this machine has is named and described,
// and can be asked for by its path.
func TestLiveList(t *testing.T) {
	lines := 0
	for line := range bytes.Lines(run(t, "list", "-o", "jsonl")) {
		type item struct{ Name, Help string }
		var entry struct {
			Object  item
			Counter item
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, it := range []item{entry.Object, entry.Counter} {
			if it.Name == "" || strings.HasPrefix(it.Name, "#") || it.Help == "" {
				t.Errorf("no name or help: %s", line)
			}
		}
		lines++
	}
	paths := bytes.Count(run(t, "list", "-q"), []byte("\n"))
	if lines == 0 || lines != paths {
		t.Errorf("%d counters and %d paths", lines, paths)
	}
	for path := range strings.Lines(string(run(t, "list", "-q"))) {
		p, err := winperf.ParsePath(strings.TrimSpace(path))
		if err != nil || p.Validate() != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestLiveNames checks that the name table can be read back: what was dumped is
// listed like the machine itself, but for costly objects, which a dump leaves out.
func TestLiveNames(t *testing.T) {
	dir := t.TempDir()
	names, block := dir+"/names.tsv", dir+"/block.bin"
	run(t, "list", "--names", "-o", names)
	run(t, "dump", "-o", block)
	costly := costlyObjects(t)
	var live []byte
	for line := range bytes.Lines(run(t, "list", "-q")) {
		if p, err := winperf.ParsePath(string(bytes.TrimSpace(line))); err != nil || !costly[p.Object] {
			live = append(live, line...)
		}
	}
	recorded := run(t, "list", "-q", "--source", "perfdata:"+block+"?names="+names)
	if !bytes.Equal(live, recorded) {
		t.Errorf("live:\n%s\nrecorded:\n%s", live, recorded)
	}
}

func costlyObjects(t *testing.T) map[string]bool {
	costly := map[string]bool{}
	for line := range bytes.Lines(run(t, "list", "-o", "jsonl")) {
		var l struct {
			Object struct {
				Name   string
				Costly bool
			}
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		costly[l.Object.Name] = l.Object.Costly
	}
	return costly
}

// systemPrograms are programs for tests on this system.
var systemPrograms = map[string]func(){"burn": burn, "forker": forker}

// burn keeps a processor busy until standard input ends.
func burn() {
	go func() {
		for n := new(atomic.Uint64); ; n.Add(1) {
			_ = n.Load()
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// load is a process that keeps a processor busy.
type load struct {
	cmd *exec.Cmd
}

func startLoad(t *testing.T) load {
	t.Helper()
	cmd := process(t, "burn")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
			t.Errorf("burn: %v", err)
		}
	})
	return load{cmd}
}

// look is the processor time of a process, in seconds, at an instant.
type look struct {
	busy float64
	at   time.Time
}

// look returns what /proc gives for the process.
func (l load) look(t *testing.T) look {
	t.Helper()
	const ticksPerSecond = 100 // USER_HZ on every machine that Go runs on
	now := look{at: time.Now()}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", l.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // from field 3, state
	for _, field := range fields[11:13] {                               // utime and stime
		ticks, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		now.busy += float64(ticks) / ticksPerSecond
	}
	return now
}

// measure runs watch for n samples with values, and compares the processor time of the process
// between the first and the last of them with what /proc gives shortly before and after these.
func (l load) measure(t *testing.T, n int) {
	t.Helper()
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", l.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	instance := strings.TrimSpace(string(comm)) + "*"
	args := []string{
		"watch", `\Process(` + instance + `)\ID Process`, `\Process(` + instance + `)\% Processor Time`,
		"-i", "1", "-n", strconv.Itoa(n), "-o", "jsonl",
	}

	looks := []look{l.look(t)}
	var stdout, stderr bytes.Buffer // stderr may tell that samples were missed
	ended := make(chan int, 1)
	go func() { ended <- Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr) }()
	status := -1
	for status < 0 {
		select {
		case status = <-ended:
		case <-time.After(20 * time.Millisecond):
		}
		looks = append(looks, l.look(t))
	}
	if status != console.ExitDone {
		t.Fatalf("%q: status %d, %s", args, status, &stderr)
	}

	shown, first, last := l.shown(t, decodeReadings(t, stdout.Bytes()), n)
	i := slices.IndexFunc(looks, func(k look) bool { return !k.at.Before(first) })
	j := slices.IndexFunc(looks, func(k look) bool { return !k.at.Before(last) })
	if i < 1 || j < i {
		t.Fatalf("samples from %v to %v are not within those of /proc, from %v", first, last, looks[0].at)
	}
	least, most := looks[j-1].busy-looks[i].busy, looks[j].busy-looks[i-1].busy
	t.Logf("watch shows %.3f s of a processor, /proc %.2f to %.2f s", shown, least, most)
	const near = 0.2 // the sample is read some time after its own
	if shown < least-near || shown > most+near {
		t.Errorf("watch shows %.3f s of a processor, /proc %.2f to %.2f s", shown, least, most)
	}
}

// shown returns the processor time of the process in n samples, in seconds, and the times of the
// first and the last of them.
func (l load) shown(t *testing.T, all []reading, n int) (seconds float64, first, last time.Time) {
	t.Helper()
	found := 0
	for _, r := range all {
		if !strings.HasSuffix(r.Path, `\ID Process`) || r.Value == nil || int(*r.Value) != l.cmd.Process.Pid {
			continue
		}
		path := strings.TrimSuffix(r.Path, "ID Process") + "% Processor Time"
		i := slices.IndexFunc(all, func(o reading) bool { return o.Path == path && o.Time == r.Time })
		if i < 0 || all[i].Value == nil {
			t.Fatalf("%s has no value at %s", path, r.Time)
		}
		at, err := time.Parse(time.RFC3339, r.Time)
		if err != nil {
			t.Fatal(err)
		}

		if found++; found == 1 {
			first = at
		} else {
			seconds += *all[i].Value / 100 * at.Sub(last).Seconds()
		}
		last = at
	}
	if found != n {
		t.Fatalf("%d readings of the process, want %d", found, n)
	}
	return seconds, first, last
}

// TestLiveLoad checks watch against /proc.
func TestLiveLoad(t *testing.T) { startLoad(t).measure(t, 3) }

// TestLiveLoadSoak compares over ten seconds, for as long as WINPERF_SOAK says.
func TestLiveLoadSoak(t *testing.T) {
	text := os.Getenv("WINPERF_SOAK")
	if text == "" {
		t.Skip("WINPERF_SOAK is not set")
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	l := startLoad(t)
	for end := time.Now().Add(duration); time.Now().Before(end); {
		l.measure(t, 11)
	}
}

// TestLiveWithoutDescriptors reads this machine with so few file descriptors that
// nothing of it can be read, while a recording finds one for its file: the program says why there is nothing.
func TestLiveWithoutDescriptors(t *testing.T) {
	program := filepath.Join(t.TempDir(), "winperf")
	if err := os.Symlink(process(t, "").Path, program); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"get", `\System\Processes`}, console.ExitFailed},
		{[]string{"list"}, console.ExitFailed},
		{[]string{"watch", "-n", "3", "-i", "0.1", `\System\Processes`}, console.ExitFailed},
		{[]string{"record", "-n", "2", "-i", "0.1", "-o", filepath.Join(dir, "all.capture")}, console.ExitPartial}, // what there is
		{[]string{"record", "-n", "2", "-i", "0.1", "-o", filepath.Join(dir, "all.blg")}, console.ExitPartial},
		{[]string{"record", "-n", "2", "-i", "0.1", "-o", filepath.Join(dir, "one.capture"), `\System\Processes`}, console.ExitFailed},
	} {
		cmd := exec.Command("/bin/sh", append([]string{"-c", `ulimit -n 11 && exec "$0" "$@"`, program}, tt.args...)...)
		out, err := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != tt.want {
			t.Errorf("%q: status %d (%v), want %d", tt.args, status, err, tt.want)
		}
		if n := strings.Count(string(out), "short of file descriptors or memory: too many open files"); n != 1 {
			t.Errorf("%q tells %d times why there is nothing, want once:\n%s", tt.args, n, out)
		}
	}
}
