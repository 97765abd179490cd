package push

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink/metrics"
)

// set is a Set of two series whose values are n and n+0.5.
func set(n int) *metrics.Set {
	rows := metrics.NewRows([][]metrics.Label{{{Name: "name", Value: "a"}}, {{Name: "name", Value: "b"}}}, nil)
	return &metrics.Set{Time: time.UnixMilli(int64(n) * 1000), Families: []metrics.Family{{
		Name:    "value",
		Columns: []metrics.Column{{Rows: rows, Form: metrics.Float, Bits: []uint64{bits(n, 0), bits(n, 0.5)}}},
	}}}
}

func bits(n int, more float64) uint64 { return math.Float64bits(float64(n) + more) }

// counting is a live source whose one value is the number of the sample.
type counting struct {
	n      uint64                          // of the last sample
	before func(ctx context.Context) error // is called before each sample; nil does nothing
	now    func() time.Time                // the time of day; nil is the system's
	more   []perfdata.Object               // of each block
	taken  atomic.Uint64                   // n, for others to read while samples are taken
}

func (s *counting) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return s, nil }

func (s *counting) Schema(context.Context) (*winperf.Schema, error) { return &winperf.Schema{}, nil }

func (s *counting) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }

func (s *counting) Close() error { return nil }

func (s *counting) Next(ctx context.Context, sample *winperf.Sample) error {
	sample.Clear()
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return err
		}
	}
	s.n++
	s.taken.Store(s.n)
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	b, err := block(s.n, now(), s.more...)
	if err != nil {
		return err
	}
	sample.Begin().Raw = winperf.Raw{Format: winperf.FormatV1, Bytes: b, Schema: &winperf.Schema{}}
	return nil
}

// block is a block with one value, and more objects.
func block(value uint64, at time.Time, more ...perfdata.Object) ([]byte, error) {
	const rawCount = counter.Type(0x00010100)
	o := perfdata.Object{Title: 2, Form: perfdata.Single, DefaultCounter: -1, Freq: 1e7}
	o.Counters = []perfdata.Counter{perfdata.NewCounter(4, rawCount)}
	if _, err := o.AddInstance(""); err != nil {
		return nil, err
	}
	o.Layout(false)
	if err := o.SetValue(0, 0, value); err != nil {
		return nil, err
	}
	now := winperf.ToFiletime(at)
	b := perfdata.Block{PerfTime: now, PerfFreq: 1e7, Time100ns: now, Objects: append([]perfdata.Object{o}, more...)}
	return b.Encode()
}

// plain maps the first value of a frame.
type plain struct {
	rows *metrics.Rows
	set  metrics.Set
}

func newPlain() Mapper { return &plain{rows: metrics.NewRows([][]metrics.Label{nil}, nil)} }

func (p *plain) Map(f frame.Frame, _ *nametable.Names) (*metrics.Set, error) {
	v, ok := f.Object(0).Raw(0, 0)
	if !ok {
		return nil, errors.New("no value")
	}
	p.set = metrics.Set{Time: f.Time(), Families: []metrics.Family{
		{Name: "value", Columns: []metrics.Column{{Rows: p.rows, Bits: []uint64{v}}}},
	}}
	return &p.set, nil
}

// point is a value that a receiver has.
type point struct {
	series string
	ms     int64
	value  float64
	ended  bool // the stale marker of Prometheus, or no recorded value
}

// receiver is a target. What it answers is up to a function, which is given the points of a
// request; it keeps those of requests that it answers with 2xx.
type receiver struct {
	*httptest.Server
	t      testing.TB
	answer func(w http.ResponseWriter, r *http.Request, points []point) (status int)

	mu       sync.Mutex
	points   []point
	requests int
}

func newReceiver(t testing.TB, answer func(http.ResponseWriter, *http.Request, []point) int) *receiver {
	t.Helper()
	r := &receiver{t: t, answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// url is the target's URL.
func (r *receiver) url(scheme string) string { return scheme + "+" + r.URL }

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	points, err := decode(q)
	if err != nil {
		r.t.Error(err)
	}
	status := r.answer(w, q, points)
	r.mu.Lock()
	r.requests++
	if status/100 == 2 {
		r.points = append(r.points, points...)
	}
	r.mu.Unlock()
	w.WriteHeader(status)
}

func (r *receiver) has() []point {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.points)
}

