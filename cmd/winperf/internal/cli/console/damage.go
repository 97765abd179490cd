package console

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// Damaged reports damage in one line, and notices about other publishers separately.
func (a *App) Damaged(errs []error) {
	a.Notice(errs)
	errs = Costly(errs)
	switch len(errs) {
	case 0:
		return
	case 1:
		a.Complain(errs[0])
	default:
		a.Complain(fmt.Errorf("%w (and %d more)", errs[0], countErrors(errs[1:])))
	}
	a.Partial = true
}

// Notice reports published objects that are not shown, and an unavailable language, once in a run. It does
// not change the exit status, because any account can cause it.
func (a *App) Notice(errs []error) {
	known := len(a.noticed)
	a.noticed = AddNotices(a.noticed, errs)
	for _, err := range a.noticed[known:] {
		a.Complain(err)
	}
}

// maxNotices bounds the notices of a run, because any account can cause them.
const maxNotices = 32

// AddNotices appends the notices among errs whose topics are not in list.
func AddNotices(list, errs []error) []error {
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

// noticeIn returns the notice in err and its topic, or nil.
func noticeIn(err error) (topic string, notice error) {
	var n interface {
		error
		Topic() string
	}
	if !errors.As(err, &n) {
		return "", nil
	}
	return n.Topic(), n
}

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

// Costly returns the errors without notices and without errors that lose no data.
func Costly(errs []error) []error {
	return slices.DeleteFunc(slices.Clone(errs), func(err error) bool {
		var e *winperf.DataError
		_, notice := noticeIn(err)
		return errors.As(err, &e) && e.Warning || notice != nil
	})
}

// DamageCount keeps the first errors about damage and counts the others.
type DamageCount struct {
	First []error
	more  int
}

const maxDamageShown = 10

// Add adds errors.
func (d *DamageCount) Add(errs []error) {
	errs = Costly(errs)
	n := min(len(errs), maxDamageShown-len(d.First))
	d.First = append(d.First, errs[:n]...)
	d.more += len(errs) - n
}

// Report reports the errors.
func (d *DamageCount) Report(a *App) {
	for _, err := range d.First {
		a.Complain(err)
		a.Partial = true
	}
	if d.more > 0 {
		a.Complain(fmt.Errorf("%d more damaged places", d.more))
	}
}
