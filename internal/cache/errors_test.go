package cache

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// TestSourceRefuses: an error of the source is returned where it happens, and does not end the query.
func TestSourceRefuses(t *testing.T) {
	scripted := errors.New("scripted")
	one, nothing := winperf.Selection{Objects: ids(system)}, winperf.Selection{Objects: ids(999)}
	for name, c := range map[string]struct {
		sel   winperf.Selection
		field func(f *fake) *error
	}{
		"schema":               {one, func(f *fake) *error { return &f.noSchema }},
		"query":                {one, func(f *fake) *error { return &f.noQuery }},
		"query of one context": {nothing, func(f *fake) *error { return &f.noQuery }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			u := r.selecting(c.sel)
			fault := c.field(r.fake)
			*fault = scripted
			for range 2 {
				if err := u.take(t.Context()); !errors.Is(err, scripted) || len(u.taken.Parts) > 0 {
					t.Errorf("error %v, %d parts", err, len(u.taken.Parts))
				}
			}

			*fault = nil
			u.sample()
			if n := underWay(r.cache); n != 0 {
				t.Errorf("%d objects are still under way", n)
			}
		})
	}
}

// TestCompileFails: a selection whose objects cannot be read is refused with the source's error, and
// leaves no query open.
func TestCompileFails(t *testing.T) {
	scripted := errors.New("scripted")
	for name, c := range map[string]struct {
		fail func(f *fake)
		want error
	}{
		"no query": {func(f *fake) { f.noQuery = scripted }, scripted},
		"no sample": {func(f *fake) {
			f.noMeta = true
			f.before = func(context.Context, winperf.Selection) error { return scripted }
		}, scripted},
		"damage": {func(f *fake) { f.damage = func(b []byte) []byte { return b[:40] } }, winperf.ErrBadData},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c.fail(r.fake)
			q, err := r.cache.Compile(t.Context(), winperf.Selection{Objects: ids(system)})
			if q != nil || !errors.Is(err, c.want) || r.fake.open != 0 {
				t.Errorf("query %v, error %v, %d open", q, err, r.fake.open)
			}
		})
	}
}

// TestDamageOfSample: damage that a source reports with a sample reaches each query that is given
// the sample, once. Interfaces that did not answer do, too.
func TestDamageOfSample(t *testing.T) {
	r := newRig(t)
	lost, late := errors.New("a record is lost"), errors.New("no answer")
	r.fake.passed, r.fake.lost = []error{lost}, []error{late}
	a, b := r.user(system, process), r.user(process, memory, system)
	a.wantSample("2:0s 230:0s")
	r.fake.passed, r.fake.lost = nil, nil
	b.wantSample("2:0s 4:0s 230:0s") // system and process are of one sample, apart from each other

	for _, u := range []*user{a, b} {
		if d := u.taken.Damage; len(d) != 1 || !errors.Is(d[0], lost) {
			t.Errorf("damage of the sample: %v", d)
		}
		if d := u.prev.Damage(); len(d) != 1 || !errors.Is(d[0], late) {
			t.Errorf("damage of the frame: %v", d)
		}
	}
}

// TestCloseUnderWay: a query of the source that is in use when the cache is closed is closed after its
// sample, which is still handed out.
func TestCloseUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		u := r.user(system)
		gate := r.fake.hold()
		o := u.taking(t.Context())
		if err := r.cache.Close(); err != nil {
			t.Fatal(err)
		}
		close(gate)
		synctest.Wait()
		if f, err := u.frame(); o.err != nil || err != nil || r.ages(f) != "2:0s " {
			t.Errorf("objects %q, errors %v, %v", r.ages(f), o.err, err)
		}
		if r.fake.open != 0 {
			t.Errorf("%d queries of the source are open", r.fake.open)
		}
	})
}

// TestCloseAlone: a query whose objects were never found is refused after Close, too.
func TestCloseAlone(t *testing.T) {
	r := newRig(t)
	u := r.user(999)
	if err := r.cache.Close(); err != nil {
		t.Fatal(err)
	}
	if err := u.take(t.Context()); !errors.Is(err, winperf.ErrState) {
		t.Errorf("error %v", err)
	}
}

// TestIdleQueries: of very many different questions the cache keeps only the queries used last open.
func TestIdleQueries(t *testing.T) {
	r := newRig(t)
	r.fake.objects = nil
	for title := range uint32(maxIdle + 10) {
		r.fake.objects = append(r.fake.objects, 1000+2*title)
	}

	var users []*user
	for _, title := range r.fake.objects {
		users = append(users, r.user(title))
	}
	for _, u := range users {
		u.sample()
	}
	if r.fake.open != maxIdle {
		t.Errorf("%d queries of the source are open, want %d", r.fake.open, maxIdle)
	}

	compiled := r.fake.compiled
	r.clock.advance(time.Second)
	users[len(users)-1].sample()
	if r.fake.compiled != compiled {
		t.Error("the question asked last was compiled again")
	}
	users[0].sample()
	if r.fake.compiled != compiled+1 || r.fake.open != maxIdle {
		t.Errorf("%d compiled for the oldest question, %d open", r.fake.compiled-compiled, r.fake.open)
	}
}

// TestAskerGivesUpPart: a query that has one object from the cache and waits for another keeps the
// first while it asks for the second itself.
func TestAskerGivesUpPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.user(system).sample()
		r.clock.advance(100 * ms)

		a, b := r.user(process), r.user(system, process)
		gate := r.fake.hold()
		ctx, cancel := context.WithCancel(t.Context())
		a.taking(ctx)
		second := b.taking(t.Context())
		cancel()
		synctest.Wait()
		close(gate)
		synctest.Wait()

		f, err := b.frame()
		if second.err != nil || err != nil || r.ages(f) != "2:100ms 230:0s " {
			t.Errorf("objects %q, errors %v, %v", r.ages(f), second.err, err)
		}
		r.wantAsked([]uint32{system}, []uint32{process})
	})
}

// TestMeterNames: an instance of the meter is named by title, by index where the source has no names,
// and by GUID where it has no index.
func TestMeterNames(t *testing.T) {
	names, err := nametable.FromSchema(newFake(newClock()).schema)
	if err != nil {
		t.Fatal(err)
	}
	guid := winperf.GUID{1, 2, 3}
	got := []string{
		objectName(names, winperf.ObjectID{Index: process}),
		objectName(nil, winperf.ObjectID{Index: process}),
		objectName(names, winperf.ObjectID{GUID: guid}),
	}
	if diff := cmp.Diff([]string{"Process", "#230", guid.String()}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// TestMeterContextEnds: a sample of the meter is not taken after the end of its context.
func TestMeterContextEnds(t *testing.T) {
	r := newRig(t)
	m, err := r.cache.Meter()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	q, err := m.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var s winperf.Sample
	if err := q.Next(ctx, &s); !errors.Is(err, context.Canceled) || len(s.Parts) != 0 {
		t.Errorf("error %v, %d parts", err, len(s.Parts))
	}
}
