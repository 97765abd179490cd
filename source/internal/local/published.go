package local

import (
	"context"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/publish"
)

// publishers are the counters that programs on this machine publish. Their
// objects come and go while the host's stay, so every query has a dispatcher of
// its own for those that it wants, which is made anew when they have changed.
type publishers struct {
	reader *publish.Reader
	host   *source
	all    *publishedQuery // of everything, for the schema
}

// newPublishers adds what is published to a source of the host's objects.
func newPublishers(host *source, dirs []string) *publishers {
	p := &publishers{host: host}
	p.reader = publish.NewReader(publish.ReaderOptions{Dirs: dirs, Reserved: p.isHost, OnProblem: p.tell})
	p.all = p.query(winperf.Selection{Global: true})
	return p
}

// isHost reports whether an object of the host has a name.
func (p *publishers) isHost(name string) bool {
	same := func(o *provider.Object) bool { return strings.EqualFold(o.Name, name) }
	return slices.ContainsFunc(p.host.dispatcher.Objects(), same)
}

// isHostTitle reports whether a name is the title index of an object of the host.
func (p *publishers) isHostTitle(n *selection.Name) bool {
	same := func(o *provider.Object) bool { return n.Is(o.Index, o.Name) }
	return n.ByTitle() && slices.ContainsFunc(p.host.dispatcher.Objects(), same)
}

// tell notes what is wrong with something that is published. Everything else is shown.
func (p *publishers) tell(err error) {
	now := winperf.FromFiletime(p.host.dispatch.Clocks().Time100ns)
	p.host.dispatch.OnProblem(provider.Problem{
		Provider: "published counters", Stage: "collect", Time: now, Err: err, Failures: 1, Total: 1,
	})
}

// publishedQuery is a selection of published objects.
type publishedQuery struct {
	publishers *publishers
	sel        winperf.Selection
	view       *publish.View // nil: nothing of them is wanted

	turn       chan struct{} // holds one element while somebody uses what follows
	provider   provider.Provider
	dispatcher *provider.Dispatcher // nil: none of them is published
	schema     *winperf.Schema      // of the host's objects and these
	q          *provider.Query
	closed     bool
}

func (p *publishers) query(sel winperf.Selection) *publishedQuery {
	q := &publishedQuery{publishers: p, sel: sel, schema: p.host.schema, turn: make(chan struct{}, 1)}
	if wants, some := p.wanted(sel); some {
		q.view = p.reader.View(wants)
	}
	return q
}

// wanted returns which names of published objects a selection wants, nil for all,
// and whether it may want any: the host's own are not, by name or by title index.
func (p *publishers) wanted(sel winperf.Selection) (wants func(name string) bool, some bool) {
	var objects []*selection.Name
	for _, part := range selection.Parts(sel) {
		switch {
		case part.Path != nil && p.isHostTitle(&part.Path.Object):
		case part.Class && !part.Costly, part.Object.Index >= publish.FirstIndex,
			part.Path != nil && part.Path.Object.ByTitle(): // a title index that may be anybody's
			return nil, true
		case part.Path != nil && !p.isHost(part.Path.Asked.Object):
			objects = append(objects, &part.Path.Object)
		}
	}

	return func(name string) bool {
		return slices.ContainsFunc(objects, func(n *selection.Name) bool { return n.Is(0, name) })
	}, len(objects) > 0
}

// take waits for its turn on the query, and looks what is published.
func (q *publishedQuery) take(ctx context.Context) error {
	select {
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}

	if q.view == nil || q.closed {
		return nil
	}
	err := q.refresh(ctx)
	if err != nil {
		q.giveBack()
	}
	return err
}

func (q *publishedQuery) giveBack() { <-q.turn }

// refresh brings the dispatcher and the schema in line with what is published.
func (q *publishedQuery) refresh(ctx context.Context) error {
	now, err := q.view.Refresh(ctx)
	if err != nil || now == q.provider {
		return err
	}

	p := q.publishers
	q.drop()
	if now == nil {
		return nil
	}

	q.provider = now
	d, err := provider.NewDispatcher(p.host.dispatch, now)
	if err != nil {
		p.tell(err)
		return nil
	}

	schema := *p.host.schema
	names := d.Names()
	names[0] = joinNames(schema.Names[0], names[0])
	schema.Names = names
	q.dispatcher, q.schema = d, &schema
	q.q = compile(d.Objects(), q.sel)
	return nil
}

// drop closes the dispatcher.
func (q *publishedQuery) drop() {
	if q.dispatcher != nil {
		if err := q.dispatcher.Close(); err != nil {
			q.publishers.tell(err)
		}
	}
	q.provider, q.dispatcher, q.q, q.schema = nil, nil, nil, q.publishers.host.schema
}

// schemaNow returns the schema of what is there now.
func (q *publishedQuery) schemaNow(ctx context.Context) (*winperf.Schema, error) {
	if err := q.take(ctx); err != nil {
		return nil, err
	}
	defer q.giveBack()
	return q.schema, nil
}

// sample adds the published objects to a sample of the host's. late is why some may be missing.
func (q *publishedQuery) sample(ctx context.Context, raw *winperf.Raw) (lack, err error) {
	if q.view == nil {
		return nil, nil
	}
	if err := q.take(ctx); err != nil {
		return nil, err
	}
	defer q.giveBack()

	raw.Schema = q.schema
	if q.dispatcher == nil || !q.q.Global && len(q.q.Objects) == 0 {
		return nil, nil
	}

	host := len(raw.Bytes)
	block, lack, err := q.dispatcher.CollectPart(ctx, q.q, raw.Bytes)
	if err == nil {
		raw.Bytes = datablock.JoinBlocks(block, host)
	}
	return lack, err
}

// damage returns what of the published objects could not be read. While another call
// holds the reader nothing is known.
func (q *publishedQuery) damage() []error {
	if q.view == nil {
		return nil
	}
	return q.view.Damage()
}

// close closes the dispatcher.
func (q *publishedQuery) close() {
	q.turn <- struct{}{}
	defer q.giveBack()
	q.drop()
	q.closed = true
}

// close closes the reader.
func (p *publishers) close() error {
	p.all.close()
	return p.reader.Close()
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
