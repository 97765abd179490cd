package metrics

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// proof maps one frame after the other and compares what the documented expressions give
// with what is cooked.
type proof struct {
	mapper *Mapper
	cooker frame.Cooker
	prev   frame.Frame
	before map[string]*big.Float // the values of the Set before, by series
	// How many values were compared, of which types, and how many of them fell and were
	// continued over 2^32.
	compared int
	types    map[counter.Type]int
}

func newProof() *proof {
	return &proof{mapper: NewMapper(Options{Totals: true}), types: map[counter.Type]int{}}
}

// values are those of a Set by name and labels, exactly.
func values(t testing.TB, set *Set) map[string]*big.Float {
	all := map[string]*big.Float{}
	for _, f := range set.Families {
		for _, c := range f.Columns {
			for i := range c.Bits {
				if !c.Has(i) {
					continue
				}
				key := f.Name + c.Suffix + fmt.Sprint(c.Rows.Labels(i))
				if all[key] != nil {
					t.Errorf("%s is there twice", key)
				}
				all[key] = number(c.Form, c.Bits[i])
			}
		}
	}
	return all
}

func number(form Form, bits uint64) *big.Float {
	v := exact().SetUint64(bits)
	switch form {
	case Float:
		f := math.Float64frombits(bits)
		if math.IsNaN(f) {
			return nil
		}
		return v.SetFloat64(f)
	case Ticks100ns:
		v.Quo(v, exact().SetInt64(1e7))
	}
	return v
}

// add takes the next sample.
func (p *proof) add(t *testing.T, f frame.Frame, n *nametable.Names) {
	t.Helper()
	now := values(t, mapped(t, p.mapper, f, n))
	// A series that begins has no older value: Prometheus cannot count it from zero.
	if err := p.cooker.Set(p.prev, f, counter.Options{NeedPrevious: true}); err != nil {
		t.Fatal(err)
	}
	for o := range f.Objects() {
		if !o.Metadata() {
			p.object(t, o, n, now)
		}
	}

	if err := f.Keep(); err != nil {
		t.Fatal(err)
	}
	p.prev, p.before = f, now
}

func (p *proof) object(t *testing.T, o frame.Object, n *nametable.Names, now map[string]*big.Float) {
	l := newLayout(o, n.In(nametable.English), p.mapper.several)
	pair := p.cooker.Object(o)
	words, _ := objectWords(l.Name)
	counters := nativeCounters(l)
	disambiguate(l, words, counters)
	labels := expectedLabels(o, l, p.mapper.several)

	var older frame.Object
	for prev := range p.prev.Objects() {
		if prev.ID() == o.ID() && prev.Machine() == o.Machine() {
			older = prev
		}
	}
	for i := range counters {
		c := &counters[i]
		cooked := pair.Column(c.k)
		d := &l.Counters[c.k]
		if !o.Single() && (d.isProcessID() || d.isThreadID()) {
			p.id(t, o, c.k, d.isThreadID(), labels)
			continue
		}
		for i := range o.Len() {
			if cooked.Status[i] == counter.OK && !o.Counter(c.k).Type.IsText() && !renamed(pair, o, older, i) {
				p.compare(t, c, l, older, i, cooked.Value(i), labels[i], now)
			}
		}
	}
}

// id compares the raw values of an id with the labels.
func (p *proof) id(t *testing.T, o frame.Object, k int, thread bool, labels []string) {
	t.Helper()
	name := map[bool]string{false: "pid", true: "tid"}[thread]
	for i := range o.Len() {
		raw, ok := o.Raw(i, k)
		if want := fmt.Sprintf("{%s %d}", name, raw); ok && !frame.IsTotal(o.Instance(i).Name()) && !strings.Contains(labels[i], want) {
			t.Errorf("labels %s, want %s", labels[i], want)
		}
	}
}

// renamed reports whether instance i had another name before, as processes of Linux do:
// then it is another series.
func renamed(pair *frame.Pair, o, older frame.Object, i int) bool {
	j, _ := pair.From(i)
	return j >= 0 && o.Instance(i).Full() != older.Instance(j).Full()
}

