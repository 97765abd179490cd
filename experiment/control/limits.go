package control

import (
	"fmt"
	"strings"
	"unicode"

	protocol "github.com/winperf/winperf/internal/control"
)

// Bounds of what clients may ask for, so that none takes all that the program has.
const (
	maxExperiments = 64      // that clients may attach
	maxBindings    = 64      // of an experiment
	maxSources     = 64      // of events, of an experiment
	maxSinks       = 16      // of an experiment
	maxPatterns    = 1000    // of a binding
	maxPaths       = 10_000  // paths and names of sensors of a binding
	maxCapacity    = 100_000 // records of a binding that wait, of some 1,000 bytes each beside their values
	maxName        = 256     // bytes
)

// checkSpec refuses a spec that asks for too much, or has names that cannot be shown.
func checkSpec(s *protocol.Spec) error {
	if err := checkName("the experiment", s.Name); err != nil {
		return err
	}
	for _, c := range []struct {
		what      string
		has, most int
	}{
		{"bindings", len(s.Bindings), maxBindings}, {"sources of events", len(s.Events), maxSources},
		{"sinks", len(s.Sinks), maxSinks},
	} {
		if err := checkCount(c.what, c.has, c.most); err != nil {
			return err
		}
	}

	for i := range s.Bindings {
		if err := checkBinding(&s.Bindings[i]); err != nil {
			return fmt.Errorf("bindings[%d]: %w", i, err)
		}
	}
	for i := range s.Events {
		if err := checkName("a source of events", s.Events[i].Name); err != nil {
			return fmt.Errorf("events[%d]: %w", i, err)
		}
	}
	return nil
}

func checkBinding(b *protocol.Binding) error {
	if err := checkName("a binding", b.Name); err != nil {
		return err
	}
	if err := checkCount("events", len(b.Events), maxPatterns); err != nil {
		return err
	}
	if b.Capacity < 0 || b.Capacity > maxCapacity {
		return fmt.Errorf("a capacity of %d: expected 1 to %d, or none", b.Capacity, maxCapacity)
	}
	return checkCount("sensors", len(b.Sensors), maxPaths)
}

func checkCount(what string, has, most int) error {
	if has > most {
		return fmt.Errorf("%d %s: expected %d at most", has, what, most)
	}
	return nil
}

// checkName refuses names that do not fit into a line of text.
func checkName(of, name string) error {
	if len(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("the name of %s: expected %d bytes at most, without control characters", of, maxName)
	}
	return nil
}
