package experiment

import (
	"math"
	"strconv"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/measure"
)

// jsonTime is the form of times in records: RFC 3339 in UTC with nine digits of the second, so that texts
// sort by time.
const jsonTime = "2006-01-02T15:04:05.000000000Z07:00"

var kindWords = [...]string{Point: "point", Span: "region", Change: "change", Summary: "summary"}

// AppendJSON appends the record as one JSON object without a line end. [ParseRecord] is its inverse;
// docs/experiments.md describes the fields. Durations are seconds, exact to the nanosecond. Most zero
// values are omitted. Unprintable characters in strings are escaped.
func (r *Record) AppendJSON(dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.always("experiment", r.Experiment)
	o.always("session", r.Session)
	o.b = strconv.AppendUint(o.key("number"), r.Number, 10)
	o.text("binding", r.Binding)
	o.always("kind", kindWord(r.Kind))
	o.b = r.Event.append(o.key("event"))

	o.time("begun", r.Begun)
	o.time("ended", r.Ended)
	o.seconds("delay", r.Delay)
	o.seconds("blocked", r.Blocked)
	if r.Cost != (measure.Cost{}) {
		o.b = appendCost(o.key("cost"), &r.Cost)
	}

	o.b = appendList(o.key("values"), r.Values, (*Value).append)
	if len(r.Anomalies) > 0 {
		o.b = appendList(o.key("anomalies"), r.Anomalies, appendAnomaly)
	}
	o.uint("dropped", r.Dropped)
	o.text("error", r.Err)
	return append(o.b, '}')
}

func kindWord(k Kind) string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return strconv.Itoa(int(k))
}

func (e *EventInfo) append(dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.always("name", e.Name)
	o.text("source", e.Source)
	o.uint("id", e.ID)
	o.uint("parent", e.Parent)
	o.text("trace", e.Trace)
	o.text("span", e.SpanID)
	o.text("task", e.Task)

	o.time("time", e.Time)
	o.seconds("duration", e.Duration)
	o.uint("missed", uint64(max(e.Missed, 0)))
	if len(e.Attrs) > 0 {
		o.b = appendList(o.key("attrs"), e.Attrs, (*Attr).append)
	}
	return append(o.b, '}')
}

// append also writes the type of the value: JSON has one kind of number and no times.
func (a *Attr) append(dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.always("key", a.Key)
	dst = o.key("value")

	kind := ""
	switch v := a.Value.(type) {
	case string:
		kind, dst = "string", safetext.AppendJSON(dst, v)
	case bool:
		kind, dst = "bool", strconv.AppendBool(dst, v)
	case int64:
		kind, dst = "int", strconv.AppendInt(dst, v, 10)
	case uint64:
		kind, dst = "uint", strconv.AppendUint(dst, v, 10)
	case float64:
		kind, dst = "float", appendAnyFloat(dst, v)
	case time.Time:
		kind, dst = "time", appendTime(dst, v)
	case time.Duration:
		kind, dst = "duration", appendSeconds(dst, v)
	default:
		kind, dst = "none", append(dst, "null"...)
	}
	o.b = dst
	o.always("type", kind)
	return append(o.b, '}')
}

func appendCost(dst []byte, c *measure.Cost) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.seconds("prepare", c.Prepare)
	o.seconds("sample", c.Sample)
	o.seconds("decode", c.Decode)
	o.uint("bytes", uint64(max(c.Bytes, 0)))
	return append(o.b, '}')
}

func (v *Value) append(dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.always("path", v.Path)
	o.text("source", v.Source)
	o.b = v.appendNumber(o.key("value"))
	o.always("unit", v.Unit.String())
	o.always("status", v.Status.String())

	o.seconds("age", v.Age)
	if v.HasDifference {
		o.b = strconv.AppendUint(o.key("difference"), v.Difference, 10)
		o.uint("ticks_per_second", uint64(max(v.TicksPerSecond, 0)))
	}
	if v.Touched != 0 {
		o.b = appendKinds(o.key("anomalies"), v.Touched)
	}
	if len(v.Raw) > 0 {
		o.b = appendList(o.key("raw"), v.Raw, appendOperands)
	}
	if v.Statistics != nil {
		o.b = v.Statistics.append(o.key("statistics"))
	}
	return append(o.b, '}')
}

// append omits unknown numbers, which are NaN.
func (s *Statistics) append(dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.b = strconv.AppendInt(o.key("count"), int64(s.Count), 10)
	o.uint("missing", uint64(max(s.Missing, 0)))
	for _, n := range s.numbers() {
		if !math.IsNaN(*n.value) && !math.IsInf(*n.value, 0) {
			o.b = appendFloat(o.key(n.name), *n.value)
		}
	}

	if len(s.Percents) > 0 {
		o.b = appendList(o.key("percents"), s.Percents, appendKnown)
		o.b = appendList(o.key("percentiles"), s.Percentiles, appendKnown)
	}
	if s.Difference {
		o.b = strconv.AppendBool(o.key("difference"), true)
	}
	return append(o.b, '}')
}

type namedNumber struct {
	name  string
	value *float64
}

func (s *Statistics) numbers() [7]namedNumber {
	return [...]namedNumber{
		{"mean", &s.Mean}, {"deviation", &s.Deviation}, {"min", &s.Min}, {"max", &s.Max},
		{"confidence", &s.Confidence}, {"low", &s.Low}, {"high", &s.High},
	}
}

