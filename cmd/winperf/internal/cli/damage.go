package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
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

// notice reports published objects that are not shown, and a language that is not available,
// once in a run. It does not change the exit status, because any account can cause it.
func (a *app) notice(errs []error) {
	known := len(a.noticed)
	a.noticed = addNotices(a.noticed, errs)
	for _, err := range a.noticed[known:] {
		a.complain(err)
	}
}

// maxNotices bounds the notices of a run, as any account can cause new ones all the time.
const maxNotices = 32

// addNotices adds the notices among errs of topics that are not in list.
func addNotices(list, errs []error) []error {
	for _, err := range errs {
		topic, notice := noticeIn(err)
		same := func(e error) bool {
			known, _ := noticeIn(e)
			return known == topic
		}
		if notice != nil && len(list) < maxNotices && !slices.ContainsFunc(list, same) {
			list = append(list, notice)
		}
	}
	return list
}

// noticeIn returns the topic of the notice that an error is, and the notice; nil if it is none.
func noticeIn(err error) (topic any, notice error) {
	var published *publish.Notice
	var language *measure.NoLanguage
	switch {
	case errors.As(err, &published):
		return published.Topic(), published
	case errors.As(err, &language):
		return *language, language
	}
	return nil, nil
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
		_, notice := noticeIn(err)
		return errors.As(err, &e) && e.Warning || notice != nil
	})
}

// damageCount keeps the first damage that was found.
type damageCount struct {
	first []error
	more  int
}

// maxDamageShown is how many findings are worth a line of their own.
const maxDamageShown = 10

func (d *damageCount) add(errs []error) {
	errs = costly(errs)
	n := min(len(errs), maxDamageShown-len(d.first))
	d.first = append(d.first, errs[:n]...)
	d.more += len(errs) - n
}

// tell says what was found.
func (d *damageCount) tell(a *app) {
	for _, err := range d.first {
		a.complain(err)
		a.partial = true
	}
	if d.more > 0 {
		a.complain(fmt.Errorf("%d more findings of damage", d.more))
	}
}
