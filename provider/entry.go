package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
)

// entry is the dispatcher's state of a provider. The goroutine of the current query owns it.
type entry struct {
	name     string
	provider Provider
	objects  []*Object // copies, which the provider cannot change
	line     *call.Line
	run      map[string]func(context.Context) // by stage: functions to call on the line

	session Session
	writer  Writer
	query   *Query
	clocks  counter.Clocks
	block   []byte
	answer  answer

	stage         string
	reportsPassed bool
	busyReported  bool
	buf           []byte
	failure       error // last error, until the next answer; nil for a missing permission
	pauses        call.Pauses
	failures      int
}

// newEntry calls the provider for its name and declarations. After an error the entry is partly filled.
func newEntry(p Provider, maxBytes int) (*entry, error) {
	e := &entry{provider: p, line: call.NewLine()}
	e.run = map[string]func(context.Context){stageOpen: e.openSession, stageCollect: e.collect}
	if err := attempt(e.declare); err != nil {
		return e, fmt.Errorf("declarations of provider %q: %w: %w", e.name, err, ErrSchema)
	}
	e.writer = newWriter(e.objects, maxBytes)
	return e, nil
}

func (e *entry) declare() error {
	e.name = e.provider.Name()
	for _, o := range e.provider.Objects() {
		c := *o
		c.Counters = slices.Clone(o.Counters)
		e.objects = append(e.objects, &c)
	}
	return nil
}

func (e *entry) answered() answer {
	if e.line.Outcome() != call.Returned {
		return answer{}
	}
	return e.answer
}