// appendKnown appends a number, or null for NaN and infinity.
func appendKnown(f *float64, dst []byte) []byte {
	if math.IsNaN(*f) || math.IsInf(*f, 0) {
		return append(dst, "null"...)
	}
	return appendFloat(dst, *f)
}

// appendNumber appends a number or null, and the field "text" for a text. A decimal always has a point or
// an exponent, unlike an integer.
func (v *Value) appendNumber(dst []byte) []byte {
	if v.Status != counter.OK {
		return append(dst, "null"...)
	}
	if n, ok := v.Value.Uint64(); ok {
		return strconv.AppendUint(dst, n, 10)
	}
	if text, ok := v.Value.AsText(); ok {
		return safetext.AppendJSON(append(dst, `null,"text":`...), text)
	}

	f, ok := v.Value.Float64()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return appendFloat(dst, f)
}

func appendOperands(s *counter.Sample, dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.b = strconv.AppendUint(o.key("value"), s.Value, 10)
	o.uint("base", s.Base)
	o.uint("multi", s.Multi)
	for _, clock := range clocksOf(s) {
		if *clock.ticks != 0 {
			o.b = strconv.AppendInt(o.key(clock.name), *clock.ticks, 10)
		}
	}
	return append(o.b, '}')
}

type namedClock struct {
	name  string
	ticks *int64
}

func clocksOf(s *counter.Sample) [5]namedClock {
	return [...]namedClock{
		{"perf_time", &s.PerfTime}, {"perf_freq", &s.PerfFreq}, {"time_100ns", &s.Time100ns},
		{"object_time", &s.ObjectTime}, {"object_freq", &s.ObjectFreq},
	}
}

func appendAnomaly(a *winperf.Anomaly, dst []byte) []byte {
	o := jsonObject{append(dst, '{'), true}
	o.always("kind", a.Kind.String())
	o.time("time", a.Time)
	o.text("source", a.Source)
	o.uint("object_index", uint64(a.Object.Index))
	if !a.Object.GUID.IsZero() {
		o.text("object_guid", a.Object.GUID.String())
	}
	o.text("object", a.ObjectName)

	if len(a.Instances) > 0 {
		o.b = appendList(o.key("instances"), a.Instances, appendText)
	}
	o.text("detail", a.Detail)
	o.text("action", a.Action)
	if a.Err != nil {
		o.text("error", a.Err.Error())
	}
	return append(o.b, '}')
}

func appendKinds(dst []byte, set winperf.AnomalySet) []byte {
	var kinds []string
	for k := winperf.AnomalyKind(0); set>>k != 0; k++ {
		if set.Has(k) {
			kinds = append(kinds, k.String())
		}
	}
	return appendList(dst, kinds, appendText)
}

func appendText(s *string, dst []byte) []byte { return safetext.AppendJSON(dst, *s) }

func appendList[T any](dst []byte, all []T, one func(*T, []byte) []byte) []byte {
	dst = append(dst, '[')
	for i := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(&all[i], dst)
	}
	return append(dst, ']')
}

type jsonObject struct {
	b     []byte
	first bool
}

// key appends the name of a field and returns the buffer for its value.
func (o *jsonObject) key(name string) []byte {
	if !o.first {
		o.b = append(o.b, ',')
	}
	o.first = false
	return append(append(append(o.b, '"'), name...), `":`...)
}

func (o *jsonObject) always(name, s string) { o.b = safetext.AppendJSON(o.key(name), s) }

// The following methods omit zero values.

func (o *jsonObject) text(name, s string) {
	if s != "" {
		o.always(name, s)
	}
}

func (o *jsonObject) uint(name string, n uint64) {
	if n != 0 {
		o.b = strconv.AppendUint(o.key(name), n, 10)
	}
}

func (o *jsonObject) seconds(name string, d time.Duration) {
	if d != 0 {
		o.b = appendSeconds(o.key(name), d)
	}
}

func (o *jsonObject) time(name string, t time.Time) {
	if !t.IsZero() {
		o.b = appendTime(o.key(name), t)
	}
}

func appendTime(dst []byte, t time.Time) []byte {
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return append(dst, "null"...)
	}
	dst = t.AppendFormat(append(dst, '"'), jsonTime)
	return append(dst, '"')
}

// appendSeconds appends a duration as exact seconds, without trailing zeros.
func appendSeconds(dst []byte, d time.Duration) []byte {
	n := uint64(d)
	if d < 0 {
		dst, n = append(dst, '-'), -n
	}

	const second = uint64(time.Second)
	dst = strconv.AppendUint(dst, n/second, 10)
	part := n % second
	if part == 0 {
		return dst
	}

	dst = append(dst, '.')
	for digit := second / 10; part > 0; digit /= 10 {
		dst = append(dst, byte('0'+part/digit))
		part %= digit
	}
	return dst
}

// appendFloat appends the shortest decimal that parses to f, with a point or an exponent.
func appendFloat(dst []byte, f float64) []byte {
	form := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	begin := len(dst)
	dst = strconv.AppendFloat(dst, f, form, -1, 64)
	for _, c := range dst[begin:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// appendAnyFloat is appendFloat, but writes NaN and infinity as text.
func appendAnyFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.AppendQuote(dst, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return appendFloat(dst, f)
}
