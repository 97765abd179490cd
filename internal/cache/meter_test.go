package cache

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
)

func TestStats(t *testing.T) {
	r := newRig(t)
	a, b := r.user(system, process), r.user(system)
	a.sample()
	r.clock.advance(100 * ms)
	b.sample()
	b.sample()
	r.clock.advance(time.Second)
	a.sample()
	r.clock.advance(100 * ms)
	r.clock.set(-time.Hour)
	now := r.clock.Now()
	want := Stats{
		Queries: 3, Entities: 2, Bans: 2,
		Objects: []ObjectStats{
			{ObjectID: winperf.ObjectID{Index: system}, Counts: Counts{Hits: 1, Misses: 3, Banned: 1, Stale: 1, Refreshes: 3}, Bans: 1, Taken: now.Add(-100 * ms), Age: 100 * ms},
			{ObjectID: winperf.ObjectID{Index: process}, Counts: Counts{Misses: 2, Banned: 1, Refreshes: 2}, Bans: 1, Taken: now.Add(-100 * ms), Age: 100 * ms},
		},
	}
	if diff := cmp.Diff(want, r.cache.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestMeter(t *testing.T) {
	r := newRig(t)
	a, b := r.user(system, process), r.user(system)
	a.sample()
	m, err := r.cache.Meter()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	path := func(text string) winperf.Path {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	sel := winperf.Selection{Paths: []winperf.Path{
		path(`\winperf cache(*)\Age`), path(`\winperf cache(*)\Bans`), path(`\winperf cache(System)\Hits/sec`), path(`\winperf cache(_Total)\Refreshes/sec`),
	}}
	c := measure.New(m, sel, measure.Options{})
	defer c.Close()
	if _, err := c.Cycle(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(250 * ms)
	r.clock.set(time.Hour) // which changes neither ages nor rates
	b.sample()
	cycle, err := c.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range cycle.Readings() {
		value := x.Value.String()
		if x.Status != counter.OK {
			value = x.Status.String()
		}
		got = append(got, fmt.Sprint(x.Path, " ", value))
	}
	want := []string{
		`\\HOST\winperf cache(_Total)\Age invalid_data`, `\\HOST\winperf cache(System)\Age 0.25`, `\\HOST\winperf cache(Process)\Age 0.25`,
		`\\HOST\winperf cache(_Total)\Bans 3`, `\\HOST\winperf cache(System)\Bans 2`, `\\HOST\winperf cache(Process)\Bans 1`,
		`\\HOST\winperf cache(System)\Hits/sec 4`, `\\HOST\winperf cache(_Total)\Refreshes/sec 0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}

	if _, err := m.Compile(t.Context(), winperf.Selection{Paths: []winperf.Path{path(`\\other\winperf cache(*)\Age`)}}); !errors.Is(err, winperf.ErrNoMachine) {
		t.Errorf("another machine: %v", err)
	}
	catalogue, err := sensor.ReadCatalogue(t.Context(), m, sensor.CatalogueOptions{Definitions: true})
	if err != nil || len(catalogue.Groups) != 1 || catalogue.NumSensors() != 8 {
		t.Errorf("catalogue %+v, error %v", catalogue, err)
	}
}
