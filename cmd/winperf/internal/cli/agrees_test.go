package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// TestPrometheusAgrees sends long series to a real Prometheus and evaluates the documented expression
// of each counter there, over nearly all of them. What it gives is what is cooked of the first and the last
// sample of that time.
func TestPrometheusAgrees(t *testing.T) {
	t.Run("every type", func(t *testing.T) {
		a := newAgreement(t, everyType(t))
		a.compare(t)
		for info := range counter.Types() {
			if metrics.Expression(info.Type) != "" && !info.Type.IsText() && a.types[info.Type] < 2*2 {
				t.Errorf("%s: %d values compared", info.Name, a.types[info.Type])
			}
		}
	})
	for i, least := range []int{2950, 18} { // the second has 9 series
		name := backfillLogs[i]
		t.Run(name, func(t *testing.T) {
			a := newAgreement(t, filepath.Join(perftest.Data(t), "blg", name))
			a.compare(t)
			if a.compared < least {
				t.Errorf("%d values compared, want at least %d", a.compared, least)
			}
		})
	}
}

// agreement compares what a database gives with what is cooked.
type agreement struct {
	db          *dbtest.Database
	first, last frame.Frame
	interval    time.Duration // between two samples, on average
	names       *nametable.Names
	cooker      frame.Cooker

	compared int
	types    map[counter.Type]int
}

