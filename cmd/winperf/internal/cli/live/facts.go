package live

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
)

// facts reads texts about processes of this machine. It reads in the background, because a read may hang.
type facts struct {
	read    func(pid uint64) map[string]string
	changed func()
	wanted  chan uint64

	mu    sync.Mutex
	known map[uint64]known
}

type known struct {
	texts map[string]string
	at    time.Time
}

// newFacts returns the facts of a source, or nil if the source is not this machine.
func newFacts(ctx context.Context, url string, src winperf.Source, changed func()) *facts {
	is := src.Describe()
	if is.Recorded || !strings.HasPrefix(url, "local:") || len(factNames) == 0 {
		return nil
	}
	f := &facts{
		read: factReader(is.Files), changed: changed, wanted: make(chan uint64, 256), known: map[uint64]known{},
	}
	go f.run(ctx)
	return f
}

// of returns the texts about a process that were read last; the first call requests them.
func (f *facts) of(pid uint64) map[string]string {
	const fresh = 10 * time.Second // a process may execute another program, or its id belong to another one
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.known[pid]
	if time.Since(k.at) > fresh {
		select {
		case f.wanted <- pid:
			f.known[pid] = known{k.texts, time.Now()}
		default: // the next redraw requests it again
		}
	}
	return k.texts
}

func (f *facts) run(ctx context.Context) {
	const most = 10_000
	for {
		select {
		case <-ctx.Done():
			return
		case pid := <-f.wanted:
			texts := f.read(pid)
			f.mu.Lock()
			if len(f.known) > most {
				clear(f.known)
			}
			f.known[pid] = known{texts, time.Now()}
			f.mu.Unlock()
			f.changed()
		}
	}
}
