package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf/nametable"
)

// damaged reports, in one line, damage that did not keep the rest from being
// shown.
func (a *app) damaged(errs []error) {
	errs = costly(errs)
	switch len(errs) {
	case 0:
		return
	case 1:
		a.complain(errs[0])
	default:
		a.complain(fmt.Errorf("%w (and %d more)", errs[0], countErrors(errs[1:])))
	}
	a.partial = true
}

// countErrors returns how many errors these are: one may stand for several that its
// source did not keep.
func countErrors(errs []error) (n int) {
	for _, err := range errs {
		var several interface{ Count() int }
		if errors.As(err, &several) {
			n += several.Count()
			continue
		}
		n++
	}
	return n
}

// costly leaves out what is wrong with name tables without anything being lost.
func costly(errs []error) []error {
	return slices.DeleteFunc(slices.Clone(errs), func(err error) bool {
		var names nametable.Damage
		return errors.As(err, &names) && names.Warning()
	})
}
