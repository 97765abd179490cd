package push

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink/metrics"
)

// decimals maps a value to a whole number and a short decimal, and notes what it mapped.
type decimals struct {
	Mapper
	want map[string]float64
}

func (d *decimals) Map(f frame.Frame, names *nametable.Names) (*metrics.Set, error) {
	set, err := d.Mapper.Map(f, names)
	if err != nil {
		return nil, err
	}
	n := set.Families[0].Columns[0].Bits[0]
	rows := set.Families[0].Columns[0].Rows
	set.Families = append(set.Families, metrics.Family{Name: "decimal", Type: metrics.Gauge, Columns: []metrics.Column{
		{Rows: rows, Form: metrics.Ticks100ns, Bits: []uint64{n * 12_500}},
	}})
	ms := set.Time.UnixMilli()
	d.want[fmt.Sprintf(`{__name__="value"} %d`, ms)] = float64(n)
	d.want[fmt.Sprintf(`{__name__="decimal"} %d`, ms)] = float64(n*12_500) / 1e7
	return set, nil
}

// VictoriaMetrics is stopped and started again while it is pushed to: it has every value in the
// end, and no other.
func TestPushToVictoriaMetrics(t *testing.T) {
	db := dbtest.VictoriaMetrics(t)
	want := map[string]float64{}
	src := &counting{n: rand.Uint64N(1 << 40)}
	first := src.n
	labels, _ := Identity("HOST", "linux", "1")
	p, stop := begin(t, Options{
		Target: Target{URL: "remote-write+" + db.URL, Labels: labels}, Source: src, Dir: t.TempDir(),
		NewMapper: func() Mapper { return &decimals{newPlain(), want} },
	})
	sent := func(n uint64) func() bool { return func() bool { return p.Stats().Sent >= n } }
	until(t, "samples", sent(6))
	db.Stop()
	until(t, "a backlog", func() bool { return p.Stats().Queued.Samples >= 4 })
	db.Start()
	until(t, "the rest", func() bool { return p.Stats().Queued.Samples == 0 && p.Stats().Sent >= 20 })
	stop()
	if src.n-first < 10 {
		t.Errorf("%d samples were taken", src.n-first)
	}

	// After a start it takes a second or two until it shows samples that it took.
	until(t, "all values", func() bool { return len(db.Exported()) >= len(want) })
	if got := db.Exported(); !maps.Equal(got, dbtest.Samples(want)) {
		t.Errorf("there is %v, want %v", got, want)
	}
}
