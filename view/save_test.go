package view_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// saved saves a range of a View and opens the result.
func saved(t *testing.T, v *view.View, r view.Request) *view.View {
	t.Helper()
	var b bytes.Buffer
	if err := v.Save(t.Context(), r, &b, nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "saved.log")
	if bytes.HasPrefix(b.Bytes(), []byte("{")) {
		name += ".jsonl"
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, name)
}

// answersOf returns the values and instances of a range as text, without times outside the range.
func answersOf(t *testing.T, v *view.View, r view.Request, paths ...string) string {
	t.Helper()
	var b strings.Builder
	add := func(answer any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(answer, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	for path := range slices.Chunk(paths, 10) {
		with := r
		with.Paths = path
		chart, err := v.Range(t.Context(), with, view.Steps{})
		if err == nil { // a log lists instances in the order of their appearance
			slices.SortStableFunc(chart.Series, func(a, b view.SeriesValues) int {
				return cmp.Compare(a.Path, b.Path)
			})
		}
		add(chart, err)
		figures, err := v.Statistics(t.Context(), with)
		if err == nil {
			slices.SortStableFunc(figures.Series, func(a, b view.SeriesFigures) int {
				return cmp.Compare(a.Path, b.Path)
			})
		}
		add(figures, err)
	}

	found, err := v.Instances(t.Context(), r, "Process")
	if err == nil {
		for i := range found.Instances {
			found.Instances[i].First, found.Instances[i].Last = time.Time{}, time.Time{}
		}
		slices.SortStableFunc(found.Instances, func(a, b view.Instance) int { return cmp.Compare(a.Name, b.Name) })
	}
	add(found, err)
	return b.String()
}

// TestSave: a saved range has the same values, instances and statistics as the log, also in its first sample,
// and one sample before it.
func TestSave(t *testing.T) {
	v := small(t)
	for _, tt := range []struct{ begin, end, samples int }{
		{-5, 100, 20}, {0, 19, 20}, {4, 8, 6}, {5, 5, 2}, {12, 19, 9}, {0, 0, 1},
	} {
		r := view.Request{Begin: at(tt.begin), End: at(tt.end)}
		again := saved(t, v, r)
		paths := []string{`\Processor(*)\*`, `\Process(*)\*`, `\System\*`}
		if diff := gocmp.Diff(answersOf(t, v, r, paths...), answersOf(t, again, r, paths...)); diff != "" {
			t.Errorf("%d to %d: %s", tt.begin, tt.end, diff)
		}
		whole, err := again.Range(t.Context(), view.Request{Paths: []string{`\System\*`}}, view.Steps{})
		if err != nil || len(whole.Times) != tt.samples {
			t.Errorf("%d to %d: %d samples, want %d, %v", tt.begin, tt.end, len(whole.Times), tt.samples, err)
		}
	}

	var b bytes.Buffer
	if err := v.Save(t.Context(), view.Request{Begin: at(30)}, &b, nil); err != nil || b.Len() > 0 {
		t.Errorf("%d bytes without a sample, %v", b.Len(), err)
	}
}

// TestSaveReal: a part of a log of Windows has the same values after it is saved.
func TestSaveReal(t *testing.T) {
	for _, name := range []string{"PAL_SampleLog.blg", "Tx_BasicPerfCounters.blg"} {
		t.Run(name, func(t *testing.T) {
			v := open(t, perftest.Data(t, "blg", name))
			sources, err := v.Sources(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := sources.Sources[0]
			third := s.End.Sub(*s.Begin) / 3
			r := view.Request{Begin: s.Begin.Add(third), End: s.End.Add(-third)}
			again := saved(t, v, r)
			var paths []string
			objects, err := v.Objects(t.Context(), view.Request{})
			if err != nil {
				t.Fatal(err)
			}

			for _, o := range objects.Objects {
				if o.Instances != nil {
					paths = append(paths, `\`+o.Name+`(*)\*`)
				} else {
					paths = append(paths, `\`+o.Name+`\*`)
				}
			}
			if diff := gocmp.Diff(answersOf(t, v, r, paths...), answersOf(t, again, r, paths...)); diff != "" {
				t.Error(diff)
			}

			about, err := again.Sources(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			is := about.Sources[0]
			if is.Zone != s.Zone || !slices.Equal(is.Offsets, s.Offsets) || is.Host != s.Host ||
				is.System != s.System {
				t.Errorf("%+v, the log has %+v", is, s)
			}
		})
	}
}

// TestSaveValues: logs of displayable values keep values, instances and units.
func TestSaveValues(t *testing.T) {
	const csv = `"(PDH-CSV 4.0) (W. Europe Time)(-60)",` +
		`"\\HOST\Process(a)\X","\\HOST\Process(b)\X","\\HOST\Process(a#1)\X"
"01/17/2024 23:20:00.000","1"," ","5.25"
"01/17/2024 23:20:01.000","2","1e300","6"
"01/17/2024 23:20:02.000"," ","4","7"
"01/17/2024 23:20:03.000","9","9","9"
`
	var jsonl strings.Builder
	for second := range 4 {
		for _, instance := range []string{"a", "b"} {
			if instance == "b" && second == 1 {
				continue
			}
			const form = `{"time":%q,"path":"\\\\HOST\\Process(%s)\\X","value":%d.5,"unit":"count","status":"ok",` +
				`"object":"Process","instance":%[2]q,"counter":"X","pid":4,"start":"2024-01-17T20:00:0%[4]dZ"}` + "\n"
			fmt.Fprintf(&jsonl, form, at(second).Format(time.RFC3339), instance, second, second/2)
		}
	}

	for name, text := range map[string]string{"small.csv": csv, "small.jsonl": jsonl.String()} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		v := open(t, file)
		r := view.Request{Begin: at(0), End: at(2)}
		again := saved(t, v, r)
		want, got := answersOf(t, v, r, `\Process(*)\*`), answersOf(t, again, r, `\Process(*)\*`)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		whole, err := again.Range(t.Context(), view.Request{Paths: []string{`\Process(a)\X`}}, view.Steps{})
		if err != nil || len(whole.Times) != 3 {
			t.Errorf("%s: %+v, %v", name, whole, err)
		}
		before, err := v.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after, err := again.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a, b := before.Sources[0], after.Sources[0]; a.Zone != b.Zone || !slices.Equal(a.Offsets, b.Offsets) {
			t.Errorf("%s: %+v, the log has %+v", name, b, a)
		}
	}
}

// TestSaveDamage: the rest of a damaged log is saved, and the damage is reported.
func TestSaveDamage(t *testing.T) {
	const csv = `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Memory\X"
"01/17/2024 22:20:00.000","1"
"01/17/2024 22:2
"01/17/2024 22:20:02.000","3"
`
	raw, err := os.ReadFile(writeLog(t, t.TempDir(), 0, 60, block))
	if err != nil {
		t.Fatal(err)
	}

	copy(raw[len(raw)/2:], "damaged")
	for name, text := range map[string][]byte{"small.csv": []byte(csv), "small.capture": raw} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var damage []error
		var b bytes.Buffer
		add := func(errs []error) { damage = append(damage, errs...) }
		err := open(t, file).Save(t.Context(), view.Request{}, &b, add)
		if err != nil || b.Len() == 0 || len(damage) == 0 || !errors.Is(damage[0], winperf.ErrBadData) {
			t.Errorf("%s: %d bytes, %v, %v", name, b.Len(), damage, err)
		}
	}
}

// TestSaveDirectory: the files of a directory become one log.
func TestSaveDirectory(t *testing.T) {
	dir := t.TempDir()
	for from := range 4 {
		writeLog(t, dir, 10*from, 10*from+10, block)
	}
	v := newView(t, view.Options{}, view.Source{Name: dir, Source: join(t, files(dir)), Grows: true})
	r := view.Request{Begin: at(8), End: at(12)}
	again := saved(t, v, r)
	if diff := gocmp.Diff(answersOf(t, v, r, `\System\*`), answersOf(t, again, r, `\System\*`)); diff != "" {
		t.Error(diff)
	}
}

// TestSaveLive: the history of a live source can be saved.
func TestSaveLive(t *testing.T) {
	var text []byte
	synctest.Test(t, func(t *testing.T) {
		m := &machine{of: block, schema: schema()}
		v := newView(t, view.Options{KeepAlways: true}, view.Source{Name: "live", Source: m})
		time.Sleep(3 * time.Minute)
		var b bytes.Buffer
		if err := v.Save(t.Context(), view.Request{Begin: at(50), End: at(130)}, &b, nil); err != nil {
			t.Fatal(err)
		}
		text = b.Bytes()
	})
	file, err := capture.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	begin, end := file.Span()
	if file.Samples() != 82 || !begin.Equal(at(49)) || !end.Equal(at(130)) {
		t.Errorf("%d samples from %v to %v", file.Samples(), begin, end)
	}
}

// TestSaveStops: Save ends with its context, with the error of the writer, and if the log was removed.
func TestSaveStops(t *testing.T) {
	const csv = `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Memory\X"
"01/17/2024 22:20:00.000","1"
`
	file := filepath.Join(t.TempDir(), "small.csv")
	if err := os.WriteFile(file, []byte(csv), 0o600); err != nil {
		t.Fatal(err)
	}
	v := open(t, file)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.Save(ctx, view.Request{}, &bytes.Buffer{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}

	if err := v.Save(t.Context(), view.Request{}, refusing{}, nil); !errors.Is(err, errRefused) {
		t.Errorf("%v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := v.Save(t.Context(), view.Request{}, &bytes.Buffer{}, nil); !errors.Is(err, view.ErrRemoved) {
		t.Errorf("%v", err)
	}
}

var errRefused = errors.New("refused")

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errRefused }

// TestNames: names have no directories of this machine.
func TestNames(t *testing.T) {
	var sources []view.Source
	want := []string{"a.blg", "b.csv", "winperf", "log", "log", "x?y.jsonl"}
	for _, name := range []string{
		"/home/me/a.blg", `C:\Users\me\b.csv`, "/var/lib/winperf/", ".", "..", "dir/x?y.jsonl",
	} {
		src, err := source.OpenLog(t.Context(), writeLog(t, t.TempDir(), 0, 2, block), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, view.Source{Name: name, Source: src})
	}
	m := &machine{of: block, schema: schema()}
	sources, want = append(sources, view.Source{Name: "local:?root=/srv/host", Source: m}), append(want, "HOST")
	for i, named := range newView(t, view.Options{}, sources...).Names() {
		if named.ID != fmt.Sprint(i) || named.Name != want[i] {
			t.Errorf("%+v, want %q", named, want[i])
		}
	}
}
