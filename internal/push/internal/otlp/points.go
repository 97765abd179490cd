package otlp

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/push/internal/series"
	"github.com/winperf/winperf/sink/metrics"
)

// Fields of the messages of a metric.
const (
	metricName        = 1 // Metric
	metricDescription = 2
	metricUnit        = 3
	metricGauge       = 5
	metricSum         = 7
	metricSummary     = 11

	kindPoints     = 1 // Gauge, Sum, Summary
	sumTemporality = 2
	sumMonotonic   = 3
	cumulative     = 2 // AGGREGATION_TEMPORALITY_CUMULATIVE

	pointStart      = 2 // NumberDataPoint and SummaryDataPoint
	pointTime       = 3
	pointDouble     = 4 // NumberDataPoint
	pointInt        = 6
	pointAttributes = 7
	pointFlags      = 8 // of both
	noRecordedValue = 1
	summaryCount    = 4 // SummaryDataPoint
	summarySum      = 5
)

// points are the values of one or two columns of one metric.
type points struct {
	family *family
	name   string
	kind   uint32          // metricGauge, metricSum or metricSummary
	column *metrics.Column // the sums of a summary
	count  *metrics.Column // the counts of a summary
	attrs  *attributes
	ints   bool
	ended  bool      // points have a flag instead of a value
	grows  bool      // of metricSum: the values only increase
	starts bool      // rows have the time when their values were 0
	first  time.Time // the start of rows without a known start
	time   []byte    // the time field of a point
}

// columns writes the columns from k on that belong together, and returns their number: two for a
// sum and its count, else one.
func (e *Encoder) columns(f *family, k int, send func(*Request) error) (int, error) {
	c := &f.Columns[k]
	name, monotonic := nameOf(f.Family)
	p := points{
		family: f, column: c, attrs: e.attributesOf(c), ints: whole(c), ended: e.ended,
		time: appendTime(nil, pointTime, f.when(c)),
		kind: metricGauge, name: name + c.Suffix,
	}

	n := 1
	switch {
	case f.Type == metrics.Summary && k+1 < len(f.Columns) && together(c, &f.Columns[k+1]):
		p.kind, p.name, p.count, n = metricSummary, f.Name, &f.Columns[k+1], 2
		if c.Suffix == "_count" {
			p.column, p.count = p.count, p.column
		}
	case f.Type == metrics.Counter || f.Type == metrics.Summary:
		p.kind, p.grows = metricSum, monotonic
	case f.Additive:
		p.kind = metricSum // an up-down counter
	}
	// A start that equals the time of the first point means that the true start is unknown.
	if p.first = e.first; f.when(c).Before(p.first) {
		p.first = f.when(c)
	}
	p.starts = f.Type == metrics.Counter || f.Type == metrics.Summary
	return n, e.write(&p, send)
}

// together reports whether two columns are a sum and its count.
func together(a, b *metrics.Column) bool {
	sum, count := a, b
	if a.Suffix == "_count" {
		sum, count = b, a
	}
	return sum.Suffix == "_sum" && count.Suffix == "_count" && count.Form == metrics.Whole &&
		a.Rows == b.Rows && slices.Equal(a.Extra, b.Extra) && a.Time.Equal(b.Time)
}

// write writes a metric, in several requests if one is too small.
func (e *Encoder) write(p *points, send func(*Request) error) error {
	for i := 0; i < p.column.Rows.Len(); {
		if e.points >= e.opt.MaxPoints || e.size() >= e.opt.MaxBytes {
			if err := e.Flush(send); err != nil {
				return err
			}
		}
		e.choose(p.attrs.machine(i))
		i = e.metric(p, i)
	}
	return nil
}

// metric appends a metric with points from row i on, until the request is full or the machine
// changes. It returns the next row.
func (e *Encoder) metric(p *points, i int) int {
	to, machine := &e.parts[e.at].body, p.attrs.machine(i)
	begin, was := len(*to), e.points
	b, metric := protobuf.Begin(*to, scopeMetricsMetric)
	b = protobuf.String(b, metricName, p.name)
	b = protobuf.String(b, metricDescription, series.Text(p.family.Help))
	b = protobuf.String(b, metricUnit, unitOf(p.family.Family))
	b, kind := protobuf.Begin(b, p.kind)

	for ; i < p.column.Rows.Len() && e.points < e.opt.MaxPoints && p.attrs.machine(i) == machine; i++ {
		if !p.column.Has(i) || p.count != nil && !p.count.Has(i) {
			continue
		}
		b = p.append(b, i)
		e.points++
		e.conventions = e.conventions || strings.Contains(p.name, ".")
		if e.others+len(b) >= e.opt.MaxBytes {
			i++
			break
		}
	}

	if p.kind == metricSum {
		b = protobuf.Uint(b, sumTemporality, cumulative)
	}
	if p.grows {
		b = protobuf.Uint(b, sumMonotonic, 1)
	}
	*to = protobuf.End(protobuf.End(b, kind), metric)
	if e.points == was { // no row has a value
		*to = (*to)[:begin]
	}
	return i
}

// append appends the point of row i. All fields except the attributes have a fixed length.
func (p *points) append(b []byte, i int) []byte {
	const field = 1 + 8
	attrs := p.attrs.of(i)
	start, known := p.column.Rows.Created(i)
	if !known {
		start = p.first
	}
	known = p.starts

	length := len(attrs) + len(p.time)
	if known {
		length += field
	}
	switch {
	case p.ended:
		length += 2
	case p.count != nil:
		length += 2 * field
	default:
		length += field
	}

	b = protobuf.Head(b, kindPoints, length)
	b = append(b, attrs...)
	if known {
		b = appendTime(b, pointStart, start)
	}
	b = append(b, p.time...)
	return p.value(b, i)
}

// value appends the value of a point.
func (p *points) value(b []byte, i int) []byte {
	switch {
	case p.ended:
		return protobuf.Uint(b, pointFlags, noRecordedValue)
	case p.count != nil:
		b = protobuf.Fixed64(b, summaryCount, p.count.Bits[i])
		return protobuf.Double(b, summarySum, series.Float(p.column, i))
	case p.ints:
		return protobuf.Fixed64(b, pointInt, p.column.Bits[i])
	default:
		b = append(b, pointDouble<<3|1)
		return binary.LittleEndian.AppendUint64(b, series.Bits(p.column, i))
	}
}
