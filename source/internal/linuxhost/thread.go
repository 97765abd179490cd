package linuxhost

// Fields that the code sets. Times are in 100 ns.
const (
	threadID      = pidNumber
	threadStarted = pidStarted

	threadTime fields = 1 << iota
	threadUser
	threadSystem
	threadProcess
	threadState
	threadReason
)

// threadStates maps states of proc(5) to Thread State and Thread Wait Reason. Others become 7.
var threadStates = map[byte]struct{ state, reason uint64 }{
	'R': {2, 0},
	'S': {5, 6}, 'D': {5, 0}, 'I': {5, 0}, 'T': {5, 5}, 't': {5, 5}, 'P': {5, 0}, 'K': {5, 0}, 'W': {5, 0},
	'Z': {4, 0}, 'X': {4, 0}, 'x': {4, 0},
}

const threadUnknown = 7

func (v *values) setThreadState(rest []byte) {
	state, _ := cutWord(rest)
	if len(state) != 1 {
		return
	}
	known, ok := threadStates[state[0]]
	if !ok {
		known.state = threadUnknown
	}
	v.set(threadState, known.state)
	v.set(threadReason, known.reason)
}
