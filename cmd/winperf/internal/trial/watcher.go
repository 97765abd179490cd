package trial

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/cache"
	"github.com/winperf/winperf/measure"
)

// watcher has the processes of a command. Those that it started and left behind are ended
// with it when the experiment is stopped.
type watcher struct {
	src winperf.Source // nil: none are seen

	mu   sync.Mutex
	tree *Tree
}

// start starts the command. It may be asked to end before its process id is known here.
func (w *watcher) start(ctx context.Context, c Command) (*Child, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	child, err := Start(ctx, c, func() { w.look() })
	if err != nil {
		return nil, &StartError{err}
	}
	w.tree = NewTree(child.PID())
	return child, nil
}

// add adds the processes of a frame, and reports whether it has any.
func (w *watcher) add(f frame.Frame) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree.Add(f)
}

// usage is what the processes used until now.
func (w *watcher) usage() TreeUsage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree.Usage()
}

const (
	lookTime  = 5 * time.Second // for a look outside of the interval, which holds up the end of a command
	lookPause = 50 * time.Millisecond
)

// look takes one more sample of the processes, and reports whether it has them.
func (w *watcher) look() bool {
	if w.src == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	m := measure.New(w.src, Selection(), measure.Options{FramesOnly: true})
	defer m.Close()

	for ; ; time.Sleep(lookPause) {
		// The source is shared: a sample that another caller began earlier may lack the newest processes.
		cycle, err := m.Cycle(cache.NotBefore(ctx, time.Now()))
		if err != nil {
			return false
		}
		if w.add(cycle.Frame) {
			return true
		}

		// On a busy machine a sample may lack the processes because they were not read in time.
		if !slices.ContainsFunc(cycle.Sample.Parts, func(p winperf.Part) bool { return p.Err != nil }) {
			return false
		}
	}
}

// endOthers asks the processes that are left to end, and kills the ones that remain after the grace, or as
// soon as hurried reports true.
func (w *watcher) endOthers(grace time.Duration, hurried func() bool) {
	begin, asked := time.Now(), false
	for ; time.Since(begin) < grace+lookTime; time.Sleep(lookPause) {
		if !w.look() {
			return // a process id that was not just seen may belong to another process by now
		}
		left := w.living()
		if len(left) == 0 {
			return
		}

		switch {
		case !asked:
			each(left, askToEnd)
			asked = true
		case time.Since(begin) >= grace || hurried():
			each(left, (*os.Process).Kill)
		}
	}
}

// each does something with processes. One that has just ended is no error.
func each(pids []uint32, do func(*os.Process) error) {
	for _, pid := range pids {
		p, err := os.FindProcess(int(pid))
		if err != nil {
			continue
		}
		_ = do(p)
		_ = p.Release() // it is no child of this program
	}
}

// living are the processes that were there at the last look and had not ended: one that waits for
// its parent to take note holds no memory.
func (w *watcher) living() (pids []uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, p := range w.tree.processes {
		if w.tree.pids[id.pid] && p.Last.Equal(w.tree.last) && p.workingSet > 0 {
			pids = append(pids, id.pid)
		}
	}
	return pids
}
