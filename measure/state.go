package measure

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/winperf/winperf"
)

// state is what a measurement is doing or waiting for. Those that end in -ing
// last as long as an operation is under way; other goroutines see them.
type state uint32

const (
	initialized state = iota // idle: Prepare may follow; structure can be read
	preparing                // inside Prepare
	prepared                 // Sample may follow
	sampling                 // inside Sample
	sampled                  // Decode may follow
	decoding                 // inside Decode
	closed                   // nothing may follow
)

var stateNames = [...]string{
	"initialized", "preparing", "prepared", "sampling", "sampled", "decoding", "closed",
}

func (s state) String() string { return stateNames[s] }

// operation is what a user may call in some states; in all others it is refused.
type operation struct {
	name   string
	from   []state
	during state
	after  state // if it succeeded; else the measurement is initialized
}

// Prepare may be called again; a sample that was not decoded is dropped then.
var (
	opPrepare = &operation{"prepare", []state{initialized, prepared, sampled}, preparing, prepared}
	opSample  = &operation{"sample", []state{prepared}, sampling, sampled}
	opDecode  = &operation{"decode", []state{sampled}, decoding, initialized}
	opClose   = &operation{"close", []state{initialized, prepared, sampled, closed}, closed, closed}
)

func (o *operation) String() string { return o.name }

// gate holds a state and lets operations through. It is one word, so that no
// operation waits for another: what comes at the wrong time is refused.
type gate struct{ word atomic.Uint32 }

func (g *gate) state() state { return state(g.word.Load()) }

// enter begins an operation, or refuses it. was is the state before.
func (g *gate) enter(op *operation) (was state, err error) {
	for {
		was = g.state()
		if !slices.Contains(op.from, was) {
			return was, fmt.Errorf("%v of a measurement that is %v: %w", op, was, winperf.ErrState)
		}
		if op.during == was || g.word.CompareAndSwap(uint32(was), uint32(op.during)) {
			return was, nil
		}
	}
}

// run lets an operation through and does it, or refuses it. An operation that panics has failed: the
// measurement can still be closed.
func (g *gate) run(op *operation, do func() error) error {
	if _, err := g.enter(op); err != nil {
		return err
	}

	after := initialized
	defer func() { g.word.Store(uint32(after)) }()
	if err := do(); err != nil {
		return err
	}
	after = op.after
	return nil
}
