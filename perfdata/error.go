package perfdata

import (
	"errors"

	winperf "github.com/winperf/winperf"
)

// fault is a finding about the block as a whole. Its text is made only when it is
// asked for.
func fault(c check, offset uint32, got, want int64) *winperf.DataError {
	return &winperf.DataError{
		Err: c, Offset: int64(offset), Got: got, Want: want, Warning: c.severity() == warning,
	}
}

// fault is a finding of which a block may have very many: one that was not listed
// gives its memory to the next.
func (d *decoder) fault(c check, offset uint32, got, want int64) *winperf.DataError {
	err := d.unlisted
	if err == nil {
		return fault(c, offset, got, want)
	}

	d.unlisted = nil
	*err = *fault(c, offset, got, want)
	return err
}

// severityOf is the severity of a finding.
func severityOf(err *winperf.DataError) severity {
	var check check
	errors.As(err, &check)
	return check.severity()
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
