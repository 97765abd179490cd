package linuxhost

// The figures of the Thread object that the code knows. Times are in 100 ns.
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

// threadStates says what Thread State and Thread Wait Reason are for a state of
// the kernel (proc(5), /proc/PID/stat). Others are in state 7, unknown.
var threadStates = map[byte]struct{ state, reason uint64 }{
	'R': {2, 0},
	'S': {5, 6}, 'D': {5, 0}, 'I': {5, 0}, 'T': {5, 5}, 't': {5, 5}, 'P': {5, 0}, 'K': {5, 0}, 'W': {5, 0},
	'Z': {4, 0}, 'X': {4, 0}, 'x': {4, 0},
}

const threadUnknown = 7

// setThreadState takes the state, the first word behind the name in stat.
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
