package foreign

import "fmt"

// State is the state of a snapshot.
type State int32

// The states. Their numbers do not change. States that end in -ing last as long as an operation.
const (
	Initializing State = 1 + iota // being created, without a handle
	Initialized                   // idle: it can be browsed, and read after a cycle
	Preparing
	Prepared // ready to sample
	Sampling
	Sampled // raw data available
	Decoding
	numStates = iota + 1
)

var stateNames = [numStates]string{
	"", "initializing", "initialized", "preparing", "prepared", "sampling", "sampled", "decoding",
}

// String returns the state's word.
func (s State) String() string { return stateNames[s] }

type operation uint8

const (
	opPrepare operation = iota
	opSample
	opDecode
	opBrowse
	opRead
	numOperations
)

var operationNames = [numOperations]string{"prepare", "sample", "decode", "browse", "read"}

func (o operation) alone() bool { return o <= opDecode }

// transition is the effect of an operation on the state. The zero transition is not allowed.
type transition struct{ during, success, failure State }

// transitions is the state machine. Operations not listed are refused and change nothing. Prepare may
// follow prepare and sample; raw data that was not decoded is then dropped.
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

func refused(op operation, s State) error {
	return fmt.Errorf("%s of a snapshot that is %v: %w", operationNames[op], s, WrongState)
}
