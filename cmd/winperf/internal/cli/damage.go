package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider/publish"
)

// damaged reports, in one line, damage that did not keep the rest from being
// shown. What others published and is not shown is told beside that.
func (a *app) damaged(errs []error) {
	a.notice(errs)
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

// notice tells, in one line of each kind and once, what others published that is not
// shown. It does not change the exit status: nobody can spoil others' runs with it.
func (a *app) notice(errs []error) {
	known := len(a.noticed)
	a.noticed = addNotices(a.noticed, errs)
	for _, err := range a.noticed[known:] {
		a.complain(err)
	}
}

// addNotices adds the notices among errs of kinds that are not in list.
func addNotices(list, errs []error) []error {
	for _, err := range errs {
		n := noticeIn(err)
		if n != nil && !slices.ContainsFunc(list, func(e error) bool { return noticeIn(e).Kind == n.Kind }) {
			list = append(list, n)
		}
	}
	return list
}

// noticeIn returns the notice that an error is, nil if it is none.
func noticeIn(err error) (n *publish.Notice) {
	errors.As(err, &n)
	return n
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

// costly leaves out what is wrong without anything being lost, and what others
// published.
func costly(errs []error) []error {
	return slices.DeleteFunc(slices.Clone(errs), func(err error) bool {
		var e *winperf.DataError
		return errors.As(err, &e) && e.Warning || noticeIn(err) != nil
	})
}
