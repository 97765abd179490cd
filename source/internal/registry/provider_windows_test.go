package registry

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/measure"
)

// The objects of the test provider, and that of the one that misbehaves.
const (
	testObject   = 7100
	groupObject  = 7110
	memberObject = 7120
	costlyObject = 7130
	badObject    = 7200
)

// live opens this machine's registry with the test provider, while the other
// one misbehaves in a mode.
func live(t *testing.T, mode string, opt Options) winperf.Source {
	t.Helper()
	wintest.Provider(t)
	t.Setenv("WINPERF_BAD", mode)
	src, err := Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

func objects(titles ...uint32) (sel winperf.Selection) {
	for _, n := range titles {
		sel.Objects = append(sel.Objects, winperf.ObjectID{Index: n})
	}
	return sel
}

// sample takes one sample as a frame.
func sample(t *testing.T, src winperf.Source, sel winperf.Selection) (*measure.Cycle, error) {
	t.Helper()
	c := measure.New(src, sel, measure.Options{FramesOnly: true})
	t.Cleanup(func() { _ = c.Close() })
	return c.Cycle(t.Context())
}

// titles are the objects of a frame.
func titles(f frame.Frame) map[uint32]bool {
	found := map[uint32]bool{}
	for o := range f.Objects() {
		found[o.ID().Index] = true
	}
	return found
}

func TestClasses(t *testing.T) {
	src := live(t, "", Options{})
	for _, c := range []struct {
		sel       winperf.Selection
		has, lack []uint32
	}{
		{winperf.Selection{Global: true}, []uint32{testObject, groupObject, memberObject},
			[]uint32{costlyObject}},
		{winperf.Selection{Costly: true}, []uint32{costlyObject}, []uint32{testObject}},
		{winperf.Selection{Global: true, Costly: true},
			[]uint32{testObject, groupObject, memberObject, costlyObject}, nil},
		{objects(testObject), []uint32{testObject}, []uint32{groupObject, memberObject, costlyObject}},
		// the parents come along
		{objects(memberObject), []uint32{memberObject, groupObject}, []uint32{testObject}},
		{objects(1_000_000), nil, []uint32{testObject}},
		{winperf.Selection{}, nil, []uint32{testObject, groupObject, memberObject, costlyObject}},
	} {
		cycle, err := sample(t, src, c.sel)
		if err != nil || len(cycle.Damage) > 0 {
			t.Errorf("%+v: damage %v, error %v", c.sel, cycle, err)
			continue
		}
		found := titles(cycle.Frame)
		for _, n := range c.has {
			if !found[n] {
				t.Errorf("%+v: object %d is missing", c.sel, n)
			}
		}
		for _, n := range c.lack {
			if found[n] {
				t.Errorf("%+v: object %d is there", c.sel, n)
			}
		}
	}
}

// TestNames reads names that only the German table has, and help texts.
func TestNames(t *testing.T) {
	src := live(t, "", Options{})
	cycle, err := sample(t, src, objects(testObject))
	if err != nil {
		t.Fatal(err)
	}
	if n := cycle.Names; n.Title(testObject) != "Winperf Test" || n.Help(testObject+3) != "Always 42." {
		t.Errorf("names %q, %q", n.Title(testObject), n.Help(testObject+3))
	}
	if name, err := winapi.NewKernel(winapi.NewDLL("kernel32.dll")).ComputerName(); err != nil ||
		src.Describe().Machine != name || cycle.Frame.Machine() != name {
		t.Errorf("machine %q, in the sample %q, want %q, error %v", src.Describe().Machine,
			cycle.Frame.Machine(), name, err)
	}
}

func TestInstances(t *testing.T) {
	src := live(t, "", Options{})
	cycle, err := sample(t, src, objects(memberObject))
	if err != nil {
		t.Fatal(err)
	}
	o, ok := cycle.Frame.Find(winperf.ObjectID{Index: memberObject})
	if !ok {
		t.Fatal("no such object")
	}
	var got []string
	for in := range o.Instances() {
		got = append(got, in.Full()+"#"+strconv.Itoa(in.Occurrence()))
	}
	if want := []string{"alpha/one#0", "alpha/two#0", "beta/one#0", "beta/one#1",
		"lost#0"}; !slices.Equal(got, want) {
		t.Errorf("instances %q, want %q", got, want)
	}
}

// TestMoving takes samples until the values have moved.
func TestMoving(t *testing.T) {
	src := live(t, "", Options{})
	p, err := winperf.ParsePath(`\Winperf Test\*`)
	if err != nil {
		t.Fatal(err)
	}
	opt := measure.Options{Interval: 100 * time.Millisecond, Count: 3}
	for cycle, err := range measure.Watch(t.Context(), src,
		winperf.Selection{Paths: []winperf.Path{p}}, opt) {
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, r := range cycle.Readings() {
			if r.Status != counter.OK {
				t.Errorf("%s: %v", r, r.Status)
			}
			got[r.Path.Counter], _ = r.Value.Float64()
		}
		if got["Constant"] != 42 || got["Half"] != 50 || got["Ticks/sec"] <= 0 || len(got) != 3 {
			t.Errorf("readings %v", got)
		}
	}
}

// TestBadProvider has another provider misbehave, which is asked first. Its own
// object is damaged or missing; the other one is served.
func TestBadProvider(t *testing.T) {
	const (
		sound   = "sound"
		damaged = "damaged" // and told
		missing = "missing"
		lost    = "lost" // missing because it would hide others, and told
	)
	for mode, want := range map[string]string{
		"good": sound, "many": sound, "name": sound,
		"counters": damaged, "instances": damaged, "definition": damaged, "namelength": damaged,
		"length": lost, "long": lost, "bytes": lost, "objects": lost,
		"open": missing, "fail": missing,
	} {
		t.Run(mode, func(t *testing.T) {
			src := live(t, mode, Options{})
			for _, sel := range []winperf.Selection{objects(testObject, badObject), {Global: true}} {
				cycle, err := sample(t, src, sel)
				if err != nil {
					t.Fatal(err)
				}
				found := titles(cycle.Frame)
				if !found[testObject] || found[badObject] && want == lost || !found[badObject] &&
					want == sound {
					t.Errorf("objects %v", found)
				}
				checkDamage(t, cycle.Damage, want == damaged || want == lost)
			}
			// A query without the object is not told of it.
			cycle, err := sample(t, src, objects(testObject))
			if err != nil {
				t.Fatal(err)
			}
			checkDamage(t, cycle.Damage, false)
			if !titles(cycle.Frame)[testObject] {
				t.Error("the sound object is missing")
			}
		})
	}
}

func checkDamage(t *testing.T, damage []error, want bool) {
	t.Helper()
	if (len(damage) > 0) != want {
		t.Errorf("damage %v", damage)
	}
	for _, err := range damage {
		if !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("damage %v is no bad data", err)
		}
	}
}

