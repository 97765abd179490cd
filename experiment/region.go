package experiment

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// OpenRegion is a region that has begun. The zero OpenRegion is not measured.
type OpenRegion struct{ r *region }

// End ends the region and adds attributes. It returns when the samples of its end have begun. It may be
// called in any goroutine; ending a region again does nothing.
func (o OpenRegion) End(attrs ...slog.Attr) {
	if o.r != nil {
		o.r.end(copyAttrs(attrs), atBegin)
	}
}

// EndSampled is like End, but returns when the samples of its end are complete, or after 20 s. Measured
// things, such as a process that has ended, may then be released.
func (o OpenRegion) EndSampled(attrs ...slog.Attr) {
	if o.r != nil {
		o.r.end(copyAttrs(attrs), atEnd)
	}
}

// finish ends the region with attributes that it may keep. It returns when the samples have reached a
// stage.
func (o OpenRegion) finish(attrs []Attr, until stage) {
	if o.r != nil {
		o.r.end(attrs, until)
	}
}

type region struct {
	ctx      context.Context
	info     EventInfo // without the parts that depend on the experiment
	bindings []*binding
	parts    []part
	first    [1]part // usually only one
	ended    atomic.Bool
	wait     waitContext
}

type part struct {
	info    EventInfo
	elapsed time.Duration // end of Region, by the experiment's clock
	awake   time.Time     // just before, by package time

	begun atomic.Bool // the begin was accepted; otherwise the end is ignored

	// Set by the binding's serving goroutine: the cost of the begin, and its error.
	cost    measure.Cost
	blocked time.Duration
	err     error
	noted   uint64 // anomalies of the binding before the region
	sample  uint64

	// Guarded by the experiment's operands: the marks, or nil, and the list of parts that have marks.
	marks      *marks
	prev, next *part
}

type regionKey struct{ of *Program }

func regionFrom(ctx context.Context, p *Program) *region {
	r, _ := ctx.Value(regionKey{p}).(*region)
	return r
}

func (a *attachment) region(
	ctx context.Context, name string, attrs []slog.Attr,
) (context.Context, OpenRegion) {
	bindings := a.route(name)
	if len(bindings) == 0 {
		return ctx, OpenRegion{}
	}
	ctx = orBackground(ctx)
	info := a.info(ctx, name, attrs)
	logTrace(ctx, "begin", &info)
	return beginRegion(ctx, bindings, &info)
}

func beginRegion(ctx context.Context, bindings []*binding, info *EventInfo) (context.Context, OpenRegion) {
	r := &region{info: *info, bindings: bindings}
	if r.parts = r.first[:]; len(bindings) > 1 {
		r.parts = make([]part, len(bindings))
	}

	now, tickets := time.Now(), make([]*ticket, len(bindings))
	submitAll(ctx, bindings, tickets, &r.info, func(i int) *ticket {
		r.parts[i].info = r.info
		t := bindings[i].newTicket(now, atEnd)
		t.part = &r.parts[i]
		return t
	})

	awaitAll(ctx, bindings, tickets)
	awake := time.Now()
	for i := range r.parts {
		r.parts[i].awake, r.parts[i].elapsed = awake, bindings[i].experiment.clock.Elapsed()
	}
	r.ctx = context.WithValue(ctx, regionKey{bindings[0].experiment.program}, r)
	return r.ctx, OpenRegion{r}
}

func (r *region) end(attrs []Attr, until stage) {
	if r.ended.Swap(true) {
		return
	}
	logTrace(r.ctx, "end", &r.info)
	ctx := &r.wait
	ctx.Context = context.Background() // a region whose context was cancelled has an end, too
	defer ctx.stop()

	now, tickets := time.Now(), make([]*ticket, len(r.bindings))
	for i, b := range r.bindings {
		p := &r.parts[i]
		if !p.begun.Load() {
			continue
		}

		info := p.info
		info.Duration = max(0, b.experiment.clock.Elapsed()-p.elapsed)
		info.Attrs = append(info.Attrs[:len(info.Attrs):len(info.Attrs)], attrs...)
		if d := info.Duration - time.Since(p.awake); d >= leastSuspension {
			info.Attrs = append(info.Attrs, Attr{"suspended", d.Round(time.Millisecond)})
		}

		t := b.newTicket(now, until)
		t.part, t.ends, t.emitted = p, true, b.experiment.clock.Now()
		tickets[i] = b.submit(ctx, t, &info, len(r.bindings) == 1)
	}
	awaitAll(ctx, r.bindings, tickets)
}

// leastSuspension is the shortest suspension of the machine that a region reports, in the attribute
// suspended. It is the difference of two clocks, of which one stops during suspension. Smaller
// differences may be a pause of the program between two readings.
const leastSuspension = time.Second

// waitContext is cancelled a fixed time after the first call of Done, so that a source that does not
// answer does not block the program.
type waitContext struct {
	context.Context
	waiting context.Context
	cancel  context.CancelFunc
}

// endTimeout is the longest wait for the end of a region.
const endTimeout = 2 * defaultTimeout

// Done implements [context.Context].
func (p *waitContext) Done() <-chan struct{} {
	if p.waiting == nil {
		p.waiting, p.cancel = context.WithTimeout(p.Context, endTimeout)
	}
	return p.waiting.Done()
}

