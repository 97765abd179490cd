package remotewrite

import (
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf/internal/push/internal/series"
	"github.com/winperf/winperf/sink/metrics"
)

// Version is a version of the protocol.
type Version uint8

// The versions.
const (
	V2 Version = iota // 2.0, message io.prometheus.write.v2.Request
	V1                // 1.0, message prometheus.WriteRequest
)

// ContentType is the value of the header Content-Type.
func (v Version) ContentType() string {
	if v == V1 {
		return "application/x-protobuf"
	}
	return "application/x-protobuf;proto=io.prometheus.write.v2.Request"
}

// String returns the value of the header X-Prometheus-Remote-Write-Version.
func (v Version) String() string {
	if v == V1 {
		return "0.1.0"
	}
	return "2.0.0"
}

// Options configure an Encoder. The zero Options are good defaults.
type Options struct {
	Version Version
	// Labels are added to all series that lack them, in any order.
	Labels []metrics.Label
	// MaxSamples is the largest number of samples in a request (0 means 10,000). A request also ends
	// after the sample with which its length before compression reaches MaxBytes (0 means 4 MiB).
	MaxSamples, MaxBytes int
}

// Request is an encoded request.
type Request struct {
	Version Version
	// Body is compressed in Snappy's block format (Content-Encoding: snappy). It is valid until send
	// returns.
	Body []byte
	// Samples is the number of samples in Body, and Size its length before compression.
	Samples, Size int
}

// Encoder encodes Sets as requests. It caches encoded labels, and allocates nothing for series that
// it has encoded before. Only one goroutine may use it.
type Encoder struct {
	opt     Options
	message message
	samples int
	body    []byte
	packed  []byte
	more    []metrics.Label // of the current Set
	labels  []metrics.Label // scratch
	ended   bool            // samples are markers, not values

	compress func(dst, src []byte) []byte
}

// message holds the differences between the two versions.
type message interface {
	// rows prepares a column for add: its labels and its family's metadata.
	rows(f *metrics.Family, c *metrics.Column, ms int64)
	// add appends a sample of row i of the column prepared last.
	add(b []byte, i int, value uint64) []byte
	// size returns the length of the data to send in addition to the samples.
	size() int
	// finish appends that data, and begins a new request.
	finish(b []byte) []byte
	// lost reports that the last finished request was not delivered.
	lost()
	// next is called after each Set.
	next()
}

// NewEncoder returns an Encoder with these options.
func NewEncoder(opt Options) *Encoder {
	if opt.MaxSamples <= 0 {
		opt.MaxSamples = 10_000
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 4 << 20
	}

	e := &Encoder{opt: opt, compress: s2.EncodeSnappy}
	if opt.Version == V1 {
		e.message = &first{encoder: e}
	} else {
		e.message = &second{encoder: e}
	}
	return e
}

// Encode adds the samples of a Set to the current request. It calls send for each full request. An
// error of send ends Encode; that request is lost, and the Encoder can be used for a new one. A
// request that is not full stays for the next Set or for Flush. more are labels for series of this
// Set that lack them. They have precedence over the labels of Options.
func (e *Encoder) Encode(set *metrics.Set, send func(*Request) error, more ...metrics.Label) error {
	e.more = more
	for i := range set.Families {
		f := &set.Families[i]
		for k := range f.Columns {
			if err := e.column(f, &f.Columns[k], set.Time, send); err != nil {
				e.reset()
				return err
			}
		}
	}
	e.message.next()
	return nil
}

// End is Encode with the stale marker in place of each value: the series have ended.
func (e *Encoder) End(set *metrics.Set, send func(*Request) error) error {
	e.ended = true
	defer func() { e.ended = false }()
	return e.Encode(set, send)
}

// staleNaN is value.StaleNaN of Prometheus.
const staleNaN = 0x7ff0000000000002

// column adds the samples of a column.
func (e *Encoder) column(
	f *metrics.Family, c *metrics.Column, at time.Time, send func(*Request) error,
) error {
	if !c.Time.IsZero() {
		at = c.Time
	}
	ms := at.UnixMilli()

	begun := false // a column without values adds nothing to the request
	for i := range c.Bits {
		if !c.Has(i) {
			continue
		}
		if e.samples >= e.opt.MaxSamples || len(e.body)+e.message.size() >= e.opt.MaxBytes {
			if err := e.Flush(send); err != nil {
				return err
			}
			begun = false
		}
		if !begun {
			begun = true
			e.message.rows(f, c, ms)
		}
		value := series.Bits(c, i)
		if e.ended {
			value = staleNaN
		}
		e.body = e.message.add(e.body, i, value)
		e.samples++
	}
	return nil
}

// Flush sends the current request, unless it is empty.
func (e *Encoder) Flush(send func(*Request) error) error {
	if e.samples == 0 {
		return nil
	}
	r := Request{Version: e.opt.Version, Samples: e.samples}
	e.body = e.message.finish(e.body)
	r.Size = len(e.body)

	e.packed = e.compress(e.packed[:cap(e.packed)], e.body)
	r.Body = e.packed
	e.body, e.samples = e.body[:0], 0
	err := send(&r)
	if err != nil {
		e.message.lost()
	}
	return err
}

// reset discards the current request.
func (e *Encoder) reset() {
	e.message.finish(nil)
	e.body, e.samples = e.body[:0], 0
}

// merged returns the labels of row i of a column, valid until the next call.
func (e *Encoder) merged(c *metrics.Column, i int) []metrics.Label {
	e.labels = series.Merge(e.labels[:0], c.Rows.Labels(i), c.Extra, e.more, e.opt.Labels)
	return e.labels
}

// nameLabel is the label for the name of a metric.
const nameLabel = "__name__"
