// Package rules checks the rules for files and declarations of providers, and collects the
// findings.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// ErrInvalid is wrapped by errors about files and schemas that violate the rules.
var ErrInvalid = errors.New("invalid registration")

// Position is a place in a file. Line and Column count from 1, the column in characters. 0 means
// the whole file, or the whole line.
type Position struct{ Line, Column int }

// At returns the position of a line and a column.
func At(line, column int) Position { return Position{line, column} }

// Findings are errors in files, each with the file's name (Source), Line and Column. Windows
// accepts a file with a finding that has Warning set, but the result is probably wrong. All others
// are faults.
type Findings []*winperf.DataError

// Err returns the faults as one error that wraps ErrInvalid, or nil.
func (fs Findings) Err() error {
	var errs []error
	for _, f := range fs {
		if !f.Warning {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}

// NewFinding returns a fault, which wraps [ErrInvalid], about a place in a file.
func NewFinding(file string, at Position, message string) *winperf.DataError {
	return &winperf.DataError{
		Err: ErrInvalid, Source: file, Offset: -1, Line: at.Line, Column: at.Column, Msg: message,
	}
}

func newWarning(file string, at Position, message string) *winperf.DataError {
	f := NewFinding(file, at, "warning: "+message)
	f.Warning = true
	return f
}

// maxFindings is the number of findings of a file that are kept. Of the others only the number is
// reported.
const maxFindings = 1000

// Report collects the findings of one file.
type Report struct {
	Findings Findings
	file     string
	more     int  // number of findings that were not kept
	faulty   bool // one finding is a fault
}

// NewReport returns a Report about a file.
func NewReport(file string) *Report { return &Report{file: file} }

// Fault adds a fault at a place.
func (r *Report) Fault(at Position, format string, args ...any) {
	if r.Full() {
		r.MoreFaults(1)
	} else {
		r.Findings = append(r.Findings, NewFinding(r.file, at, fmt.Sprintf(format, args...)))
	}
}

// Warn adds a warning about a place.
func (r *Report) Warn(at Position, format string, args ...any) {
	if r.Full() {
		r.more++
	} else {
		r.Findings = append(r.Findings, newWarning(r.file, at, fmt.Sprintf(format, args...)))
	}
}

// Full reports whether no more findings are kept.
func (r *Report) Full() bool { return len(r.Findings) >= maxFindings }

// MoreFaults adds n faults that are counted but not kept.
func (r *Report) MoreFaults(n int) {
	r.more += n
	r.faulty = r.faulty || n > 0
}

// Sorted returns the findings in the order of lines. The last one reports the number of findings
// that were not kept.
func (r *Report) Sorted() Findings {
	slices.SortStableFunc(r.Findings, func(a, b *winperf.DataError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.more == 0 {
		return r.Findings
	}

	rest := fmt.Sprintf("and %d more", r.more)
	if r.faulty {
		return append(r.Findings, NewFinding(r.file, Position{}, rest))
	}
	return append(r.Findings, newWarning(r.file, Position{}, rest))
}
