package v1

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

// TestSchemaCostly knows which objects are costly where that is cheap to ask.
func TestSchemaCostly(t *testing.T) {
	tests := []struct {
		name     string
		supports uint32
		costly   []answer
		want     []uint32 // nil: not known
		asked    string
	}{
		{"definitions only", 1, data(block(900)), []uint32{900}, "MetadataCostly"},
		{"none", 1, data(block()), []uint32{}, "MetadataCostly"},
		{"not told", 1, failing(winapi.ERROR_ACCESS_DENIED), nil, "MetadataCostly"},
		{"with data", 0, data(block(900)), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := system()
			m.values["Perflib Supports Metadata"] = number(tt.supports)
			m.values["MetadataCostly"] = tt.costly
			s := start(t, m, Options{})
			// reads the names
			if _, err := s.Compile(t.Context(), winperf.Selection{Global: true}); err != nil {
				t.Fatal(err)
			}
			m.asked()
			schema, err := s.Schema(t.Context())
			if err != nil || !slices.Equal(schema.Costly, tt.want) ||
				(schema.Costly == nil) != (tt.want == nil) {
				t.Errorf("costly %v, want %v, error %v", schema.Costly, tt.want, err)
			}
			if log := withoutStamp(m.asked()); log != tt.asked {
				t.Errorf("asked for %q, want %q", log, tt.asked)
			}
		})
	}
}

// costlyTime is how long the costly objects of slowCostly take.
const costlyTime = 3500 * time.Millisecond

// slowCostly is a machine whose costly objects are slow.
func slowCostly() *machine {
	m := system()
	m.values["Perflib Supports Metadata"] = number(1)
	m.values["MetadataGlobal"], m.values["MetadataCostly"] = m.values["Global"], m.values["Costly"]
	m.values["4"] = data(block(4))
	slow := []answer{{do: func(buf []byte, v *Value) error {
		time.Sleep(costlyTime)
		*v = Value{winapi.REG_BINARY, uint32(copy(buf, block(900)))}
		return nil
	}}}
	m.values["900"], m.values["Costly"] = slow, slow
	return m
}

// again is Options of a source that may open a second session.
func again(m *machine) Options {
	return Options{Again: func() (Keys, error) { return m.keys(), nil }}
}

// TestCostlyBeside reads costly objects in a session of their own, so that others
// do not wait for them.
func TestCostlyBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := slowCostly()
		s, err := Open(t.Context(), m.keys(), again(m))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Schema(t.Context()); err != nil {
			t.Fatal(err)
		}
		memory := compile(t, s, winperf.Selection{}, `\Memory\x`)
		for i, costly := range []winperf.Query{
			compile(t, s, winperf.Selection{}, `\Costly Thing\x`),
			compile(t, s, winperf.Selection{Costly: true}),
			compile(t, s, winperf.Selection{Objects: []winperf.ObjectID{{Index: 900}}}),
		} {
			ended := make(chan error, 1)
			go func() { ended <- perftest.Take(t.Context(), costly, new(winperf.Raw)) }()
			synctest.Wait()
			begin := time.Now()
			if err := perftest.Take(t.Context(), memory, new(winperf.Raw)); err != nil ||
				time.Since(begin) != 0 {
				t.Errorf("query %d: another waited %v, error %v", i, time.Since(begin), err)
			}
			if err := <-ended; err != nil || time.Since(begin) != costlyTime {
				t.Errorf("query %d: after %v error %v", i, time.Since(begin), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if m.closed != 2 {
			t.Errorf("%d sessions were closed, want 2", m.closed)
		}
		if _, err := s.Compile(t.Context(), winperf.Selection{Costly: true}); !errors.Is(
			err, winperf.ErrState) {
			t.Errorf("compile after close: %v", err)
		}
	})
}

// TestCostlyTogether reads costly objects in the first session where they are
// asked for with others, or there is no other.
func TestCostlyTogether(t *testing.T) {
	m := slowCostly()
	s := start(t, m, again(m))
	if _, err := s.Schema(t.Context()); err != nil {
		t.Fatal(err)
	}
	compile(t, s, winperf.Selection{}, `\Costly Thing\x`, `\Memory\x`)
	compile(t, s, winperf.Selection{Global: true, Costly: true})
	compile(t, s, winperf.Selection{})
	if s.costly != nil {
		t.Error("there is a second session")
	}
	alone := start(t, m, Options{})
	if q := compile(t, alone, winperf.Selection{Costly: true}); q.(*query).source != alone {
		t.Error("another session was opened")
	}
}

// TestCostlyBesideFails tells why there is no second session.
func TestCostlyBesideFails(t *testing.T) {
	m := slowCostly()
	opt := again(m)
	opt.Again = func() (Keys, error) { return Keys{}, winapi.ERROR_ACCESS_DENIED }
	s := start(t, m, opt)
	if _, err := s.Compile(t.Context(), winperf.Selection{Costly: true}); !errors.Is(
		err, winapi.ERROR_ACCESS_DENIED) {
		t.Errorf("error %v", err)
	}
	m.openErrs = []error{winapi.ERROR_BAD_NETPATH}
	s.opt.Again = func() (Keys, error) { return m.keys(), nil }
	if _, err := s.Compile(t.Context(), winperf.Selection{Costly: true}); !errors.Is(
		err, winapi.ERROR_BAD_NETPATH) {
		t.Errorf("error %v", err)
	}
	compile(t, s, winperf.Selection{Costly: true}) // tried again
}

// TestMeasureCostly measures a costly object in addition to another, through everything
// above.
func TestMeasureCostly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := slowCostly()
		m.values["Counter 009"] = names(4, "Memory", 6, "Bytes", 900, "Costly Thing", 902, "Pages")
		s, err := Open(t.Context(), m.keys(), again(m))
		if err != nil {
			t.Fatal(err)
		}
		var sel winperf.Selection
		for _, text := range []string{`\Memory\Bytes`, `\Costly Thing\Pages`} {
			p, err := winperf.ParsePath(text)
			if err != nil {
				t.Fatal(err)
			}
			sel.Paths = append(sel.Paths, p)
		}
		var got []int
		for cycle, err := range measure.Watch(t.Context(), s, sel,
			measure.Options{Interval: time.Second, Count: 6}) {
			if err != nil {
				t.Fatal(err)
			}
			if cycle.Missed != 0 {
				t.Errorf("%d samples were missed", cycle.Missed)
			}
			got = append(got, cycle.Parts[0], cycle.Parts[1]-cycle.Parts[0])
		}
		// The first sample of costly objects is waited for, as long as an interval.
		if want := []int{1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1}; !slices.Equal(got, want) {
			t.Errorf("readings %v, want %v", got, want)
		}
		if err := s.Close(); err != nil && !errors.Is(err, provider.ErrBusy) {
			t.Error(err)
		}
		time.Sleep(5 * time.Second)
	})
}
