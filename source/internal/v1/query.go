package v1

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// query requests one value repeatedly.
type query struct {
	source  *Source
	timeout time.Duration
	round   call.Round
	run     func(context.Context) // takes a sample
	titles  []uint32              // of the objects; nil for a class
	whole   bool                  // nothing can be omitted: a single object, or unknown objects

	// For the call on the source's line:
	request request
	buf     []byte
	schema  *winperf.Schema
	err     error
	chain   []uint32    // memory for chained
	sifted  *sifted     // nil if nothing is omitted
	pauses  call.Pauses // before the next search for the damaged object
}

func newQuery(s *Source, timeout time.Duration) *query {
	if timeout == 0 {
		timeout = defaultTimeout
	}
	q := &query{source: s, timeout: timeout, pauses: call.Pauses{First: firstOmission}}
	q.run = func(ctx context.Context) { q.err = q.take(ctx) }
	return q
}

// setRequest sets the request: a class, or the objects' title indices.
func (q *query) setRequest(name string, titles []uint32) {
	size := startClass
	q.whole = strings.HasSuffix(name, "Costly")
	if strings.Trim(name, "0123456789 ") == "" {
		size = startList
		q.titles = titles
		q.whole = len(titles) < 2
	}
	q.request = request{name: wire.Units(q.source.valueName(name)), typ: winapi.REG_BINARY, size: size}
}

// take takes a sample, without the objects that are currently omitted.
func (q *query) take(ctx context.Context) (err error) {
	s := q.source
	k := s.known.Load()
	if q.sifted != nil && !q.pauses.Over(time.Now()) {
		q.schema = q.sifted.schemaOf(k)
		if q.buf, err = s.reader.read(ctx, &q.sifted.request, q.buf); err != nil {
			return err
		}
		var whole bool
		if q.chain, _, whole = chained(q.chain[:0], q.buf); !whole {
			q.pauses.Cut() // another object is damaged now
		}
		return nil
	}

	q.schema = k.schema
	q.buf, err = s.reader.read(ctx, &q.request, q.buf)
	if err != nil && !errors.Is(err, errTooLarge) {
		return err
	}

	whole := false
	if err == nil {
		q.chain, _, whole = chained(q.chain[:0], q.buf)
	}

	switch {
	case whole:
		q.sifted = nil
		q.pauses.Reset()
	case !q.whole && q.pauses.Over(time.Now()) && q.omit(ctx):
		return nil
	}
	return err // nil for a damaged block: the decoder reports the damage
}

// omit takes the sample again without the objects that damage it, and reports whether that
// succeeded.
func (q *query) omit(ctx context.Context) bool {
	s := q.source
	q.sifted = s.sift(ctx, q.titles)
	pause := q.pauses.Fail(time.Now()) // the search may have taken longer than a pause
	if q.sifted == nil {
		return false
	}

	q.sifted.pause = pause
	b, err := s.reader.read(ctx, &q.sifted.request, nil)
	if err != nil {
		q.sifted = nil
		return false
	}
	q.buf = append(q.buf[:0], b...)
	q.schema = q.sifted.schemaOf(s.known.Load())
	return true
}

// Next implements winperf.Query. A call that does not return is abandoned with its buffer, and the
// sample gets a new one.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	line := q.source.line
	if err := q.round.Take(ctx, line, q.timeout); err != nil {
		return err
	}

	b := s.Add()
	q.buf, b.Bytes = b.Bytes, nil
	if err := q.round.Call(line, q.run); err != nil {
		s.Clear()
		return valueError(q.request.key, q.request.name, err)
	}

	b.Bytes, q.buf = q.buf, nil
	if q.err != nil {
		s.Clear()
		return q.err
	}

	b.Format = winperf.FormatV1
	b.Schema = q.schema
	s.Schema = q.schema
	return nil
}

// Close implements winperf.Query. The keys stay open for other queries of the source.
func (q *query) Close() error { return nil }
