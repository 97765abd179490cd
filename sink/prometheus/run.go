package prometheus

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/sink/metrics"
)

// run is a sorted part of a history: a record for each series, ordered by key. A record is the
// key and the number of points as unsigned varints, and the points, each as the difference from the
// previous point; see appendPoint.
type run struct{ at, size int64 } // in the spool

// key orders the series in the text.
type key struct {
	family, track, labels int
}

func (k key) compare(other key) int {
	return cmp.Or(
		cmp.Compare(k.family, other.family),
		cmp.Compare(k.track, other.track),
		cmp.Compare(k.labels, other.labels),
	)
}

// point is the values of a series at one time. The form 0 is no value.
type point struct {
	milli  int64
	forms  [width]uint8 // 1 and a metrics.Form
	values [width]uint64
}

// sorter converts columns to series. It reuses its slices.
type sorter struct {
	eras   map[*numbered]int
	spans  [][]segment // by era: the segments of the same rows
	places []place
	points []point
	text   []byte
}

type place struct {
	labels   uint32
	era, row int32
}

// write writes the waiting values as a run and removes them.
func (s *sorter) write(w *bufio.Writer, families []*history) error {
	for _, h := range families {
		for i, t := range h.tracks {
			s.sort(t)
			for begin := 0; begin < len(s.places); {
				end := s.collect(begin)
				record := key{h.number, i, int(s.places[begin].labels)}
				s.text = appendRecord(s.text[:0], record, s.points)
				if _, err := w.Write(s.text); err != nil {
					return err
				}
				begin = end
			}
			clear(t.waiting)
			t.waiting = t.waiting[:0]
		}
	}
	clear(s.spans)
	return w.Flush()
}

// sort finds the places of a track's series, sorted by series.
func (s *sorter) sort(t *track) {
	if s.eras == nil {
		s.eras = map[*numbered]int{}
	}
	clear(s.eras)
	s.spans, s.places = s.spans[:0], s.places[:0]

	for _, one := range t.waiting {
		era, known := s.eras[one.rows]
		if !known {
			era = len(s.spans)
			s.eras[one.rows] = era
			s.spans = append(s.spans, nil)
			for row, labels := range one.rows.numbers {
				s.places = append(s.places, place{labels, int32(era), int32(row)})
			}
		}
		s.spans[era] = append(s.spans[era], one)
	}

	sorted.Func(s.places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.labels, b.labels), cmp.Compare(a.era, b.era))
	})
}

// collect collects the points of the series at a place and returns the place of the next series.
func (s *sorter) collect(begin int) (end int) {
	s.points = s.points[:0]
	for end = begin; end < len(s.places) && s.places[end].labels == s.places[begin].labels; end++ {
		at := s.places[end]
		for i := range s.spans[at.era] {
			if p, ok := s.spans[at.era][i].point(int(at.row)); ok {
				s.points = append(s.points, p)
			}
		}
	}

	slices.SortStableFunc(s.points, func(a, b point) int { return cmp.Compare(a.milli, b.milli) })
	return end
}

func (s *segment) point(row int) (p point, ok bool) {
	p.milli = s.milli
	for i := range s.columns {
		c := &s.columns[i]
		if row < len(c.values) && (c.absent == nil || c.absent[row/64]>>(row%64)&1 == 0) {
			p.forms[i], p.values[i] = 1+uint8(c.form), c.values[row]
			ok = true
		}
	}
	return p, ok
}

func appendRecord(dst []byte, k key, points []point) []byte {
	for _, n := range [...]int{k.family, k.track, k.labels, len(points)} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	var last point
	for i := range points {
		dst = appendPoint(dst, &points[i], &last)
	}
	return dst
}

// appendPoint appends the difference between p and last and sets last. Slowly growing numbers have
// small differences; similar floats share their first bits.
func appendPoint(dst []byte, p, last *point) []byte {
	dst = binary.AppendVarint(dst, p.milli-last.milli)
	last.milli = p.milli
	for i, form := range p.forms {
		dst = append(dst, form)
		switch {
		case form == 0:
			continue
		case form == 1+uint8(metrics.Float):
			dst = binary.AppendUvarint(dst, bits.ReverseBytes64(p.values[i]^last.values[i]))
		default:
			dst = binary.AppendVarint(dst, int64(p.values[i]-last.values[i]))
		}
		last.values[i] = p.values[i]
	}
	return dst
}

type runReader struct {
	from   *bufio.Reader
	key    key
	points int // unread points of the record
	last   point
	ended  bool
}

// next reads the head of the next record. All points of the previous record must have been read.
func (r *runReader) next() error {
	var head [4]uint64
	for i := range head {
		n, err := binary.ReadUvarint(r.from)
		if i == 0 && errors.Is(err, io.EOF) {
			r.ended = true
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		head[i] = n
	}
	r.key = key{int(head[0]), int(head[1]), int(head[2])}
	r.points, r.last = int(head[3]), point{}
	return nil
}

func (r *runReader) point() error {
	r.points--
	step, err := binary.ReadVarint(r.from)
	if err != nil {
		return damaged(err)
	}
	r.last.milli += step

	for i := range r.last.forms {
		form, err := r.from.ReadByte()
		if err != nil {
			return damaged(err)
		}
		r.last.forms[i] = form
		if form == 0 {
			continue
		}
		if err := r.value(i, form); err != nil {
			return damaged(err)
		}
	}
	return nil
}

func (r *runReader) value(i int, form uint8) error {
	if form == 1+uint8(metrics.Float) {
		n, err := binary.ReadUvarint(r.from)
		r.last.values[i] ^= bits.ReverseBytes64(n)
		return err
	}
	n, err := binary.ReadVarint(r.from)
	r.last.values[i] += uint64(n)
	return err
}

func damaged(err error) error {
	return fmt.Errorf("%w in the temporary file of a backfill: %w", winperf.ErrBadData, err)
}
