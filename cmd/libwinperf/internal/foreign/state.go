package foreign

import "fmt"

// State is what a snapshot is doing or waiting for.
type State int32

// The states. Their numbers do not change. Those that end in -ing last as long as an operation.
const (
	Initializing State = 1 + iota // being made; it has no handle yet
	Initialized                   // idle: it can be browsed, and read after a cycle
	Preparing
	Prepared // ready to sample
	Sampling
	Sampled // raw data are there
	Decoding
	numStates = iota + 1
)

var stateNames = [numStates]string{
	"", "initializing", "initialized", "preparing", "prepared", "sampling", "sampled", "decoding",
}

// String returns the state's word.
func (s State) String() string { return stateNames[s] }

// operation is what is asked of a snapshot.
type operation uint8

const (
	opPrepare operation = iota
	opSample
	opDecode
	opBrowse // the structure
	opRead   // the values
	numOperations
)

var operationNames = [numOperations]string{"prepare", "sample", "decode", "browse", "read"}

// alone reports whether no other operation may be under way at the same time.
func (o operation) alone() bool { return o <= opDecode }

// transition is what an operation does to the state. The zero transition is not allowed.
type transition struct{ during, success, failure State }

// transitions is the whole state machine: what is not in it is refused and changes nothing.
// Prepare may follow prepare and sample; raw data that were not decoded are dropped then.
var transitions = [numStates][numOperations]transition{
	Initialized: {
		opPrepare: {Preparing, Prepared, Initialized},
		opBrowse:  {Initialized, Initialized, Initialized},
		opRead:    {Initialized, Initialized, Initialized},
	},
	Prepared: {
		opPrepare: {Preparing, Prepared, Initialized},
		opSample:  {Sampling, Sampled, Initialized},
	},
	Sampled: {
		opPrepare: {Preparing, Prepared, Initialized},
		opDecode:  {Decoding, Initialized, Initialized},
	},
}

// refused is the error of an operation in a state that does not allow it.
func refused(op operation, s State) error {
	return fmt.Errorf("%s of a snapshot that is %v: %w", operationNames[op], s, WrongState)
}
