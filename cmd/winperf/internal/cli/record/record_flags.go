package record

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/logs"
)

// limitAction is what is to be done when a file has reached its limit.
type limitAction string

// String returns the word.
func (v *limitAction) String() string { return string(*v) }

// Type names the value in help texts.
func (v *limitAction) Type() string { return "WHAT" }

// Set reads the value.
func (v *limitAction) Set(s string) error {
	switch s = strings.ToLower(s); s {
	case logs.Stop, logs.New, logs.Circular:
		*v = limitAction(s)
		return nil
	}
	return fmt.Errorf("expected %s, %s or %s", logs.Stop, logs.New, logs.Circular)
}

// nameSuffix is the part that logman puts at the end of file names.
type nameSuffix string

// String returns the form.
func (v *nameSuffix) String() string { return string(*v) }

// Type names the value in help texts.
func (v *nameSuffix) Type() string { return "FORM" }

// suffixes are the forms of logman's -v, as patterns of names.
var suffixes = map[string]string{"nnnnnn": "_{serial}", "mmddhhmm": "_{mmddhhmm}"}

// Set reads the value.
func (v *nameSuffix) Set(s string) error {
	if suffixes[strings.ToLower(s)] == "" {
		return errors.New("expected nnnnnn or mmddhhmm")
	}
	*v = nameSuffix(strings.ToLower(s))
	return nil
}

// elapsed is such as 1:02:03.
func elapsed(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
