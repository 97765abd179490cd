package measure

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// Place tells where the n-th value of a cycle's column stands in the Cycle's Frame: the object, and
// the positions of the counter and of the instance. It makes no Series, and ok is false for a value
// that stands nowhere, such as that of a path that nothing matched.
func Place(c *winperf.Column, n int) (o frame.Object, k, instance int, ok bool) {
	it, ok := c.Names.(*item)
	if !ok {
		return frame.Object{}, 0, 0, false
	}
	return it.object.now, it.k, int(it.instances[c.From+n]), true
}

// Operands returns what the n-th value of a cycle's column is computed of in the sample of the cycle:
// raw values and clocks. Without them the status says why; displayable values have none, and
// texts. They can be kept, to compute later what happened since, see [Since].
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
// same instance where the Series had the same ID or key. What needs one sample only is as it is in the
// cycle.
func Since(c *winperf.Column, n int, older, newer counter.Sample, opt counter.Options) counter.Result {
	it := c.Names.(*item) // it has operands
	formula := it.object.now.Formula(it.k, opt)
	older = Older(c, older, newer)
	return formula.CookOne(&older, &newer, it.match(c.From+n))
}

// Older returns older operands as [Since] takes them: where the source can tell, with the system time
// as it would have been if nobody had set it meanwhile.
func Older(c *winperf.Column, older, newer counter.Sample) counter.Sample {
	return c.Names.(*item).object.now.Since(older, newer) // it has operands
}

// match is how well the n-th value is known to be of the same instance in all samples in which its
// Series has the same ID: of several with one name the order is all there is.
func (it *item) match(n int) counter.Match {
	i, o := int(it.instances[n]), it.object.now
	switch in := o.Instance(i); {
	case o.Single(), it.object.hasKey(i):
		return counter.Verified
	case frame.IsTotal(in.Name()):
		return counter.Aggregate
	case !o.Labels().Alone(i):
		return counter.Unverified
	}
	return counter.Verified
}
