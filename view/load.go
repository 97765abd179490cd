package view

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// Limits of loading.
const (
	tableLimit = 4 << 20                 // values of all paths of a job
	cacheLimit = 64 << 20                // bytes of all cached tables
	patience   = 1500 * time.Millisecond // until a request is answered from the survey
	moment     = 20 * time.Millisecond   // until it is answered from a table with long bins
	lease      = 15 * time.Second        // an abandoned job continues for this time
	sketch     = 240                     // samples of a large log that a job reads first
)

// job reads the values of paths between two times. Its source locks texts and paths, which are complete once
// the job reads. The results are valid when done is closed.
type job struct {
	source     *shown
	begin, end int64
	texts      []string
	paths      []winperf.Path
	entries    []*entry // results
	err        error
	drawn      chan struct{} // closed when the first samples are in the cache
	done       chan struct{}
	cancel     context.CancelFunc

	mu      sync.Mutex
	waiting int
	until   time.Time // it continues until then without a waiting request
	ended   bool      // it ends without a result
}

// tables returns a table for each path, or ok false if they are not complete within the wait: then the tables
// have longer bins, and are nil if there is none for a path. These are the complete ones if reading was
// cancelled. Negative waits are unlimited.
func (q *query) tables(
	ctx context.Context, step int64, wait time.Duration,
) (all []*entry, ok bool, err error) {
	var missing []int
	all = make([]*entry, len(q.texts))
	for i, text := range q.texts {
		if all[i] = q.view.cache.find(q.shown, text, q.begin, q.end, step); all[i] == nil {
			missing = append(missing, i)
		}
	}

	if len(missing) > 0 {
		if wait > moment && q.draw(all, missing) {
			wait = moment
		}
		j := q.enqueue(missing)
		ok, err := j.wait(ctx, wait)
		switch canceled := q.isCanceled(); {
		case err != nil && (!canceled || ctx.Err() != nil):
			return nil, false, err
		case err != nil && wait < 0:
			return nil, false, errCanceled
		case (err != nil || !ok) && q.draw(all, missing):
			return all, canceled, nil
		case err != nil || !ok:
			return nil, canceled, nil
		}
		for _, i := range missing {
			all[i] = j.entries[slices.Index(j.texts, q.texts[i])]
		}
	}
	for _, e := range all {
		if err := e.refresh(ctx); err != nil {
			return nil, false, err
		}
	}
	return all, true, nil
}

// draw sets missing tables to the best ones in the cache, and reports whether there is one for each.
func (q *query) draw(all []*entry, missing []int) bool {
	for _, i := range missing {
		if all[i] = q.view.cache.best(q.shown, q.texts[i], q.begin, q.end); all[i] == nil {
			return false
		}
	}
	return true
}

// enqueue returns a job for some paths of a query. A job for the whole log waits for the running pass,
// together with other jobs. A job for a small part of a large log begins at once.
func (q *query) enqueue(missing []int) *job {
	s := q.shown
	s.mu.Lock()
	defer s.mu.Unlock()
	begin, end, part := q.part()
	j := s.pending
	for _, running := range s.running {
		if running.begin == begin && running.end == end && running.hasAll(q.texts, missing) && running.enter() {
			return running
		}
	}
	if part || j == nil || !j.enter() {
		ctx, cancel := context.WithCancel(s.ctx)
		j = &job{
			source: s, begin: begin, end: end, drawn: make(chan struct{}), done: make(chan struct{}), cancel: cancel,
			waiting: 1,
		}
		if part {
			s.begin(j)
		} else {
			s.pending = j
		}
		s.view.work.Go(func() { j.run(ctx, !part) })
	}

	for _, i := range missing {
		if !slices.Contains(j.texts, q.texts[i]) {
			j.texts, j.paths = append(j.texts, q.texts[i]), append(j.paths, q.paths[i])
		}
	}
	return j
}

// begin adds a running job. It ends the jobs for other parts for which no request waits: the page shows
// another part now. The source is locked.
func (s *shown) begin(j *job) {
	for _, other := range s.running {
		if other.begin != noBegin && j.begin != noBegin && (other.begin != j.begin || other.end != j.end) {
			other.stopUnused()
		}
	}
	s.running = append(s.running, j)
}

// hasAll reports whether a job reads some paths.
func (j *job) hasAll(texts []string, which []int) bool {
	return !slices.ContainsFunc(which, func(i int) bool { return !slices.Contains(j.texts, texts[i]) })
}

// part returns the range to read for a query, and whether it is less than the whole source.
func (q *query) part() (begin, end int64, part bool) {
	const large, share = 400, 4
	if !q.limited || q.live != nil || q.expected < large || q.step <= 0 {
		return noBegin, noEnd, false
	}
	first := q.first.UnixMilli()
	last := first + int64(q.expected)*q.step.Milliseconds()
	begin, end = max(q.begin, first), min(q.end, last)
	if length := end - begin; length >= 0 && length*share < last-first {
		return begin - length/2, end + length/2, true
	}
	return noBegin, noEnd, false
}

// enter adds a request that waits for the job, and reports false for a job that ends without a result.
func (j *job) enter() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended {
		j.waiting++
	}
	return !j.ended
}

// leave removes a waiting request. The job then ends if no other request waits for it: at once if keep is 0,
// else after this time.
func (j *job) leave(keep time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting--
	j.until = time.Now().Add(keep)
	if j.waiting == 0 && keep == 0 {
		j.ended = true
		j.cancel()
	}
}

