package publish

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Counter is one raw value of one instance. Any number of goroutines may use it:
// every operation is a single atomic one on shared memory.
//
// What a raw value means depends on the counter's type: package counter has a
// table of them. One of 4 bytes keeps the low 32 bits.
type Counter struct {
	wide     *uint64 // of 8 bytes
	narrow   *uint32 // of 4 bytes
	instance *Instance
}

// Add adds to the raw value. [Counter.AddSigned] can subtract, too.
func (c *Counter) Add(n uint64) {
	c.access(func() {
		if c.wide != nil {
			atomic.AddUint64(c.wide, n)
		} else {
			atomic.AddUint32(c.narrow, uint32(n))
		}
	})
}

// AddSigned adds to the raw value, or subtracts where n is below 0: as from a count
// of what is open. A value that falls below 0 wraps around.
func (c *Counter) AddSigned(n int64) { c.Add(uint64(n)) }

// Set sets the raw value.
func (c *Counter) Set(v uint64) {
	c.access(func() {
		if c.wide != nil {
			atomic.StoreUint64(c.wide, v)
		} else {
			atomic.StoreUint32(c.narrow, uint32(v))
		}
	})
}

// Load returns the raw value.
func (c *Counter) Load() (v uint64) {
	c.access(func() {
		if c.wide != nil {
			v = atomic.LoadUint64(c.wide)
		} else {
			v = uint64(atomic.LoadUint32(c.narrow))
		}
	})
	return v
}

// tries is how often one operation makes the file whole. Where it is cut again
// and again, or memory is missing for another reason, the operation is lost.
const tries = 8

// access runs f, and again after the file was made whole if its memory was not there.
func (c *Counter) access(f func()) {
	for try := 0; !touch(f) && try < tries && c.restore(); try++ {
	}
	runtime.KeepAlive(c) // or its place could become another's meanwhile
}

// restore brings back memory that is not there any more, and reports whether it
// could.
func (c *Counter) restore() bool { return c.instance.object.publisher.restore() }

// Size is the number of bytes that readers see: 4 or 8.
func (c *Counter) Size() int {
	if c.wide != nil {
		return 8
	}
	return 4
}

// Address is where the raw value is, of Size bytes and aligned to them, for
// libraries that read it there. It is good as long as the counter is reachable.
func (c *Counter) Address() unsafe.Pointer {
	if c.wide != nil {
		return unsafe.Pointer(c.wide)
	}
	return unsafe.Pointer(c.narrow)
}
