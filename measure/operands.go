package measure

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// Operands returns what the n-th value is computed of in the sample of the cycle: raw values and
// clocks. Without them the status says why; values that came cooked have none, and texts. They
// can be kept, to compute later what happened since, see [Column.Since].
func (c *Column) Operands(n int) (counter.Sample, counter.Status) {
	switch {
	case c.item == nil && c.Status[n] != counter.OK:
		return counter.Sample{}, c.Status[n]
	case c.item == nil:
		return counter.Sample{}, counter.Unsupported
	}
	return c.object.Operands(int(c.item.instances[n]), c.item.k)
}

// Since computes the n-th value, which has the operands newer, over the time since older operands
// of its counter and instance, in place of the time since the cycle before. They are of the same
// instance where the Series had the same ID or key. What needs one sample only is as it is in the
// cycle.
func (c *Column) Since(n int, older, newer counter.Sample, opt counter.Options) counter.Result {
	formula := c.object.Formula(c.item.k, opt)
	older = c.Older(older, newer)
	return formula.CookOne(&older, &newer, c.match(n))
}

// Older returns older operands as [Column.Since] takes them: where the source can tell, with the system time
// as it would have been if nobody had set it meanwhile.
func (c *Column) Older(older, newer counter.Sample) counter.Sample {
	return c.object.Since(older, newer)
}

// match is how well the n-th value is known to be of the same instance in all samples in which its
// Series has the same ID: of several with one name the order is all there is.
func (c *Column) match(n int) counter.Match {
	i := int(c.item.instances[n])
	switch in := c.object.Instance(i); {
	case c.object.Single(), c.item.object.hasKey(c.object, i):
		return counter.Verified
	case frame.IsTotal(in.Name()):
		return counter.Aggregate
	case !c.object.Labels().Alone(i):
		return counter.Unverified
	}
	return counter.Verified
}
