package prometheus

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/sink/metrics"
)

// Suffixes that OpenMetrics has for samples only.
const (
	totalSuffix   = "_total"
	infoSuffix    = "_info"
	createdSuffix = "_created"
)

// head is the constant text of a metric.
type head struct {
	name, unit, help string
	kind             metrics.Type

	text    []byte // the lines above its samples
	created bool   // its samples may have a _created sample
	lines   []line // of its columns
}

// line is the beginning of a column's samples.
type line struct {
	suffix  string
	extra   []metrics.Label
	value   start
	created start // of the _created sample; empty without one
	longest int   // of both
}

// start is the beginning of a sample.
type start struct {
	bare     []byte // name_ or name{extra}_ before a value without labels
	labelled []byte // name{ or name{extra, before the labels of a row
}

// update updates the head to a family and keeps the unchanged parts.
func (h *head) update(f *metrics.Family, format Format) {
	if h.name != f.Name || h.kind != f.Type || h.unit != f.Unit || h.help != f.Help {
		*h = head{name: f.Name, unit: f.Unit, help: f.Help, kind: f.Type}
		h.text = appendHead(nil, f, format)
	}
	if missing := len(f.Columns) - len(h.lines); missing > 0 {
		h.lines = append(h.lines, make([]line, missing)...)
	}

	for i := range f.Columns {
		c, l := &f.Columns[i], &h.lines[i]
		if l.value.bare != nil && l.suffix == c.Suffix && slices.Equal(l.extra, c.Extra) {
			continue
		}

		*l = line{suffix: c.Suffix, extra: slices.Clone(c.Extra), value: newStart(f.Name+c.Suffix, c.Extra)}
		l.longest = len(l.value.labelled)
		if format == Text {
			continue
		}
		if base, kind := openMetricsHead(f); kind == "counter" || kind == "summary" {
			h.created = true
			l.created = newStart(base+createdSuffix, c.Extra)
			l.longest = max(l.longest, len(l.created.labelled))
		}
	}
}

func newStart(name string, extra []metrics.Label) start {
	common := string(appendLabels(nil, extra))
	if common == "" {
		return start{bare: []byte(name + " "), labelled: []byte(name + "{")}
	}
	return start{bare: []byte(name + "{" + common + "} "), labelled: []byte(name + "{" + common + ",")}
}

// appendHead appends the lines above the samples of a family.
func appendHead(dst []byte, f *metrics.Family, format Format) []byte {
	name, kind := f.Name, textType004(f.Type)
	if format != Text {
		name, kind = openMetricsHead(f)
	}

	if f.Help != "" {
		// Prometheus' parser of the text format loses a help that begins with NUL.
		help := strings.ReplaceAll(f.Help, "\x00", replacement)
		dst = append(dst, "# HELP "+name+" "...)
		dst = appendEscaped(dst, help, format != Text)
		dst = append(dst, '\n')
	}
	dst = append(dst, "# TYPE "+name+" "+kind+"\n"...)
	if format != Text && f.Unit != "" && strings.HasSuffix(name, "_"+f.Unit) {
		dst = append(dst, "# UNIT "+name+" "+f.Unit+"\n"...)
	}
	return dst
}

// textType004 returns the name of a type in the text format.
func textType004(t metrics.Type) string {
	switch t {
	case metrics.Counter:
		return "counter"
	case metrics.Summary:
		return "summary"
	}
	return "gauge"
}

// openMetricsHead returns the name above the samples and the type in OpenMetrics.
func openMetricsHead(f *metrics.Family) (name, kind string) {
	switch f.Type {
	case metrics.Counter:
		if base, ok := strings.CutSuffix(f.Name, totalSuffix); ok {
			return base, "counter"
		}
		return f.Name, "unknown"
	case metrics.Info:
		if base, ok := strings.CutSuffix(f.Name, infoSuffix); ok {
			return base, "info"
		}
	case metrics.Summary:
		return f.Name, "summary"
	}
	if strings.HasSuffix(f.Name, totalSuffix) {
		return f.Name, "unknown"
	}
	return f.Name, "gauge"
}
