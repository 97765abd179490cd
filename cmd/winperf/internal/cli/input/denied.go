package input

import (
	"fmt"
	"os"
	"runtime"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Denied counts the unreadable values of the first sample that has any.
type Denied struct {
	values, of int
	first      winperf.Path
}

// Count checks a sample, unless an earlier one had unreadable values.
func (d *Denied) Count(c *measure.Cycle) {
	if d.values > 0 {
		return
	}
	d.of = c.Len()
	for i := range c.Columns() {
		col := &c.Columns()[i]
		for n, status := range col.Status {
			if status == counter.NotPermitted {
				d.add(col.Series(n).Path)
			}
		}
	}
}

func (d *Denied) add(path winperf.Path) {
	if d.values++; d.values == 1 {
		d.first = path
	}
}

// Err returns an error with the number of values and the missing permission, or nil.
func (d *Denied) Err(src winperf.Source) error {
	if d.values == 0 {
		return nil
	}
	const form = "no permission to read %d of %d values, such as %s (%s)"
	return fmt.Errorf(form, d.values, d.of, d.first, right(src))
}

// Report reports them as missing values.
func (d *Denied) Report(a *console.App, src winperf.Source) { Lacking(a, d.Err(src)) }

// Lacking reports an error about missing requested values, if err is not nil.
func Lacking(a *console.App, err error) {
	if err == nil {
		return
	}
	a.Partial = true
	a.Complain(err)
}

func right(src winperf.Source) string {
	switch {
	case src.Describe().Recorded:
		return "the program that recorded them had no permission"
	case runtime.GOOS == "windows":
		return "run as an administrator"
	case os.Geteuid() == 0:
		return "even root lacks it: CAP_SYS_PTRACE is missing, as in many containers, or another rule forbids it"
	}
	return "run as root, or with CAP_SYS_PTRACE for processes of other users"
}
