package measure_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
)

func catalogued() *scripted {
	return script(sample{objects: []object{
		{Object: system, instances: []instance{{raw: []uint64{80, 1000}}}},
		{Object: process, instances: []instance{proc("Idle", 0, 9, 0), proc("shell", 4, 9, 0), proc("shell", 5, 9, 0)}},
		{Object: thread, instances: []instance{{name: "0", raw: []uint64{7}, parent: 2}}},
		{Object: disk, instances: []instance{{name: "C:", raw: []uint64{1, 2, 3}}}},
	}})
}

func catalogue(t *testing.T, src winperf.Source, opt sensor.CatalogueOptions) *sensor.Catalogue {
	t.Helper()
	c, err := sensor.ReadCatalogue(t.Context(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCatalogue(t *testing.T) {
	c := catalogue(t, catalogued(), sensor.CatalogueOptions{})
	var got []string
	for _, g := range c.Groups {
		for _, s := range g.Sensors {
			got = append(got, fmt.Sprint(s.Name, " ", s.Kind, " of ", s.RawKind, ", ", s.ValueType, ", ", s.Unit,
				", multi ", s.Multi, ", costly ", s.Costly))
		}
	}
	want := []string{
		"windows.winperf/System/Processes gauge of gauge, 32-bit, count, multi false, costly false",
		"windows.winperf/System/Context Switches%2Fsec gauge of counter, decimal, per_second, multi false, costly false",
		"windows.winperf/Process/%25 Processor Time gauge of counter, decimal, percent, multi true, costly false",
		"windows.winperf/Process/ID Process gauge of gauge, 32-bit, count, multi true, costly false",
		"windows.winperf/Process/Elapsed Time counter of gauge, decimal, seconds, multi true, costly false",
		"windows.winperf/Thread/Context Switches%2Fsec gauge of counter, decimal, per_second, multi true, costly true",
		"windows.winperf/LogicalDisk/Avg. Disk sec%2FRead gauge of counter, decimal, seconds, multi true, costly false", // its base is no sensor
		"windows.winperf/LogicalDisk/%23410 gauge of gauge, 32-bit, count, multi true, costly false",                    // a counter without a name
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sensors (-want +got):\n%s", diff)
	}
	if len(c.Groups) != 4 || c.NumSensors() != 8 || c.NumReadings() != 2+3*3+1+2 || len(c.Damage) != 0 {
		t.Errorf("%d groups, %d sensors, %d readings, damage %v", len(c.Groups), c.NumSensors(), c.NumReadings(), c.Damage)
	}
	instances := []sensor.Instance{{Name: "Idle"}, {Name: "shell"}, {Name: "shell", Index: 1}}
	if g, err := c.Group("proces"); g != nil || !errors.Is(err, winperf.ErrNoObject) {
		t.Errorf("no group: %+v, %v", g, err)
	}
	if g, err := c.Group("process"); err != nil || !cmp.Equal(g.Instances, instances) || !g.Counted {
		t.Errorf("group %+v, %v", g, err)
	}
}

// Each name of a catalogue is found again, and stands for the path that the
// readings have.
func TestCatalogueNames(t *testing.T) {
	src := catalogued()
	c := catalogue(t, src, sensor.CatalogueOptions{Source: "test/1"})
	src.taken = 0
	cy, err := measure.New(src, winperf.Selection{Global: true, Costly: true}, measure.Options{CostlyTogether: true}).Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]sensor.Name{}
	for n, s := range c.Names() {
		named[n.Path().String()] = n
		if found, err := c.Find(n); err != nil || found != s {
			t.Errorf("%s: found %v, %v", n, found, err)
		}
		read, err := sensor.ParseName(n.String())
		if err != nil || read != n {
			t.Errorf("%s reads as %+v, %v", n, read, err)
		}
	}
	for _, r := range cy.Readings() {
		p := r.Path
		p.Machine = ""
		if n, ok := named[p.String()]; !ok || sensor.NewName("test/1", r.Path) != n {
			t.Errorf("reading %s is not in the catalogue", r)
		}
	}
	if len(named) != len(cy.Readings()) || len(named) != c.NumReadings() {
		t.Errorf("%d names, %d readings, %d announced", len(named), len(cy.Readings()), c.NumReadings())
	}
	for range c.Names() {
		break // an iterator that is left
	}
}

func TestCatalogueFind(t *testing.T) {
	c := catalogue(t, catalogued(), sensor.CatalogueOptions{})
	tests := []struct {
		name string
		err  error
	}{
		{"windows.winperf/system/processes", nil},
		{"windows.winperf/Process/ID Process", nil},
		{"windows.winperf/Process/id process#SHELL#1", nil},
		{"linux.winperf/System/Processes", winperf.ErrNoMachine},
		{"windows.winperf/Sytem/Processes", winperf.ErrNoObject},
		{"windows.winperf/System/Process", winperf.ErrNoCounter},
		{"windows.winperf/System/Processes#0", winperf.ErrNoInstance},
		{"windows.winperf/Process/ID Process#shell#2", winperf.ErrNoInstance},
		{"windows.winperf/Process/ID Process#vi", winperf.ErrNoInstance},
	}
	for _, tt := range tests {
		n, err := sensor.ParseName(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := c.Find(n); !errors.Is(err, tt.err) || (err == nil) != (s != nil) {
			t.Errorf("%s: %v, %v; want %v", tt.name, s, err, tt.err)
		}
	}
}

func TestTimeSources(t *testing.T) {
	src := catalogued()
	c := catalogue(t, src, sensor.CatalogueOptions{})
	want := []sensor.TimeSource{
		{Name: "windows.winperf/tick", Clock: counter.TickClock, Freq: 1000},
		{Name: "windows.winperf/100ns", Clock: counter.Clock100ns, Freq: 10_000_000},
		{Name: "windows.winperf/object/System", Clock: counter.ObjectClock, ObjectID: winperf.ObjectID{Index: system.Index}, Freq: second},
		{Name: "windows.winperf/object/Process", Clock: counter.ObjectClock, ObjectID: winperf.ObjectID{Index: process.Index}, Freq: second},
		{Name: "windows.winperf/object/Thread", Clock: counter.ObjectClock, ObjectID: winperf.ObjectID{Index: thread.Index}, Freq: second},
		{Name: "windows.winperf/object/LogicalDisk", Clock: counter.ObjectClock, ObjectID: winperf.ObjectID{Index: disk.Index}, Freq: second},
	}
	if diff := cmp.Diff(want, c.Clocks); diff != "" {
		t.Errorf("clocks (-want +got):\n%s", diff)
	}
	if r := c.Clocks[0].Resolution(); r != 0.001 {
		t.Errorf("resolution %v s", r)
	}
	cy := cycle(t, measure.New(script(sample{at: 5, objects: []object{{Object: system, instances: []instance{{raw: []uint64{1, 2}}}}}}), winperf.Selection{Global: true}, measure.Options{}))
	for i, want := range []string{"5000 true", fmt.Sprint(int64(epoch+5*second), " true"), fmt.Sprint(int64(epoch+5*second), " true"), "0 false"} {
		ticks, ok := c.Clocks[i].Read(cy.Frame)
		if got := fmt.Sprint(ticks, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", c.Clocks[i].Name, got, want)
		}
	}
	if _, ok := c.Clocks[0].Read(frame.Frame{}); ok {
		t.Error("no sample has a time")
	}
	other := c.Clocks[0]
	other.Freq = 999
	if _, ok := other.Read(cy.Frame); ok {
		t.Error("a time of another frequency")
	}
}

// Definitions are no instances: what was not counted is not zero.
func TestCatalogueOfDefinitions(t *testing.T) {
	definitions := func([]byte) []byte {
		b, err := perfdata.ParseText([]byte("block name=\"HOST\"\nobject 230 form=metadata-multiple\n counter 784 PERF_COUNTER_RAWCOUNT\n" +
			"object 2 form=metadata-single\n counter 248 PERF_COUNTER_RAWCOUNT\n"))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	c := catalogue(t, script(sample{change: definitions}), sensor.CatalogueOptions{Definitions: true})
	if g := c.Groups[0]; g.Counted || g.Instances != nil || !g.Multi || len(g.Sensors) != 1 {
		t.Errorf("an object with instances: %+v", g)
	}
	if g := c.Groups[1]; g.Counted || g.Multi || c.NumReadings() != 1 {
		t.Errorf("an object without: %+v, %d readings", g, c.NumReadings())
	}
	n, err := sensor.ParseName("windows.winperf/Process/ID Process#any")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(n); err != nil {
		t.Errorf("an instance that nobody can tell is not there: %v", err)
	}
	if c := catalogue(t, script(sample{objects: []object{{Object: process}}}), sensor.CatalogueOptions{}); !c.Groups[0].Counted || c.Groups[0].Instances == nil {
		t.Errorf("an object that has no instance just now: %+v", c.Groups[0])
	}
	if c := sensor.Describe(frame.Frame{}, nil, "x"); len(c.Groups) != 0 || c.Source != "x" {
		t.Errorf("catalogue of no sample: %+v", c)
	}
}

func TestCatalogueFails(t *testing.T) {
	scripted := errors.New("scripted")
	if _, err := sensor.ReadCatalogue(t.Context(), script(sample{err: scripted}), sensor.CatalogueOptions{}); !errors.Is(err, scripted) {
		t.Errorf("error %v", err)
	}
}
