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

// OpenRegion is a region that has begun. The zero OpenRegion is one that nothing measures.
type OpenRegion struct{ r *region }

// End ends the region, with further attributes. It returns when the samples of its end are begun.
// It may be called in any goroutine; ending a region again does nothing.
func (o OpenRegion) End(attrs ...slog.Attr) {
	if o.r != nil {
		o.r.end(copyAttrs(attrs), atBegin)
	}
}

// EndSampled is End, but returns when the samples of its end are complete, as far as that takes no longer
// than 20 s: what they are of may then go, such as a process that has ended.
func (o OpenRegion) EndSampled(attrs ...slog.Attr) {
	if o.r != nil {
		o.r.end(copyAttrs(attrs), atEnd)
	}
}

// finish is End with attributes that are a record's already. It returns when the samples have come
// to a stage.
func (o OpenRegion) finish(attrs []Attr, until stage) {
	if o.r != nil {
		o.r.end(attrs, until)
	}
}

// region is what is known about a region as long as it is open.
type region struct {
	ctx      context.Context // of its begin
	info     EventInfo       // but for what depends on the experiment
	bindings []*binding
	parts    []part  // as many
	first    [1]part // nearly always there is one
	ended    atomic.Bool
	patience patience // of its end
}

// part is a region in one binding.
type part struct {
	info    EventInfo
	elapsed time.Duration // when whoever began it could go on, by the experiment's clock
	awake   time.Time     // right before, by that of package time

	begun atomic.Bool // the begin was taken; else there is no end

	// Of whoever serves the binding: what the begin cost, and why there is nothing to compare with.
	cost    measure.Cost
	blocked time.Duration
	err     error
	noted   uint64 // anomalies of the binding until then
	sample  uint64 // of the begin, by number

	// Guarded by the experiment's operands: nil where there are none, and the parts whose marks
	// are kept.
	marks      *marks
	prev, next *part
}

// regionKey is of the regions of one program: another one has other ids.
type regionKey struct{ of *Program }

// regionOf is the region of a program around what a context is used for, nil for none.
func regionOf(ctx context.Context, p *Program) *region {
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

// beginRegion begins a region and waits until the samples of its begin are complete.
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
	ctx := &r.patience
	ctx.Context = context.Background() // an interrupted region has an end, too
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

// leastSuspension is what a region tells, as the attribute suspended, of the time for which the machine
// was suspended: where one clock went on and the other did not. What is less may be the time in which the
// program was stopped between looking at both.
const leastSuspension = time.Second

// patience is a context that ends some time after somebody began to wait for that: a source that
// does not answer must not hold up the program for good.
type patience struct {
	context.Context
	waiting context.Context // nil: nobody waits
	cancel  context.CancelFunc
}

// endTimeout is how long the end of a region is waited for at most.
const endTimeout = 2 * defaultTimeout

// Done implements [context.Context].
func (p *patience) Done() <-chan struct{} {
	if p.waiting == nil {
		p.waiting, p.cancel = context.WithTimeout(p.Context, endTimeout)
	}
	return p.waiting.Done()
}

func (p *patience) stop() {
	if p.cancel != nil {
		p.cancel()
	}
}

// marks are the operands of a binding's sensors at the begin of a region.
type marks struct {
	list    []mark
	clocks  []counter.Clocks
	first   [1]counter.Clocks // nearly always there is one
	of      sampler           // whose series they are
	origins []markOrigin      // of the sources
	alone   [1]markOrigin     // nearly always there is one
	// Places in list; made when the order is not that of the end, and for what is not found.
	at      map[markID]int32
	lasting map[lastingID]int32 // of the source at hand

	// Where the end has come to: its source, and the place of the next value if nothing came or went.
	source, place int
}

// markOrigin is what marks know about a source.
type markOrigin struct {
	clocks   counter.Clocks // of its sample; zero for none
	objects  []objectClocks // of its sample
	from, to int            // the range of its marks
}

// objectClocks are the clocks of an object in a sample.
type objectClocks struct {
	id     winperf.ObjectID
	clocks counter.Clocks
}

// of returns the clocks of an object. If it was not in the sample, they are those of the sample.
func (o *markOrigin) of(id winperf.ObjectID) (clocks counter.Clocks, there bool) {
	for i := range o.objects {
		if o.objects[i].id.Is(id) {
			return o.objects[i].clocks, true
		}
	}
	return o.clocks, false
}

// mark is the operands of one series.
type mark struct {
	id                 markID
	value, base, multi uint64
	clocks             int32
	missing            bool // it was there, and had no operands
}

// add adds the operands of a series, nil for one that has none.
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

// newMarks returns marks without operands, with room for so many, of so many sources.
func newMarks(of sampler, room, sources int) *marks {
	m := &marks{list: make([]mark, 0, room), of: of}
	if m.origins = m.alone[:]; sources > 1 {
		m.origins = make([]markOrigin, sources)
	}
	return m
}

// find returns where a series stands, nearly always behind the one that was found before; -1 for one
// that was not there.
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

// lookUpLasting finds a series of the source at hand whose object was away between begin and end.
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

// turnTo has the values of another source of a sampler found. Those of a sampler that took the place of
// the one whose marks these are have another order of sources.
func (m *marks) turnTo(of sampler, source int) {
	m.source, m.lasting = source, nil
	if of != m.of {
		m.source = -1
	}
}

// operands returns those at a place; false where there are none.
func (m *marks) operands(i int) (counter.Sample, bool) {
	k := &m.list[i]
	if k.missing {
		return counter.Sample{}, false
	}
	return counter.Sample{Value: k.value, Base: k.base, Multi: k.multi, Clocks: m.clocks[k.clocks]}, true
}

// operands bounds the memory of open regions.
type operands struct {
	mu    sync.Mutex
	bound int
	count int
	open  int
	over  bool // nothing is kept any more
	// The parts that are kept, in the order of their begins.
	oldest, last *part
}

// errOverflow is why a region has no values.
var errOverflow = errors.New("too many regions were open: what was measured at its begin was given up")

// keep keeps the marks of a part, and gives up older ones where there is no room.
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

// take returns the marks of a part, which are kept no longer; nil where they were given up.
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

// close gives up the marks of all parts, and returns how many there were.
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

// regions is how many regions are kept, each once for each of its bindings.
func (o *operands) regions() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open
}

// size is what marks count: a part takes some memory, too.
func (m *marks) size() int { return 4 + len(m.list) }
