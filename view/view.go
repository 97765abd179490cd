package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// The errors of requests. Other errors are from a source or a context.
var (
	// ErrRequest means that a request is wrong or exceeds a limit, which the message names.
	ErrRequest = errors.New("invalid request")
	// ErrNoSource means that no source has the requested id.
	ErrNoSource = errors.New("no such source")
	// ErrRemoved means that the log no longer exists.
	ErrRemoved = errors.New("the log was removed")
)

// Limits of a request.
const (
	MaxSteps  = 10_000
	MaxSeries = 2000
	MaxValues = 2_000_000
	MaxPaths  = 100
	MaxEvents = 1000
)

// Defaults of [Options].
const (
	DefaultMemory = 64 << 20
	DefaultKeep   = 15 * time.Minute
)

// Source is a source to show. The View closes it.
type Source struct {
	Name string
	winperf.Source
	// Grows reports that samples are added to the log, as to a directory that a recorder writes.
	Grows bool
	// Interval is the time between two samples of a live source; 0 means one second.
	Interval time.Duration
}

// Options configure a View.
type Options struct {
	// Keep is the length of the history of a live source; 0 means DefaultKeep. If KeepAlways is set,
	// live sources are measured even if no client asks for them.
	Keep       time.Duration
	KeepAlways bool
	// Memory limits the stored samples of each live source, in bytes; 0 means DefaultMemory.
	Memory int64
	// Begin and End limit the samples of logs; zero means no limit.
	Begin, End time.Time
	// Language is the language of object and counter names, as in measure.Options.
	Language string
}

// View answers questions about sources. Its methods may be called concurrently; they return when their
// context ends.
type View struct {
	opt   Options
	cache cache

	comparing sync.Mutex // held while two tables are compared

	mu      sync.Mutex
	sources []*shown

	ctx  context.Context // of work in the background
	stop context.CancelFunc
	work sync.WaitGroup
}

// New returns a View of sources. It reads the first samples of logs. Close the View after use. If New
// fails, it closes the sources.
func New(ctx context.Context, sources []Source, opt Options) (*View, error) {
	opt.Keep = cmp.Or(opt.Keep, DefaultKeep)
	opt.Memory = cmp.Or(opt.Memory, DefaultMemory)
	v := &View{opt: opt}
	v.ctx, v.stop = context.WithCancel(context.WithoutCancel(ctx))
	v.cache.limit = cacheLimit
	for i, s := range sources {
		if _, err := v.Add(ctx, s); err != nil {
			for _, rest := range sources[i+1:] {
				err = errors.Join(err, rest.Close())
			}
			return nil, errors.Join(err, v.Close())
		}
	}
	return v, nil
}

// Add adds a source and returns its id. It reads the first samples of a log. If Add fails, it closes the
// source.
func (v *View) Add(ctx context.Context, source Source) (id string, err error) {
	s := v.show(source)
	if err := s.probe(ctx); err != nil {
		s.stop()
		return "", errors.Join(fmt.Errorf("%s: %w", s.name, err), s.closing.Close())
	}

	v.mu.Lock()
	s.id = strconv.Itoa(len(v.sources))
	v.sources = append(v.sources, s)
	v.mu.Unlock()
	if s.live != nil && v.opt.KeepAlways {
		s.live.need()
	}
	return s.id, nil
}

// all returns the sources.
func (v *View) all() []*shown {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sources[:len(v.sources):len(v.sources)]
}

// Close ends all work in the background and closes the sources. Calls of other methods must have returned.
func (v *View) Close() error {
	v.stop()
	v.work.Wait()
	var errs []error
	for _, s := range v.all() {
		errs = append(errs, s.closing.Close())
	}
	return errors.Join(errs...)
}

// shown is a source of a View.
type shown struct {
	view    *View
	id      string
	name    string
	src     winperf.Source // the log, or the history of a live source
	live    *live          // nil for a log
	closing winperf.Source
	grows   bool

	limitBegin, limitEnd time.Time // of the samples of a log; zero for a live source

	first    time.Time     // time of the first sample, of a log
	step     time.Duration // the time between its first samples
	expected int           // the estimated number of samples

	ctx  context.Context // of reading
	stop context.CancelFunc

	mu       sync.Mutex
	canceled bool          // reading was cancelled
	survey   *survey       // nil before the first request
	pending  *job          // waits for the running pass
	running  []*job        // read the source; at most one of them reads all of it
	pass     chan struct{} // has an element while a job reads all of the source
}

