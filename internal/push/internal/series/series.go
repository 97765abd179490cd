// Package series is the common code of the encoders of metrics: it merges the labels of a series,
// caches encoded labels, and converts values to numbers.
package series

import (
	"cmp"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/sink/metrics"
)

// Float returns the value of row i as a float64, which rounds whole numbers over 2^53.
func Float(c *metrics.Column, i int) float64 {
	switch v := c.Bits[i]; c.Form {
	case metrics.Ticks100ns:
		return seconds(v)
	case metrics.Float:
		return math.Float64frombits(v)
	default:
		return float64(v)
	}
}

// seconds returns ticks of 100 ns as seconds, rounded once.
func seconds(ticks uint64) float64 {
	const second = 1e7
	if ticks <= 1<<53 {
		return float64(ticks) / second
	}
	return float64(ticks/second) + float64(ticks%second)/second
}

// Bits returns the value of row i as the bits of a float64. NaN has the bits of Prometheus' normal
// NaN, because others have a special meaning there.
func Bits(c *metrics.Column, i int) uint64 {
	v := Float(c, i)
	if v != v {
		return normalNaN
	}
	return math.Float64bits(v)
}

// normalNaN is value.NormalNaN of Prometheus.
const normalNaN = 0x7ff8000000000001

// Merge appends to buf the labels of a row and of other lists, sorted by name. If names are equal,
// the row's label has precedence, then the first of the others. It omits labels without a value,
// which mean the same, and converts values with Text.
func Merge(buf, row []metrics.Label, others ...[]metrics.Label) []metrics.Label {
	begin := len(buf)
	buf = append(buf, row...)
	for _, labels := range others {
		buf = append(buf, labels...)
	}

	merged := buf[begin:]
	sorted.Func(merged, func(a, b metrics.Label) int { return cmp.Compare(a.Name, b.Name) })

	merged = slices.CompactFunc(merged, func(a, b metrics.Label) bool { return a.Name == b.Name })
	merged = slices.DeleteFunc(merged, func(l metrics.Label) bool { return l.Value == "" })
	for i := range merged {
		merged[i].Value = Text(merged[i].Value)
	}
	return buf[:begin+len(merged)]
}

// Text returns a text for messages: each byte of invalid UTF-8 becomes U+FFFD, as in the text for
// scrapes.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// Nanoseconds returns a time in nanoseconds since 1970, or 0, an unknown time, if it does not fit
// into 63 bits.
func Nanoseconds(t time.Time) uint64 {
	const most = math.MaxInt64 / int64(time.Second)
	if s := t.Unix(); s < 0 || s >= most {
		return 0
	}
	return uint64(t.UnixNano())
}

// Cache keeps a T for each combination of rows and labels of columns and Sets, while Sets use it.
// The zero Cache is empty.
type Cache[T any] struct {
	rows map[*metrics.Rows]*entry[T]
	sets uint64
}

// maxUnused is the number of Sets after which unused rows are dropped. Sets of several machines
// alternate, and use the same rows again.
const maxUnused = 8

type entry[T any] struct {
	made []variant[T]
	seen uint64
}

type variant[T any] struct {
	column, set []metrics.Label
	value       T
}

// Get returns the cached T of a column in a Set with these labels, and builds it if needed.
func (c *Cache[T]) Get(col *metrics.Column, set []metrics.Label, build func() T) *T {
	e := c.rows[col.Rows]
	if e == nil {
		e = c.add(col.Rows)
	}
	e.seen = c.sets

	for i := range e.made {
		if v := &e.made[i]; slices.Equal(v.column, col.Extra) && slices.Equal(v.set, set) {
			return &e.made[i].value
		}
	}
	e.made = append(e.made, variant[T]{slices.Clone(col.Extra), slices.Clone(set), build()})
	return &e.made[len(e.made)-1].value
}

func (c *Cache[T]) add(rows *metrics.Rows) *entry[T] {
	if c.rows == nil {
		c.rows = map[*metrics.Rows]*entry[T]{}
	}
	e := &entry[T]{}
	c.rows[rows] = e
	return e
}

// Next is called after each Set. It drops entries that the last Sets did not use.
func (c *Cache[T]) Next() {
	c.sets++
	if c.sets%maxUnused != 0 {
		return
	}
	for rows, e := range c.rows {
		if e.seen+maxUnused <= c.sets {
			delete(c.rows, rows)
		}
	}
}

// Clear removes all entries.
func (c *Cache[T]) Clear() { clear(c.rows) }
