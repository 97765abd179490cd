package sink

import (
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// jsonTime is the form of times in JSON: RFC 3339 in UTC with all the digits
// of a FILETIME, always as many, so that the texts sort as the times do.
const jsonTime = "2006-01-02T15:04:05.0000000Z07:00"

// jsonSink writes readings as JSON objects.
type jsonSink struct {
	out   output
	frame jsonFrame
	begun bool
	head  []byte // the beginning of every object of one moment
	zone  func(first time.Time) string
	path  []byte // of one reading
}

// jsonFrame is the text around the objects.
type jsonFrame struct {
	first, next string // before the first object, before each other one
	after       string // after each object
	end, empty  string // at the end, at the end when there was no object
}

// newJSONL returns a Sink that writes one JSON object a line for each reading.
func newJSONL(w io.Writer, o Options) Sink {
	return &jsonSink{out: output{w: w}, frame: jsonFrame{after: "\n"}, zone: o.zoneAt}
}

// newJSON returns a Sink that writes one JSON array of objects like those of
// newJSONL. Close completes the array.
func newJSON(w io.Writer, o Options) Sink {
	return &jsonSink{
		out:   output{w: w},
		zone:  o.zoneAt,
		frame: jsonFrame{first: "[\n", next: ",\n", end: "\n]\n", empty: "[]\n"},
	}
}

// zoneAt returns the zone that JSON lines name in their first moment: a name of the IANA database,
// or the offset from UTC at that time. It is "" for UTC and for a zone that is not known.
func (o Options) zoneAt(first time.Time) string {
	if o.Location == nil || o.NoZone {
		return ""
	}
	name := cmp.Or(o.Zone, o.Location.String())
	if _, err := time.LoadLocation(name); err == nil && strings.Contains(name, "/") {
		return name
	}
	if offset := first.In(o.Location).Format("-07:00"); offset != "+00:00" {
		return offset
	}
	return ""
}

func (s *jsonSink) Write(t time.Time, readings winperf.Readings) error {
	if err := s.out.ready(); err != nil {
		return err
	}
	s.head = append(s.head[:0], `{"time":"`...)
	s.head = t.UTC().AppendFormat(s.head, jsonTime)
	s.head = append(s.head, '"')
	if zone := s.zone(t); zone != "" && !s.begun {
		s.head = safetext.AppendJSON(append(s.head, `,"zone":`...), zone)
	}
	s.head = append(s.head, `,"path":`...)

	for i := range readings.Len() {
		r, lead := readings.At(i), s.frame.next
		if !s.begun {
			s.begun, lead = true, s.frame.first
		}

		s.out.buf = append(s.out.buf, lead...)
		s.out.buf = append(s.out.buf, s.head...)
		s.path, _ = r.Path.AppendText(s.path[:0])
		s.out.buf = appendReading(s.out.buf, s.path, r, age(t, r))
		s.out.buf = append(s.out.buf, s.frame.after...)
		if err := s.out.spill(); err != nil {
			return err
		}
	}
	return s.out.flush()
}

func (s *jsonSink) Close() error {
	if s.out.closed {
		return s.out.err
	}
	s.out.closed = true
	end := s.frame.end
	if !s.begun {
		end = s.frame.empty
	}
	s.out.buf = append(s.out.buf, end...)
	return s.out.flush()
}

// appendReading appends an object's text from the value of "path" on.
func appendReading(dst, path []byte, r *winperf.Reading, age time.Duration) []byte {
	dst = safetext.AppendJSON(dst, path)
	dst = append(dst, `,"value":`...)
	dst = appendValue(dst, r)
	dst = append(dst, `,"unit":"`...)
	dst = append(dst, r.Unit.String()...)
	dst = append(dst, `","status":"`...)
	dst = append(dst, r.Status.String()...)
	dst = append(dst, '"')
	if age > 0 {
		dst = appendFloat(append(dst, `,"age":`...), age.Seconds())
	}
	if r.Anomalies != 0 {
		dst = appendAnomalies(dst, r.Anomalies)
	}
	dst = appendParts(dst, path, r.Series)
	return append(appendIdentity(dst, r.Key), '}')
}

// appendIdentity appends the fields "pid", "tid" and "start" of a key of the form pid@start or pid/tid@start. A
// start after the year 9999, which RFC 3339 cannot express, appends nothing.
func appendIdentity(dst []byte, key string) []byte {
	if key == "" {
		return dst
	}

	const last = 2650467743999999999 // FILETIME of the end of 9999
	id, began, _ := strings.Cut(key, "@")
	start, err := strconv.ParseUint(began, 10, 64)
	if err != nil || start > last {
		return dst
	}

	pid, tid, isThread := strings.Cut(id, "/")
	dst = append(append(dst, `,"pid":`...), pid...)
	if isThread {
		dst = append(append(dst, `,"tid":`...), tid...)
	}
	dst = append(dst, `,"start":"`...)
	dst = winperf.FromFiletime(int64(start)).AppendFormat(dst, jsonTime)
	return append(dst, '"')
}

// appendParts appends what a path consists of, each part as a field.
func appendParts(dst, path []byte, s *winperf.Series) []byte {
	dst = safetext.AppendJSON(append(dst, `,"object":`...), s.Path.Object)
	if s.Path.HasInstance {
		end := len(path) - len(s.Path.Counter) - len(`)\`)
		begin := len(`\`) + len(s.Path.Object) + len(`(`)
		if s.Path.Machine != "" {
			begin += len(`\\`) + len(s.Path.Machine)
		}

		if s.Parent != "" {
			dst = safetext.AppendJSON(append(dst, `,"parent":`...), s.Parent)
			begin += len(s.Parent) + len(`/`)
		}
		dst = safetext.AppendJSON(append(dst, `,"instance":`...), path[begin:end])
	}
	return safetext.AppendJSON(append(dst, `,"counter":`...), s.Path.Counter)
}

// appendAnomalies appends the field "anomalies".
func appendAnomalies(dst []byte, set winperf.AnomalySet) []byte {
	lead := `,"anomalies":["`
	for k := winperf.AnomalyKind(0); set>>k != 0; k++ {
		if set.Has(k) {
			dst = append(dst, lead...)
			dst = append(dst, k.String()...)
			lead = `","`
		}
	}
	return append(dst, `"]`...)
}

// appendValue appends a number or null, and the field "text" for a text.
func appendValue(dst []byte, r *winperf.Reading) []byte {
	if r.Status != counter.OK {
		return append(dst, "null"...)
	}
	if n, ok := r.Value.Uint64(); ok {
		return strconv.AppendUint(dst, n, 10)
	}

	if text, ok := r.Value.AsText(); ok {
		dst = append(dst, `null,"text":`...)
		return safetext.AppendJSON(dst, text)
	}

	f, ok := r.Value.Float64()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return appendFloat(dst, f)
}

// appendFloat appends the shortest text that reads back to f, with an
// exponent where ECMAScript has one, as encoding/json does.
func appendFloat(dst []byte, f float64) []byte {
	if size := math.Abs(f); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-3] == '-' && dst[n-2] == '0' { // e-09 is e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
