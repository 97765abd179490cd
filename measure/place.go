package measure

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// Place returns the object of the n-th value, and the positions of its counter and its instance. It
// and Match serve package internal/recook.
func (it *item) Place(n int) (o frame.Object, k, instance int) {
	return it.object.now, it.k, int(it.instances[n])
}

// Match returns how certainly the n-th value is of the same instance in all samples in which its
// Series has the same ID. Instances with one name are known by their order only.
func (it *item) Match(n int) counter.Match {
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
