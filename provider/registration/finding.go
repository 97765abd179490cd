package registration

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ErrInvalid is wrapped by errors about files and schemas that do not keep the
// rules.
var ErrInvalid = errors.New("invalid registration")

// Position is a place in a file. Line and Column count from 1, the column in
// characters; 0 stands for the file, or the line, as a whole.
type Position struct{ Line, Column int }

// Finding is one thing that is wrong with a file.
type Finding struct {
	File string
	Position
	// Warning tells that Windows takes the file as it is, but hardly as it was
	// meant.
	Warning bool
	Message string
}

// String is the finding as compilers write theirs: file:line:column: message.
func (f Finding) String() string {
	text := f.File
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
		if f.Column > 0 {
			text += fmt.Sprintf(":%d", f.Column)
		}
	}
	if f.Warning {
		return text + ": warning: " + f.Message
	}
	return text + ": " + f.Message
}

// Findings are what is wrong with some files.
type Findings []Finding

// Err returns the findings that are no warnings as one error that wraps
// ErrInvalid, or nil.
func (fs Findings) Err() error {
	var errs []error
	for _, f := range fs {
		if !f.Warning {
			errs = append(errs, fmt.Errorf("%w: %s", ErrInvalid, f))
		}
	}
	return errors.Join(errs...)
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
		return
	}
	r.findings = append(r.findings, Finding{File: r.file, Position: at, Message: fmt.Sprintf(format, args...)})
}

func (r *report) warn(at Position, format string, args ...any) {
	if r.full() {
		r.more++
		return
	}
	r.findings = append(r.findings, Finding{File: r.file, Position: at, Warning: true, Message: fmt.Sprintf(format, args...)})
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
	slices.SortStableFunc(r.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.more == 0 {
		return r.findings
	}

	rest := Finding{File: r.file, Warning: !r.faulty, Message: fmt.Sprintf("and %d more", r.more)}
	return append(r.findings, rest)
}
