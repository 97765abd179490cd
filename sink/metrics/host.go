package metrics

import (
	"math"
	"slices"
)

// HostValue is a value of a metric of windows_exporter that no counter provides.
type HostValue struct {
	// Metric is the name of the metric. Values of metrics that the tables do not have are ignored.
	Metric string
	// Labels are sorted by name and differ from the labels of other values. They belong to the receiver.
	Labels []Label
	Value  float64
}

// hostFamily is a family whose values are of Options.HostValues.
type hostFamily struct {
	at      int // in the Set
	filters []LabelFilter
}

// fillHost reads the values of the host and sets the columns of their metrics.
func (m *Mapper) fillHost() {
	if len(m.hosted) == 0 {
		return
	}

	m.hostValues = m.opt.HostValues(m.hostValues[:0])
	byMetric := map[string][]HostValue{}
	for _, v := range m.hostValues {
		byMetric[v.Metric] = append(byMetric[v.Metric], v)
	}
	for _, h := range m.hosted {
		f := &m.set.Families[h.at]
		filtered := func(v HostValue) bool { return !passAll(h.filters, v.Labels) }
		f.Columns = hostColumns(f.Columns, slices.DeleteFunc(byMetric[f.Name], filtered))
	}
}

// hostColumns returns the column of a metric, with the rows of the previous column if the labels are
// the same; none without values.
func hostColumns(before []Column, values []HostValue) []Column {
	if len(values) == 0 {
		return nil
	}

	c := Column{Form: Float}
	var labels [][]Label
	for _, v := range values {
		labels = append(labels, v.Labels)
		c.Bits = append(c.Bits, math.Float64bits(v.Value))
	}

	if len(before) > 0 && slices.EqualFunc(before[0].Rows.labels, labels, slices.Equal) {
		c.Rows = before[0].Rows
	} else {
		c.Rows = NewRows(labels, nil)
	}
	return []Column{c}
}
