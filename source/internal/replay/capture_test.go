package replay_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source/internal/replay"
)

// captureFile writes samples of a machine to a file.
func captureFile(t *testing.T, n int) (name string, samples []perftest.Sample) {
	t.Helper()
	samples = perftest.Series(perftest.Small, n, 5, 1)
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Options{GroupSamples: 4})
	schema := &winperf.Schema{Interface: "registry", Costly: []uint32{232}}
	for i := range samples {
		if err := w.Write(winperf.Raw{Format: winperf.FormatV1, Bytes: samples[i].Bytes, Schema: schema}.Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "x.capture")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name, samples
}

func openCapture(t *testing.T, name string) winperf.Source {
	t.Helper()
	src, err := replay.OpenCapture(replay.At(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

func TestCapture(t *testing.T) {
	name, samples := captureFile(t, 10)
	src := openCapture(t, name)
	if n := src.Describe().Samples; n != len(samples) {
		t.Errorf("%d samples, want %d", n, len(samples))
	}
	s, err := src.Schema(t.Context())
	if err != nil || s.Interface != "registry" || len(s.Costly) != 1 {
		t.Errorf("schema %+v, %v", s, err)
	}
	taken := 0
	for cycle, err := range measure.Watch(t.Context(), src, winperf.Selection{Global: true}, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := cycle.Sample.Raw()
		if err != nil || !bytes.Equal(raw.Bytes, samples[taken].Bytes) || raw.Schema != s || cycle.Frame.Machine() != src.Describe().Machine || len(cycle.Damage) > 0 {
			t.Fatalf("sample %d of %q is another one; damage %v", taken, src.Describe().Machine, cycle.Damage)
		}
		taken++
	}
	if taken != len(samples) || src.Describe().Machine == "" {
		t.Errorf("%d samples of %q", taken, src.Describe().Machine)
	}
}

// TestCaptureQueries reads a capture in several goroutines.
func TestCaptureQueries(t *testing.T) {
	name, samples := captureFile(t, 10)
	src := openCapture(t, name)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			q, err := src.Compile(t.Context(), winperf.Selection{})
			if err != nil {
				t.Error(err)
				return
			}
			var raw winperf.Raw
			for i := range samples {
				if err := perftest.Take(t.Context(), q, &raw); err != nil || !bytes.Equal(raw.Bytes, samples[i].Bytes) {
					t.Errorf("sample %d: %v", i, err)
				}
			}
			if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
		})
	}
	all.Wait()
}

func TestCaptureSeek(t *testing.T) {
	name, samples := captureFile(t, 10)
	time := func(i int) time.Time {
		return capture.Time(winperf.Raw{Format: winperf.FormatV1, Bytes: samples[i].Bytes}.Sample())
	}
	q, err := openCapture(t, name).Compile(t.Context(), winperf.Selection{Begin: time(6), End: time(7)})
	if err != nil {
		t.Fatal(err)
	}
	var s winperf.Sample
	for i := 6; i <= 7; i++ {
		if err := q.Next(t.Context(), &s); err != nil || !bytes.Equal(s.Parts[0].Block.Bytes, samples[i].Bytes) {
			t.Errorf("not sample %d: %v", i, err)
		}
		if s.At <= s.Of/2 || s.At >= s.Of {
			t.Errorf("at %d of %d", s.At, s.Of)
		}
	}
	if err := q.Next(t.Context(), &s); !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %v", err)
	}
}

// TestCaptureDamaged checks that damage costs one sample, and is told with the
// file and the place.
func TestCaptureDamaged(t *testing.T) {
	name, samples := captureFile(t, 10)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	b = b[:len(b)-1]
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	src := openCapture(t, name)
	taken := 0
	var damage []error
	for cycle, err := range measure.Watch(t.Context(), src, winperf.Selection{Global: true}, measure.Options{KeepFirst: true}) {
		if err != nil {
			damage = append(damage, err) // behind the last sample
			break
		}
		taken++
		damage = append(damage, cycle.Damage...)
	}
	if taken < len(samples)-1 || len(damage) != 2 {
		t.Errorf("%d of %d samples, damage %v", taken, len(samples), damage)
	}
	for _, err := range damage {
		if !strings.Contains(err.Error(), name+": bad data at byte ") || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("damage %v", err)
		}
	}
}

func TestOpenCaptureErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no capture, but a text that is long enough"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		filepath.Join(dir, "missing"): fs.ErrNotExist, dir: winperf.ErrNotSupported, text: winperf.ErrBadData,
	} {
		if _, err := replay.OpenCapture(replay.At(name)); !errors.Is(err, want) || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	empty := filepath.Join(dir, "empty.capture")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if n := openCapture(t, empty).Describe().Samples; n != 0 {
		t.Errorf("%d samples in an empty file", n)
	}
}
