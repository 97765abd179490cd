package local

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

// forkingAlone is set in the environment of a test that has process ids of its own.
const forkingAlone = "WINPERF_TEST_ALONE"

// TestHostileForks samples all processes while processes are born and end as fast
// as they can, and new ones take the ids of those that ended.
func TestHostileForks(t *testing.T) {
	if hasOwnIDs(t) {
		hostileForks(t, perftest.SuiteCases(1000))
	}
}

// TestSoakHostileForks is TestHostileForks for as long as WINPERF_SOAK says.
func TestSoakHostileForks(t *testing.T) {
	cases := perftest.SoakCases(t)
	if hasOwnIDs(t) {
		hostileForks(t, cases)
	}
}

// hasOwnIDs reports whether the test shall run here. Where the system allows it, it
// runs the test in a namespace of process ids first, in which ids can be had again,
// and all that is left to do here is to tell what came of it.
func hasOwnIDs(t *testing.T) bool {
	t.Helper()
	apart := []string{"--pid", "--fork", "--kill-child", "--mount-proc"}
	if os.Getenv(forkingAlone) != "" || exec.Command("unshare", append(apart, "true")...).Run() != nil {
		return true
	}
	cmd := exec.Command("unshare", append(apart, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")...)
	cmd.Env = append(os.Environ(), forkingAlone+"=1")
	out, err := cmd.CombinedOutput()
	if t.Logf("with process ids of its own:\n%s", out); err != nil {
		t.Error(err)
	}
	return false
}

// storm is a shell script that starts one process after the other, each with the
// same id where the system lets it choose. A process opens some files, says in its
// name how many and which id it has, and ends.
const storm = `
i=0
while :; do
	i=$(((i + 1) % 6))
	{ echo $FIRST >/proc/sys/kernel/ns_last_pid; } 2>/dev/null
	sh -c '
		case $1 in
		1) exec 3</dev/null ;;
		2) exec 3</dev/null 4</dev/null ;;
		3) exec 3</dev/null 4</dev/null 5</dev/null ;;
		4) exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null ;;
		5) exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null ;;
		esac
		printf h$1p$$ >/proc/$$/comm
		n=0
		while [ $n -lt $STAY ]; do n=$((n + 1)); done
	' sh $i
done`

// startStorms starts storms, and processes that stay: their ids by their names.
func startStorms(t *testing.T) (stay map[string]int) {
	t.Helper()
	for i, busy := range []string{"0", "50", "500", "5000"} {
		startScript(t, storm, fmt.Sprint("FIRST=", 20_000+1_000*i), "STAY="+busy)
	}
	stay = map[string]int{}
	for range 3 {
		out, pid := startScript(t, "printf stay$$ >/proc/$$/comm; cat /proc/$$/comm; read wait")
		name, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		stay[strings.TrimSpace(name)] = pid
	}
	return stay
}

// startScript runs a shell script until the test ends.
func startScript(t *testing.T, script string, env ...string) (stdout io.Reader, pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // nobody writes to it
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with the one that it has started
		_ = cmd.Wait()                                      // it was killed
	})
	return stdout, cmd.Process.Pid
}

// hostileForks takes one sample after the other. A process's name tells its id and
// how many files it has, and a series shows one process only.
func hostileForks(t *testing.T, cases *perftest.Cases) {
	stay := startStorms(t)
	var failed atomic.Int64
	src, err := Open(Options{OnProblem: func(p provider.Problem) { failed.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	paths := parse(t, `\Process(*)\ID Process`, `\Process(*)\Handle Count`, `\Process(*)\Elapsed Time`)
	m := measure.New(src, winperf.Selection{Paths: paths}, measure.Options{})
	defer m.Close()

	f := forks{t: t, began: map[*winperf.Series]float64{}, ids: map[int]bool{}}
	for range cases.All() {
		cycle, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(cycle.Damage) > 0 {
			t.Errorf("damage: %v", cycle.Damage)
		}
		f.check(cycle, stay)
	}
	t.Logf("%d samples: %d short-lived processes were seen, %d of them under an id that another had before",
		cases.Done, f.born, f.again)
	if f.born == 0 || failed.Load() > 0 {
		t.Errorf("%d short-lived processes were seen, %d failures of providers", f.born, failed.Load())
	}
}

// forks is what was seen of processes.
type forks struct {
	t           *testing.T
	began       map[*winperf.Series]float64 // ids, by series of the last sample
	ids         map[int]bool                // all that were seen
	files       float64                     // that a shell has open as it was started
	born, again int
}

// check looks at one sample.
func (f *forks) check(cycle *measure.Cycle, stay map[string]int) {
	f.t.Helper()
	all, parts := cycle.Readings(), cycle.Parts
	ids, handles, elapsed := all[:parts[0]], all[parts[0]:parts[1]], all[parts[1]:parts[2]]
	if len(ids) != len(handles) || len(ids) != len(elapsed) {
		f.t.Fatalf("%d ids, %d numbers of files, %d times", len(ids), len(handles), len(elapsed))
	}
	now, found := map[*winperf.Series]float64{}, 0
	for i, r := range ids {
		id, ok := r.Value.Float64()
		if r.Status != counter.OK || !ok || elapsed[i].Status != counter.OK {
			f.t.Errorf("%s: %v, %v", r.Series, r.Status, elapsed[i].Status)
		}
		now[r.Series] = id
		was, known := f.began[r.Series]
		if known && was != id {
			f.t.Errorf("%s was process %v and is %v", r.Series, was, id)
		}

		name := r.Series.Path.Instance
		if pid, ok := stay[name]; ok {
			found++
			f.files, _ = handles[i].Value.Float64()
			if float64(pid) != id {
				f.t.Errorf("%s has the id %v", name, id)
			}
		}
	}
	for i, r := range ids {
		var files, pid int
		if n, _ := fmt.Sscanf(r.Series.Path.Instance, "h%dp%d", &files, &pid); n == 2 {
			_, known := f.began[r.Series]
			f.checkShort(r, handles[i], files, pid, known)
		}
	}
	if found != len(stay) {
		f.t.Errorf("%d of %d processes that stay are there", found, len(stay))
	}
	f.began = now
}

// checkShort checks a process of a storm. While it says what it is called it has a
// file more, and when it ends none.
func (f *forks) checkShort(r, handles winperf.Reading, files, pid int, known bool) {
	f.t.Helper()
	if id, _ := r.Value.Float64(); id != float64(pid) {
		f.t.Errorf("%s has the id %v", r.Series, id)
	}
	n, there := handles.Value.Float64()
	own := f.files + float64(files)
	if there && handles.Status == counter.OK && n != own && n != own+1 && n != 0 {
		f.t.Errorf("%s has %v files, want %v", r.Series, n, own)
	}
	if known {
		return
	}
	if f.born++; f.ids[pid] {
		f.again++
	}
	f.ids[pid] = true
}
