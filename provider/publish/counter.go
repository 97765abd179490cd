package publish

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Counter is one raw value of one instance. Any number of goroutines may use it: every operation is a
// single atomic one on shared memory.
//
// The meaning of a raw value depends on the counter's type: see the table in package counter. A counter
// of 4 bytes keeps the low 32 bits.
type Counter struct {
	wide     *uint64
	narrow   *uint32
	instance *Instance
}

// Add adds to the raw value. [Counter.AddSigned] can also subtract.
func (c *Counter) Add(n uint64) {
	c.access(func() {
		if c.wide != nil {
			atomic.AddUint64(c.wide, n)
		} else {
			atomic.AddUint32(c.narrow, uint32(n))
		}
	})
}

// AddSigned adds to the raw value, or subtracts if n is below 0, for example from a count of open items.
// A value that falls below 0 wraps around.
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

// tries is the number of restores for one operation. If the memory is then still missing, the operation
// is lost.
const tries = 8

// access runs f, and repeats it after a restore if memory was missing.
func (c *Counter) access(f func()) {
	for try := 0; !touch(f) && try < tries && c.restore(); try++ {
	}
	runtime.KeepAlive(c) // keep the slot from being reused during f
}

func (c *Counter) restore() bool { return c.instance.object.publisher.restore() }

// Size returns the number of bytes that readers see: 4 or 8.
func (c *Counter) Size() int {
	if c.wide != nil {
		return 8
	}
	return 4
}

// Address returns the address of the raw value, which has Size bytes and is aligned to them, for
// libraries that read it directly. It can be used while the counter is reachable.
func (c *Counter) Address() unsafe.Pointer {
	if c.wide != nil {
		return unsafe.Pointer(c.wide)
	}
	return unsafe.Pointer(c.narrow)
}
