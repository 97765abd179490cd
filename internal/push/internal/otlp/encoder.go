package otlp

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/push/internal/series"
	"github.com/winperf/winperf/sink/metrics"
)

// Options for an Encoder. The zero Options are good defaults.
type Options struct {
	// Resource are the attributes of what the metrics are of, in any order: service.name,
	// host.name.
	Resource []metrics.Label
	// Machine is the name of the label that tells the machine of a series, and PerMachine are the attributes of
	// Resource that do. Points of each machine have a resource of their own then, with its name as these
	// attributes, and without the label. Series without it are of Resource. "" is no label.
	Machine    string
	PerMachine []string
	// Scope and Version name what made the metrics; "" is winperf, and no version.
	Scope, Version string
	// MaxPoints bounds a request by its data points (0 means 10,000). MaxBytes ends one behind the point with
	// which its length comes to that (0 means 4 MiB).
	MaxPoints, MaxBytes int
}

// Request is what is to be sent.
type Request struct {
	// Body is the message, valid until send returns.
	Body []byte
	// Points is how many data points there are in it.
	Points int
}

// Encoder makes requests of Sets. It keeps what it made of labels. It serves one goroutine.
type Encoder struct {
	opt    Options
	scope  []byte // field of ScopeMetrics in front of the metrics
	cache  series.Cache[attributes]
	more   []metrics.Label // that the Set at hand has
	labels []metrics.Label // scratch

	parts  []part         // of the request at hand
	byName map[string]int // their positions by machine
	at     int            // the one that is written
	others int            // the length of those that are not
	packed []byte
	points int
}

// part is what a request has of a machine.
type part struct {
	resource []byte // field of ResourceMetrics in front of all others
	body     []byte // metrics
}

// maxParts is how many parts are kept for the requests that follow.
const maxParts = 100

// attributes are the labels of rows as fields of a data point.
type attributes struct {
	bytes    []byte
	ends     []uint32 // of each row
	machines []string // of each row; nil where none has one
}

// Fields of the messages in opentelemetry/proto/metrics/v1/metrics.proto and those that
// stand around them.
const (
	requestResource = 1 // ExportMetricsServiceRequest

	resourceMetricsResource = 1 // ResourceMetrics
	resourceMetricsScope    = 2
	resourceAttributes      = 1 // Resource

	scopeMetricsScope  = 1 // ScopeMetrics
	scopeMetricsMetric = 2
	scopeName          = 1 // InstrumentationScope
	scopeVersion       = 2

	keyName     = 1 // KeyValue
	keyValue    = 2
	valueString = 1 // AnyValue
	valueInt    = 3
)

// NewEncoder returns an Encoder.
func NewEncoder(opt Options) *Encoder {
	if opt.MaxPoints <= 0 {
		opt.MaxPoints = 10_000
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 4 << 20
	}
	if opt.Scope == "" {
		opt.Scope = "winperf"
	}

	e := &Encoder{opt: opt}
	e.scope = e.scopeOf()
	e.reset()
	return e
}

// choose says of which machine the metrics that follow are.
func (e *Encoder) choose(machine string) {
	at, ok := e.byName[machine]
	if !ok {
		at = len(e.parts)
		e.parts = append(e.parts, part{resource: e.resource(machine)})
		e.byName[machine] = at
	}
	if at != e.at {
		e.others += len(e.parts[e.at].body) - len(e.parts[at].body)
		e.at = at
	}
}

// size is the length of all metrics of the request at hand.
func (e *Encoder) size() int { return e.others + len(e.parts[e.at].body) }

// reset begins another request.
func (e *Encoder) reset() {
	e.at, e.others, e.points = 0, 0, 0
	if e.byName == nil || len(e.parts) > maxParts {
		e.parts = []part{{resource: e.resource("")}}
		e.byName = map[string]int{"": 0}
	}
	for i := range e.parts {
		e.parts[i].body = e.parts[i].body[:0]
	}
}

// resource is the field of ResourceMetrics that says what the metrics are of.
func (e *Encoder) resource(machine string) []byte {
	var own []metrics.Label
	for _, name := range e.opt.PerMachine {
		if machine != "" {
			own = append(own, metrics.Label{Name: name, Value: machine})
		}
	}
	b, at := protobuf.Begin(nil, resourceMetricsResource)
	for _, l := range series.Merge(nil, own, e.opt.Resource) {
		b = appendAttribute(b, resourceAttributes, l)
	}
	return protobuf.End(b, at)
}

// scopeOf is the field of ScopeMetrics that says what made them.
func (e *Encoder) scopeOf() []byte {
	b, at := protobuf.Begin(nil, scopeMetricsScope)
	b = protobuf.String(b, scopeName, e.opt.Scope)
	if e.opt.Version != "" {
		b = protobuf.String(b, scopeVersion, e.opt.Version)
	}
	return protobuf.End(b, at)
}

// appendAttribute appends a label as a KeyValue.
func appendAttribute(b []byte, field uint32, l metrics.Label) []byte {
	b, at := protobuf.Begin(b, field)
	b = protobuf.String(b, keyName, l.Name)
	b, value := protobuf.Begin(b, keyValue)
	if n, ok := integer(l); ok {
		b = protobuf.Uint(b, valueInt, n)
	} else {
		b = protobuf.String(b, valueString, l.Value)
	}
	b = protobuf.End(b, value)
	return protobuf.End(b, at)
}

