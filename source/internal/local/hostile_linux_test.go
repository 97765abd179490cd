package local

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

// TestHostileScribbling reads this machine while a publisher scribbles in its own
// file.
func TestHostileScribbling(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	hostileScribbling(t, perftest.SuiteCases(30))
}

// TestSoakHostileScribbling is TestHostileScribbling for as long as WINPERF_SOAK
// says.
func TestSoakHostileScribbling(t *testing.T) {
	hostileScribbling(t, perftest.SoakCases(t))
}

// hostileScribbling takes samples of three objects: one of which a publisher is
// hostile, one that only another publishes, and the processes. What the hostile
// one does costs itself: every other value is there, under its owner's name.
func hostileScribbling(t *testing.T, cases *perftest.Cases) {
	dir := filepath.Join(t.TempDir(), "published")
	wanted := map[string]uint64{
		`\Shared(good 0)\N`: 1 << 40, `\Shared(good 1)\N`: 1<<40 + 1, `\Alone(only)\N`: 1<<40 + 2,
	}
	for path, value := range wanted {
		p := parse(t, path)[0]
		startPublisher(t, dir, p.Object, p.Instance, value)
	}
	evil := startPublisher(t, dir, "Shared", "evil", 666)
	end := scribble(t, evil.Path(), cases.Seed)

	var told atomic.Int64
	seen := 0 // samples that have something of the hostile publisher
	paths := parse(t, `\Shared(*)\N`, `\Alone(*)\N`, `\Process(*)\ID Process`)
	for n := range cases.All() {
		opt := Options{Published: []string{dir}, OnProblem: func(provider.Problem) { told.Add(1) }}
		src, err := Open(opt)
		if err != nil {
			t.Fatal(err)
		}
		m := measure.New(src, winperf.Selection{Paths: paths}, measure.Options{})
		for range 10 { // what is before the slots is read once by each source
			cycle, err := m.Cycle(t.Context())
			if err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
			if checkOwners(t, cycle, evil.Path(), wanted) {
				seen++
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	writes := end()
	t.Logf("%d samples beside %d writes: %d with values of the hostile publisher, %d problems told",
		10*cases.Done, writes, seen, told.Load())
	if seen == 0 || told.Load() == 0 {
		t.Error("the hostile publisher was never read, or never wrong, and so nothing is proven")
	}
}

// checkOwners checks that each wanted value is there once, that this process is,
// and that no file but the hostile one is damaged. It reports whether there is
// anything else of a published object.
func checkOwners(t *testing.T, cycle *measure.Cycle, hostile string, wanted map[string]uint64) (others bool) {
	t.Helper()
	for _, err := range cycle.Damage {
		if !strings.HasPrefix(err.Error(), hostile+": ") {
			t.Errorf("the sample is damaged: %v", err)
		}
	}
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(string(comm))
	found, self := map[string]int{}, false
	for _, r := range cycle.Readings() {
		if r.Status != counter.OK {
			others = true
			continue
		}
		value, _ := r.Value.Float64()
		path := r.Series.Path
		if path.Object == "Process" {
			self = self || int(value) == os.Getpid() && path.Instance == name
			continue
		}
		path.Machine = ""
		want, known := wanted[path.String()]
		if others = others || !known; !known {
			continue
		}
		if found[path.String()]++; value != float64(want) {
			t.Errorf("%s is %v, want %d", path, value, want)
		}
	}
	for path := range wanted {
		if found[path] != 1 {
			t.Errorf("%s is there %d times", path, found[path])
		}
	}
	if !self {
		t.Error("this process is not there under its name")
	}
	return others
}

// scribble writes into a published file through a mapping of its own, as fast as
// it can, until end, which returns how often it did.
func scribble(t *testing.T, path string, seed uint64) (end func() int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(p)
	used := int(binary.LittleEndian.Uint64(whole[pubfile.HeaderUsed:]))

	var ended atomic.Bool
	done := make(chan int)
	go func() {
		r := rand.New(rand.NewPCG(seed, seed))
		writes := 0
		for ; !ended.Load(); writes++ {
			scribbleOnce(r, p, whole, used)
		}
		done <- writes
	}()
	return func() int {
		ended.Store(true)
		writes := <-done
		copy(p, whole) // so that the publisher can end as it began
		if err := unix.Munmap(p); err != nil {
			t.Error(err)
		}
		return writes
	}
}

// scribbleOnce writes at random: a number at a field of the layout or anywhere, a
// piece of another place, or all as it was.
func scribbleOnce(r *rand.Rand, p, whole []byte, used int) {
	le := binary.LittleEndian
	at := r.IntN(used-8) &^ 3
	if fields := pubfile.Fields(); r.IntN(2) == 0 {
		field := fields[r.IntN(len(fields))]
		at = field.Offset
		switch field.Struct {
		case "Object":
			at += int(le.Uint32(whole[pubfile.HeaderTable:]))
		case "Slot":
			at += int(le.Uint32(whole[pubfile.HeaderSlots:]))
		}
	}
	switch r.IntN(8) {
	case 0:
		le.PutUint32(p[at:], uint32(perftest.Edge(r)))
	case 1:
		le.PutUint64(p[at:], perftest.Edge(r))
	case 2:
		le.PutUint32(p[at:], r.Uint32())
	case 3:
		le.PutUint32(p[at:], le.Uint32(p[at:])+uint32(r.IntN(33))-16)
	case 4:
		copy(p[at:min(used, at+r.IntN(256))], whole[r.IntN(used):used])
	default:
		copy(p, whole[:used])
	}
}
