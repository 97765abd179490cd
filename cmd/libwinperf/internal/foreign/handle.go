package foreign

import (
	"fmt"
	"math"
	"sync"
)

// Handle identifies an object of a Library. Handles are positive; 0 is the Library itself if an operation
// allows it.
type Handle int32

type object interface {
	kind() string
	setError(err error)
	errorText() string
}

const maxObjects = 1 << 16

// table maps handles to objects. Handles ascend, so that a closed one is not reused for a long time. The
// zero table is empty.
type table struct {
	mu      sync.RWMutex
	objects map[Handle]object
	last    Handle
}

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

func (t *table) remove(h Handle) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, there := t.objects[h]
	delete(t.objects, h)
	return there
}

func (t *table) get(h Handle) (object, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	o, there := t.objects[h]
	if !there {
		return nil, fmt.Errorf("handle %d: %w", h, UnknownHandle)
	}
	return o, nil
}

func find[T object](t *table, h Handle) (T, error) {
	var want T
	o, err := t.get(h)
	if err != nil {
		return want, err
	}
	got, is := o.(T)
	if !is {
		return want, fmt.Errorf("handle %d is a %s, not a %s: %w", h, o.kind(), want.kind(), WrongKind)
	}
	return got, nil
}

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
