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

// watcher samples the processes of a command. If the experiment is stopped, it ends processes that the
// command left behind.
type watcher struct {
	src winperf.Source // nil: no samples

	mu   sync.Mutex
	tree *Tree
}

// start starts the command, which may be asked to end before start returns.
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

func (w *watcher) add(f frame.Frame) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree.Add(f)
}

func (w *watcher) usage() TreeUsage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tree.Usage()
}

const (
	lookTime  = 5 * time.Second // timeout of an additional sample, which delays the end of a command
	lookPause = 50 * time.Millisecond
)

func (w *watcher) look() bool {
	if w.src == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	m := measure.New(w.src, Selection(), measure.Options{FramesOnly: true})
	defer m.Close()

	for ; ; time.Sleep(lookPause) {
		// The source is shared: an earlier sample of another caller may lack the newest processes.
		cycle, err := m.Cycle(cache.NotBefore(ctx, time.Now()))
		if err != nil {
			return false
		}
		if w.add(cycle.Frame) {
			return true
		}

		// On a busy machine the processes may not be read in time.
		if !slices.ContainsFunc(cycle.Sample.Parts, func(p winperf.Part) bool { return p.Err != nil }) {
			return false
		}
	}
}

// endOthers asks the remaining processes to end, and kills them after the grace time, or when aborted
// reports true.
func (w *watcher) endOthers(grace time.Duration, aborted func() bool) {
	begin, endRequested := time.Now(), false
	for ; time.Since(begin) < grace+lookTime; time.Sleep(lookPause) {
		if !w.look() {
			return // the process id may have been reused since the last sample
		}
		left := w.living()
		if len(left) == 0 {
			return
		}

		switch {
		case !endRequested:
			each(left, requestEnd)
			endRequested = true
		case time.Since(begin) >= grace || aborted():
			each(left, (*os.Process).Kill)
		}
	}
}

// each calls do for each process. A process that has ended is not an error.
func each(pids []uint32, do func(*os.Process) error) {
	for _, pid := range pids {
		p, err := os.FindProcess(int(pid))
		if err != nil {
			continue
		}
		_ = do(p)
		_ = p.Release() // not a child of this program
	}
}

// living returns the processes of the last sample that have not ended. Zombies, which hold no memory, are
// omitted.
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