func (p *waitContext) stop() {
	if p.cancel != nil {
		p.cancel()
	}
}

type marks struct {
	list    []mark
	clocks  []counter.Clocks
	first   [1]counter.Clocks // usually only one
	of      sampler           // sampler whose series they are
	origins []markOrigin      // one for each source
	alone   [1]markOrigin     // usually only one
	// Positions in list, made if the end has another order and for missing series.
	at      map[markID]int32
	lasting map[lastingID]int32

	// State of the search at the end: the current source, and the position expected next.
	source, place int
}

type markOrigin struct {
	clocks   counter.Clocks
	objects  []objectClocks // of its sample
	from, to int
}

type objectClocks struct {
	id     winperf.ObjectID
	clocks counter.Clocks
}

// of returns the clocks of an object, or the clocks of the sample and false if the sample lacks the
// object.
func (o *markOrigin) of(id winperf.ObjectID) (clocks counter.Clocks, there bool) {
	for i := range o.objects {
		if o.objects[i].id.Is(id) {
			return o.objects[i].clocks, true
		}
	}
	return o.clocks, false
}

type mark struct {
	id                 markID
	value, base, multi uint64
	clocks             int32
	missing            bool // the series existed without operands
}

func (m *marks) add(s *winperf.Series, o *counter.Sample) {
	if o == nil {
		m.list = append(m.list, mark{id: idOf(s), missing: true})
		return
	}
	if m.clocks == nil {
		m.clocks = m.first[:0]
	}
	if n := len(m.clocks); n == 0 || m.clocks[n-1] != o.Clocks {
		m.clocks = append(m.clocks, o.Clocks)
	}
	m.list = append(m.list, mark{
		id: idOf(s), value: o.Value, base: o.Base, multi: o.Multi, clocks: int32(len(m.clocks) - 1),
	})
}

func newMarks(of sampler, capacity, sources int) *marks {
	m := &marks{list: make([]mark, 0, capacity), of: of}
	if m.origins = m.alone[:]; sources > 1 {
		m.origins = make([]markOrigin, sources)
	}
	return m
}

// find returns the position of a series, usually the one after the previous result, or -1.
func (m *marks) find(s *winperf.Series) int {
	id := idOf(s)
	i := m.lookUp(id)
	if i < 0 {
		i = m.lookUpLasting(id)
	}
	if i >= 0 {
		m.place = i + 1
	}
	return i
}

func (m *marks) lookUp(id markID) int {
	if m.place < len(m.list) && m.list[m.place].id == id {
		return m.place
	}
	if m.at == nil {
		m.at = make(map[markID]int32, len(m.list))
		for i := range m.list {
			m.at[m.list[i].id] = int32(i)
		}
	}
	if i, ok := m.at[id]; ok {
		return int(i)
	}
	return -1
}

// lookUpLasting finds a series of the current source whose object was missing between begin and end.
func (m *marks) lookUpLasting(id markID) int {
	if m.source < 0 {
		return -1
	}
	if m.lasting == nil {
		o := &m.origins[m.source]
		m.lasting = make(map[lastingID]int32, o.to-o.from)
		for i := o.from; i < o.to; i++ {
			m.lasting[m.list[i].id.lasting()] = int32(i)
		}
	}
	if i, ok := m.lasting[id.lasting()]; ok {
		return int(i)
	}
	return -1
}

// selectSource sets the current source. A sampler that has replaced the marks' sampler may have another
// order of sources.
func (m *marks) selectSource(of sampler, source int) {
	m.source, m.lasting = source, nil
	if of != m.of {
		m.source = -1
	}
}

func (m *marks) operands(i int) (counter.Sample, bool) {
	k := &m.list[i]
	if k.missing {
		return counter.Sample{}, false
	}
	return counter.Sample{Value: k.value, Base: k.base, Multi: k.multi, Clocks: m.clocks[k.clocks]}, true
}

type operands struct {
	mu    sync.Mutex
	bound int
	count int
	open  int
	over  bool
	// The parts with marks, in the order of their begins.
	oldest, last *part
}

var errOverflow = errors.New("too many open regions: the raw values of its begin were dropped")

func (o *operands) keep(p *part, m *marks) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return
	}
	p.marks, p.prev = m, o.last
	if o.last == nil {
		o.oldest = p
	} else {
		o.last.next = p
	}
	o.last = p
	o.open++
	o.count += m.size()
	for o.count > o.bound && o.oldest != nil {
		o.remove(o.oldest)
	}
}

func (o *operands) take(p *part) *marks {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := p.marks
	if m != nil {
		o.remove(p)
	}
	return m
}

func (o *operands) remove(p *part) {
	o.count -= p.marks.size()
	o.open--
	if p.prev == nil {
		o.oldest = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		o.last = p.prev
	} else {
		p.next.prev = p.prev
	}
	p.marks, p.prev, p.next = nil, nil, nil
}

// close drops all marks and returns the number of parts that had some.
func (o *operands) close() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.open
	for o.oldest != nil {
		o.remove(o.oldest)
	}
	o.over = true
	return n
}

func (o *operands) regions() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open
}

// size is the size of marks in values, including the part itself.
func (m *marks) size() int { return 4 + len(m.list) }
