package publish

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Counter is one raw value of one instance. Any number of goroutines may use it, because every operation
// is one atomic access to shared memory.
//
// The meaning of a raw value depends on the counter's type; see the table in package counter. A counter
// of 4 bytes keeps only the low 32 bits.
type Counter struct {
	wide     *uint64
	narrow   *uint32
	instance *Instance
}

// Add adds n to the raw value. [Counter.AddSigned] can also subtract.
func (c *Counter) Add(n uint64) {
	c.access(func() {
		if c.wide != nil {
			atomic.AddUint64(c.wide, n)
		} else {
			atomic.AddUint32(c.narrow, uint32(n))
		}
	})
}

// AddSigned adds n to the raw value, or subtracts if n is negative, for example from a count of open
// items. A value that would fall below 0 wraps around to a large number.
func (c *Counter) AddSigned(n int64) { c.Add(uint64(n)) }

// Set sets the raw value to v.
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

// tries is the maximum number of restores for one operation. If the memory is still missing after them,
// the operation is lost.
const tries = 8

// access runs f, and repeats it after a restore if memory was missing.
func (c *Counter) access(f func()) {
	for try := 0; !touch(f) && try < tries && c.restore(); try++ {
	}
	runtime.KeepAlive(c) // keep the slot from being reused during f
}

func (c *Counter) restore() bool { return c.instance.object.publisher.restore() }

// Size returns the size of the raw value in bytes: 4 or 8.
func (c *Counter) Size() int {
	if c.wide != nil {
		return 8
	}
	return 4
}

// Address returns the address of the raw value, for libraries that access it directly. The address is a
// multiple of Size. It can be used as long as the program has a reference to the Counter.
func (c *Counter) Address() unsafe.Pointer {
	if c.wide != nil {
		return unsafe.Pointer(c.wide)
	}
	return unsafe.Pointer(c.narrow)
}
