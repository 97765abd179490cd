// Package recook recomputes values of a cycle's columns for other time spans. It finds a value's
// position in the frame, and its raw values and clocks.
package recook

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// placed are ColumnNames of values in a frame. Package measure implements it.
type placed interface {
	// Place returns the object of a value, and the positions of its counter and its instance.
	Place(n int) (o frame.Object, k, instance int)
	// Match returns the certainty that samples in which the value's Series has the same ID are of
	// the same instance.
	Match(n int) counter.Match
}

// Place returns the position of the n-th value of a cycle's column in the Cycle's Frame: the
// object, and the positions of the counter and of the instance. It makes no Series. ok is false for
// a value without a frame, such as the value of a path that matched nothing.
func Place(c *winperf.Column, n int) (o frame.Object, k, instance int, ok bool) {
	names, ok := c.Names.(placed)
	if !ok {
		return frame.Object{}, 0, 0, false
	}
	o, k, instance = names.Place(c.From + n)
	return o, k, instance, true
}

// Operands returns the raw values and clocks of the n-th value in a cycle's sample. If they are
// missing, the status is the reason; texts and displayable values have none. Keep them to compute a
// value over a longer time with [Since].
func Operands(c *winperf.Column, n int) (counter.Sample, counter.Status) {
	o, k, i, ok := Place(c, n)
	switch {
	case !ok && c.Status[n] != counter.OK:
		return counter.Sample{}, c.Status[n]
	case !ok:
		return counter.Sample{}, counter.Unsupported
	}
	return o.Operands(i, k)
}

// Since computes the n-th value of a column from newer operands and older ones of the same counter,
// in place of the previous cycle's. Both must be of the same instance: its Series has the same ID
// or key. A one-sample value is the same as in the cycle.
func Since(c *winperf.Column, n int, older, newer counter.Sample, opt counter.Options) counter.Result {
	names := c.Names.(placed) // it has operands
	o, k, _ := names.Place(c.From + n)
	formula := o.Formula(k, opt)
	older = o.Since(older, newer)
	return formula.CookOne(&older, &newer, names.Match(c.From+n))
}

// Older returns older operands as [Since] uses them: if the source reports that the system time was
// set in between, they have the corrected time.
func Older(c *winperf.Column, n int, older, newer counter.Sample) counter.Sample {
	o, _, _, _ := Place(c, n) // it has operands
	return o.Since(older, newer)
}