// compare evaluates the expression for instance i.
func (p *proof) compare(t *testing.T, c *nativeCounter, l *layout, older frame.Object, i int, cooked counter.Value, labels string, now map[string]*big.Float) {
	t.Helper()
	o, typ := l.Object, l.Counters[c.k].Type
	words, _ := objectWords(l.Name)
	name := stem(words, c.ws)
	read := func(from map[string]*big.Float) func(string) (*big.Float, error) {
		return func(metric string) (*big.Float, error) {
			metric = c.x(name) + metric[1:] + c.grown()
			metric = cmp.Or(repeated[metric], metric) + labels
			if v := from[metric]; v != nil {
				return v, nil
			}
			return nil, fmt.Errorf("there is no %s", metric)
		}
	}
	e := evaluator{expression: c.Expression, prev: read(p.before), cur: read(now), elapsed: exact().SetInt64(1), now: exact()}
	e.clocks(p, o, older, i, c.k, typ)

	want, _ := cooked.Float64()
	if typ == counter.ElapsedTime {
		if raw, _ := o.Raw(i, c.k); raw == 0 {
			return // it did not begin: cook has 0, and there is no start
		}
	}
	want *= displayed(c, typ)

	got, err := e.evaluate()
	if err != nil {
		t.Errorf("%s of %s%s, type %v: %v", l.Counters[c.k].Name, l.Name, labels, typ, err)
		return
	}
	if got == nil { // no events: PromQL gives NaN where Windows shows 0
		if want != 0 {
			t.Errorf("%s%s = nothing, want %v", name, labels, want)
		}
		return
	}

	p.compared++
	p.types[typ]++
	g, _ := got.Float64()
	if c.spare { // in a coarser unit, rounded down
		g = math.Floor(g/c.unit.factor()) * c.unit.factor()
	}
	if math.Abs(g-want) > 1e-9*math.Abs(want)+1e-12 {
		t.Errorf("%s%s: %s = %v, want %v (%v)", name, labels, c.Expression, g, want, typ)
	}
}

// grown is what the name of a raw count that only grows ends with.
func (c *nativeCounter) grown() string {
	if c.Expression == "x" && c.unit.grows {
		return "_total"
	}
	return ""
}

// displayed is what a cooked value is to be multiplied by: metrics are in base units.
func displayed(c *nativeCounter, typ counter.Type) float64 {
	if !takesUnit(typ) {
		return 1
	}
	return c.unit.factor()
}

// clocks sets the times of the formula's own clock.
func (e *evaluator) clocks(p *proof, o, older frame.Object, i, k int, typ counter.Type) {
	clock := typ.Clock()
	if clock == counter.NoClock {
		clock = counter.Clock100ns // any does: it cancels out
	}
	d1, freq := clockOf(o, i, k, clock)
	if freq <= 0 {
		freq = 1
	}
	if p.prev.IsZero() || older == (frame.Object{}) {
		e.elapsed = exact().SetInt64(1)
	} else {
		prev := older.Clocks()
		if o.Block().Quirks != 0 {
			prev.Time100ns += counter.ClockStep(prev, o.Clocks())
		}
		d0, _ := prev.At(clock)
		if j, _ := p.cooker.Object(o).From(i); o.Counter(k).Clock >= 0 && j >= 0 {
			d0, _ = clockOf(older, j, k, clock)
		}
		e.elapsed = exact().Quo(exact().SetInt64(d1-d0), exact().SetInt64(freq))
	}

	// The time of day that elapsed time is compared with is the object's own.
	now := o.Clocks().Time100ns
	if d := d1 - now; typ == counter.ElapsedTime && freq == ticksPerSecond && d > -ticksPerSecond && d < ticksPerSecond {
		now = d1
	}
	e.now = exact().Quo(exact().SetInt64(now-int64(unixEpoch)), exact().SetInt64(ticksPerSecond))
}

// expectedLabels are the labels of all instances as they are printed, found in another way
// than the Mapper finds them.
func expectedLabels(o frame.Object, l *layout, several bool) []string {
	all, seen := make([]string, o.Len()), map[string]int{}
	for i := range all {
		in := o.Instance(i)
		text := map[string]string{}
		if several {
			text["machine"] = o.Machine()
		}
		if !o.Single() {
			text["name"] = in.Name()
			if parent, ok := in.Parent(); ok {
				text["parent"] = parent.Name()
			}
			for k := range l.Counters {
				v, ok := o.Raw(i, k)
				switch id := l.Counters[k].ID.Index; {
				case !ok || strings.HasSuffix(in.Name(), "_Total"):
				case id == 784:
					text["pid"] = strconv.Itoa(int(v))
				case id == 804:
					text["tid"] = strconv.Itoa(int(v))
				}
			}
			if _, err := strconv.Atoi(in.Name()); err == nil && text["tid"] != "" {
				delete(text, "name")
			}
		}
		plain := fmt.Sprint(text)
		if n := seen[plain]; n > 0 {
			text["index"] = strconv.Itoa(n)
		}
		seen[plain]++
		var words []string
		for _, label := range []string{"index", "machine", "name", "parent", "pid", "tid"} {
			if text[label] != "" {
				words = append(words, "{"+label+" "+text[label]+"}")
			}
		}
		all[i] = "[" + strings.Join(words, " ") + "]"
	}
	return all
}

