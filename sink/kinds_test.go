package sink

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
)

// TestKinds: a column of a log may hold values of several kinds. Every format shows them as it shows the same values
// in columns of their own.
func TestKinds(t *testing.T) {
	const unit = counter.NoUnit
	readings := []winperf.Reading{
		value(`\\HOST\Job(text)\Value`, counter.Text(`on "hold"`), unit),
		value(`\\HOST\Job(largest)\Value`, counter.Int(math.MaxUint64), unit),
		value(`\\HOST\Job(decimal)\Value`, counter.Float(1e17), unit),
		value(`\\HOST\Job(hex)\Value`, counter.FromBits(counter.KindHex32, 0xBEEF), unit),
		value(`\\HOST\Job(nan)\Value`, counter.Float(math.NaN()), unit),
		{Series: series(`\\HOST\Job(first)\Value`, unit), Time: sampleTime, Status: counter.NoPrevious},
		{Series: series(`\\HOST\Job(empty)\Value`, unit), Time: sampleTime},
	}

	for _, format := range Formats() {
		for name, o := range map[string]Options{
			"":      {Location: time.UTC, File: true},
			"human": {Location: time.UTC, Human: true},
		} {
			t.Run(format.Name+name, func(t *testing.T) {
				write := func(columns ...winperf.Column) string {
					var out bytes.Buffer
					s := newNamed(t, format.Name, o)(&out)
					if err := s.Write(sampleTime, columns); err != nil {
						t.Fatal(err)
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					return out.String()
				}

				want, got := write(winperf.ColumnsOf(readings)...), write(perftest.Column(readings...))
				if diff := cmp.Diff(want, got); diff != "" || want == "" {
					t.Errorf("one column (-want +got):\n%s", diff)
				}
			})
		}
	}
}
