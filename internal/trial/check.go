package trial

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/measure"
)

// maxRuns bounds a plan, which is drawn before the first run.
const maxRuns = 100_000

// ownFiles are the names in a results folder that deliveries cannot have.
var ownFiles = []string{FilePlan, FileExperiment, FileRuns, FileSamples, FileRecords, FileReport, "spill"}

// checkNumbers checks what stands at the top of the file.
func (f *File) checkNumbers() error {
	errs := []error{checkName(f.Name)}
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
	runs := len(f.Commands) * (max(f.Repetitions.V, 1) + f.Warmup.V)
	if errors.Join(errs...) == nil && runs > maxRuns {
		errs = append(errs, f.Repetitions.Errorf("%d runs in all: expected %d at most", runs, maxRuns))
	}

	if q := f.Queue; q != nil {
		errs = append(errs, q.check())
	}
	return errors.Join(errs...)
}

// checkName checks the experiment's name, of which the results folder has its own.
func checkName(n strictyaml.Value[string]) error {
	bad := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) }
	if strings.TrimSpace(n.V) == "" || strings.HasPrefix(n.V, ".") || strings.ContainsFunc(n.V, bad) {
		return n.Errorf("name %q: expected one that a folder can have", n.V)
	}
	return nil
}

// leastInterval is an error where samples would be closer than they can be.
func leastInterval(at strictyaml.Pos, d time.Duration, what string) error {
	if d >= measure.LeastInterval {
		return nil
	}
	return at.Errorf("%s %v: expected %v at least", what, d, measure.LeastInterval)
}

func (q *QueueEntry) check() error {
	switch {
	case q.Directory.V == "":
		return q.Directory.Errorf("queue: expected a directory")
	case q.Age < 0 || q.Size < 0:
		return q.Directory.Errorf("queue: expected a size and an age above 0")
	}
	return nil
}

// checkNumbers checks the times of an event source.
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
	if e.Name == "" {
		errs = append(errs, e.Errorf("expected a name of the event"))
	}
	return errors.Join(errs...)
}

// checkNumbers checks the storage of a binding.
func (b *BindingEntry) checkNumbers() error {
	var errs []error
	if b.Capacity < 0 {
		errs = append(errs, b.Errorf("capacity %d: expected 0 or more records", b.Capacity))
	}
	if b.Timeout < 0 {
		errs = append(errs, b.Errorf("timeout %v: expected a time above 0", b.Timeout))
	}
	if len(b.Events) == 0 || len(b.Sensors) == 0 {
		errs = append(errs, b.Errorf("expected events and sensors of the binding"))
	}
	return errors.Join(errs...)
}

// check checks a delivery as far as can be without a connection.
func (d *DeliverEntry) check() error {
	n := 0
	for _, has := range []bool{d.File != "", d.URL != "", len(d.Program) > 0} {
		if has {
			n++
		}
	}
	if n != 1 {
		return d.Errorf("expected one of file, url and program")
	}

	switch {
	case d.File != "":
		return d.checkFile()
	case d.Format != "":
		return d.Errorf("format is for files")
	case d.URL != "":
		return d.checkURL()
	}
	if _, err := exec.LookPath(d.Program[0]); err != nil {
		return d.Errorf("%w", err)
	}
	return nil
}

func (d *DeliverEntry) checkFile() error {
	if slices.Contains(ownFiles, filepath.Clean(d.File)) {
		return d.Errorf("%s is in the results folder already: expected another name", d.File)
	}
	if _, err := delivery.FileFormat(d.File, d.Format); err != nil {
		return d.Errorf("%w", err)
	}
	return nil
}

func (d *DeliverEntry) checkURL() error {
	if _, err := delivery.NewHTTP(d.URL, delivery.HTTPOptions{}); err != nil {
		return d.Errorf("%w", err)
	}

	// A variable that is not set would send a request without what it was meant to have.
	var missing []string
	for _, text := range d.Headers {
		os.Expand(text, func(name string) string {
			if _, ok := os.LookupEnv(name); !ok {
				missing = append(missing, name)
			}
			return ""
		})
	}
	if slices.Sort(missing); len(missing) > 0 {
		return d.Errorf("headers: the environment has no %s", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}
