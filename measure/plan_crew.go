package measure

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

const (
	// crewPays is how many readings a cycle has at least that is cooked on several
	// processors: to wake a second one takes as long as some thousand values.
	crewPays = 100_000
	// maxCrew bounds how many there are. More would wait for the same memory.
	maxCrew = 4
)

// crew makes the columns of a cycle, object by object. The columns of each object stand in
// memory of their own, so that several goroutines can share the objects of a large sample.
type crew struct {
	plan *plan
	pays int    // crewPays, but for tests
	help func() // work of another goroutine, made once because making it allocates

	frame   frame.Frame        // of the cycle at hand
	touched winperf.AnomalySet // all its readings
	next    atomic.Int64       // the object that nobody has taken
	helpers sync.WaitGroup
	panics  atomic.Pointer[any] // one of a helper
}

func newCrew(p *plan) *crew {
	w := &crew{plan: p, pays: crewPays}
	w.help = func() {
		defer w.helpers.Done()
		defer func() {
			if r := recover(); r != nil {
				failed := r // only then does it take memory
				w.panics.Store(&failed)
			}
		}()
		w.work()
	}
	return w
}

// read makes the columns of the frame's objects.
func (w *crew) read(f frame.Frame, touched winperf.AnomalySet) {
	w.frame, w.touched = f, touched
	w.next.Store(0)

	if w.plan.readings >= w.pays {
		for range min(maxCrew, runtime.GOMAXPROCS(0), len(w.plan.objects)) - 1 {
			w.helpers.Add(1)
			go w.help()
		}
	}
	defer w.wait()
	w.work()
}

// wait waits for the helpers. A panic of theirs becomes one of the caller, who may recover.
func (w *crew) wait() {
	w.helpers.Wait()
	w.frame = frame.Frame{}
	if r := w.panics.Swap(nil); r != nil {
		panic(*r)
	}
}

// work takes objects until there are no more.
func (w *crew) work() {
	for {
		i := int(w.next.Add(1)) - 1
		if i >= len(w.plan.objects) {
			return
		}
		w.plan.objects[i].read(w.plan.out, w.frame.Object(i), w.touched)
	}
}
