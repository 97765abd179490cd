package cli

import (
	"context"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/control"
	"github.com/winperf/winperf/measure"
)

// manageable lets experiments be attached to a command that goes on for long, from outside, until
// stop is called. src is what it measures; nil is this machine. A command does without where no
// socket can be made: it was not asked for one.
func manageable(ctx context.Context, name string, src winperf.Source) (stop func()) {
	opt := control.Options{Name: name}
	if src != nil {
		schema, err := src.Schema(ctx)
		if err != nil {
			return func() {}
		}
		opt.Sources = []measure.Origin{{Name: measure.SourceName(schema), Source: src}}
	}
	server, err := control.Listen(ctx, opt)
	if err != nil {
		return func() {}
	}
	return func() { _ = server.Close() } // which has nothing to tell
}

// managedServer lets experiments be attached to a server that measures this machine.
type managedServer struct {
	mu   sync.Mutex
	stop func() // nil: nothing can be attached
}

// opened lets experiments be attached once this machine is open. They have a source of their own, as
// that of the server goes with its configuration.
func (m *managedServer) opened(ctx context.Context, url string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if url == "local:" && m.stop == nil {
		m.stop = manageable(context.WithoutCancel(ctx), "serve", nil)
	}
}

// close ends what is attached.
func (m *managedServer) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil {
		m.stop()
	}
}