// integer is the value of an attribute that the semantic conventions have as an integer.
func integer(l metrics.Label) (n uint64, ok bool) {
	if l.Name != "cpu.logical_number" && l.Name != "process.pid" {
		return 0, false
	}
	n, err := strconv.ParseUint(l.Value, 10, 63)
	return n, err == nil
}

// Encode adds the values of a Set to the request at hand. Each request that is full is
// given to send, whose error ends Encode; the request is then lost, and the Encoder ready for a
// new one. What is not full waits for the next Set or for Flush. more are attributes that the
// points of this Set get which do not have them.
func (e *Encoder) Encode(set *metrics.Set, send func(*Request) error, more ...metrics.Label) error {
	e.more = more
	for i := range set.Families {
		f := family{Family: &set.Families[i], set: set}
		for k := 0; k < len(f.Columns); {
			n, err := e.columns(&f, k, send)
			if err != nil {
				e.reset()
				return err
			}
			k += n
		}
	}
	e.cache.Next()
	return nil
}

// Flush gives what was added to send, unless that is nothing.
func (e *Encoder) Flush(send func(*Request) error) error {
	if e.points == 0 {
		return nil
	}
	b := e.packed[:0]
	for _, p := range e.parts {
		if len(p.body) == 0 {
			continue
		}
		var resource, scope int
		b, resource = protobuf.Begin(b, requestResource)
		b = append(b, p.resource...)
		b, scope = protobuf.Begin(b, resourceMetricsScope)
		b = append(append(b, e.scope...), p.body...)
		b = protobuf.End(protobuf.End(b, scope), resource)
	}
	e.packed = b

	r := Request{Body: e.packed, Points: e.points}
	e.reset()
	return send(&r)
}

// attributesOf returns the attributes of the rows of a column.
func (e *Encoder) attributesOf(c *metrics.Column) *attributes {
	return e.cache.Get(c, e.more, func() attributes {
		a := attributes{ends: make([]uint32, 0, c.Rows.Len())}
		for i := range c.Rows.Len() {
			e.labels = series.Merge(e.labels[:0], c.Rows.Labels(i), c.Extra, e.more)
			for _, l := range e.labels {
				if e.opt.Machine != "" && l.Name == e.opt.Machine {
					a.machines = append(a.machines, make([]string, i+1-len(a.machines))...)
					a.machines[i] = l.Value
					continue
				}
				a.bytes = appendAttribute(a.bytes, pointAttributes, l)
			}
			a.ends = append(a.ends, uint32(len(a.bytes)))
		}
		return a
	})
}

// machine is that of row i, "" where it has none.
func (a *attributes) machine(i int) string {
	if i >= len(a.machines) {
		return ""
	}
	return a.machines[i]
}

// of returns the attributes of row i.
func (a *attributes) of(i int) []byte {
	if i == 0 {
		return a.bytes[:a.ends[0]]
	}
	return a.bytes[a.ends[i-1]:a.ends[i]]
}

// family is a metric of a Set.
type family struct {
	*metrics.Family
	set *metrics.Set
}

// when is the time of a column's values.
func (f *family) when(c *metrics.Column) time.Time {
	if c.Time.IsZero() {
		return f.set.Time
	}
	return c.Time
}

// Unit returns a unit as UCUM has it. What is not known passes as it is.
func Unit(word string) string {
	if code, ok := units[word]; ok {
		return code
	}
	return word
}

// units are those that metrics have, in the words of Prometheus.
var units = map[string]string{
	"seconds": "s", "bytes": "By", "ratio": "1", "bits": "bit", "hertz": "Hz", "joules": "J",
	"watts": "W", "volts": "V", "amperes": "A", "celsius": "Cel", "meters": "m", "grams": "g",
	"bytes_per_second": "By/s", "bits_per_second": "bit/s", "per_second": "1/s",
}

// whole reports whether all values are integers that fit 63 bits, as points have them.
func whole(c *metrics.Column) bool {
	return c.Form == metrics.Whole &&
		!slices.ContainsFunc(c.Bits, func(v uint64) bool { return v > math.MaxInt64 })
}

// unitOf is the unit of a family as UCUM has it. A rate whose name has it already has none: what makes
// Prometheus' names of this does not know it there, and adds _per_second once more.
func unitOf(f *metrics.Family) string {
	if strings.HasSuffix(f.Unit, "per_second") && strings.HasSuffix(f.Name, "_"+f.Unit) {
		return ""
	}
	return Unit(f.Unit)
}

// nameOf is what OpenTelemetry calls a family.
func nameOf(f *metrics.Family) string {
	if f.Type != metrics.Counter {
		return f.Name
	}
	return strings.TrimSuffix(f.Name, "_total")
}

// appendTime appends a field that is a time in nanoseconds since 1970, 0 for one that is not known.
func appendTime(b []byte, field uint32, t time.Time) []byte {
	return binary.LittleEndian.AppendUint64(append(b, byte(field<<3|1)), series.Nanoseconds(t))
}
