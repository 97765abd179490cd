package measure

import (
	"fmt"
	"sync/atomic"

	"github.com/winperf/winperf"
)

// state is what a measurement is doing or waiting for. Those that end in -ing
// last as long as an operation is under way; other goroutines see them.
type state uint32

const (
	initialized state = iota // idle: Prepare may follow; structure and values can be read
	preparing                // inside Prepare
	prepared                 // Sample may follow
	sampling                 // inside Sample
	sampled                  // Decode may follow
	decoding                 // inside Decode
	closed                   // nothing may follow
	numStates
)

var stateNames = [numStates]string{
	"initialized", "preparing", "prepared", "sampling", "sampled", "decoding", "closed",
}

func (s state) String() string { return stateNames[s] }

// operation is what a user may call.
type operation uint8

const (
	opPrepare operation = iota
	opSample
	opDecode
	opBrowse // structure
	opRead   // values
	opClose
	numOperations
)

var operationNames = [numOperations]string{"prepare", "sample", "decode", "browse", "read", "close"}

func (o operation) String() string { return operationNames[o] }

// transition is what an operation does to the state.
type transition struct {
	allowed          bool
	during           state // while the operation is under way
	success, failure state // after it
}

// transitions is the whole state machine: everything that is not in it is
// refused and changes nothing. Prepare may be called again; a sample that was
// not decoded is dropped then.
var transitions = [numStates][numOperations]transition{
	initialized: {
		opPrepare: {true, preparing, prepared, initialized},
		opBrowse:  {true, initialized, initialized, initialized},
		opRead:    {true, initialized, initialized, initialized},
		opClose:   {true, closed, closed, closed},
	},
	prepared: {
		opPrepare: {true, preparing, prepared, initialized},
		opSample:  {true, sampling, sampled, initialized},
		opClose:   {true, closed, closed, closed},
	},
	sampled: {
		opPrepare: {true, preparing, prepared, initialized},
		opDecode:  {true, decoding, initialized, initialized},
		opClose:   {true, closed, closed, closed},
	},
	closed: {
		opClose: {true, closed, closed, closed},
	},
}

// gate holds a state and lets operations through. It is one word, so that no
// operation waits for another: what comes at the wrong time is refused.
type gate struct{ word atomic.Uint32 }

func (g *gate) set(s state) { g.word.Store(uint32(s)) }

func (g *gate) state() state { return state(g.word.Load()) }

// enter begins an operation, or refuses it. was is the state before.
func (g *gate) enter(op operation) (t transition, was state, err error) {
	for {
		was = g.state()
		t = transitions[was][op]
		if !t.allowed {
			return t, was, fmt.Errorf("%v of a measurement that is %v: %w", op, was, winperf.ErrState)
		}
		if t.during == was || g.word.CompareAndSwap(uint32(was), uint32(t.during)) {
			return t, was, nil
		}
	}
}

// run lets an operation through and does it, or refuses it. An operation that panics has failed: the measurement
// can still be closed.
func (g *gate) run(op operation, do func() error) error {
	t, _, err := g.enter(op)
	if err != nil {
		return err
	}

	after := t.failure
	defer func() { g.set(after) }()
	if err = do(); err != nil {
		return err
	}
	after = t.success
	return nil
}