// TestExpressions compares every type with its formula, over pairs that are made for it.
func TestExpressions(t *testing.T) {
	for info := range counter.Types() {
		if formulaOf(info.Type) == nil || info.Type.IsText() {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			base, values0, values1 := "", "1000000 2 0", "4000500 3 7"
			if info.Base != 0 {
				base = fmt.Sprintf(" counter 1002 0x%08X\n", uint32(info.Base))
			}
			sample := func(at, clock, values string) string {
				text := at + "object 1000 " + clock + "\n" + fmt.Sprintf(" counter 1002 0x%08X\n", uint32(info.Type)) + base
				for i, v := range strings.Fields(values) {
					if base != "" {
						n, _ := strconv.Atoi(v)
						v += " " + strconv.Itoa(n/2+i+1+len(at)%2) // no base stands still
					}
					text += fmt.Sprintf(" instance \"i%d\" : %s\n", i, v)
				}
				return text
			}
			p := newProof()
			n := names(t, map[uint32]string{1000: "Thing", 1002: "Some Value"})
			fs := frames(t,
				sample(strings.Replace(at0, "HOST", "HOSTS", 1), "time=7000000 freq=1000000", values0),
				sample(strings.Replace(at1, "HOST", "HOSTS", 1)+"", "time=7500000 freq=1000000", values1))
			for _, f := range fs {
				p.add(t, f, n)
			}
			if want := 2; p.compared < want {
				t.Errorf("%d values compared, want at least %d", p.compared, want)
			}
		})
	}
}

// TestExpressionsOfLogs compares all counters of real logs.
func TestExpressionsOfLogs(t *testing.T) {
	dir := data(t)
	for _, log := range []string{"PAL_SampleLog.blg", "Tx_BasicPerfCounters.blg"} {
		t.Run(log, func(t *testing.T) {
			p := newProof()
			eachCycle(t, filepath.Join(dir, "blg", log), 40, func(c *measure.Cycle) { p.add(t, c.Frame, c.Names) })
			t.Logf("%d values compared: %v", p.compared, p.types)
			if p.compared < 100 {
				t.Errorf("only %d values compared", p.compared)
			}
		})
	}
}

// TestExpressionsOfVista compares all counters of samples of Windows Vista.
func TestExpressionsOfVista(t *testing.T) {
	dir := data(t)
	for _, object := range []string{
		"LogicalDisk_236", "Memory_4", "NetworkInterface_510", "PhysicalDisk_234", "Process_230", "Processor_238",
		"System_2", "TCPv4_638",
	} {
		t.Run(object, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(dir, "perfdata", "vista_sample*_"+object+".bin"))
			url := "perfdata:" + strings.Join(files, ",") + "?names=" +
				filepath.Join(dir, "names", "vista_en_ZACH-PC_Counter009.multisz.bin")
			p := newProof()
			eachCycle(t, url, 10, func(c *measure.Cycle) { p.add(t, c.Frame, c.Names) })
			t.Logf("%d values compared: %v", p.compared, p.types)
			if p.compared < 5*8 {
				t.Errorf("only %d values compared", p.compared)
			}
		})
	}
}

// TestExpressionsOfChurn compares all counters of generated samples in which processes
// come and go.
func TestExpressionsOfChurn(t *testing.T) {
	p := newProof()
	var blocks [][]byte
	for _, s := range perftest.Series(perftest.Small, 6, 20, 3) {
		blocks = append(blocks, s.Bytes)
	}
	for _, f := range decoded(t, blocks...) {
		p.add(t, f, new(nametable.Names))
	}
	t.Logf("%d values compared: %v", p.compared, p.types)
	if p.compared < 2000 {
		t.Errorf("only %d values compared", p.compared)
	}
}

// x returns the value of x in the counter's expression, from its name without unit.
func (c *nativeCounter) x(name string) string {
	if strings.Contains(c.Expression, "_seconds") {
		return name
	}
	return name + c.unit.suffix()
}
