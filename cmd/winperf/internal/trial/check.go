package trial

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/measure"
)

// maxRuns bounds a plan, which is created before the first run.
const maxRuns = 100_000

func (f *File) checkNumbers() error {
	var errs []error
	if f.Name.Line > 0 {
		errs = append(errs, checkName(f.Name))
	}
	if d := f.Interval; d.V != 0 {
		errs = append(errs, leastInterval(d.Pos, d.V, "interval"))
	}
	if d := f.Duration; d.V < 0 {
		errs = append(errs, d.Errorf("duration %v: expected a time above 0", d.V))
	}

	for _, n := range []struct {
		what string
		of   strictyaml.Value[int]
	}{{"repetitions", f.Repetitions}, {"warmup", f.Warmup}} {
		if n.of.V < 0 || n.of.V > maxRuns {
			errs = append(errs, n.of.Errorf("%s %d: expected a number from 0 to %d", n.what, n.of.V, maxRuns))
		}
	}
	errs = append(errs, f.checkOfCommands())
	runs := len(f.Commands) * (max(f.Repetitions.V, 1) + f.Warmup.V)
	if errors.Join(errs...) == nil && runs > maxRuns {
		errs = append(errs, f.Repetitions.Errorf("%d runs in total: expected at most %d", runs, maxRuns))
	}

	if q := f.Queue; q != nil {
		errs = append(errs, q.check())
	}
	return errors.Join(errs...)
}

// checkOfCommands returns an error for settings of commands without commands, or a duration with commands.
func (f *File) checkOfCommands() error {
	if len(f.Commands) > 0 {
		if d := f.Duration; d.V > 0 {
			return d.Errorf("duration is for experiments without commands: this one ends after the last run")
		}
		return nil
	}
	if !f.unread.none("commands") {
		return nil
	}

	var errs []error
	for _, key := range []struct {
		name string
		strictyaml.Pos
	}{{"repetitions", f.Repetitions.Pos}, {"warmup", f.Warmup.Pos}, {"order", f.Order.Pos}} {
		if key.Line > 0 {
			errs = append(errs, key.Errorf("%s is for commands, but there are none", key.name))
		}
	}
	return errors.Join(errs...)
}

// Warnings returns probable mistakes of a file, each with its place.
func (f *File) Warnings() (all []error) {
	for i := range f.Deliver {
		d := &f.Deliver[i]
		format, err := delivery.FileFormat(d.File, d.Format)
		if err != nil || format != "csv" && format != "tsv" || f.measuresAlike() {
			continue
		}
		const form = "%s has the columns of the first record, but the bindings measure different sensors"
		all = append(all, d.Errorf(form, d.File))
	}
	return all
}

func (f *File) measuresAlike() bool {
	var first []string
	for i := range f.Bindings {
		var names []string
		for _, v := range f.Bindings[i].Sensors {
			for _, entry := range f.entries(v) {
				names = append(names, strings.ToLower(entry.V))
			}
		}

		slices.Sort(names)
		names = slices.Compact(names)
		if i > 0 && !slices.Equal(names, first) {
			return false
		}
		first = names
	}
	return true
}

func checkName(n strictyaml.Value[string]) error {
	bad := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) }
	if strings.TrimSpace(n.V) == "" || strings.HasPrefix(n.V, ".") || strings.ContainsFunc(n.V, bad) {
		return n.Errorf("name %q: expected a valid name of a directory", n.V)
	}
	return nil
}

// leastInterval returns an error if d is shorter than the least interval.
func leastInterval(at strictyaml.Pos, d time.Duration, what string) error {
	if d >= measure.LeastInterval {
		return nil
	}
	return at.Errorf("%s %v: expected at least %v", what, d, measure.LeastInterval)
}

func (q *QueueEntry) check() error {
	switch {
	case q.Directory.V == "":
		return q.Directory.Errorf("queue: expected a directory")
	case q.Age < 0 || q.Size < 0:
		return q.Directory.Errorf("queue: expected a size and an age above 0")
	}
	if err := CanCreate(q.Directory.V); err != nil {
		return q.Directory.Errorf("queue: %w", err)
	}
	return nil
}

func (e *EventEntry) checkNumbers() error {
	var errs []error
	if e.Interval != 0 {
		errs = append(errs, leastInterval(e.Pos, e.Interval, "event \""+e.Name+"\": interval"))
	}
	if e.Every != 0 {
		errs = append(errs, leastInterval(e.Pos, e.Every, "event \""+e.Name+"\": every"))
	}
	if e.For < 0 || !(e.Hysteresis >= 0) {
		errs = append(errs, e.Errorf("event %q: expected for and hysteresis of 0 or more", e.Name))
	}
	if e.Name == "" && !e.Partial {
		errs = append(errs, e.Errorf("expected a name of the event"))
	}
	return errors.Join(errs...)
}

// checkName checks the name of a binding; the default is the name of its first event.
func (b *BindingEntry) checkName(names map[string]bool) error {
	name := b.Name
	if name == "" && len(b.Events) > 0 {
		name = b.Events[0].V
	}
	key := strings.ToLower(name)
	if names[key] {
		return b.Errorf("two bindings have the name %q: expected different names", name)
	}
	names[key] = name != ""
	return nil
}

func (b *BindingEntry) checkNumbers() error {
	var errs []error
	if b.Capacity < 0 {
		errs = append(errs, b.Errorf("capacity %d: expected 0 or more records", b.Capacity))
	}
	if b.Timeout < 0 {
		errs = append(errs, b.Errorf("timeout %v: expected a time above 0", b.Timeout))
	}
	if (len(b.Events) == 0 || len(b.Sensors) == 0) && !b.Partial {
		errs = append(errs, b.Errorf("expected events and sensors of the binding"))
	}
	return errors.Join(errs...)
}
