package registration

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// ErrInvalid is wrapped by errors about files and schemas that do not keep the
// rules.
var ErrInvalid = errors.New("invalid registration")

// Position is a place in a file. Line and Column count from 1, the column in
// characters; 0 stands for the file, or the line, as a whole.
type Position struct{ Line, Column int }

// Findings are what is wrong with some files, each with the file's name (Source), Line and
// Column. One with Warning set does not stop Windows from taking the file, but the result
// is probably not what was meant; all others are faults.
type Findings []*winperf.DataError

// Err returns the findings that are no warnings as one error that wraps
// ErrInvalid, or nil.
func (fs Findings) Err() error {
	var errs []error
	for _, f := range fs {
		if !f.Warning {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}

// NewFinding returns a fault, which wraps [ErrInvalid], about a place in a file. It is for
// programs that find more than this package does.
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

// maxFindings bounds how many findings about a file are kept. Of the others it is
// told how many they are.
const maxFindings = 1000

// report collects the findings of one file.
type report struct {
	file     string
	findings Findings
	more     int  // findings that were not kept
	faulty   bool // one of them is no warning
}

func (r *report) fault(at Position, format string, args ...any) {
	if r.full() {
		r.moreFaults(1)
	} else {
		r.findings = append(r.findings, NewFinding(r.file, at, fmt.Sprintf(format, args...)))
	}
}

func (r *report) warn(at Position, format string, args ...any) {
	if r.full() {
		r.more++
	} else {
		r.findings = append(r.findings, newWarning(r.file, at, fmt.Sprintf(format, args...)))
	}
}

// full reports whether no more findings are kept.
func (r *report) full() bool { return len(r.findings) >= maxFindings }

// moreFaults counts faults that are not kept.
func (r *report) moreFaults(n int) {
	r.more += n
	r.faulty = r.faulty || n > 0
}

// sorted returns the findings in the order of the files' lines, and last how many
// more there are.
func (r *report) sorted() Findings {
	slices.SortStableFunc(r.findings, func(a, b *winperf.DataError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.more == 0 {
		return r.findings
	}

	rest := fmt.Sprintf("and %d more", r.more)
	if r.faulty {
		return append(r.findings, NewFinding(r.file, Position{}, rest))
	}
	return append(r.findings, newWarning(r.file, Position{}, rest))
}
