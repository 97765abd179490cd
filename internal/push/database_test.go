package push

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

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
	until(t, "a backlog", func() bool { return p.Stats().Queued.Items >= 4 })
	db.Start()
	until(t, "the rest", func() bool { return p.Stats().Queued.Items == 0 && p.Stats().Sent >= 20 })
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

// A Prometheus that has some samples of a request already, as winperf was started anew before it saw the
// answer, and one that has newer samples of others and takes none that are hours older, refuse the request
// as a whole. What is good in it comes all the same.
func TestPartOfRequest(t *testing.T) {
	t.Run("Debian's", func(t *testing.T) { partOfRequest(t, dbtest.Prometheus(t), "remote-write+", "", false) })
	t.Run("with a window", func(t *testing.T) {
		const window = "storage: {tsdb: {out_of_order_time_window: 48h}}\n" // as docs/serve.md says
		partOfRequest(t, dbtest.PrometheusWith(t, t.TempDir(), window), "remote-write+", "", true)
	})
}

func TestPartOfRequestToCurrent(t *testing.T) {
	t.Run("remote write 2.0", func(t *testing.T) { partOfRequest(t, dbtest.CurrentPrometheus(t), "remote-write+", "", false) })
	t.Run("OTLP", func(t *testing.T) {
		partOfRequest(t, dbtest.CurrentPrometheus(t), "otlp+", "/api/v1/otlp/v1/metrics", false)
	})
}

// partOfRequest sends requests that are partly good. old says that the database takes what is hours old.
func partOfRequest(t *testing.T, db *dbtest.Database, scheme, path string, old bool) {
	t.Helper()
	const n = 5
	now := time.Now().Truncate(time.Second).Add(-time.Minute)
	at := func(second int) *metrics.Set {
		s := many(second, n)
		s.Time = now.Add(time.Duration(second) * time.Second)
		return s
	}
	target := Target{URL: scheme + db.URL + path}
	target.Labels, target.Resource = Identity("HOST", "linux", "1")

	refused := uint64(0)
	for _, sets := range [][]*metrics.Set{
		{at(1), at(2), at(3)},
		{at(1), at(2), at(3), at(4), at(5)},
		{at(-4 * 3600), at(-3 * 3600), at(6), at(-2 * 3600), at(7)},
	} {
		s, err := NewSender(target, SenderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sendMany(t, s, sets)
		refused += s.Counts().Refused
		s.Close()
	}

	got := db.Queried(now.Add(time.Minute), 6*time.Hour)
	seconds := []int{1, 2, 3, 4, 5, 6, 7}
	if old {
		seconds = append(seconds, -4*3600, -3*3600, -2*3600)
	}
	for _, second := range seconds {
		for i := range n {
			key := fmt.Sprintf(`{__name__="value", name="%03d"} %d`, i, now.Add(time.Duration(second)*time.Second).UnixMilli())
			if got[key] != float64(second) {
				t.Errorf("%s is %v, want %d", key, got[key], second)
			}
		}
	}
	if !old && refused < 3*n || refused > 6*n || old && refused > 3*n {
		t.Errorf("%d samples were refused, want those of 3 hours and at most those that were there", refused)
	}
}
