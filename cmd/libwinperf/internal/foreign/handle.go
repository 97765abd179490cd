package foreign

import (
	"fmt"
	"math"
	"sync"
)

// Handle names an object of a Library. Handles are positive; 0 stands for the Library itself
// where an operation allows it.
type Handle int32

// object is what a handle names.
type object interface {
	kind() string
	setError(err error)
	errorText() string
}

// maxObjects bounds how many handles there are at a time.
const maxObjects = 1 << 16

// table holds the objects by their handles. Handles are given out in their order, so that
// one that was closed is not used again for a long time. The zero table is empty.
type table struct {
	mu      sync.RWMutex
	objects map[Handle]object
	last    Handle
}

// add gives an object a handle.
func (t *table) add(o object) (Handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.objects) >= maxObjects {
		return 0, fmt.Errorf("%d objects are open: %w", len(t.objects), TooMany)
	}
	if t.objects == nil {
		t.objects = map[Handle]object{}
	}

	for used := true; used; _, used = t.objects[t.last] {
		if t.last == math.MaxInt32 {
			t.last = 0
		}
		t.last++
	}
	t.objects[t.last] = o
	return t.last, nil
}

// remove takes a handle out of use. It reports false where that was done before.
func (t *table) remove(h Handle) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, there := t.objects[h]
	delete(t.objects, h)
	return there
}

// get returns the object of a handle, of whatever kind.
func (t *table) get(h Handle) (object, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	o, there := t.objects[h]
	if !there {
		return nil, fmt.Errorf("handle %d: %w", h, UnknownHandle)
	}
	return o, nil
}

// find returns the object of a handle, which must be a T.
func find[T object](t *table, h Handle) (T, error) {
	var want T
	o, err := t.get(h)
	if err != nil {
		return want, err
	}
	got, is := o.(T)
	if !is {
		return want, fmt.Errorf("handle %d is a %s and no %s: %w", h, o.kind(), want.kind(), WrongKind)
	}
	return got, nil
}

// failure keeps the text of the last error of an object.
type failure struct {
	mu   sync.Mutex
	text string
}

func (f *failure) setError(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = plain(err.Error())
}

func (f *failure) errorText() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text
}
