package series_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/push/internal/otlp"
	"github.com/winperf/winperf/internal/push/internal/remotewrite"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// An encoder writes a Set as bytes.
type encoder func(t *testing.T, set *metrics.Set) []byte

func encoders(t *testing.T, first time.Time) map[string]encoder {
	t.Helper()
	text := func(f prometheus.Format) encoder {
		e := prometheus.NewEncoder(prometheus.Options{Format: f})
		return func(t *testing.T, set *metrics.Set) []byte {
			var b bytes.Buffer
			fail(t, e.Encode(&b, set))
			return b.Bytes()
		}
	}
	export, write := otlp.NewEncoder(otlp.Options{}), remotewrite.NewEncoder(remotewrite.Options{})
	// Counters without a known start began at the first Set.
	fail(t, export.Encode(&metrics.Set{Time: first}, nil))
	return map[string]encoder{
		"text": text(prometheus.Text), "OpenMetrics": text(prometheus.OpenMetrics),
		"OTLP": func(t *testing.T, set *metrics.Set) (all []byte) {
			send := func(r *otlp.Request) error { all = append(all, r.Body...); return nil }
			fail(t, export.Encode(set, send))
			fail(t, export.Flush(send))
			return all
		},
		"remote write 2.0": func(t *testing.T, set *metrics.Set) (all []byte) {
			send := func(r *remotewrite.Request) error {
				b, err := s2.Decode(nil, r.Body)
				all = append(all, b...)
				return err
			}
			fail(t, write.Encode(set, send))
			fail(t, write.Flush(send))
			return all
		},
	}
}

func fail(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestHistoryLeavesNothing compares what encoders write that have seen other Sets with what new ones
// write: nothing is left of families, labels and texts that were there before.
func TestHistoryLeavesNothing(t *testing.T) {
	table, err := nametable.FromMap(nametable.Counter, perftest.HistoryNames())
	fail(t, err)
	names, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}})

	for seed, r := range perftest.SuiteCases(30).All() {
		history := perftest.NewHistory(r)
		m := metrics.NewMapper(metrics.Options{})
		var pool frame.Pool
		var before frame.Frame
		var first time.Time
		var old map[string]encoder
		for step := range 20 { // more than a cache of labels is patient for
			block, err := perfdata.ParseText([]byte(history.Block("HOST")))
			fail(t, err)
			raw, err := block.Encode()
			fail(t, err)
			f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: raw}.Sample(), before)
			fail(t, err)
			before = f
			set, err := m.Map(f, names)
			fail(t, err)

			if old == nil {
				first = set.Time
				old = encoders(t, first)
			}
			for name, fresh := range encoders(t, first) {
				if got, want := old[name](t, set), fresh(t, set); !slices.Equal(got, want) {
					t.Fatalf("case %d, step %d, %s:\n%.2000q\nof a new one\n%.2000q", seed, step, name, got, want)
				}
			}
		}
	}
}
