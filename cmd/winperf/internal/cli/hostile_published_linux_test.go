package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
	"golang.org/x/sys/unix"
)

// TestHostilePublished publishes damaged files beside whole ones and reads this
// machine.
func TestHostilePublished(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	hostilePublished(t, perftest.SuiteCases(60))
}

// TestSoakHostilePublished is TestHostilePublished for as long as WINPERF_SOAK
// says.
func TestSoakHostilePublished(t *testing.T) {
	hostilePublished(t, perftest.SoakCases(t))
}

// publishedSchema declares what the publishers of the test publish: the good ones
// Alone and Peer, the hostile one Peer and Job.
const publishedSchema = `{"driver": "%s", "objects": [
	{"symbol": "PEER", "name": "Peer", "multi": true, "counters": [
		{"symbol": "SERVED", "name": "Bytes Served", "type": "PERF_COUNTER_RAWCOUNT"}]},
	{"symbol": "OTHER", "name": "%s", "counters": [
		{"symbol": "N", "name": "N", "type": "PERF_COUNTER_LARGE_RAWCOUNT"}]}]}`

// hostilePublished damages a living publisher's file in each round. That costs
// this file at most: what others publish and what the machine has is there, each
// value under the name of its owner.
func hostilePublished(t *testing.T, cases *perftest.Cases) {
	dir := filepath.Join(t.TempDir(), "published")
	t.Setenv(publish.Environment, dir)
	t.Chdir(t.TempDir())
	seed := publishedSeed(t)
	wanted := publishGood(t, dir)
	self := ownName(t)
	wanted[fmt.Sprintf(`\Process(%s)\ID Process`, self)] = float64(os.Getpid())

	own := fmt.Sprintf(`\Process(%s*)\ID Process`, self)
	query := []string{`\Alone\N`, `\Peer(good*)\Bytes Served`, own, "-o", "jsonl"}
	get := append([]string{"get"}, query...)
	commands := [][]string{
		get, get, append([]string{"watch", "-n", "2", "-i", "0.01"}, query...),
		{"list"}, {"list", "Peer", "-o", "jsonl"}, {"dump", "--object", "Alone"},
		{"get", `\*(*)\*`, "-o", "csv", "-i", "0.01"},
	}

	run := hostileRuns{statuses: map[int]int{}}
	for n, r := range cases.All() {
		args := commands[r.IntN(len(commands))]
		end := publishBytes(t, filepath.Join(dir, "hostile"+pubfile.Suffix), perftest.Mutate(r, seed))
		fault := run.once(t, args, nil, "")
		if fault == "" && slices.Contains(args, query[0]) {
			fault = wrongReadings(run.last, wanted)
		}
		if fault != "" {
			t.Errorf("round %d, winperf %q: %s", n, args, fault)
		}
		end()
	}
	t.Logf("%d rounds: statuses %v, most of one: %d KiB allocated, %d bytes of output, %d of errors",
		cases.Done, run.statuses, run.allocated>>10, run.stdout, run.stderr)
	if run.statuses[console.ExitFailed] > 0 {
		t.Error("a damaged file keeps others from being shown")
	}
}

// publishedSeed is the content of a whole published file.
func publishedSeed(t *testing.T) []byte {
	t.Helper()
	p := publishObjects(t, filepath.Join(t.TempDir(), "published"), "Hostile", "Job", "evil", 3)
	b, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimRight(b, "\x00")
}

// publishGood publishes in two files and returns the values by their paths.
func publishGood(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	wanted := map[string]float64{}
	for i, other := range []string{"Alone", "Other"} {
		p := publishObjects(t, dir, other, other, fmt.Sprintf("good %d", i), 4)
		for k := range 4 {
			wanted[fmt.Sprintf(`\Peer(good %d %d)\Bytes Served`, i, k)] = float64(goodValue(k))
		}
		c, err := p.Counter(other, "N")
		if err != nil {
			t.Fatal(err)
		}
		c.Set(1 << 40)
	}
	wanted[`\Alone\N`] = 1 << 40
	return wanted
}

// goodValue is the value of the k-th instance of a good publisher.
func goodValue(k int) uint64 { return uint64(k)*1_000_003 + 17 }

// publishObjects publishes instances of Peer and an object without instances
// until the test ends.
func publishObjects(t *testing.T, dir, driver, other, instance string, instances int) *publish.Publisher {
	t.Helper()
	s, err := registration.ParseDeclaration("test.json", fmt.Appendf(nil, publishedSchema, driver, other))
	if err != nil {
		t.Fatal(err)
	}
	p, err := publish.New(s, publish.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	peer, err := p.Object("Peer")
	if err != nil {
		t.Fatal(err)
	}
	for k := range instances {
		in, err := peer.Instance(fmt.Sprintf("%s %d", instance, k), publish.InstanceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := in.Counter("Bytes Served")
		if err != nil {
			t.Fatal(err)
		}
		c.Set(goodValue(k))
	}
	return p
}

// publishBytes makes a file that looks like a living publisher's, until end.
func publishBytes(t *testing.T, path string, b []byte) (end func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// ownName is what the system calls this process.
func ownName(t *testing.T) string {
	t.Helper()
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(comm))
}

// wrongReadings tells what is not there as wanted: each path has its value, and
// no other one. Of processes several may have this one's name.
func wrongReadings(lines []byte, wanted map[string]float64) string {
	found := map[string]bool{}
	for line := range bytes.Lines(lines) {
		var r reading
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Sprintf("%s: %v", line, err)
		}

		p, err := winperf.ParsePath(r.Path)
		if err != nil {
			return fmt.Sprintf("%s: %v", line, err)
		}
		process := p.Object == "Process"
		p.Machine, p.Index = "", 0
		want, ok := wanted[p.String()]
		right := r.Value != nil && *r.Value == want && r.Status == "ok"
		if found[p.String()] = found[p.String()] || right; ok && !right && !process {
			return fmt.Sprintf("want %v in %s", want, line)
		}
	}
	for path, want := range wanted {
		if !found[path] {
			return fmt.Sprintf("%s is not %v in\n%s", path, want, lines)
		}
	}
	return ""
}
