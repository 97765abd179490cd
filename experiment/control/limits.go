package control

import (
	"fmt"
	"strings"
	"unicode"

	protocol "github.com/winperf/winperf/internal/control"
)

// Limits of what clients may request, to protect the program.
const (
	maxExperiments = 64
	maxBindings    = 64
	maxSources     = 64
	maxSinks       = 16
	maxPatterns    = 1000
	maxPaths       = 10_000
	maxCapacity    = 100_000 // records in memory of a binding, about 1,000 bytes each plus their values
	maxName        = 256
)

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
		return fmt.Errorf("capacity %d: expected 1 to %d, or none", b.Capacity, maxCapacity)
	}
	return checkCount("sensors", len(b.Sensors), maxPaths)
}

func checkCount(what string, has, most int) error {
	if has > most {
		return fmt.Errorf("%d %s: expected at most %d", has, what, most)
	}
	return nil
}

func checkName(of, name string) error {
	if len(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("the name of %s: expected at most %d bytes, without control characters", of, maxName)
	}
	return nil
}
