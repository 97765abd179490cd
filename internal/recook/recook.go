// Package recook computes values of a cycle's columns again, over other times: it finds where a value is in
// the frame of its cycle, and the raw values and clocks that it is computed of.
package recook

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// placed are the names of a column whose values are in a frame. Package measure implements it.
type placed interface {
	// Place returns the object of a value, and the positions of its counter and its instance.
	Place(n int) (o frame.Object, k, instance int)
	// Match returns how well the value is known to be of the same instance in all samples in which
	// its Series has the same ID.
	Match(n int) counter.Match
}

// Place returns where the n-th value of a cycle's column is in the Cycle's Frame: the object, and
// the positions of the counter and of the instance. It makes no Series, and ok is false for a value
// that is in no frame, such as that of a path that nothing matched.
func Place(c *winperf.Column, n int) (o frame.Object, k, instance int, ok bool) {
	names, ok := c.Names.(placed)
	if !ok {
		return frame.Object{}, 0, 0, false
	}
	o, k, instance = names.Place(c.From + n)
	return o, k, instance, true
}

// Operands returns the raw values and clocks in the sample of a cycle of which the n-th value of a
// column is computed. Without them the status says why; displayable values have none, and
// texts. They can be kept, to compute a value over the time since then, see [Since].
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

// Since computes the n-th value of a column that has operands, which are newer, over the time since older
// operands of its counter and instance, in place of the time since the cycle before. They are of the
// same instance where the Series had the same ID or key. A value that needs one sample only is as it is in
// the cycle.
func Since(c *winperf.Column, n int, older, newer counter.Sample, opt counter.Options) counter.Result {
	names := c.Names.(placed) // it has operands
	o, k, _ := names.Place(c.From + n)
	formula := o.Formula(k, opt)
	older = o.Since(older, newer)
	return formula.CookOne(&older, &newer, names.Match(c.From+n))
}

// Older returns older operands as [Since] takes them: where the source reports it, with the system time
// as it would have been if it had not been set meanwhile.
func Older(c *winperf.Column, n int, older, newer counter.Sample) counter.Sample {
	o, _, _, _ := Place(c, n) // it has operands
	return o.Since(older, newer)
}
