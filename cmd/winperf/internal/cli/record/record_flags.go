package record

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/logs"
)

// limitAction is the action when a file has reached its limit.
type limitAction string

func (v *limitAction) String() string { return string(*v) }

func (v *limitAction) Type() string { return "WHAT" }

func (v *limitAction) Set(s string) error {
	switch s = strings.ToLower(s); s {
	case logs.Stop, logs.New, logs.Circular:
		*v = limitAction(s)
		return nil
	}
	return fmt.Errorf("expected %s, %s or %s", logs.Stop, logs.New, logs.Circular)
}

type nameSuffix string

func (v *nameSuffix) String() string { return string(*v) }

func (v *nameSuffix) Type() string { return "FORM" }

var suffixes = map[string]string{"nnnnnn": "_{serial}", "mmddhhmm": "_{mmddhhmm}"}

func (v *nameSuffix) Set(s string) error {
	if suffixes[strings.ToLower(s)] == "" {
		return errors.New("expected nnnnnn or mmddhhmm")
	}
	*v = nameSuffix(strings.ToLower(s))
	return nil
}

func elapsed(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
