package view_test

import (
	"context"
	"errors"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// closable is a source that cannot be read, and notes that it was closed.
type closable struct {
	winperf.Source
	closed int
}

func (c *closable) Close() error { c.closed++; return nil }

func (c *closable) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return nil, winperf.ErrBadData
}

// TestAdd: a log that is added later has an id of its own, and its values are from its own samples.
func TestAdd(t *testing.T) {
	dir := t.TempDir() // removed after the View is closed
	v := newView(t, view.Options{})
	for i, from := range []int{0, 5} {
		src, err := source.OpenLog(t.Context(), writeLog(t, dir, from, 20, block), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := v.Add(t.Context(), view.Source{Name: "log", Source: src})
		if err != nil || id != []string{"0", "1"}[i] {
			t.Fatalf("source %d: id %q, %v", i, id, err)
		}
	}

	all, err := v.Sources(t.Context())
	if err != nil || len(all.Sources) != 2 || all.Sources[1].ID != "1" || !all.Sources[1].Begin.Equal(at(5)) {
		t.Fatalf("%v: %+v", err, all)
	}
	for id, first := range map[string]float64{"0": 1000, "1": 1005} {
		request := view.Request{Source: id, Paths: []string{`\Process(shell)\Working Set`}}
		answer, err := v.Range(t.Context(), request, view.Steps{})
		if err != nil || len(answer.Series) != 1 || answer.Series[0].Average[0] != first {
			t.Errorf("source %s: %v, want %v first: %+v", id, err, first, answer)
		}
	}
	if _, err := v.Statistics(t.Context(), view.Request{Paths: []string{`\System\*`}}); !errors.Is(err, view.ErrRequest) {
		t.Errorf("a request without source: %v", err)
	}
}

// TestAddFails: a source that cannot be added is closed once.
func TestAddFails(t *testing.T) {
	is, err := source.OpenLog(t.Context(), writeLog(t, t.TempDir(), 0, 2, block), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer is.Close()
	bad, rest := &closable{Source: is}, &closable{Source: is}
	if _, err := newView(t, view.Options{}).Add(t.Context(), view.Source{Name: "bad", Source: bad}); !errors.Is(err, winperf.ErrBadData) || bad.closed != 1 {
		t.Errorf("closed %d times, %v", bad.closed, err)
	}
	if _, err := view.New(t.Context(), []view.Source{{Source: bad}, {Source: rest}}, view.Options{}); err == nil || bad.closed != 2 || rest.closed != 1 {
		t.Errorf("closed %d and %d times, %v", bad.closed, rest.closed, err)
	}
}
