package winapi

import (
	"fmt"

	"github.com/winperf/winperf"
)

// MissingError tells that a library cannot be loaded, or that it lacks a
// function. It wraps winperf.ErrNotSupported and what the system said.
type MissingError struct {
	Library  string
	Function string // "" where the library itself is missing
	Err      error  // what the system said
}

// Error names the function and the library.
func (e *MissingError) Error() string {
	if e.Function == "" {
		return fmt.Sprintf("library %s cannot be loaded: %v", e.Library, e.Err)
	}
	return fmt.Sprintf("library %s has no function %s: %v", e.Library, e.Function, e.Err)
}

// Unwrap returns winperf.ErrNotSupported and what the system said.
func (e *MissingError) Unwrap() []error { return []error{winperf.ErrNotSupported, e.Err} }
