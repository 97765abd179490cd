package v1

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// query asks for one value again and again.
type query struct {
	source  *Source
	timeout time.Duration
	request request
	titles  []uint32 // of the objects; nil where a class is asked for
	whole   bool     // nothing can be left out: there is one object, or nobody knows which
	timer   *time.Timer
	sample  *sample

	// Of the lane:
	chain  []uint32 // memory for chained
	sifted *sifted  // nil where nothing is left out
	pause  time.Duration
	retry  time.Time // when to look again at what broke a block
}

// ask sets what to ask for: a class, or the objects' title indices.
func (q *query) ask(name string, titles []uint32) {
	size := startClass
	q.whole = strings.HasSuffix(name, "Costly")
	if strings.Trim(name, "0123456789 ") == "" {
		size, q.titles, q.whole = startList, titles, len(titles) < 2
	}
	q.request = request{name: wire.Units(q.source.valueName(name)), typ: winapi.REG_BINARY, size: size}
	if q.timeout == 0 {
		q.timeout = defaultTimeout
	}
}

// sample is one call's memory. It is the job's until the job is done.
type sample struct {
	job     *job
	request request
	buf     []byte
	schema  *winperf.Schema
}

func (q *query) newSample() *sample {
	m := &sample{request: q.request}
	m.job = newJob(func(ctx context.Context, stop <-chan struct{}) error { return q.take(ctx, stop, m) })
	return m
}

// take takes a sample, without the objects that are left out for now.
func (q *query) take(ctx context.Context, stop <-chan struct{}, m *sample) (err error) {
	s := q.source
	k := s.known.Load()
	if q.sifted != nil && time.Now().Before(q.retry) {
		m.schema = q.sifted.schemaOf(k)
		if m.buf, err = s.reader.read(ctx, stop, &q.sifted.request, m.buf); err != nil {
			return err
		}
		var whole bool
		if q.chain, _, whole = chained(q.chain[:0], m.buf, s.opt.Quirks); !whole {
			q.retry = time.Time{} // another one is damaged now
		}
		return nil
	}
	m.schema = k.schema
	m.buf, err = s.reader.read(ctx, stop, &m.request, m.buf)
	if err != nil && !errors.Is(err, errTooLarge) {
		return err
	}
	whole := false
	if err == nil {
		q.chain, _, whole = chained(q.chain[:0], m.buf, s.opt.Quirks)
	}
	switch {
	case whole:
		q.sifted, q.pause, q.retry = nil, 0, time.Time{}
	case !q.whole && !time.Now().Before(q.retry) && q.leaveOut(ctx, stop, m):
		return nil
	}
	return err // nil for a broken block: the decoder says what is wrong
}

// leaveOut takes the sample again without the objects that break it, and tells
// whether that helped.
func (q *query) leaveOut(ctx context.Context, stop <-chan struct{}, m *sample) bool {
	s := q.source
	q.pause = min(max(2*q.pause, firstLeaveOut), maxLeaveOut)
	q.sifted = s.sift(ctx, stop, q.titles, q.pause)
	q.retry = time.Now().Add(q.pause)
	if q.sifted == nil {
		return false
	}
	b, err := s.reader.read(ctx, stop, &q.sifted.request, nil)
	if err != nil {
		q.sifted = nil
		return false
	}
	m.buf, m.schema = append(m.buf[:0], b...), q.sifted.schemaOf(s.known.Load())
	return true
}

// Sample implements winperf.Query. A call that does not return is left behind
// with its buffer, which raw then has no longer.
func (q *query) Sample(ctx context.Context, raw *winperf.Raw) error {
	if q.sample == nil {
		q.sample = q.newSample()
	}
	if q.timer == nil {
		q.timer = time.NewTimer(q.timeout)
	} else {
		q.timer.Reset(q.timeout)
	}
	m := q.sample
	m.buf = raw.Bytes
	err := q.source.lane.do(ctx, m.job, q.timer.C)
	q.timer.Stop()
	if isLeftBehind(err) {
		raw.Bytes, q.sample = nil, nil
		return valueError(q.request.key, q.request.name, err)
	}
	q.request.size = m.request.size // what was enough
	raw.Bytes, m.buf = m.buf, nil
	if err != nil {
		raw.Bytes = raw.Bytes[:0]
		return err
	}
	raw.Format, raw.Quirks, raw.Schema = winperf.FormatV1, q.source.opt.Quirks, m.schema
	return nil
}

// Close implements winperf.Query. The keys stay open for the source's others.
func (q *query) Close() error { return nil }
