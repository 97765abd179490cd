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

// jsonTime is RFC 3339 in UTC with the seven decimals of a FILETIME, so that the texts sort like
// the times.
const jsonTime = "2006-01-02T15:04:05.0000000Z07:00"

type jsonSink struct {
	out   output
	frame jsonFrame
	begun bool
	head  []byte // the beginning of every object of a sample
	zone  func(first time.Time) string

	parts     jsonParts
	instances jsonInstances
}

// jsonParts are the common parts of the objects of a column.
type jsonParts struct {
	begin  []byte // from the path to the instance
	middle []byte // from the instance to the value
	unit   []byte // from the value to the status
	object []byte // after the status, the age and the anomalies
	end    []byte // after the instance
}

// jsonFrame is the text around the objects.
type jsonFrame struct {
	first, next string // before the first object, before each other object
	after       string // after each object
	end, empty  string // at the end, at the end of an output without objects
}

// newJSONL returns a Sink that writes one JSON object per line for each reading.
func newJSONL(w io.Writer, o Options) Sink {
	return &jsonSink{out: output{w: w}, frame: jsonFrame{after: "\n"}, zone: o.zoneAt}
}

// newJSON returns a Sink that writes one JSON array of readings. Close ends the array.
func newJSON(w io.Writer, o Options) Sink {
	return &jsonSink{
		out:   output{w: w},
		zone:  o.zoneAt,
		frame: jsonFrame{first: "[\n", next: ",\n", end: "\n]\n", empty: "[]\n"},
	}
}

// zoneAt returns the zone for the first sample: a name of the IANA database, or the offset from UTC
// at that time. It is "" for UTC and an unknown zone.
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

func (s *jsonSink) Write(t time.Time, columns []winperf.Column) error {
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

	for i := range columns {
		if err := s.column(t, &columns[i]); err != nil {
			return err
		}
	}
	return s.out.flush()
}

func (s *jsonSink) column(t time.Time, c *winperf.Column) error {
	s.parts.set(s.head, c.Counter())
	s.instances.begin(c)
	old := age(t, c)
	for n := range c.Len() {
		lead := s.frame.next
		if !s.begun {
			s.begun, lead = true, s.frame.first
		}

		s.out.buf = append(s.out.buf, lead...)
		s.out.buf = s.appendValue(s.out.buf, c, n, old)
		s.out.buf = append(s.out.buf, s.frame.after...)
		if err := s.out.spill(); err != nil {
			return err
		}
	}
	return nil
}

// set fills the parts for a column's series. Each object begins with head.
func (p *jsonParts) set(head []byte, s *winperf.Series) {
	path := &s.Path
	p.begin = append(p.begin[:0], head...)
	p.begin = append(p.begin, '"')
	if path.Machine != "" {
		p.begin = appendJSON(append(p.begin, `\\\\`...), path.Machine)
	}
	p.begin = appendJSON(append(p.begin, `\\`...), path.Object)

	p.middle = p.middle[:0]
	if path.HasInstance {
		p.begin = append(p.begin, '(')
		p.middle = append(p.middle, ')')
	}
	p.middle = appendJSON(append(p.middle, `\\`...), path.Counter)
	p.middle = append(p.middle, `","value":`...)

	p.unit = append(append(p.unit[:0], `,"unit":"`...), s.Unit.String()...)
	p.unit = append(p.unit, `","status":"`...)
	p.object = safetext.AppendJSON(append(p.object[:0], `,"object":`...), path.Object)
	p.end = safetext.AppendJSON(append(p.end[:0], `,"counter":`...), path.Counter)
}

// appendJSON appends s as a JSON string without the quotes.
func appendJSON[T string | []byte](dst []byte, s T) []byte {
	at := len(dst)
	dst = safetext.AppendJSON(dst, s)
	copy(dst[at:], dst[at+1:len(dst)-1])
	return dst[:len(dst)-2]
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

// appendValue appends the object of the n-th value of a column; old is its age.
func (s *jsonSink) appendValue(dst []byte, c *winperf.Column, n int, old time.Duration) []byte {
	p, in := &s.parts, s.instances.at(c, n)
	dst = append(dst, p.begin...)
	dst = append(dst, in.path...)
	dst = append(dst, p.middle...)
	dst = appendJSONValue(dst, c, n)
	dst = append(dst, p.unit...)
	dst = append(dst, c.Status[n].String()...)
	dst = append(dst, '"')
	if old > 0 {
		dst = appendFloat(append(dst, `,"age":`...), old.Seconds())
	}
	if set := c.Anomalies(n); set != 0 {
		dst = appendAnomalies(dst, set)
	}

	dst = append(dst, p.object...)
	dst = append(dst, in.names...)
	dst = append(dst, p.end...)
	return append(append(dst, in.identity...), '}')
}

// appendIdentity appends the fields "pid", "tid" and "start" for a key of the form pid@start or
// pid/tid@start. It appends nothing for a start after the year 9999, the last of RFC 3339.
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

// appendJSONValue appends a number or null, and the field "text" for a text.
func appendJSONValue(dst []byte, c *winperf.Column, n int) []byte {
	switch bits, kind := c.Bits[n], c.KindOf(n); {
	case c.Status[n] != counter.OK || kind == counter.KindNone:
		return append(dst, "null"...)
	case kind == counter.KindText:
		text, _ := c.Value(n).AsText()
		return safetext.AppendJSON(append(dst, `null,"text":`...), text)
	case kind == counter.KindFloat:
		f := math.Float64frombits(bits)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
		return appendFloat(dst, f)
	default:
		return strconv.AppendUint(dst, bits, 10)
	}
}

// appendFloat appends the shortest text that parses to f, in the form of encoding/json.
func appendFloat(dst []byte, f float64) []byte {
	if size := math.Abs(f); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-3] == '-' && dst[n-2] == '0' { // e-09 to e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
