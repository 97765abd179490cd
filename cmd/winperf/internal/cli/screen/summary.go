package screen

import (
	"math"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/sink"
)

// fold combines the values of the instances.
type fold int

const (
	total   fold = iota // the instance _Total, or the only value
	sum                 // of all except the loopback interface
	busiest             // 100 minus the smallest value
)

const percent, count, rate = counter.Percent, counter.Count, counter.PerSecond

// gauges are the numbers of the summary, in their order.
var gauges = []struct {
	line, label     string
	title, counter  uint32
	object, name    string
	fold            fold
	unit            counter.Unit
	chart, perValue bool // a history; a bar for each instance
}{
	{"Processors", "", 238, 6, "Processor", "% Processor Time", total, percent, true, true},
	{"Memory", "available ", 4, 24, "Memory", "Available Bytes", total, count, true, false},
	{"Memory", "committed ", 4, 1406, "Memory", "% Committed Bytes In Use", total, percent, false, false},
	{"Memory", "pages ", 4, 40, "Memory", "Pages/sec", total, rate, false, false},
	{"Disks", "read ", 234, 220, "PhysicalDisk", "Disk Read Bytes/sec", total, rate, true, false},
	{"Disks", "write ", 234, 222, "PhysicalDisk", "Disk Write Bytes/sec", total, rate, true, false},
	{"Disks", "busy ", 234, 1482, "PhysicalDisk", "% Idle Time", busiest, percent, false, false},
	{"Networks", "in ", 510, 264, "Network Interface", "Bytes Received/sec", sum, rate, true, false},
	{"Networks", "out ", 510, 506, "Network Interface", "Bytes Sent/sec", sum, rate, true, false},
}

// SummaryPaths returns the paths of the counters of the summary.
func SummaryPaths() (paths []winperf.Path) {
	for _, g := range gauges {
		paths = append(paths, PathsOf(g.object, g.title != titles.Memory, []string{g.name})...)
	}
	return paths
}

type summary struct {
	now [9]struct {
		known bool
		value float64
		stale bool   // the value is older, because a new measurement has no rates yet
		name  string // of the busiest
		past  []float32
		each  []float32
	}
}

func (m *summary) take(columns []winperf.Column) {
	for i := range gauges {
		m.now[i].known, m.now[i].stale, m.now[i].each = false, m.now[i].known, m.now[i].each[:0]
	}
	for k := range columns {
		c := &columns[k]
		if c.Len() == 0 {
			continue
		}
		s := c.Counter()
		for i, g := range gauges {
			of := s.ObjectID.Index == g.title || s.ObjectID.Index == 0 && same(s.Path.Object, g.object)
			if of && isCounter(s, g.counter, g.name) {
				m.add(i, c)
			}
		}
	}

	for i := range gauges {
		if g := &m.now[i]; g.known {
			g.past = remember(g.past, float32(g.value))
		}
	}
}

func (m *summary) add(i int, c *winperf.Column) {
	g := &m.now[i]
	for n := range c.Len() {
		v, ok := c.Value(n).Float64()
		switch {
		case c.Status[n] == counter.NoPrevious && g.stale:
			g.known = true
			continue
		case !ok || c.Status[n] != counter.OK:
			continue
		}
		var s winperf.Series
		c.Describe(&s, n)
		name := s.Path.InstanceText()

		switch isTotal := frame.IsTotal(name); {
		case gauges[i].fold == total && (isTotal || !s.Path.HasInstance):
			g.known, g.value = true, v
		case gauges[i].fold == sum && !isTotal && name != "lo":
			if !g.known {
				g.known, g.value = true, 0
			}
			g.value += v
		case gauges[i].fold == busiest && !isTotal && (!g.known || 100-v > g.value):
			g.known, g.value, g.name = true, max(100-v, 0), name
		case gauges[i].perValue && !isTotal:
			g.each = append(g.each, float32(v))
		}
	}
}

// lines returns the lines for the gauges with values.
func (m *summary) lines(width int) (all []string) {
	const least, most = 6, 60 // columns of a chart
	for _, name := range []string{"Processors", "Memory", "Disks", "Networks"} {
		l, charts := m.line(name, 0, width)
		if charts > 0 {
			l, _ = m.line(name, min(max((width-l.used)/charts, least), most), width)
		}
		if l != nil {
			all = append(all, l.String())
		}
	}
	return all
}

// line draws the gauges of a line, with charts of a width. It returns nil if no value is known.
func (m *summary) line(name string, chart, width int) (l *line, charts int) {
	const labels = 12
	for i, g := range gauges {
		now := &m.now[i]
		if g.line != name || !now.known {
			continue
		}

		if l != nil {
			l.add(plain, "  ")
		} else {
			l = newLine(width)
			l.add(bold, name)
			l.padTo(labels)
		}
		l.add(faint, g.label)
		if now.name != "" {
			l.add(plain, shorten(now.name, 8)+" ")
		}

		number, high := 10, 0.0 // columns; 0 for the highest value
		if g.unit == counter.Percent {
			number, high = 8, 100
		}
		l.add(plain, right(numberText(g.object, g.name, g.unit, now.value), number))

		if g.chart {
			charts++
			l.add(plain, " ")
			l.add(cyan, spark(now.past, chart, high))
		}
		if g.perValue && len(now.each) > 1 {
			l.add(faint, "  each ")
			l.add(cyan, spark(now.each, len(now.each), high))
		}
	}

	return l, charts
}

func numberText(object, name string, unit counter.Unit, v float64) string {
	s := winperf.Series{Path: winperf.Path{Object: object, Counter: name}, Unit: unit}
	return valueText(&s, counter.Float(v), false)
}

// valueText returns a number with its unit: all digits if exact.
func valueText(s *winperf.Series, v counter.Value, exact bool) string {
	if text, ok := v.AsText(); ok {
		return text
	}
	var text string
	if exact {
		text = string(sink.AppendNumber(nil, v, s.Unit))
	} else {
		text = string(sink.AppendHuman(nil, &winperf.Reading{Series: s, Value: v}))
	}
	if s.Unit == counter.Percent && !exact {
		text += " %"
	}
	return text
}

var bars = []rune("▁▂▃▄▅▆▇█")

// spark draws the last values as bars from 0 to high; if high is 0, to the highest value.
func spark(values []float32, width int, high float64) string {
	values = values[max(len(values)-width, 0):]
	if high == 0 {
		high = highest(values)
	}

	var b strings.Builder
	b.WriteString(strings.Repeat(" ", width-len(values)))
	for _, v := range values {
		f := float64(v)
		switch {
		case math.IsNaN(f):
			b.WriteByte(' ')
		case high <= 0:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[max(min(int(f/high*float64(len(bars))), len(bars)-1), 0)])
		}
	}

	return b.String()
}

// highest returns the highest value that is not NaN, at least 0.
func highest(values []float32) (high float64) {
	for _, v := range values {
		if f := float64(v); f > high {
			high = f
		}
	}
	return high
}