// takes answers as a receiver of remote write 2.0 does.
func takes(w http.ResponseWriter, _ *http.Request, points []point) int {
	w.Header().Set(writtenHeader, fmt.Sprint(len(points)))
	return http.StatusNoContent
}

// old answers as one that knows 1.0 only, and says so or not.
func old(status int) func(http.ResponseWriter, *http.Request, []point) int {
	return func(_ http.ResponseWriter, r *http.Request, _ []point) int {
		if strings.Contains(r.Header.Get("Content-Type"), "v2") {
			return status
		}
		return http.StatusNoContent
	}
}

// decode reads what was sent. Of requests of version 2.0 to an old receiver there is nothing, as
// it reads them.
func decode(q *http.Request) ([]point, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	if q.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(strings.NewReader(string(body)))
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(z); err != nil {
			return nil, err
		}
		return decodePoints(nil, body, "", 1, 2, 2)
	}
	if body, err = s2.Decode(nil, body); err != nil {
		return nil, err
	}

	var points []point
	var symbols []string
	err = fields(body, func(f protobuf.Field) error {
		if f.Number == 4 {
			symbols = append(symbols, string(f.Bytes))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return points, fields(body, func(f protobuf.Field) error {
		if f.Number != 1 && f.Number != 5 {
			return nil
		}
		p, err := decodeSeries(f.Bytes, symbols)
		points = append(points, p)
		return err
	})
}

func decodeSeries(b []byte, symbols []string) (p point, _ error) {
	return p, fields(b, func(f protobuf.Field) error {
		switch {
		case f.Number == 1 && symbols != nil:
			for i, refs := 0, f.Bytes; len(refs) > 0; i++ {
				ref, n := binary.Uvarint(refs)
				p.series += symbols[ref] + []string{"=", ","}[i%2]
				refs = refs[n:]
			}
		case f.Number == 1:
			return fields(f.Bytes, func(f protobuf.Field) error {
				p.series += string(f.Bytes) + []string{"=", ","}[f.Number-1]
				return nil
			})
		case f.Number == 2:
			return fields(f.Bytes, func(f protobuf.Field) error {
				switch f.Number {
				case 1:
					p.value, p.ended = math.Float64frombits(f.Uint), f.Uint == 0x7ff0000000000002
				case 2:
					p.ms = int64(f.Uint)
				}
				return nil
			})
		}
		return nil
	})
}

// decodePoints reads the points of gauges and sums of a message of OpenTelemetry. The path leads from it
// to its metrics.
func decodePoints(points []point, b []byte, name string, path ...uint32) ([]point, error) {
	err := fields(b, func(f protobuf.Field) (err error) {
		switch {
		case len(path) > 0 && f.Number == path[0]:
			points, err = decodePoints(points, f.Bytes, "", path[1:]...)
		case len(path) > 0:
		case f.Number == 1 && name == "":
			name = string(f.Bytes)
		case f.Number == 5 || f.Number == 7: // a gauge, a sum
			err = fields(f.Bytes, func(f protobuf.Field) error {
				if f.Number == 1 {
					p, err := decodePoint(f.Bytes, name)
					points = append(points, p)
					return err
				}
				return nil
			})
		}
		return err
	})
	return points, err
}

func decodePoint(b []byte, name string) (p point, _ error) {
	p.series = name
	return p, fields(b, func(f protobuf.Field) error {
		switch f.Number {
		case 3:
			p.ms = int64(f.Uint / 1e6)
		case 4:
			p.value = math.Float64frombits(f.Uint)
		case 6:
			p.value = float64(int64(f.Uint))
		case 8: // flags
			p.ended = f.Uint == 1
		case 7: // an attribute: its name, and its value as a text
			return fields(f.Bytes, func(f protobuf.Field) error {
				text := f.Bytes
				if f.Number == 2 {
					text = text[2:]
				}
				p.series += "," + string(text)
				return nil
			})
		}
		return nil
	})
}

// teller keeps what is told.
type teller struct {
	mu   sync.Mutex
	said []string
}

func (l *teller) tell(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, err.Error())
}

func (l *teller) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.said)
}

// until polls until a condition holds.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 12_000 { // two minutes
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("still waiting: %s", what)
}

// sometimes takes what is sent, or fails, at random.
func sometimes(w http.ResponseWriter, r *http.Request, points []point) int {
	if time.Now().UnixMilli()/300%2 == 0 {
		return http.StatusBadGateway
	}
	return takes(w, r, points)
}
