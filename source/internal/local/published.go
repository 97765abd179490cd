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

// publishers are the programs on this machine that publish counters. Their objects appear and
// disappear, while the host's objects stay. Every query has a separate dispatcher for the published
// objects that it wants, and replaces it when they change.
type publishers struct {
	reader *publish.Reader
	host   *source
	all    *publishedQuery // of all objects, for the schema
}

// newPublishers adds published objects to a source of the host's objects.
func newPublishers(host *source, dirs []string) *publishers {
	p := &publishers{host: host}
	p.reader = publish.NewReader(publish.ReaderOptions{Dirs: dirs, Reserved: p.isHost, OnProblem: p.report})
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

// report records an error of a published object. All other objects are shown.
func (p *publishers) report(err error) {
	now := winperf.FromFiletime(p.host.dispatch.Clocks().Time100ns)
	p.host.dispatch.OnProblem(provider.Problem{
		Provider: "published counters", Stage: "collect", Time: now, Err: err, Failures: 1, Total: 1,
	})
}

// publishedQuery is a query for published objects.
type publishedQuery struct {
	publishers *publishers
	sel        winperf.Selection
	view       *publish.View // nil if it wants none of them

	turn       chan struct{} // holds one element while a goroutine uses the following fields
	provider   provider.Provider
	dispatcher *provider.Dispatcher // nil if none of the wanted objects is published
	schema     *winperf.Schema      // of the host's and the published objects
	q          *provider.Query
	closed     bool
}

func (p *publishers) query(sel winperf.Selection) *publishedQuery {
	q := &publishedQuery{publishers: p, sel: sel, schema: p.host.schema, turn: make(chan struct{}, 1)}
	if selects, some := p.selected(sel); some {
		q.view = p.reader.View(selects)
	}
	return q
}

// selected returns a filter for names of published objects, nil for all, and whether the selection
// may want any of them. It excludes the host's objects, by name and by title index.
func (p *publishers) selected(sel winperf.Selection) (selects func(name string) bool, some bool) {
	var objects []*selection.Name
	for _, part := range selection.Parts(sel) {
		switch {
		case part.Path != nil && p.isHostTitle(&part.Path.Object):
		case part.Class && !part.Costly, part.Object.Index >= publish.FirstIndex,
			part.Path != nil && part.Path.Object.ByTitle(): // a title index that may belong to any publisher
			return nil, true
		case part.Path != nil && !p.isHost(part.Path.Original.Object):
			objects = append(objects, &part.Path.Object)
		}
	}

	return func(name string) bool {
		return slices.ContainsFunc(objects, func(n *selection.Name) bool { return n.Is(0, name) })
	}, len(objects) > 0
}

// take waits for its turn, and updates the published objects.
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
		q.release()
	}
	return err
}

func (q *publishedQuery) release() { <-q.turn }

// refresh updates the dispatcher and the schema if published objects have changed.
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
		p.report(err)
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
			q.publishers.report(err)
		}
	}
	q.provider, q.dispatcher, q.q, q.schema = nil, nil, nil, q.publishers.host.schema
}

// schemaNow returns the current schema.
func (q *publishedQuery) schemaNow(ctx context.Context) (*winperf.Schema, error) {
	if err := q.take(ctx); err != nil {
		return nil, err
	}
	defer q.release()
	return q.schema, nil
}

// sample adds the published objects to a sample of the host. lack is the reason why some may be
// missing.
func (q *publishedQuery) sample(ctx context.Context, raw *winperf.Raw) (lack, err error) {
	if q.view == nil {
		return nil, nil
	}
	if err := q.take(ctx); err != nil {
		return nil, err
	}
	defer q.release()

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

// damage returns the errors of published objects, or nil while another call uses the reader.
func (q *publishedQuery) damage() []error {
	if q.view == nil {
		return nil
	}
	return q.view.Damage()
}

// close closes the dispatcher.
func (q *publishedQuery) close() {
	q.turn <- struct{}{}
	defer q.release()
	q.drop()
	q.closed = true
}

// close closes the reader.
func (p *publishers) close() error {
	p.all.close()
	return p.reader.Close()
}

// joinNames joins two name tables. The title indices of the second must be the higher ones.
func joinNames(a, b winperf.NameTable) winperf.NameTable {
	a.Counter, a.Help = joinStrings(a.Counter, b.Counter), joinStrings(a.Help, b.Help)
	return a
}

// joinStrings joins two lists of strings in UTF-16, each with an empty string at its end.
func joinStrings(a, b []byte) []byte {
	if len(a) < 2 || len(b) < 2 {
		return append(slices.Clip(a), b...)
	}
	return append(slices.Clone(a[:len(a)-2]), b...)
}
