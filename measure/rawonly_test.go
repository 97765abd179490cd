package measure_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"time"
)

// rawSource gives samples that are no blocks.
type rawSource struct {
	winperf.Source
	samples [][]byte
	cooked  bool
}

func (s *rawSource) Describe() winperf.Description {
	return winperf.Description{Recorded: true, Samples: len(s.samples)}
}

func (s *rawSource) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	if s.cooked {
		return cookedRaw{}, nil
	}
	return &rawQuery{samples: s.samples}, nil
}

type rawQuery struct {
	samples [][]byte
}

func (q *rawQuery) Next(_ context.Context, s *winperf.Sample) error {
	s.Clear()
	if len(q.samples) == 0 {
		return errEnd
	}
	b := s.Add()
	b.Format, b.Bytes, q.samples = winperf.FormatV1, append(b.Bytes, q.samples[0]...), q.samples[1:]
	return nil
}

func (q *rawQuery) Close() error { return nil }

type cookedRaw struct{ winperf.Query }

func (cookedRaw) Next(_ context.Context, s *winperf.Sample) error {
	perftest.ShowValues(s, time.Time{}, nil)
	return nil
}

func (cookedRaw) Close() error { return nil }

var errEnd = errors.New("the end")

// TestRawOnly checks that samples come as they are, those that cannot be
// decoded too, and the first one at once.
func TestRawOnly(t *testing.T) {
	samples := [][]byte{[]byte("damaged"), {}, []byte("PERF")}
	var got [][]byte
	for cycle, err := range measure.Watch(t.Context(), &rawSource{samples: samples}, winperf.Selection{Global: true}, measure.Options{RawOnly: true}) {
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := cycle.Sample.Raw()
		if err != nil || cycle.Time.IsZero() || cycle.Cost.Bytes != len(raw.Bytes) || !cycle.Frame.IsZero() {
			t.Errorf("taken at %v, %d bytes", cycle.Time, cycle.Cost.Bytes)
		}
		got = append(got, bytes.Clone(raw.Bytes))
	}
	if len(got) != len(samples) || !bytes.Equal(bytes.Join(got, []byte("|")), bytes.Join(samples, []byte("|"))) {
		t.Errorf("got %q, want %q", got, samples)
	}
}

// TestRawOnlyCooked checks that a source of displayable values refuses.
func TestRawOnlyCooked(t *testing.T) {
	c := measure.New(&rawSource{cooked: true}, winperf.Selection{}, measure.Options{RawOnly: true})
	defer c.Close()
	if _, err := c.Cycle(t.Context()); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("%v, want %v", err, winperf.ErrNotSupported)
	}
}
