package perftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/winperf/winperf/counter"
)

// hostileNames are difficult names of objects and counters.
var hostileNames = []string{
	"", "a", "A", "a#1", "a b", "a_b", "a-b", "_Total", "_total", "\n", "\"", `\`, "a\\nb",
	"\uFFFD", "\u202eabc",
	"{x=\"y\"}", "17", "007", "é", "# EOF", "__name__", "instance", "total", "sum", "count", "created", "info",
	strings.Repeat("x", 70_000),
}

// HistoryNames returns the names of a History's objects and counters, some of which become the same
// metric name.
func HistoryNames() map[uint32]string {
	titles := map[uint32]string{}
	for i, name := range []string{
		"Processor", "processor", "Process", "a b", "a/b", "a_b", "Elapsed Time", "x total", "x sum", "%",
		"Free Megabytes", "% x",
	} {
		titles[uint32(2+2*i)] = name
	}
	return titles
}

// History generates blocks in the text form of package perfdata, in which objects appear,
// disappear, move, change their counters and occur twice.
type History struct {
	r       *rand.Rand
	step    int64
	layouts [][]counter.Type // layouts of objects, used in turn
}

var historyTypes = []counter.Type{
	counter.RawCount, counter.LargeRawCount, counter.CounterCounter, counter.BulkCount, counter.Timer100NSec,
	counter.AverageTimer, counter.AverageBase, counter.RawFraction, counter.RawBase, counter.ElapsedTime,
	counter.DoubleRaw, counter.SampleFraction, counter.SampleBase, counter.CounterText,
}

// NewHistory returns a random History.
func NewHistory(r *rand.Rand) *History {
	h := &History{r: r}
	for range 3 {
		var types []counter.Type
		for range 1 + h.r.IntN(3) {
			types = append(types, historyTypes[h.r.IntN(len(historyTypes))])
		}
		h.layouts = append(h.layouts, types)
	}
	return h
}

// Block returns the next sample of a machine.
func (h *History) Block(machine string) string {
	h.step++
	now := h.step * 10_000_000
	var b strings.Builder
	fmt.Fprintf(&b, "block name=%q perftime=%d perffreq=10000000 time100ns=%d\n",
		machine, 5_000_000_000+now, 133500000000000000+now)
	for range 1 + h.r.IntN(4) {
		h.object(&b)
	}
	return b.String()
}

func (h *History) object(b *strings.Builder) {
	forms := []string{"single", "multiple", "multiple", "multiple", "metadata-single", "metadata-multiple"}
	form := forms[h.r.IntN(len(forms))]
	fmt.Fprintf(b, "object %d form=%s missing=auto\n", 2+2*h.r.IntN(4), form)
	layout := h.r.IntN(len(h.layouts))
	for i, t := range h.layouts[layout] {
		size := ""
		if t.IsText() {
			size = " size=8"
		}
		fmt.Fprintf(b, " counter %d 0x%08X%s\n", 2+2*((3*layout+2*i)%11), uint32(t), size)
	}

	switch form {
	case "single":
		b.WriteString(" values :" + h.values(h.layouts[layout]))
	case "multiple":
		for range h.r.IntN(5) {
			name := strconv.Quote(hostileNames[h.r.IntN(len(hostileNames))])
			fmt.Fprintf(b, " instance %s :%s", name, h.values(h.layouts[layout]))
		}
	}
}

func (h *History) values(types []counter.Type) string {
	var b strings.Builder
	for _, t := range types {
		switch {
		case t == counter.CounterText:
			fmt.Fprintf(&b, " %q", []string{"a", "b", ""}[h.r.IntN(3)])
		case t == counter.ElapsedTime:
			fmt.Fprintf(&b, " %d", 133400000000000000+h.r.Int64N(3))
		case h.r.IntN(8) == 0:
			b.WriteString(" ?7")
		default:
			fmt.Fprintf(&b, " %d", h.r.IntN(1<<30))
		}
	}
	return b.String() + "\n"
}
