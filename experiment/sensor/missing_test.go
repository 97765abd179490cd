package sensor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/perftest"
)

// shown is a source of displayable values of some counters; without counters it fails.
type shown []string

var errShown = errors.New("the source fails")

func (shown) Describe() winperf.Description { return winperf.Description{} }

func (shown) Schema(context.Context) (*winperf.Schema, error) { return &winperf.Schema{}, nil }

func (shown) Close() error { return nil }

func (s shown) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	if len(s) == 0 {
		return nil, errShown
	}
	return s, nil
}

func (s shown) Next(_ context.Context, sample *winperf.Sample) error {
	var readings []winperf.Reading
	for _, text := range s {
		p, err := winperf.ParsePath(text)
		if err != nil {
			return err
		}
		readings = append(readings, winperf.Reading{Series: winperf.NewSeries(p), Value: counter.Int(1)})
	}
	perftest.ShowValues(sample, time.Unix(1e9, 0), readings)
	return nil
}

// Of several origins the one counts that has most of a path; one that fails does not.
func TestMissing(t *testing.T) {
	here := sensor.Origin{Name: "here", Source: shown{`\Process(a)\Handles`, `\Memory\Bytes`}}
	there := sensor.Origin{Name: "there", Source: shown{`\Process(b)\Threads`}}
	broken := sensor.Origin{Name: "broken", Source: shown{}}
	var paths []winperf.Path
	for _, text := range []string{
		`\Process(b)\Threads`, `\Process(b)\Handles`, `\Process(c)\Lost`, `\Memory\Bytes`,
		`\Cache\Hits`, `\Memory\Bytes`,
	} {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}

	// The last path is looked for where it is not, the one before nowhere that answers.
	only := func(i int, o sensor.Origin) bool {
		return i < 4 || i == 4 && o.Name == "broken" || i == 5 && o.Name == "there"
	}
	origins := []sensor.Origin{there, broken, here}
	got, answered, err := sensor.Missing(t.Context(), origins, paths, only, nil)
	want := []counter.Status{
		counter.OK, counter.NoInstance, counter.NoCounter, counter.OK, counter.OK, counter.NoObject,
	}
	if err != nil || !slices.Equal(got, want) || len(answered) != 2 {
		t.Errorf("missing %v, want %v; %d origins answered, error %v", got, want, len(answered), err)
	}

	got, answered, err = sensor.Missing(t.Context(), origins[1:2], paths[:1], nil, nil)
	if !errors.Is(err, errShown) || len(answered) != 0 || got[0] != counter.OK {
		t.Errorf("of a source that fails: %v, %d answered, error %v", got, len(answered), err)
	}
}
