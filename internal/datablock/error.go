package datablock

import (
	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// fault returns an error of which a block may have many: it reuses the memory of an
// unlisted one.
func (d *decoder) fault(c *index.Check, offset uint32, got, want int64) *winperf.DataError {
	err := d.unlisted
	if err == nil {
		return c.Fault(offset, got, want)
	}

	d.unlisted = nil
	*err = *c.Fault(offset, got, want)
	return err
}

func atCounter(err *winperf.DataError, i int) *winperf.DataError {
	err.Part = "counter"
	err.Number = i
	return err
}

func atInstance(err *winperf.DataError, i int) *winperf.DataError {
	err.Part = "instance"
	err.Number = i
	return err
}
