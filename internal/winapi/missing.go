package winapi

import (
	"fmt"

	"github.com/winperf/winperf"
)

// MissingError means that a library cannot be loaded or lacks a function. It wraps
// winperf.ErrNotSupported and the system's error.
type MissingError struct {
	Library  string
	Function string // "" if the library is missing
	Err      error  // the system's error
}

func (e *MissingError) Error() string {
	if e.Function == "" {
		return fmt.Sprintf("library %s cannot be loaded: %v", e.Library, e.Err)
	}
	return fmt.Sprintf("library %s has no function %s: %v", e.Library, e.Function, e.Err)
}

func (e *MissingError) Unwrap() []error { return []error{winperf.ErrNotSupported, e.Err} }