// TestMore has a provider that no buffer is large enough for, and one that
// writes behind the buffer.
func TestMore(t *testing.T) {
	for _, mode := range []string{"more", "overrun"} {
		src := live(t, mode, Options{MaxBytes: 1 << 20})
		if _, err := sample(t, src, objects(badObject)); !errors.Is(err, winperf.ErrBadData) ||
			!strings.Contains(err.Error(), "more than 1048576 bytes") {
			t.Errorf("%s: error %v", mode, err)
		}
		cycle, err := sample(t, src, objects(testObject, badObject))
		if err != nil {
			t.Fatal(err)
		}
		if !titles(cycle.Frame)[testObject] || len(cycle.Damage) != 1 ||
			!strings.Contains(cycle.Damage[0].Error(), "object 7200") {
			t.Errorf("%s: objects %v, damage %v", mode, titles(cycle.Frame), cycle.Damage)
		}
	}
}

func TestProviderHangs(t *testing.T) {
	src := live(t, "hang", Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	q, err := src.Compile(t.Context(), objects(badObject))
	if err != nil {
		t.Fatal(err)
	}
	if err := perftest.Take(ctx, q, new(winperf.Raw)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if cycle, err := sample(t, src, objects(testObject)); err != nil || !titles(cycle.Frame)[testObject] {
		t.Errorf("when it has returned: error %v", err)
	}
}

// TestQueries takes 500 samples. Under Wine the provider is loaded, opened,
// closed and freed each time. Neither handles nor memory may grow.
func TestQueries(t *testing.T) { queries(t, 500) }

// TestSoakQueries takes 10,000 samples.
func TestSoakQueries(t *testing.T) {
	if os.Getenv("WINPERF_SOAK") == "" {
		t.Skip("WINPERF_SOAK does not ask for it")
	}
	queries(t, 10_000)
}

// use is what the process has taken of the system and cannot give back.
type use struct {
	handles int
	memory  uint64
}

func used(t *testing.T) use {
	t.Helper()
	debug.FreeOSMemory() // the working set then has no garbage
	handles, memory := wintest.Used(t)
	return use{handles, memory}
}

func queries(t *testing.T, n int) {
	src := live(t, "", Options{})
	s := sampler{t: t, kernel: winapi.NewKernel(winapi.NewDLL("kernel32.dll")), seen: map[uint64]bool{}}
	var err error
	if s.query, err = src.Compile(t.Context(), objects(testObject, memberObject)); err != nil {
		t.Fatal(err)
	}
	for range n / 5 {
		s.sample()
	}
	before := used(t)
	for range n - n/5 {
		s.sample()
	}
	after := used(t)
	leak := systemLeak(t, n-n/5)
	t.Logf("%d samples, %d different values; %d handles, then %d (as many bare calls leave %d behind); "+
		"%d KiB, then %d KiB",
		n, len(s.seen), before.handles, after.handles, leak, before.memory>>10, after.memory>>10)
	if len(s.seen) < n/100 {
		t.Errorf("only %d different values", len(s.seen))
	}
	if after.handles > before.handles+leak+20 {
		t.Errorf("handles grew from %d to %d", before.handles, after.handles)
	}
	if after.memory > before.memory+before.memory/4+8<<20 {
		t.Errorf("memory grew from %d to %d KiB", before.memory>>10, after.memory>>10)
	}
}

// systemLeak counts how many handles n bare calls leave behind: Wine 8.0
// forgets to close one in each.
func systemLeak(t *testing.T, n int) int {
	t.Helper()
	api := winapi.NewRegistry(winapi.NewDLL("advapi32.dll"))
	name, buf := utf16.Encode([]rune("7100\x00")), make([]byte, 1<<16)
	var value winapi.RegValue
	before := used(t)
	for range n {
		if err := api.QueryValue(winapi.HKEY_PERFORMANCE_DATA, name, buf, &value); err != nil {
			t.Fatal(err)
		}
	}
	return max(0, used(t).handles-before.handles)
}

// sampler takes samples of the test provider.
type sampler struct {
	t      *testing.T
	kernel *winapi.Kernel
	query  winperf.Query
	pool   frame.Pool
	prev   frame.Frame
	seen   map[uint64]bool // values of Ticks/sec
}

func (s *sampler) sample() {
	s.t.Helper()
	var sample winperf.Sample
	if err := s.query.Next(s.t.Context(), &sample); err != nil {
		s.t.Fatal(err)
	}
	f, err := s.pool.Decode(&sample, s.prev)
	if err != nil || len(f.Damage()) > 0 {
		s.t.Fatalf("damage %v, error %v", f.Damage(), err)
	}
	o, found := f.Find(winperf.ObjectID{Index: testObject})
	if !found || o.Len() == 0 {
		s.t.Fatalf("the sample lacks the object: it has %d others", f.NumObjects())
	}
	ticks, ok := o.Raw(0, 1)
	if !ok {
		s.t.Fatal("no value")
	}
	s.seen[ticks] = true
	s.prev = f
	if loaded, err := s.kernel.Loaded("provider.dll"); wintest.Wine() && (err != nil || loaded) {
		s.t.Fatalf("the provider stays loaded: %v, error %v", loaded, err)
	}
}
