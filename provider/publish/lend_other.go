//go:build !linux && !darwin

package publish

// Nothing is lent here: the heap has it, and takes it back in time.

func lend(n int) []byte { return make([]byte, n) }
func giveBack([]byte)   {}
