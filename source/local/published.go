package local

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/publish"
)

// publishers are the counters that programs on this machine publish. Their
// objects come and go while the host's stay, so they have a dispatcher of their
// own, which is made anew when the objects have changed.
type publishers struct {
	reader *publish.Reader
	host   *source

	mu         sync.Mutex // guards what follows
	provider   provider.Provider
	dispatcher *provider.Dispatcher // nil: nothing is published
	schema     *winperf.Schema      // of the host's objects and these
	block      []byte
}

// newPublishers adds what is published to a source of the host's objects.
func newPublishers(host *source, dirs []string) *publishers {
	isHost := func(name string) bool {
		return slices.ContainsFunc(host.dispatcher.Objects(), func(o *provider.Object) bool { return strings.EqualFold(o.Name, name) })
	}
	p := &publishers{host: host, schema: host.schema}
	p.reader = publish.NewReader(publish.ReaderOptions{Dirs: dirs, Reserved: isHost, OnProblem: p.tell})
	return p
}

// tell notes what is wrong with something that is published. It costs nothing
// but itself.
func (p *publishers) tell(err error) {
	now := winperf.FromFiletime(p.host.dispatch.Clocks().Time100ns)
	p.host.dispatch.OnProblem(provider.Problem{Provider: "published counters", Stage: "collect", Time: now, Err: err, Failures: 1, Total: 1})
}

// refresh brings the dispatcher and the schema in line with what is published.
func (p *publishers) refresh() {
	now := p.reader.Refresh()
	if now == p.provider {
		return
	}
	if p.dispatcher != nil {
		if err := p.dispatcher.Close(); err != nil {
			p.tell(err)
		}
	}
	p.provider, p.dispatcher, p.schema = now, nil, p.host.schema
	if now == nil {
		return
	}
	d, err := provider.NewDispatcher(p.host.dispatch, now)
	if err != nil {
		p.tell(err)
		return
	}
	schema := *p.host.schema
	schema.Names = slices.Clone(schema.Names)
	schema.Names[0] = joinNames(schema.Names[0], d.Names())
	p.dispatcher, p.schema = d, &schema
}

// schemaNow returns the schema of what is there now.
func (p *publishers) schemaNow() *winperf.Schema {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	return p.schema
}

// publishedQuery is a selection of published objects.
type publishedQuery struct {
	sel winperf.Selection
	of  provider.Provider // that it was compiled for
	q   *provider.Query
}

// sample adds the published objects to a sample of the host's.
func (p *publishers) sample(ctx context.Context, q *publishedQuery, raw *winperf.Raw) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	raw.Schema = p.schema
	if p.dispatcher == nil {
		return nil
	}
	if q.q == nil || q.of != p.provider {
		q.q, q.of = compile(p.dispatcher.Objects(), q.sel), p.provider
	}
	if !q.q.Global && len(q.q.Objects) == 0 {
		return nil
	}
	block, err := p.dispatcher.Collect(ctx, q.q, p.block[:0])
	p.block = block
	if err == nil {
		raw.Bytes = appendObjects(raw.Bytes, block)
	}
	return err
}

// close closes the dispatcher and the reader.
func (p *publishers) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.reader.Close()
	if p.dispatcher != nil {
		err = errors.Join(err, p.dispatcher.Close())
	}
	return err
}

// appendObjects appends the objects of one performance data block to another.
// Both come from a dispatcher.
func appendObjects(block, other []byte) []byte {
	const total, header, objects = 20, 24, 28 // offsets in PERF_DATA_BLOCK (winperf.h)
	le := binary.LittleEndian
	block = append(block, other[le.Uint32(other[header:]):]...)
	le.PutUint32(block[total:], uint32(len(block)))
	le.PutUint32(block[objects:], le.Uint32(block[objects:])+le.Uint32(other[objects:]))
	return block
}

// joinNames joins two name tables, of which the second one's title indices are
// the higher ones.
func joinNames(a, b winperf.NameTable) winperf.NameTable {
	a.Counter, a.Help = joinStrings(a.Counter, b.Counter), joinStrings(a.Help, b.Help)
	return a
}

// joinStrings joins two lists of strings that each end with an empty one, in
// UTF-16.
func joinStrings(a, b []byte) []byte {
	if len(a) < 2 || len(b) < 2 {
		return append(slices.Clip(a), b...)
	}
	return append(slices.Clone(a[:len(a)-2]), b...)
}