func (v *View) show(s Source) *shown {
	shown := &shown{
		view: v, name: s.Name, src: s.Source, closing: s.Source, grows: s.Grows,
		pass: make(chan struct{}, 1),
	}
	if is := s.Describe(); !is.Recorded {
		history := newHistory(s.Source, v.opt.Memory, v.opt.Keep)
		shown.live = &live{
			view: v, src: s.Source, to: history, interval: cmp.Or(s.Interval, time.Second),
			named: map[string]time.Time{},
		}
		shown.src, shown.grows = history, true
	} else {
		shown.limitBegin, shown.limitEnd = v.opt.Begin, v.opt.End
	}
	shown.ctx, shown.stop = context.WithCancel(v.ctx)
	return shown
}

// probe reads the times of the first samples of a log.
func (s *shown) probe(ctx context.Context) error {
	if s.live != nil {
		s.step = s.live.interval
		return nil
	}
	sel := winperf.Selection{Global: true, Costly: true, Begin: s.limitBegin}
	q, err := s.src.Compile(ctx, sel)
	if err != nil {
		return err
	}
	defer q.Close()

	is := s.src.Describe()
	const enough = 8
	var sample winperf.Sample
	last, n := time.Time{}, 0
	for ; n < enough && q.Next(ctx, &sample) == nil; n++ {
		t := capture.Time(&sample)
		if n == 0 {
			s.first = t
		}
		last = t
	}
	if n > 1 {
		const longest = 100 * 365 * 24 * time.Hour // so that small multiples are durations, too
		s.step = min(max(last.Sub(s.first)/time.Duration(n-1), time.Millisecond), longest)
	}

	s.expected = is.Samples
	switch length := s.span(is.Log.End); {
	case length > 0 && s.step > 0:
		if n := int(length / s.step); s.expected <= 0 || n < s.expected {
			s.expected = n
		}
	case s.expected <= 0 && sample.At > 0 && n > 0:
		s.expected = int(sample.Of / max(sample.At/int64(n), 1))
	}
	return ctx.Err()
}

// span returns the time from the first sample to the end of the log, 0 if unknown.
func (s *shown) span(end time.Time) time.Duration {
	if e := s.limitEnd; !e.IsZero() && (end.IsZero() || e.Before(end)) {
		end = e
	}
	if end.IsZero() || s.first.IsZero() {
		return 0
	}
	return max(end.Sub(s.first), 0)
}

// Request selects counters of a source.
type Request struct {
	// Source is the id of the source; "" is the only one.
	Source string
	// Paths are counter paths.
	Paths []string
	// Begin and End limit the time; zero means no limit.
	Begin, End time.Time
}

// find returns the requested source, and announces a client of it.
func (v *View) find(id string) (*shown, error) {
	sources := v.all()
	for _, s := range sources {
		if s.id == id || id == "" && len(sources) == 1 {
			if s.live != nil {
				s.live.need()
			}
			return s, nil
		}
	}
	if id == "" {
		return nil, fmt.Errorf("%w: source is missing, and there are %d sources", ErrRequest, len(sources))
	}
	return nil, fmt.Errorf("%w: %.100q", ErrNoSource, id)
}

// query is a checked request. Its times are in milliseconds since 1970.
type query struct {
	*shown
	texts      []string
	paths      []winperf.Path
	begin, end int64
	limited    bool // it has a begin or an end
}

// The times of an unlimited query.
const (
	noBegin = int64(-1 << 60)
	noEnd   = int64(1 << 60)
)

func (v *View) query(r Request, needsPaths bool) (q query, err error) {
	if q.shown, err = v.find(r.Source); err != nil {
		return q, err
	}
	if needsPaths && len(r.Paths) == 0 {
		return q, fmt.Errorf(`%w: path is missing, such as path=\Memory\*`, ErrRequest)
	}
	if len(r.Paths) > MaxPaths {
		return q, fmt.Errorf("%w: %d paths, expected at most %d", ErrRequest, len(r.Paths), MaxPaths)
	}
	texts := slices.Compact(slices.Sorted(slices.Values(r.Paths)))
	if len(texts) == len(r.Paths) { // no path is repeated
		texts = r.Paths
	}
	sel, err := winperf.Select(texts...)
	if err != nil {
		return q, fmt.Errorf("%w: %w", ErrRequest, err)
	}

	if q.live != nil {
		q.live.need(sel.Paths...)
	}

	q.texts, q.paths, q.begin, q.end = texts, sel.Paths, noBegin, noEnd
	q.limited = !r.Begin.IsZero() || !r.End.IsZero()
	if !r.Begin.IsZero() {
		q.begin = r.Begin.UnixMilli()
	}
	if !r.End.IsZero() {
		q.end = r.End.UnixMilli()
	}
	if q.begin > q.end {
		return q, fmt.Errorf("%w: begin is after end", ErrRequest)
	}
	return q, nil
}
