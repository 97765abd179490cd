package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
)

// entry is what the dispatcher knows of a provider. It belongs to the goroutine that has
// the turn.
type entry struct {
	name     string
	provider Provider
	objects  []*Object // copies, which the provider cannot change
	line     *call.Line
	run      map[string]func(context.Context) // by stage: what is called on the line

	// Of the call on the line:
	session Session // nil: not opened
	writer  Writer
	query   *Query
	clocks  counter.Clocks // of the sample
	given   []byte         // the buffer that the provider's objects are appended to
	answer  answer

	stage    string // of the last call
	heard    bool   // what it reported was told
	told     bool   // it was reported that it does not return
	buf      []byte // for the provider's objects, unless they go straight into the block
	failure  error  // why it did not answer, until it answers again; nil also where it lacks permission
	pauses   call.Pauses
	failures int // since the dispatcher was made
}

// newEntry asks a provider for its name and its declarations. With an error the
// entry has what came before it.
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

// answered is what the provider gave within its time.
func (e *entry) answered() answer {
	if e.line.Outcome() != call.Returned {
		return answer{}
	}
	return e.answer
}
