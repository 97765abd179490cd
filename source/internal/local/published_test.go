package local

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// keepsMapped: directories of tests cannot be removed while a counter of a file
// in them is alive. Linux is where this source is used.
const keepsMapped = runtime.GOOS == "windows"

// openPublished opens a source of the recorder's objects and what is published
// in the directory.
func openPublished(t *testing.T, dir string) *source {
	t.Helper()
	return openPublishedAt(t, dir, counter.Clocks{PerfFreq: 1})
}

// openPublishedAt is openPublished with these clocks in each sample.
func openPublishedAt(t *testing.T, dir string, clocks counter.Clocks) *source {
	t.Helper()
	if err := os.Chmod(dir, 0o700); err != nil { // others must not write to it, whatever the umask says
		t.Fatal(err)
	}
	s, err := newSource(host{
		machine:  "HOST",
		dispatch: provider.Options{Clocks: func() counter.Clocks { return clocks }},
		provider: &recorder{objects: hostObjects()},
		publish:  true,
	}, Options{Published: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// startPublisher publishes an object with the instance and a counter N.
func startPublisher(t *testing.T, dir, object, instance string, value uint64) *publish.Publisher {
	t.Helper()
	return startPublisherOf(t, dir, object, "PERF_COUNTER_LARGE_RAWCOUNT", instance, value)
}

// startPublisherOf is startPublisher with a type for the counter.
func startPublisherOf(t *testing.T, dir, object, counter, instance string, value uint64) *publish.Publisher {
	t.Helper()
	s, err := registration.ParseDeclaration("test", fmt.Appendf(nil,
		`{"driver": "Test", "objects": [{"symbol": "O", "name": %q, "help": "About it.", "multi": true, "counters": [{"symbol": "N", "name": "N", "type": %q}]}]}`, object, counter))
	if err != nil {
		t.Fatal(err)
	}
	p, err := publish.New(s, publish.Options{Dir: dir})
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	o, err := p.Object(object)
	if err != nil {
		t.Fatal(err)
	}
	in, err := o.Instance(instance, publish.InstanceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := in.Counter("N")
	if err != nil {
		t.Fatal(err)
	}
	n.Set(value)
	return p
}

// Publishers come and go while a measurement runs; the host's objects stay.
func TestPublished(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublished(t, dir)
	c := measure.New(s, winperf.Selection{Paths: parse(t, `\Memory\Used`, `\Shop(*)\N`, `\Shop\N`)}, measure.Options{})
	defer c.Close()
	cycle := func() string {
		t.Helper()
		cy, err := c.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(cy.Damage) > 0 {
			t.Errorf("damage: %v", cy.Damage)
		}
		var list []string
		for _, r := range cy.Readings()[:len(cy.Readings())-1] {
			list = append(list, fmt.Sprint(r.Path.InstanceText(), " ", r.Value, " ", r.Status))
		}
		return strings.Join(list, ", ")
	}
	steps := []struct {
		do   func()
		want string
	}{
		{func() {}, " 104 ok, *  no_object"},
		{func() { startPublisher(t, dir, "Other", "x", 1) }, " 104 ok, *  no_object"},
		{nil, " 104 ok, one 11 ok"},
		{func() { startPublisher(t, dir, "Shop", "two", 12) }, " 104 ok, one 11 ok, two 12 ok"},
		{nil, " 104 ok, two 12 ok"},
	}
	var one *publish.Publisher
	steps[2].do = func() { one = startPublisher(t, dir, "Shop", "one", 11) }
	steps[4].do = func() { _ = one.Close() }
	for i, step := range steps {
		step.do()
		for range 2 {
			if got := cycle(); got != step.want {
				t.Errorf("step %d: %s, want %s", i, got, step.want)
			}
		}
	}
}

// Types on an object's own clock use the tick clock of the sample.
func TestPublishedObjectClock(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublishedAt(t, dir, counter.Clocks{PerfTime: 1000, PerfFreq: 10})
	startPublisherOf(t, dir, "Shop", "PERF_ELAPSED_TIME", "one", 400)
	startPublisherOf(t, dir, "Queue", "PERF_OBJ_TIME_TIMER", "one", 400)
	c := measure.New(s, winperf.Selection{Paths: parse(t, `\Shop(*)\N`, `\Queue(*)\N`)}, measure.Options{})
	defer c.Close()

	cy, err := c.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(cy.Damage) > 0 {
		t.Errorf("damage: %v", cy.Damage)
	}
	if r := cy.Readings()[0]; r.Path.Instance != "one" || r.Value != counter.Float(60) || r.Status != counter.OK {
		t.Errorf("%s is %v, %v, want 60", r.Path, r.Value, r.Status)
	}
}

// Names and help texts are those of the host and of what is published.
func TestPublishedSchema(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublished(t, dir)
	names := func() map[string]string {
		t.Helper()
		c, err := sensor.ReadCatalogue(t.Context(), s, sensor.CatalogueOptions{})
		if err != nil || len(c.Damage) > 0 {
			t.Fatal(err, c.Damage)
		}
		m := map[string]string{}
		for _, g := range c.Groups {
			m[g.Name] = g.Help
		}
		return m
	}
	before, _ := s.Schema(t.Context())
	if got := names(); len(got) != 4 {
		t.Errorf("objects %q", got)
	}
	if again, _ := s.Schema(t.Context()); again != before {
		t.Error("another schema, but nothing changed")
	}
	p := startPublisher(t, dir, "Shop", "one", 11)
	if got := names(); len(got) != 5 || !strings.HasSuffix(got["Shop"], "About it.") {
		t.Errorf("objects %q", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if after, _ := s.Schema(t.Context()); after != before {
		t.Error("nothing is published, but the schema is not the host's")
	}
}

// The host's names are its own; who publishes under one is told.
func TestPublishedHostName(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublished(t, dir)
	startPublisher(t, dir, "MEMORY", "fake", 1)
	q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if f := sample(t, q); f.NumObjects() != 2 {
			t.Errorf("%d objects, want the host's 2", f.NumObjects())
		}
	}
	list, n := s.Describe().Anomalies(nil, 0)
	if n != 1 || list[0].Kind != winperf.ProviderFailed || !strings.Contains(list[0].Err.Error(), `"MEMORY" is not shown`) {
		t.Errorf("anomalies %v", list)
	}
}

func damagedFile(t *testing.T, dir string) {
	t.Helper()
	p := startPublisher(t, dir, "Broken", "x", 1)
	f, err := os.OpenFile(p.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("{}"), pubfile.HeaderSize+64+pubfile.ObjectSize); err != nil {
		t.Fatal(err)
	}
}

// What cannot be read of published files is damage of the queries that may be
// about it, and of no other.
func TestPublishedDamage(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublished(t, dir)
	startPublisher(t, dir, "Shop", "one", 11)
	damagedFile(t, dir)
	for paths, want := range map[string]int{`\Memory\Used`: 0, `\Shop(*)\N`: 1, `\S*(*)\N`: 1, `\Broken(*)\N`: 1} {
		c := measure.New(s, winperf.Selection{Paths: parse(t, paths)}, measure.Options{})
		for range 2 {
			cycle, err := c.Cycle(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(cycle.Damage) != want || want > 0 && !errors.Is(cycle.Damage[0], winperf.ErrBadData) {
				t.Errorf("%s: damage %v, want %d", paths, cycle.Damage, want)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if list, _ := s.Describe().Anomalies(nil, 0); len(list) != 1 {
		t.Errorf("anomalies %v, want 1", list)
	}
}

// A query that names the host's objects only, also by title index, looks at nothing that is published,
// and its names are the host's alone.
func TestPublishedUnasked(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublished(t, dir)
	startPublisher(t, dir, "Shop", "one", 11)
	damagedFile(t, dir)
	for _, sel := range []winperf.Selection{
		{Paths: parse(t, `\Memory\Used`, `\memory\Used`)},
		{Paths: parse(t, `\#100\#104`, `\#200(*)\#202`)},
		{Objects: []winperf.ObjectID{{Index: hostObjects()[0].Index}}},
		{Costly: true},
	} {
		q, err := s.Compile(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		f := sample(t, q)
		if f.Schema() != s.schema {
			t.Errorf("%+v: the names are not the host's", sel)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if list, _ := s.Describe().Anomalies(nil, 0); len(list) != 0 {
		t.Errorf("anomalies %v, want none", list)
	}
}

// A query of one published object has the names of no other one.
func TestPublishedNames(t *testing.T) {
	if keepsMapped {
		t.Skip("skipped: this system does not remove files that are mapped")
	}
	dir := t.TempDir()
	s := openPublished(t, dir)
	for i := range 5 {
		startPublisher(t, dir, fmt.Sprint("Shop ", i), "one", uint64(i))
	}
	q, err := s.Compile(t.Context(), winperf.Selection{Paths: parse(t, `\shop 3(*)\N`)})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	f := sample(t, q)
	names, _ := nametable.FromSchema(f.Schema())
	if f.NumObjects() != 1 || names.Title(f.Object(0).ID().Index) != "Shop 3" || len(names.Lookup("Shop 2")) > 0 {
		t.Errorf("%d objects, names of another: %v", f.NumObjects(), names.Lookup("Shop 2"))
	}

	// By its title index, which may be anybody's, it is found as well.
	id := f.Object(0).ID()
	for _, sel := range []winperf.Selection{
		{Objects: []winperf.ObjectID{id}},
		{Paths: parse(t, fmt.Sprintf(`\#%d(*)\N`, id.Index), `\#100\#104`)},
	} {
		byIndex, err := s.Compile(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		if _, found := sample(t, byIndex).Find(id); !found {
			t.Errorf("%+v: not found", sel)
		}
		if err := byIndex.Close(); err != nil {
			t.Error(err)
		}
	}
}
