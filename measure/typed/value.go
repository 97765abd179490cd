package typed

import (
	"math"

	"github.com/winperf/winperf/counter"
)

// number is a number that a [Value] may hold.
type number interface {
	uint32 | uint64 | float32 | float64
}

// Value is a field that says why it has no value. V means something only where
// Status is counter.OK, and is zero elsewhere.
//
// An integer counter fits a Value of uint64, one of 4 bytes a uint32 too, and any
// number a float64 or float32; a counter of text fits a string.
type Value[T number | string] struct {
	V      T
	Status counter.Status
}

// Get returns the value, and whether there is one.
func (v Value[T]) Get() (value T, ok bool) { return v.V, v.Status == counter.OK }

// column is one counter of all rows.
type column struct {
	bits   []uint64
	status []counter.Status
}

// set puts a column into one field of all rows.
type set func(r rows, c column)

// Numbers as they are in a column. Each kind of field has a loop of its own
// for each, so that nothing is decided for a single value.

func plainFloat[F float32 | float64](r rows, c column) {
	for i := range r.n {
		v := F(math.NaN())
		if c.status[i] == counter.OK {
			v = F(math.Float64frombits(c.bits[i]))
		}
		*place[F](r, i) = v
	}
}

func plainInteger[F float32 | float64](r rows, c column) {
	for i := range r.n {
		v := F(math.NaN())
		if c.status[i] == counter.OK {
			v = F(c.bits[i])
		}
		*place[F](r, i) = v
	}
}

func valueFloat[F float32 | float64](r rows, c column) {
	for i := range r.n {
		v := Value[F]{Status: c.status[i]}
		if v.Status == counter.OK {
			v.V = F(math.Float64frombits(c.bits[i]))
		}
		*place[Value[F]](r, i) = v
	}
}

func valueInteger[N number](r rows, c column) {
	for i := range r.n {
		v := Value[N]{Status: c.status[i]}
		if v.Status == counter.OK {
			v.V = N(c.bits[i])
		}
		*place[Value[N]](r, i) = v
	}
}
