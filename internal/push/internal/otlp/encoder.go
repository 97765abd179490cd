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

// Options configure an Encoder. The zero Options are good defaults.
type Options struct {
	// Resource holds the attributes of the metrics' resource, such as service.name and host.name, in
	// any order.
	Resource []metrics.Label
	// Machine is the name of the label that holds the machine of a series; "" means no label.
	// PerMachine are the attributes of Resource that hold the machine. The points of each machine
	// get a separate resource, with the machine's name in these attributes, and lose the label.
	// Series without the label keep Resource.
	Machine    string
	PerMachine []string
	// Scope and Version name the program that made the metrics; "" is winperf, and no version.
	Scope, Version string
	// MaxPoints is the largest number of data points in a request (0 means 10,000). A request also
	// ends after the point with which its length reaches MaxBytes (0 means 4 MiB).
	MaxPoints, MaxBytes int
}

// Request is an encoded request.
type Request struct {
	// Body is the message. It is valid until send returns.
	Body []byte
	// Points is the number of data points in Body.
	Points int
}

// Encoder encodes Sets as requests. It caches encoded labels. Only one goroutine may use it.
type Encoder struct {
	opt    Options
	scope  []byte // field of ScopeMetrics before the metrics
	cache  series.Cache[attributes]
	more   []metrics.Label // of the current Set
	labels []metrics.Label // scratch
	ended  bool            // points have no values
	first  time.Time       // of the first Set: the start of counters without a known start

	parts  []part         // of the current request
	byName map[string]int // their positions by machine
	at     int            // the current one
	others int            // total length of the others
	packed []byte
	points int
	// conventions is set if the request has names of OpenTelemetry.
	conventions bool
}

// part is the part of a request for one machine.
type part struct {
	resource []byte // field of ResourceMetrics before all others
	body     []byte // metrics
}

// maxParts is the number of parts that are kept for later requests.
const maxParts = 100

// attributes are the labels of rows as fields of a data point.
type attributes struct {
	bytes    []byte
	ends     []uint32 // of each row
	machines []string // of each row; nil if no row has one
}

// Fields of the messages in opentelemetry/proto/metrics/v1/metrics.proto and of the messages that
// contain them.
const (
	requestResource = 1 // ExportMetricsServiceRequest

	resourceMetricsResource = 1 // ResourceMetrics
	resourceMetricsScope    = 2
	resourceAttributes      = 1 // Resource

	scopeMetricsScope  = 1 // ScopeMetrics
	scopeMetricsMetric = 2
	schema             = 3 // ResourceMetrics and ScopeMetrics
	scopeName          = 1 // InstrumentationScope
	scopeVersion       = 2

	keyName     = 1 // KeyValue
	keyValue    = 2
	valueString = 1 // AnyValue
	valueInt    = 3
)

// NewEncoder returns an Encoder with these options.
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

// choose selects the machine of the following metrics.
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

// size returns the length of all metrics in the current request.
func (e *Encoder) size() int { return e.others + len(e.parts[e.at].body) }

// reset begins a new request.
func (e *Encoder) reset() {
	e.at, e.others, e.points, e.conventions = 0, 0, 0, false
	if e.byName == nil || len(e.parts) > maxParts {
		e.parts = []part{{resource: e.resource("")}}
		e.byName = map[string]int{"": 0}
	}
	for i := range e.parts {
		e.parts[i].body = e.parts[i].body[:0]
	}
}

// resource returns the field of ResourceMetrics with the resource of a machine's metrics.
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

// scopeOf returns the field of ScopeMetrics with the scope.
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

// integer returns the value of an attribute that is an integer in the semantic conventions.
func integer(l metrics.Label) (n uint64, ok bool) {
	if l.Name != "cpu.logical_number" && l.Name != "process.pid" {
		return 0, false
	}
	n, err := strconv.ParseUint(l.Value, 10, 63)
	return n, err == nil
}

// Encode adds the values of a Set to the current request. It calls send for each full request. An
// error of send ends Encode; that request is lost, and the Encoder can be used for a new one. A
// request that is not full stays for the next Set or for Flush. more are attributes for points of
// this Set that lack them.
func (e *Encoder) Encode(set *metrics.Set, send func(*Request) error, more ...metrics.Label) error {
	e.more = more
	if e.first.IsZero() {
		e.first = set.Time
	}
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

// End is Encode with the flag for "no recorded value" in place of each value: the series have ended.
func (e *Encoder) End(set *metrics.Set, send func(*Request) error) error {
	e.ended = true
	defer func() { e.ended = false }()
	return e.Encode(set, send)
}

// Flush sends the current request, unless it is empty.
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
		b = protobuf.End(e.appendSchema(b), scope)
		b = protobuf.End(e.appendSchema(b), resource)
	}
	e.packed = b

	r := Request{Body: e.packed, Points: e.points}
	e.reset()
	return send(&r)
}

// schemaURL describes the names of OpenTelemetry's semantic conventions that package metrics has.
const schemaURL = "https://opentelemetry.io/schemas/1.43.0"

// appendSchema appends the URL of the schema to a resource or a scope if the request has such names.
func (e *Encoder) appendSchema(b []byte) []byte {
	if !e.conventions {
		return b
	}
	return protobuf.String(b, schema, schemaURL)
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

// machine returns the machine of row i, "" if it has none.
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

// when returns the time of a column's values.
func (f *family) when(c *metrics.Column) time.Time {
	if c.Time.IsZero() {
		return f.set.Time
	}
	return c.Time
}

// Unit returns a unit in UCUM. Unknown units are returned unchanged.
func Unit(word string) string {
	if code, ok := units[word]; ok {
		return code
	}
	return word
}

// units maps Prometheus' words for units to UCUM.
var units = map[string]string{
	"seconds": "s", "bytes": "By", "ratio": "1", "bits": "bit", "hertz": "Hz", "joules": "J",
	"watts": "W", "volts": "V", "amperes": "A", "celsius": "Cel", "meters": "m", "grams": "g",
	"bytes_per_second": "By/s", "bits_per_second": "bit/s", "per_second": "1/s",
}

// whole reports whether all values are integers that fit into 63 bits, the size in points.
func whole(c *metrics.Column) bool {
	return c.Form == metrics.Whole &&
		!slices.ContainsFunc(c.Bits, func(v uint64) bool { return v > math.MaxInt64 })
}

// unitOf returns the unit of a family in UCUM. It returns none for a rate whose name has the unit
// already, because Prometheus' naming code would add _per_second again.
func unitOf(f *metrics.Family) string {
	if strings.HasSuffix(f.Unit, "per_second") && strings.HasSuffix(f.Name, "_"+f.Unit) {
		return ""
	}
	return Unit(f.Unit)
}

// nameOf returns the OpenTelemetry name of a family. A counter of windows_exporter is not monotonic if
// Prometheus' translation would otherwise change its name: add _total, or remove an inner total.
func nameOf(f *metrics.Family) (name string, monotonic bool) {
	if f.Type != metrics.Counter {
		return f.Name, true
	}
	bare, ok := strings.CutSuffix(f.Name, "_total")
	ok = ok || strings.Contains(f.Name, ".")
	if !ok || slices.Contains(strings.Split(bare, "_"), "total") {
		return f.Name, false
	}
	return bare, true
}

// appendTime appends a time as a field in nanoseconds since 1970, 0 if unknown.
func appendTime(b []byte, field uint32, t time.Time) []byte {
	return binary.LittleEndian.AppendUint64(append(b, byte(field<<3|1)), series.Nanoseconds(t))
}
