//go:build linux || darwin

package publish

import "golang.org/x/sys/unix"

// lend gives n bytes of memory that giveBack takes at once.
func lend(n int) []byte {
	p, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]byte, n)
	}
	return p
}

// giveBack takes back what lend gave, which nobody may use any more.
func giveBack(p []byte) {
	_ = unix.Munmap(p) // it fails for what is no mapping, which is the heap's
}
