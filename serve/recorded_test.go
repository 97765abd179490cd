package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// A record without samples, and one whose reading is given up, are refused.
func TestRecordedFails(t *testing.T) {
	broken := errors.New("a bad sector")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, c := range map[string]struct {
		before func(context.Context, int, winperf.Selection) error
		want   error
	}{
		"empty":  {func(context.Context, int, winperf.Selection) error { return io.EOF }, io.ErrUnexpectedEOF},
		"broken": {func(context.Context, int, winperf.Selection) error { return broken }, broken},
		"stopped": {
			func(context.Context, int, winperf.Selection) error { cancel(); return nil }, context.Canceled,
		},
	} {
		ctx := ctx
		if name != "stopped" {
			ctx = t.Context()
		}
		e, err := New(ctx, &fake{t: t, recorded: 9, before: c.before}, Options{})
		if e != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// A record that is closed is served no more.
func TestRecordedClosed(t *testing.T) {
	e, err := New(t.Context(), &fake{t: t, recorded: 3}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	scrape(e, "/metrics")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if status, text := scrape(e, "/metrics"); status != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", status, text)
	}
	if s := e.main.latest(); s != nil {
		t.Errorf("there is a sample: %+v", s)
	}
}

// Objects of a log of displayable values, such as a text log, are up, and paths match its series.
func TestRecordedValues(t *testing.T) {
	of := paths(t, `\\HOST\Memory\Available Bytes`, `\\HOST\Memory\Pages/sec`, `\\HOST\System\Processes`)
	var shown []winperf.Reading
	for i, p := range of {
		shown = append(shown, winperf.Reading{Series: winperf.NewSeries(p), Value: counter.Int(uint64(40 + i))})
	}
	e := exporter(t, &fake{recorded: 2, shown: shown}, Config{
		Paths: paths(t, `\Memory\Available Bytes`, `\Memory\Nothing`, `\System\*`, `\Nothing\*`),
	})
	_, text := scrape(e, "/metrics")
	for series, want := range map[string]string{
		`winperf_object_up{object="Memory"}`: "1", `winperf_object_up{object="System"}`: "1",
		`winperf_object_up{object="Nothing"}`: "0", "winperf_series": "2",
	} {
		if got := value(text, series); got != want {
			t.Errorf("%s is %q, want %s", series, got, want)
		}
	}
	if diff := cmp.Diff([]string{`\Memory\Nothing`, `\Nothing\*`}, unmatchedPaths(text)); diff != "" {
		t.Error(diff)
	}
}
