package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/provider"
)

// View is a selection of a reader's objects. It may be used from several goroutines.
type View struct {
	reader   *Reader
	includes func(name string) bool
	last     atomic.Pointer[published]

	// Only the goroutine that uses the reader may use these fields.
	seen    uint64
	taken   notices
	omitted []untrustedObject
	faults  []fault
	unfit   []fault

	damage atomic.Pointer[[]error]
}

type fault struct {
	file *foreign
	err  error
}

// View returns a view of the objects for which wants returns true. wants is called with the English and
// translated names of an object; nil selects all objects. Objects with a name that ReaderOptions.Reserved
// reserves are never shown.
func (r *Reader) View(includes func(name string) bool) *View {
	if includes == nil {
		includes = func(string) bool { return true }
	}
	return &View{reader: r, includes: includes}
}

// Refresh finds the currently published objects and returns their provider, or nil if there are none. It
// returns the same provider as long as the objects and their counters are the same, even if their
// publishers and instances change. Otherwise it returns a new provider, and the earlier one supplies no
// more objects. The only error is the error of ctx, if it ends before the file system answers. Damage
// returns the errors of unreadable files.
func (v *View) Refresh(ctx context.Context) (provider.Provider, error) {
	_, err := call.Once(ctx, func() (struct{}, error) { return struct{}{}, v.look(ctx) })
	if err != nil {
		return nil, err
	}
	if p := v.last.Load(); p != nil {
		return p, nil
	}
	return nil, nil
}

// look refreshes the view. A view with objects does not wait while another goroutine uses the reader,
// because a file system may block that goroutine: it keeps its objects.
func (v *View) look(ctx context.Context) error {
	r := v.reader
	if v.last.Load() == nil {
		if err := r.take(ctx); err != nil {
			return err
		}
	} else {
		select {
		case r.turn <- struct{}{}:
		default:
			return nil
		}
	}
	defer r.release()
	return v.refresh(ctx)
}

func (v *View) refresh(ctx context.Context) error {
	r := v.reader
	if err := ctx.Err(); err != nil {
		return err
	}

	if r.closed.Load() && r.dirs != nil {
		r.dirs = nil
		r.changes++
	}

	r.refreshes++
	r.refreshTrust()
	for _, d := range r.dirs {
		if err := r.look(ctx, d); err != nil {
			return err
		}
	}

	if err := v.probe(ctx); err != nil {
		return err
	}
	if v.seen == r.changes {
		return nil
	}

	v.faults = nil
	defer v.note()

	var files []*foreign
	for _, d := range r.dirs {
		files = slices.AppendSeq(files, maps.Values(d.files))
	}

	m := r.newMerger()
	if err := m.merge(ctx, files, v.includes); err != nil {
		return err
	}

	v.replace(m)
	v.taken = m.taken
	v.omitted = slices.Collect(maps.Keys(m.omitted))
	sorted.Func(v.omitted, untrustedObject.compare)
	for _, l := range v.omitted {
		r.report("", r.untrustedError(l))
	}
	v.unfit = m.faults
	v.seen = r.changes
	return nil
}

func (v *View) probe(ctx context.Context) error {
	p := v.last.Load()
	if p == nil {
		return nil
	}

	for _, f := range p.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.dir.files[f.path] == f && !v.reader.published(f) {
			v.reader.drop(f)
		}
	}
	return nil
}

func (v *View) replace(m *merger) {
	if len(m.objects) == 0 {
		v.last.Store(nil)
		return
	}

	next := &published{view: v, objects: m.objects, shown: m.shown}
	for _, o := range m.objects {
		next.declared = append(next.declared, o.object)
		for _, p := range o.parts {
			next.files = append(next.files, p.file)
		}
	}
	sorted.Func(next.files, v.reader.trust.older)
	next.files = slices.Compact(next.files)

	if old := v.last.Load(); old != nil && reflect.DeepEqual(old.declared, next.declared) {
		old.objects = next.objects
		old.shown = next.shown
		old.files = next.files
		return
	}
	v.last.Store(next)
}

// Damage returns the errors of the last refresh and the last sample: objects that could not be read, and
// files with unreadable definitions, which may contain any object. These errors concern files of root, of
// the account of the reading program and of accounts that [PublishersFile] names. After them the list has
// notices (see [winperf.Sample.Damage]): faults in files of other accounts, and omitted objects.
func (v *View) Damage() []error {
	if errs := v.damage.Load(); errs != nil {
		return *errs
	}
	return nil
}

func (v *View) note() {
	var errs []error
	omitted := v.taken
	add := func(err error, counts bool) {
		switch {
		case err == nil:
		case counts:
			errs = append(errs, err)
		default:
			omitted.add(othersDamage, err)
		}
	}

	r := v.reader
	for _, d := range r.dirs {
		add(d.wrong, !errors.Is(d.wrong, errOthers))
		for _, p := range d.passed {
			if p.closed != nil {
				omitted.add(othersClosed,
					fmt.Errorf("this account may not read counters that another account publishes: %w", p.closed))
			}
		}

		for _, f := range d.files {
			add(f.wrong, r.reliesOn(f))
		}
	}

	for _, f := range slices.Concat(v.unfit, v.faults) {
		add(f.err, r.reliesOn(f.file))
	}

	for _, err := range r.trust.wrong {
		omitted.add(publishersFault, err)
	}
	errs = v.appendOmitted(omitted.appendTo(limit(errs)))
	v.damage.Store(&errs)
}

// appendOmitted appends a notice for each of the first omitted objects. The last notice has the number of
// further omitted objects.
func (v *View) appendOmitted(errs []error) []error {
	shown := v.omitted[:min(len(v.omitted), maxDamage)]
	for i, l := range shown {
		n := &notice{Kind: omittedObject, Err: v.reader.untrustedError(l)}
		if i == len(shown)-1 {
			n.More = len(v.omitted) - len(shown)
		}
		errs = append(errs, n)
	}
	return errs
}

// reliesOn reports whether a fault in a file is damage. In files of other accounts it is not: any account
// could spoil the queries of all.
func (r *Reader) reliesOn(f *foreign) bool { return r.trust.names(f.id.owner) }

const maxDamage = 16

// limit returns the alphabetically first errors, and one error with the number of the omitted errors.
func limit(errs []error) []error {
	sorted.Func(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if len(errs) <= maxDamage {
		return errs
	}
	return append(errs[:maxDamage:maxDamage], moreDamage(len(errs)-maxDamage))
}

type moreDamage int

func (m moreDamage) Error() string {
	return fmt.Sprintf("and %d more published files or instances", int(m))
}

// Count returns the number of errors.
func (m moreDamage) Count() int { return int(m) }
