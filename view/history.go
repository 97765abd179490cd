package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// history is a log in memory of the latest samples of a live source. It consists of captures, of which the
// oldest is dropped when the history is full.
type history struct {
	src   winperf.Source
	limit int64
	keep  time.Duration

	mu      sync.Mutex
	groups  []*group // oldest first
	number  int      // of the latest group
	dropped bool     // samples were dropped to stay within the limit
	schema  *winperf.Schema
	changed chan struct{} // closed at the next sample
	last    time.Time
	err     error // of the latest sample
}

// group is a capture in memory.
type group struct {
	number     int
	data       []byte          // only appended to
	writer     *capture.Writer // nil if later samples are in another group
	begin, end time.Time
	samples    int
	schema     *winperf.Schema // of all its samples
}

// Write implements io.Writer.
func (g *group) Write(b []byte) (int, error) {
	g.data = append(g.data, b...)
	return len(b), nil
}

// groupSamples is the number of samples that are dropped together.
const groupSamples = 60

func newHistory(src winperf.Source, limit int64, keep time.Duration) *history {
	return &history{src: src, limit: limit, keep: keep, changed: make(chan struct{})}
}

// Describe implements winperf.Source.
func (h *history) Describe() winperf.Description {
	d := h.src.Describe()
	d.Recorded, d.Anomalies, d.Costly = true, nil, nil
	h.mu.Lock()
	defer h.mu.Unlock()
	d.Samples = 0
	for _, g := range h.groups {
		d.Samples += g.samples
	}
	if len(h.groups) > 0 {
		d.Log.Begin = h.groups[0].begin
	}
	d.Log.Location, d.Log.End = time.Local, h.last
	return d
}

// Schema implements winperf.Source.
func (h *history) Schema(ctx context.Context) (*winperf.Schema, error) {
	h.mu.Lock()
	schema := h.schema
	h.mu.Unlock()
	if schema != nil {
		return schema, nil
	}
	return h.src.Schema(ctx)
}

// latestSchema returns the schema of the latest sample, nil without one.
func (h *history) latestSchema() *winperf.Schema {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.schema
}

// Close implements winperf.Source.
func (h *history) Close() error { return nil }

// add stores a sample.
func (h *history) add(s *winperf.Sample) error {
	at := capture.Time(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.groups)
	if n == 0 || h.groups[n-1].samples >= groupSamples || h.groups[n-1].schema != s.Schema ||
		int64(len(h.groups[n-1].data)) > h.limit/8 {
		if n > 0 {
			if err := h.groups[n-1].writer.Close(); err != nil {
				return err
			}
			h.groups[n-1].writer = nil // its buffers are larger than the samples
		}
		h.number++
		g := &group{number: h.number, begin: at, schema: s.Schema}
		g.writer = capture.NewWriter(g, capture.Options{Location: time.Local})
		h.groups = append(h.groups, g)
	}

	g := h.groups[len(h.groups)-1]
	if err := g.writer.Write(s); err != nil {
		return err
	}
	g.samples++
	g.end, h.last, h.schema = at, at, s.Schema
	h.drop()
	close(h.changed)
	h.changed = make(chan struct{})
	return nil
}

// drop removes old groups. h is locked.
func (h *history) drop() {
	size := int64(0)
	for _, g := range h.groups {
		size += int64(cap(g.data))
	}
	for len(h.groups) > 1 {
		oldest := h.groups[0]
		switch {
		case size > h.limit:
			h.dropped = true
		case h.last.Sub(oldest.end) <= h.keep:
			return
		}
		size -= int64(cap(oldest.data))
		h.groups[0] = nil
		h.groups = h.groups[1:]
	}
}

// fail notes the error of the latest sample, or nil.
func (h *history) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err = err; err != nil {
		close(h.changed)
		h.changed = make(chan struct{})
	}
}

func (h *history) begin() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.groups) == 0 {
		return time.Time{}
	}
	return h.groups[0].begin
}

func (h *history) end() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// since returns the time of the oldest sample if older ones were dropped to stay within the memory limit.
func (h *history) since() *time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dropped || len(h.groups) == 0 {
		return nil
	}
	t := h.groups[0].begin
	return &t
}

// wait waits for a sample after a time. If the time is zero and the source fails, it returns the error of the
// source.
func (h *history) wait(ctx context.Context, after time.Time) error {
	for {
		h.mu.Lock()
		changed, is, err := h.changed, h.last.After(after), h.err
		h.mu.Unlock()
		if is {
			return nil
		}
		if err != nil && after.IsZero() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Compile implements winperf.Source.
func (h *history) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &historyQuery{h: h, sel: sel}, nil
}

// following is a history whose queries wait for new samples.
type following struct{ *history }

// Compile implements winperf.Source.
func (f following) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &historyQuery{h: f.history, sel: sel, follow: true}, nil
}

// historyQuery reads the samples of a history.
type historyQuery struct {
	h      *history
	sel    winperf.Selection
	follow bool
	cursor *capture.Cursor
	number int             // of its group
	read   int             // the samples that its group had
	schema *winperf.Schema // of its group
	last   time.Time       // of the latest sample
}

// Next implements winperf.Query.
func (q *historyQuery) Next(ctx context.Context, s *winperf.Sample) error {
	for {
		s.Clear()
		if err := ctx.Err(); err != nil {
			return err
		}
		if q.cursor == nil {
			err := q.open()
			if errors.Is(err, io.EOF) && q.follow {
				err = q.h.wait(ctx, q.last)
				if err == nil {
					continue
				}
			}
			if err != nil {
				return err
			}
		}

		err := q.cursor.Next(ctx, s)
		switch {
		case errors.Is(err, io.EOF):
			q.cursor = nil
			continue
		case err != nil:
			return err
		}
		if t := capture.Time(s); q.sel.Within(t) && t.After(q.last) {
			q.last = t
			q.share(s)
			return nil
		}
	}
}

// share gives a sample the schema of the source, which all samples share, in place of a copy.
func (q *historyQuery) share(s *winperf.Sample) {
	s.Schema = q.schema
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			b.Schema = q.schema
		}
	}
}

// open opens the next group that may have samples after the latest one, or the same group if it grew.
func (q *historyQuery) open() error {
	q.h.mu.Lock()
	defer q.h.mu.Unlock()
	from := q.sel.Begin
	if q.last.After(from) {
		from = q.last.Add(1)
	}

	for _, g := range q.h.groups {
		if g.number < q.number || g.number == q.number && g.samples == q.read || g.end.Before(from) {
			continue
		}
		file, err := capture.Open(bytes.NewReader(g.data[:len(g.data):len(g.data)]), int64(len(g.data)))
		if err != nil {
			return err
		}
		q.cursor, q.number, q.read, q.schema = file.Cursor(), g.number, g.samples, g.schema
		q.cursor.Omit(func(t time.Time) bool { return !q.sel.Within(t) || !t.After(q.last) })
		return q.cursor.SeekTime(from)
	}
	return io.EOF
}

// Close implements winperf.Query.
func (q *historyQuery) Close() error { return nil }
