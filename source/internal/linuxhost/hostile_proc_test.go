package linuxhost

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/perftest"
)

// TestHostileProc reads files that are not as the kernel writes them.
func TestHostileProc(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	hostileProc(t, perftest.SuiteCases(150))
}

// TestSoakHostileProc is TestHostileProc for as long as WINPERF_SOAK says.
func TestSoakHostileProc(t *testing.T) {
	hostileProc(t, perftest.SoakCases(t))
}

// hostileProc damages the files of a machine at random, before a session is opened
// and between its samples. Whatever they hold no provider fails, the block is
// whole, and processes whose files are untouched have their values.
func hostileProc(t *testing.T, cases *perftest.Cases) {
	files := hostileFiles(t)
	want := witnessValues(t, files)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), witnessFile.MatchString)
	for n, r := range cases.All() {
		root := NewMapRoot(files)
		h := &hostileMachine{r: r, root: root, files: files, names: names}
		if r.IntN(2) == 0 {
			h.damage()
		}
		rig := newRig(t, root, func(s *System) {
			if r.IntN(4) == 0 {
				s.MaxOpen = 1 + r.IntN(40)
			}
		})
		rig.lacking = true // what is damaged cannot be read, and is told
		for range 3 {
			checkWitnesses(t, witnesses(rig), want)
			if t.Failed() {
				t.Fatalf("round %d, after %q", n, h.done)
			}
			h.damage()
			rig.pass(second)
		}
	}
	t.Logf("%d rounds of %d files, %d values of untouched processes in each sample",
		cases.Done, len(names), len(want))
}

// witnessFile are the files of processes that stay as they are. The first of them
// reads the others, and so tells what the kernel gives of processes.
var witnessFile = regexp.MustCompile(`^proc/(1000\d|self)/|task_delayacct$`)

// witnessName are the names of their instances: of processes, and of threads.
var witnessName = regexp.MustCompile(`^w?1000\d$`)

// hostileFiles are the files of a machine that has all that the fixtures have, and
// of ten processes that are witnesses.
func hostileFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	all := fixtures(t, "nodes.txtar", "small.txtar", "threads.txtar", "details.txtar", "disks.txtar",
		"groups.txtar", "network.txtar")
	for name, e := range all.entries {
		if !e.isDir() {
			files[name] = e.text
		}
	}
	const of1 = "statm status io schedstat fd smaps_rollup task/1/schedstat task/1/status"
	for _, file := range strings.Fields(of1) {
		for pid := 10_000; pid < 10_010; pid++ {
			name := strings.Replace(file, "task/1/", fmt.Sprintf("task/%d/", pid), 1)
			files[fmt.Sprintf("proc/%d/%s", pid, name)] = files["proc/1/"+file]
		}
	}
	for pid := 10_000; pid < 10_010; pid++ {
		dir, stat := fmt.Sprintf("proc/%d/", pid), pidStat(pid, fmt.Sprint("w", pid), pid, 3*pid)
		files[dir+"stat"], files[fmt.Sprintf("%stask/%d/stat", dir, pid)] = stat, stat
		files[dir+"statm"] = fmt.Sprintf("%d %d 7 0 0 0 0\n", 9*pid, pid)
		files[dir+"fd"] = fmt.Sprint(pid)
	}
	files["proc/self/stat"] = files["proc/10000/stat"]
	return files
}

// witnessValues are the witnesses' values on a machine of these files.
func witnessValues(t *testing.T, files map[string]string) map[string]sampleValue {
	t.Helper()
	values := witnesses(newRig(t, NewMapRoot(files), nil))
	own := []string{"230 w10003 142", "232 10003 142", "230 w10003 180", "230 w10003 952", "230 w10003 784"}
	for _, key := range own {
		if v, ok := values[key]; !ok || v.missing || v.raw%10_003 != 0 {
			t.Fatalf("%s is %+v (there: %v)", key, v, ok)
		}
	}
	return values
}

// witnesses takes samples and returns the witnesses' values by object, instance and
// counter. When they began depends on when the machine did, which is in a file
// of the machine's.
func witnesses(r *rig) map[string]sampleValue {
	const elapsed = 684
	r.t.Helper()
	values := map[string]sampleValue{}
	for _, query := range []string{"Global", "Costly"} {
		for title, o := range r.ask(query) {
			for _, in := range o.instances {
				for k, index := range o.counters {
					if witnessName.MatchString(in.name) && index != elapsed && index != 0 {
						values[fmt.Sprintf("%d %s %d", title, in.name, index)] = in.values[k]
					}
				}
			}
		}
	}
	return values
}

func checkWitnesses(t *testing.T, got, want map[string]sampleValue) {
	t.Helper()
	for key, value := range want {
		if found, ok := got[key]; !ok || found != value {
			t.Errorf("%s is %+v (there: %v), want %+v", key, found, ok, value)
		}
	}
}

// hostileMachine is a machine whose files somebody damages.
type hostileMachine struct {
	r     *rand.Rand
	root  *MapRoot
	files map[string]string // as they were
	names []string          // of those that may be damaged
	done  []string
}

// damage does something to some files.
func (h *hostileMachine) damage() {
	for range 1 + h.r.IntN(8) {
		name := h.names[h.r.IntN(len(h.names))]
		h.done = append(h.done, name)
		h.damageOne(name)
	}
}

func (h *hostileMachine) damageOne(name string) {
	text := h.files[name]
	switch h.r.IntN(12) {
	case 0:
		h.root.Remove(name)
	case 1: // the file and all next to it
		dir := strings.TrimSuffix(parentOf(name), "/")
		if dir != "proc" && dir != "" && dir != "sys" {
			h.root.RemoveAll(dir)
		}
	case 2:
		h.root.Fail(name, []error{fs.ErrPermission, syscall.EIO, syscall.EINVAL, fs.ErrNotExist}[h.r.IntN(4)])
	case 3: // a directory of that name
		h.root.Remove(name)
		h.root.Set(name+"/"+fmt.Sprint(h.r.IntN(100)), text)
	case 4:
		h.root.Set(name, text[:h.r.IntN(len(text)+1)]+strings.Repeat("9", 1<<h.r.IntN(18)))
	case 5:
		h.root.Set(name, strings.Repeat(text, 1+h.r.IntN(50)))
	case 6: // as it was
		h.root.Set(name, text)
	default:
		other := h.files[h.names[h.r.IntN(len(h.names))]]
		h.root.Set(name, string(perftest.Mutate(h.r, []byte(text), []byte(other))))
	}
}