// stopUnused ends the job if no request waits for it.
func (j *job) stopUnused() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waiting == 0 {
		j.ended = true
		j.cancel()
	}
}

// abandoned reports whether no request waited for the job for some time. The job then ends.
func (j *job) abandoned() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = j.ended || j.waiting == 0 && time.Now().After(j.until)
	return j.ended
}

// wait reports whether the job is done within a time. It also ends when the first samples were read.
func (j *job) wait(ctx context.Context, limit time.Duration) (bool, error) {
	var late <-chan time.Time
	var drawn <-chan struct{}
	if limit >= 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late, drawn = timer.C, j.drawn
	}
	select {
	case <-ctx.Done():
		j.leave(0)
		return false, ctx.Err()
	case <-drawn:
	case <-late:
	case <-j.done:
	}

	j.leave(lease)
	select {
	case <-j.done:
		return true, j.err
	default:
		return false, nil
	}
}

var errAbandoned = errors.New("no request waits for the answer")

func (j *job) run(ctx context.Context, whole bool) {
	defer close(j.done)
	defer j.cancel()
	defer j.release(whole)
	if j.err = j.acquire(ctx, whole); j.err != nil {
		return
	}

	// All samples of a large log take long. Some of them make a first picture.
	const enough = 20 * sketch
	length := j.source.length()
	if whole && j.source.live == nil && j.source.expected > enough && length > 0 {
		if _, err := j.read(ctx, length/sketch); err == nil {
			close(j.drawn)
		}
	}
	j.entries, j.err = j.read(ctx, 0)
}

// read reads the samples that are at least some time apart into new tables, and puts them into the cache.
func (j *job) read(ctx context.Context, every time.Duration) ([]*entry, error) {
	var entries []*entry
	for _, text := range j.texts {
		t := newTable(tableLimit/len(j.texts), false)
		e := &entry{source: j.source, path: text, begin: j.begin, end: j.end, every: every, table: t}
		entries = append(entries, e)
	}
	err := j.source.fill(ctx, j.paths, entries, j.abandoned)
	if err == nil {
		for _, e := range entries {
			j.source.view.cache.put(e)
		}
	}
	return entries, err
}

// acquire waits until no other job reads all of the source. Later requests then use another job.
func (j *job) acquire(ctx context.Context, whole bool) error {
	s := j.source
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.pending == j {
			s.pending = nil
		}
	}()

	if !whole {
		return nil
	}

	sleep(ctx, 5*time.Millisecond) // for the other requests of a page
	j.afterFirstLook(ctx)
	select {
	case s.pass <- struct{}{}:
		s.mu.Lock()
		s.begin(j)
		s.mu.Unlock()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// afterFirstLook waits for the first picture of a large log, which would take longer in parallel with a pass.
func (j *job) afterFirstLook(ctx context.Context) {
	s := j.source
	s.mu.Lock()
	look := s.survey
	s.mu.Unlock()
	if look == nil || !s.isLarge() {
		return
	}
	select {
	case <-look.ready:
	case <-ctx.Done():
	}
}

// release removes the job from the running ones, if acquire succeeded.
func (j *job) release(whole bool) {
	s := j.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.running, j); i >= 0 {
		s.running = slices.Delete(s.running, i, i+1)
		if whole {
			<-s.pass
		}
	}
}

// fill reads the samples of the entries' range into their tables.
func (s *shown) fill(
	ctx context.Context, paths []winperf.Path, entries []*entry, abandoned func() bool,
) error {
	begin, end := entries[0].begin, entries[0].end
	sel := s.from(winperf.Selection{Paths: paths, Every: entries[0].every}, begin)

	opt := measure.Options{KeepFirst: true, Language: s.view.opt.Language}
	for cycle, err := range measure.Watch(ctx, s.src, sel, opt) {
		switch {
		case errors.Is(err, winperf.ErrBadData): // damage after the last sample
			return nil
		case err != nil:
			return removed(err)
		case abandoned():
			return errAbandoned
		}
		at := cycle.Time.UnixMilli()
		if at > end {
			break
		}
		for i, e := range entries {
			if at < begin {
				e.table.precede(at)
				continue
			}
			e.table.add(cycle.Time, cycle.Part(i))
		}
	}
	return ctx.Err()
}

// removed adds ErrRemoved to the error for a log that does not exist.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrRemoved, err)
	}
	return err
}

// refresh adds the latest samples of a source that grows, and removes the ones that it dropped.
func (e *entry) refresh(ctx context.Context) error {
	s := e.source
	if !s.grows || e.end != noEnd {
		return nil
	}
	e.filling.Lock()
	defer e.filling.Unlock()
	e.table.mu.RLock()
	begin := noBegin
	if n := len(e.table.times); n > 0 {
		begin = e.table.times[n-1]
	}
	e.table.mu.RUnlock()
	if s.live != nil && begin != noBegin && !s.live.to.end().After(time.UnixMilli(begin+1)) {
		return nil
	}
	e.table.trim(s.src.Describe().Log.Begin.UnixMilli()) // the samples that the source dropped

	sel, err := winperf.Select(e.path)
	if err != nil {
		return err
	}
	// The bins up to begin are in the table already.
	part := entry{source: s, begin: begin, end: noEnd, table: e.table}
	return s.fill(ctx, sel.Paths, []*entry{&part}, func() bool { return false })
}

// precede notes a sample before the first bin.
func (t *table) precede(at int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.times) == 0 {
		t.before = at
	}
}
