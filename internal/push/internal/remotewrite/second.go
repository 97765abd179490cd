package remotewrite

import (
	"encoding/binary"

	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/push/internal/series"
	"github.com/winperf/winperf/sink/metrics"
)

// Fields of the messages of package io.prometheus.write.v2. The first fields of Sample are the same
// as in version 1.0.
const (
	request2Symbols = 4 // Request
	request2Series  = 5

	series2Labels   = 1 // TimeSeries
	series2Samples  = 2
	series2Metadata = 5

	sample2Start = 3 // Sample

	metadata2Type = 1 // Metadata
	metadata2Help = 3
	metadata2Unit = 4
)

// second builds messages of version 2.0. Each request contains every text once, and series refer to
// texts by their position in the request. The encoder caches its own numbers of texts, and maps
// them to positions for each request.
type second struct {
	encoder *Encoder
	cache   series.Cache[labelRefs]
	numbers map[string]uint32 // of all texts
	texts   []string
	limit   int // of texts; 0: set after the next Set

	request uint32  // counts the requests
	places  []place // of each text
	symbols []byte  // of the current request, from its second symbol on; the first is ""
	count   uint32  // of symbols
	at      *labelRefs
	name    [2]uint32 // numbers of the label that is the name
	rowsOf  *metrics.Rows
	counts  bool   // the family's values start at 0 when their rows start
	tail    []byte // the bytes after the value in a sample: the time
	meta    []byte // the bytes after the samples in a series
	refs    []byte // scratch
}

// place is the position of a text among the symbols of a request.
type place struct{ request, at uint32 }

// labelRefs are the labels of rows as numbers: name, value, name, value, without the metric's name.
type labelRefs struct {
	refs []uint32
	ends []uint32 // of each row
	cuts []uint32 // offset of the name in each row
}

func (m *second) rows(f *metrics.Family, c *metrics.Column, ms int64) {
	m.at = m.cache.Get(c, m.encoder.more, func() labelRefs { return m.encode(c) })
	m.name = [2]uint32{m.number(nameLabel), m.number(f.Name + c.Suffix)}
	m.rowsOf, m.counts = c.Rows, f.Type == metrics.Counter || f.Type == metrics.Summary
	m.tail = protobuf.Uint(m.tail[:0], sampleTime, uint64(ms))

	var at int
	m.meta, at = protobuf.Begin(m.meta[:0], series2Metadata)
	m.meta = protobuf.Uint(m.meta, metadata2Type, typeNumber(f.Type))
	m.meta = protobuf.Uint(m.meta, metadata2Help, uint64(m.place(m.number(series.Text(f.Help)))))
	m.meta = protobuf.Uint(m.meta, metadata2Unit, uint64(m.place(m.number(f.Unit))))
	m.meta = protobuf.End(m.meta, at)
}

// encode converts the labels of all rows of a column to numbers.
func (m *second) encode(c *metrics.Column) labelRefs {
	l := labelRefs{ends: make([]uint32, 0, c.Rows.Len()), cuts: make([]uint32, 0, c.Rows.Len())}
	for i := range c.Rows.Len() {
		cut := len(l.refs)
		for _, label := range m.encoder.merged(c, i) {
			l.refs = append(l.refs, m.number(label.Name), m.number(label.Value))
			if label.Name < nameLabel {
				cut = len(l.refs)
			}
		}
		l.cuts = append(l.cuts, uint32(cut))
		l.ends = append(l.ends, uint32(len(l.refs)))
	}
	return l
}

// number returns the number of a text.
func (m *second) number(text string) uint32 {
	n, ok := m.numbers[text]
	if !ok {
		if m.numbers == nil {
			m.numbers = map[string]uint32{}
		}
		n = uint32(len(m.texts))
		m.numbers[text] = n
		m.texts = append(m.texts, text)
		m.places = append(m.places, place{})
	}
	return n
}

// place returns the position of a text among the symbols of the current request, and adds the text
// if needed.
func (m *second) place(number uint32) uint32 {
	p := &m.places[number]
	if p.at > 0 && p.request == m.request {
		return p.at
	}
	text := m.texts[number]
	if text == "" {
		return 0
	}

	m.symbols = protobuf.String(m.symbols, request2Symbols, text)
	m.count++
	*p = place{m.request, m.count}
	return m.count
}

func (m *second) add(b []byte, i int, value uint64) []byte {
	refs := m.placed(i)
	start := m.start(i)
	sample := 1 + 8 + len(m.tail)
	if start != 0 {
		sample += 1 + protobuf.Len(start)
	}

	// One byte is enough for the head of the sample and of the following fields.
	length := 1 + protobuf.Len(uint64(len(refs))) + len(refs) + 2 + sample + len(m.meta)
	b = protobuf.Head(b, request2Series, length)
	b = protobuf.Bytes(b, series2Labels, refs)
	b = protobuf.Head(b, series2Samples, sample)
	b = append(b, sampleValue<<3|1)
	b = binary.LittleEndian.AppendUint64(b, value)
	b = append(b, m.tail...)
	if start != 0 {
		b = protobuf.Uint(b, sample2Start, start)
	}
	return append(b, m.meta...)
}

// placed returns the positions of the labels of row i.
func (m *second) placed(i int) []byte {
	l, begin := m.at, uint32(0)
	if i > 0 {
		begin = l.ends[i-1]
	}
	cut, end := l.cuts[i], l.ends[i]

	b := m.refs[:0]
	for _, number := range l.refs[begin:cut] {
		b = binary.AppendUvarint(b, uint64(m.place(number)))
	}
	for _, number := range m.name {
		b = binary.AppendUvarint(b, uint64(m.place(number)))
	}
	for _, number := range l.refs[cut:end] {
		b = binary.AppendUvarint(b, uint64(m.place(number)))
	}
	m.refs = b
	return b
}

// start returns the start time of the counters of row i, in milliseconds since 1970, or 0 if
// unknown.
func (m *second) start(i int) uint64 {
	if !m.counts {
		return 0
	}
	at, ok := m.rowsOf.Created(i)
	if !ok {
		return 0
	}
	return uint64(at.UnixMilli())
}

func (m *second) size() int { return len(m.symbols) }

// finish appends the symbols after the series: fields may have any order.
func (m *second) finish(b []byte) []byte {
	b = protobuf.String(b, request2Symbols, "")
	b = append(b, m.symbols...)
	m.symbols, m.count = m.symbols[:0], 0
	m.request++
	return b
}

func (m *second) lost() {} // each request is complete

// next forgets all texts when most of them belong to removed series. The current request keeps its
// symbols, and may then contain some of them twice.
func (m *second) next() {
	m.cache.Next()
	const few = 10_000
	switch {
	case m.limit == 0:
		m.limit = max(few, 4*len(m.texts))
	case len(m.texts) > m.limit:
		m.cache.Clear()
		clear(m.numbers)
		m.texts, m.places, m.limit = m.texts[:0], m.places[:0], 0
	}
}
