package typed

import (
	"math"

	"github.com/winperf/winperf/counter"
)

// number is a number type of a [Value].
type number interface {
	uint32 | uint64 | float32 | float64
}

// Value is a field with a status. V is zero unless Status is counter.OK.
//
// An integer counter fits a Value of uint64, with 4 bytes also of uint32, and any number fits float64
// and float32; a text counter fits string.
type Value[T number | string] struct {
	V      T
	Status counter.Status
}

// Get returns the value, and whether there is one.
func (v Value[T]) Get() (value T, ok bool) { return v.V, v.Status == counter.OK }

// column holds the values of one counter for all rows.
type column struct {
	bits   []uint64
	status []counter.Status
}

// set writes a column into one field of all rows.
type set func(r rows, c column)

// Each kind of field has its own loop, so that no decision is made per value.

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
