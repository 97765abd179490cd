package remotewrite

import (
	"encoding/binary"

	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/push/internal/series"
	"github.com/winperf/winperf/sink/metrics"
)

// Fields of the messages of package prometheus (prompb/remote.proto and types.proto).
const (
	requestSeries   = 1 // WriteRequest
	requestMetadata = 3

	seriesLabels  = 1 // TimeSeries
	seriesSamples = 2

	labelName  = 1 // Label
	labelValue = 2

	sampleValue = 1 // Sample
	sampleTime  = 2

	metadataType = 1 // MetricMetadata
	metadataName = 2
	metadataHelp = 4
	metadataUnit = 5
)

// first builds messages of version 1.0. It caches the encoded labels of series, because each
// message repeats them.
type first struct {
	encoder   *Encoder
	cache     series.Cache[labelBytes]
	described map[string]bool // families whose metadata was sent
	meta      []byte          // metadata of the current request

	at   *labelBytes // of the current column
	name []byte      // its name as a label
	tail []byte      // the bytes after the value in a series: the time
	head []byte      // the bytes between the labels and the value
}

// labelBytes are the labels of rows as fields of a TimeSeries, without their name.
type labelBytes struct {
	bytes []byte
	ends  []uint32 // of each row
	cuts  []uint32 // offset of the name in each row
}

// maxDescribed limits the number of remembered families. At the limit all metadata is sent again.
const maxDescribed = 100_000

func (m *first) rows(f *metrics.Family, c *metrics.Column, ms int64) {
	m.at = m.cache.Get(c, m.encoder.more, func() labelBytes { return m.encode(c) })
	m.name = appendLabel(m.name[:0], nameLabel, f.Name, c.Suffix)

	m.tail = protobuf.Uint(m.tail[:0], sampleTime, uint64(ms))
	const value = 1 + 8
	m.head = protobuf.Head(m.head[:0], seriesSamples, value+len(m.tail))
	m.head = append(m.head, sampleValue<<3|1)

	if !m.described[f.Name] {
		m.describe(f)
	}
}

// describe adds the metadata of a family.
func (m *first) describe(f *metrics.Family) {
	if m.described == nil || len(m.described) >= maxDescribed {
		m.described = map[string]bool{}
	}
	m.described[f.Name] = true

	var at int
	m.meta, at = protobuf.Begin(m.meta, requestMetadata)
	m.meta = protobuf.Uint(m.meta, metadataType, typeNumber(f.Type))
	m.meta = protobuf.String(m.meta, metadataName, f.Name)
	m.meta = protobuf.String(m.meta, metadataHelp, series.Text(f.Help))
	m.meta = protobuf.String(m.meta, metadataUnit, f.Unit)
	m.meta = protobuf.End(m.meta, at)
}

// encode encodes the labels of all rows of a column.
func (m *first) encode(c *metrics.Column) labelBytes {
	l := labelBytes{ends: make([]uint32, 0, c.Rows.Len()), cuts: make([]uint32, 0, c.Rows.Len())}
	for i := range c.Rows.Len() {
		cut := len(l.bytes)
		for _, label := range m.encoder.merged(c, i) {
			l.bytes = appendLabel(l.bytes, label.Name, label.Value, "")
			if label.Name < nameLabel {
				cut = len(l.bytes)
			}
		}
		l.cuts = append(l.cuts, uint32(cut))
		l.ends = append(l.ends, uint32(len(l.bytes)))
	}
	return l
}

func (m *first) add(b []byte, i int, value uint64) []byte {
	l, begin := m.at, uint32(0)
	if i > 0 {
		begin = l.ends[i-1]
	}
	cut, end := l.cuts[i], l.ends[i]

	b = protobuf.Head(b, requestSeries, int(end-begin)+len(m.name)+len(m.head)+8+len(m.tail))
	b = append(b, l.bytes[begin:cut]...)
	b = append(b, m.name...)
	b = append(b, l.bytes[cut:end]...)
	b = append(b, m.head...)
	b = binary.LittleEndian.AppendUint64(b, value)
	return append(b, m.tail...)
}

func (m *first) size() int { return len(m.meta) }

func (m *first) finish(b []byte) []byte {
	b = append(b, m.meta...)
	m.meta = m.meta[:0]
	return b
}

// lost makes first send all metadata again: the contents of a single request are unknown.
func (m *first) lost() { clear(m.described) }

func (m *first) next() { m.cache.Next() }

// appendLabel appends a label, whose value has two parts, as a field of a TimeSeries.
func appendLabel(b []byte, name, value, suffix string) []byte {
	size := len(value) + len(suffix)
	length := 1 + protobuf.Len(uint64(len(name))) + len(name) + 1 + protobuf.Len(uint64(size)) + size

	b = protobuf.Head(b, seriesLabels, length)
	b = protobuf.String(b, labelName, name)
	b = protobuf.Head(b, labelValue, size)
	b = append(b, value...)
	return append(b, suffix...)
}

// typeNumber returns the number of a type in both versions.
func typeNumber(t metrics.Type) uint64 {
	switch t {
	case metrics.Counter:
		return 1
	case metrics.Gauge:
		return 2
	case metrics.Summary:
		return 5
	case metrics.Info:
		return 6
	default:
		return 0
	}
}