// newAgreement sends a record to a new database, and keeps its second and its last sample but one.
func newAgreement(t *testing.T, record string) *agreement {
	t.Helper()
	a := &agreement{db: dbtest.Prometheus(t), types: map[counter.Type]int{}}
	var stderr strings.Builder
	args := []string{"convert", record, "-o", "remote-write+" + a.db.URL}
	if status := Run(t.Context(), args, nil, io.Discard, &stderr); status != console.ExitDone {
		t.Fatalf("status %d: %s", status, &stderr)
	}

	src, err := source.Open(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var frames []frame.Frame
	all := winperf.Selection{Global: true, Costly: true}
	for c, err := range measure.Watch(t.Context(), src, all, measure.Options{FramesOnly: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Frame.Keep(); err != nil {
			t.Fatal(err)
		}
		frames, a.names = append(frames, c.Frame), c.Names
	}

	n := len(frames)
	a.first, a.last = frames[1], frames[n-2]
	a.interval = a.span() / time.Duration(n-3)
	// A series that begins has no older value: Prometheus cannot count it from zero.
	if err := a.cooker.Set(a.first, a.last, counter.Options{NeedPrevious: true}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d samples, %v apart", n, a.interval)
	return a
}

// span is the time between the two samples.
func (a *agreement) span() time.Duration { return a.last.Time().Sub(a.first.Time()) }

// compare looks at all counters twice. First the time that rate looks at begins and ends with the two
// samples: then nothing is extrapolated, and the value may be wrong by a millisecond for each of the two
// times, which Prometheus keeps in milliseconds. Then it begins and ends a third of an interval from
// them: Prometheus goes on from the samples to its ends, and no further back than a count of 0, which may
// cost what a counter grew in such a third.
func (a *agreement) compare(t *testing.T) {
	t.Helper()
	third := a.interval / 3
	for o := range a.last.Objects() {
		for k := range o.NumCounters() {
			typ := o.Counter(k).Type
			if typ.IsText() || metrics.Expression(typ) == "" || o.Metadata() {
				continue
			}
			c := a.counter(t, o, k)
			if withoutSeries[c.name] {
				continue
			}
			a.window(t, c, 0, 2*time.Millisecond)
			a.window(t, c, third, third+2*time.Millisecond)
		}
	}
	t.Logf("%d values compared: %v", a.compared, a.types)
}

// withoutSeries are counters without series of their own: ids are labels, and the same value in a coarser unit is one
// series with the finest.
var withoutSeries = map[string]bool{
	"ID Process": true, "ID Thread": true, "Available KBytes": true, "Available MBytes": true,
}

// agreed is a counter and its metrics.
type agreed struct {
	object     frame.Object
	k          int
	typ        counter.Type
	name       string // English
	x          string // what the names of its metrics begin with
	expression string
	labels     []string // by instance, as [dbtest.Database.Evaluated] has them
}

// counter finds the metrics of a counter: a Mapper that makes those of no other tells their names
// and labels.
func (a *agreement) counter(t *testing.T, o frame.Object, k int) agreed {
	t.Helper()
	english := a.names.In(nametable.English)
	c := agreed{object: o, k: k, typ: o.Counter(k).Type, name: english.Title(o.Counter(k).ID.Index)}
	path := winperf.Path{
		Object: english.Title(o.ID().Index), Instance: "*", Index: winperf.AnyIndex, HasInstance: !o.Single(), Counter: c.name,
	}
	m := metrics.NewMapper(metrics.Options{Totals: true, Select: winperf.Selection{Paths: []winperf.Path{path}}})
	set, err := m.Map(a.last, a.names)
	if err != nil || len(set.Families) == 0 {
		t.Fatalf("%v: %d metrics, %v", path, len(set.Families), err)
	}

	c.expression = metrics.Expression(c.typ)
	suffix := "" // of the first metric, as it is in the expression
	for _, m := range metricInExpression.FindAllStringSubmatch(c.expression, -1) {
		if s := strings.TrimSuffix(m[1], "_sum"); len(s) > len(suffix) && strings.HasSuffix(set.Families[0].Name, s) {
			suffix = s
		}
	}
	c.x = strings.TrimSuffix(set.Families[0].Name, suffix)
	rows := set.Families[0].Columns[0].Rows
	if rows.Len() != o.Len() {
		t.Fatalf("%v: %d rows of %d instances", path, rows.Len(), o.Len())
	}
	for i := range rows.Len() {
		c.labels = append(c.labels, labelsOf(rows.Labels(i)))
	}
	return c
}

func labelsOf(all []metrics.Label) string {
	var parts []string
	for _, l := range all {
		parts = append(parts, l.Name+"="+strconv.Quote(l.Value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

var (
	metricInExpression = regexp.MustCompile(`\bx(_\w+)?\b`)
	overTime           = regexp.MustCompile(`(rate|increase)\((\w+)\)`)
)

// window compares the values of a counter over the time between the two samples and so much before and
// after. The error may be as large as the part that a time is of all the time.
func (a *agreement) window(t *testing.T, c agreed, more, within time.Duration) {
	t.Helper()
	length := a.span().Round(time.Millisecond) + 2*more.Round(time.Millisecond) + 2*time.Millisecond
	end := a.last.Time().Add(more + time.Millisecond).Truncate(time.Millisecond)
	expression := metricInExpression.ReplaceAllString(c.expression, c.x+"$1")
	expression = overTime.ReplaceAllString(expression, fmt.Sprintf("$1($2[%dms])", length.Milliseconds()))
	got := a.db.Evaluated(expression, end)

	cooked := a.cooker.Object(c.object).Column(c.k)
	for i, labels := range c.labels {
		if cooked.Status[i] != counter.OK || c.isTotal(i) {
			continue // the instance was not in both samples, or is not sent
		}
		want, _ := cooked.Value(i).Float64()
		want *= baseUnits(c.name, c.typ)
		switch c.typ {
		case counter.ElapsedTime:
			want += end.Sub(a.last.Time()).Seconds()
		case counter.Delta, counter.LargeDelta:
			want *= float64(length) / float64(a.span())
		}

		v, ok := got[labels]
		if ok && math.IsNaN(v) && want == 0 {
			continue // an average of no operations, which Windows shows as 0
		}
		a.compared++
		a.types[c.typ]++
		tolerance := 1e-9 + (float64(within)+a.drift(&c))/float64(a.span())
		if !ok || math.Abs(v-want) > tolerance*max(math.Abs(want), a.whole(&c, i))+1e-12 {
			t.Errorf("%s %s at %v = %v, %v; want %v within %.2g", expression, labels, end, v, ok, want, tolerance)
		}
	}
}

// drift is how far the clock that the counter is divided by, and the one of the system, which Prometheus knows,
// went apart between the two samples, in nanoseconds.
func (a *agreement) drift(c *agreed) float64 {
	older, _ := a.first.Find(c.object.ID())
	before, now := older.Clocks(), c.object.Clocks()
	seconds := func(which counter.Clock) float64 {
		from, _ := before.At(which)
		to, perSecond := now.At(which)
		return float64(to-from) / float64(perSecond)
	}
	if c.typ.Clock() == counter.NoClock {
		return 0
	}
	return 1e9 * math.Abs(seconds(c.typ.Clock())-seconds(counter.Clock100ns))
}

// isTotal reports whether instance i sums up others, and is not sent. No object here has totals alone.
func (c *agreed) isTotal(i int) bool {
	return !c.object.Single() && frame.IsTotal(c.object.Labels().Name(i))
}

// whole is what the error is a part of where the value itself may be much smaller: all the time, of which a percentage
// shows what is left, or which has passed since something began.
func (a *agreement) whole(c *agreed, i int) float64 {
	switch c.typ {
	case counter.ElapsedTime:
		return a.span().Seconds()
	case counter.TimerInv, counter.TimerInv100NSec:
		return 100
	case counter.MultiTimerInv, counter.MultiTimerInv100NSec:
		components := make([]uint64, c.object.Len())
		c.object.ReadMulti(components, c.k, 0)
		return 100 * float64(components[i])
	}
	return 0
}

// baseUnits is what the displayed values of a raw count are in base units.
func baseUnits(name string, typ counter.Type) float64 {
	if metrics.Expression(typ) != "x" {
		return 1
	}
	for word, factor := range map[string]float64{
		"MBytes": 1 << 20, "Megabytes": 1 << 20, "KBytes": 1 << 10, "KB": 1 << 10, "%": 0.01,
		"Bandwidth": 0.125,
	} {
		if strings.Contains(name, word) {
			return factor
		}
	}
	return 1
}

// everyType makes a record of samples of all types, an object each with two instances, about 15 seconds
// apart for more than an hour, and returns its URL.
func everyType(t *testing.T) (url string) {
	t.Helper()
	const samples = 300
	dir := t.TempDir()
	var files []string
	for n := range samples {
		block, err := perfdata.ParseText([]byte(typesText(n)))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := block.Encode()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Join(dir, strconv.Itoa(n)+".bin"))
		if err := os.WriteFile(files[n], raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	var names strings.Builder
	title := 10_000
	for info := range counter.Types() {
		fmt.Fprintf(&names, "%d\tThing %s\n%d\tSome Value\n", title, info.Name, title+2)
		title += 4
	}
	file := filepath.Join(dir, "names.tsv")
	if err := os.WriteFile(file, []byte(names.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "perfdata:" + strings.Join(files, ",") + "?names=" + file
}

// typesText is sample n. Its clocks agree, as those of one machine do: that of the system is of 10 MHz, the
// others of 100 kHz.
func typesText(n int) string {
	const ticks = 100_000
	at := int64(n)*15*1e7 + int64(n*7919%4001)*1000 + 1234 // 100 ns; up to 0.4 s late
	elapsed := at / (1e7 / ticks)
	var b strings.Builder
	fmt.Fprintf(&b, "block name=\"HOST\" perftime=%d perffreq=%d time100ns=%d\n", elapsed+5000, ticks, 133500000000000000+at)
	title := 10_000
	for info := range counter.Types() {
		if metrics.Expression(info.Type) != "" && !info.Type.IsText() {
			fmt.Fprintf(&b, "object %d time=%d freq=%d\n counter %d 0x%08X\n", title, elapsed+7000, ticks, title+2, uint32(info.Type))
			if info.Base != 0 {
				fmt.Fprintf(&b, " counter %d 0x%08X\n", title+2, uint32(info.Base))
			}
			for i := range 2 {
				fmt.Fprintf(&b, " instance \"i%d\" :%s\n", i, typeValues(info, at, elapsed, i))
			}
		}
		title += 4
	}
	return b.String()
}

// typeValues are the values of an instance, which grow unevenly, when so much time had passed.
func typeValues(info counter.Info, at, elapsed int64, i int) string {
	clock, wave := elapsed, float64(elapsed)/5e7
	if info.Clock == counter.Clock100ns || info.Type == counter.Precision100NSTimer {
		clock, wave = at, float64(at)/5e9
	}
	busy := int64((0.3 + 0.2*float64(i)) * float64(clock) * (1 + 0.5*math.Sin(wave)/wave))
	operations := at/1e6 + int64(i)

	switch {
	case info.Type == counter.ElapsedTime:
		return fmt.Sprintf(" %d", 1000+i)
	case info.Type == counter.DoubleRaw:
		return fmt.Sprintf(" %d", math.Float64bits(math.Sin(wave)))
	case info.Type.IsMulti():
		return fmt.Sprintf(" %d 4", 3*busy)
	case info.Base == 0:
		return fmt.Sprintf(" %d", 1000+busy)
	case info.Clock == counter.NoClock && !info.Cumulative:
		return fmt.Sprintf(" %d %d", 1000+operations%100, 3000+operations%77)
	}

	base := 1000 + operations
	if strings.HasPrefix(info.Name, "PERF_PRECISION") {
		base = clock
	}
	return fmt.Sprintf(" %d %d", busy, base)
}
