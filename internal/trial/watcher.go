package trial

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
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

func (w *watcher) add(f frame.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tree.Add(f)
}

// usage is what the processes used until now.
func (w *watcher) usage() TreeUsage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree.Usage()
}

// lookTime bounds a look beside those at intervals, which holds up the end of a command.
const lookTime = 2 * time.Second

// look looks once more at the processes, and reports whether it could.
func (w *watcher) look() bool {
	if w.src == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	m := measure.New(w.src, Selection(), measure.Options{FramesOnly: true})
	defer m.Close()

	// The source is shared: a sample that somebody began before may not have what is looked for.
	cycle, err := m.Cycle(winperf.NotBefore(ctx, time.Now()))
	if err == nil {
		w.add(cycle.Frame)
	}
	return err == nil
}

// endOthers asks those to end that are still there, and ends those that are after a while, or as soon as
// there is no time for that.
func (w *watcher) endOthers(grace time.Duration, hurried func() bool) {
	const step = 50 * time.Millisecond
	for waited := time.Duration(0); waited < grace+lookTime; waited += step {
		if !w.look() {
			return // a process id that was not just seen may be that of a stranger
		}
		left := w.living()
		if len(left) == 0 {
			return
		}

		switch {
		case waited == 0:
			each(left, askToEnd)
		case waited >= grace || hurried():
			each(left, (*os.Process).Kill)
		}
		time.Sleep(step)
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
