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

// Denied is how many values of the first sample that has such may not be read.
type Denied struct {
	values, of int
	first      winperf.Path
}

// Count looks at a sample, unless there were such values before.
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

// add counts a value.
func (d *Denied) add(path winperf.Path) {
	if d.values++; d.values == 1 {
		d.first = path
	}
}

// Err says in one line how many there are and what right was missing, nil if there are none.
func (d *Denied) Err(src winperf.Source) error {
	if d.values == 0 {
		return nil
	}
	const form = "no permission to read %d of %d values, such as %s (%s)"
	return fmt.Errorf(form, d.values, d.of, d.first, right(src))
}

// Report tells of them. They are values that were asked for and are lacking.
func (d *Denied) Report(a *console.App, src winperf.Source) { Lacking(a, d.Err(src)) }

// Lacking tells of values that were asked for and are lacking, if there are any.
func Lacking(a *console.App, err error) {
	if err == nil {
		return
	}
	a.Partial = true
	a.Complain(err)
}

// right says what right was missing.
func right(src winperf.Source) string {
	switch {
	case src.Describe().Recorded:
		return "the program that recorded them had no right to read them"
	case runtime.GOOS == "windows":
		return "run as an administrator"
	case os.Geteuid() == 0:
		return "even root: CAP_SYS_PTRACE is lacking, as in many containers, or something else forbids it"
	}
	return "run as root; CAP_SYS_PTRACE is enough for the processes of others"
}
