package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// MaxRecord is the largest size of a record as a line of JSON, in bytes.
const MaxRecord = 16 << 20

// recordLine is the JSON form of a record. Numbers remain text until their type is known.
type recordLine struct {
	Experiment string          `json:"experiment"`
	Session    string          `json:"session"`
	Number     uint64          `json:"number"`
	Binding    string          `json:"binding"`
	Kind       string          `json:"kind"`
	Event      recordEvent     `json:"event"`
	Begun      lineTime        `json:"begun"`
	Ended      lineTime        `json:"ended"`
	Delay      seconds         `json:"delay"`
	Blocked    seconds         `json:"blocked"`
	Cost       recordCost      `json:"cost"`
	Values     []recordValue   `json:"values"`
	Anomalies  []recordAnomaly `json:"anomalies"`
	Dropped    uint64          `json:"dropped"`
	Error      string          `json:"error"`
}

type recordEvent struct {
	Name     string       `json:"name"`
	Source   string       `json:"source"`
	ID       uint64       `json:"id"`
	Parent   uint64       `json:"parent"`
	Trace    string       `json:"trace"`
	Span     string       `json:"span"`
	Task     string       `json:"task"`
	Time     lineTime     `json:"time"`
	Duration seconds      `json:"duration"`
	Missed   int          `json:"missed"`
	Attrs    []recordAttr `json:"attrs"`
}

type recordAttr struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Type  string          `json:"type"`
}

type recordCost struct {
	Prepare seconds `json:"prepare"`
	Sample  seconds `json:"sample"`
	Decode  seconds `json:"decode"`
	Bytes   int     `json:"bytes"`
}

type recordValue struct {
	Path       string           `json:"path"`
	Source     string           `json:"source"`
	Value      *json.Number     `json:"value"`
	Text       *string          `json:"text"`
	Unit       string           `json:"unit"`
	Status     string           `json:"status"`
	Age        seconds          `json:"age"`
	Difference *uint64          `json:"difference"`
	Ticks      int64            `json:"ticks_per_second"`
	Anomalies  []string         `json:"anomalies"`
	Raw        []recordOperands `json:"raw"`

	Statistics *recordStatistics `json:"statistics"`
}

// recordStatistics has pointers to numbers: a missing number is unknown.
type recordStatistics struct {
	Count       int        `json:"count"`
	Missing     int        `json:"missing"`
	Mean        *float64   `json:"mean"`
	Deviation   *float64   `json:"deviation"`
	Min         *float64   `json:"min"`
	Max         *float64   `json:"max"`
	Confidence  *float64   `json:"confidence"`
	Low         *float64   `json:"low"`
	High        *float64   `json:"high"`
	Percents    []*float64 `json:"percents"`
	Percentiles []*float64 `json:"percentiles"`
	Difference  bool       `json:"difference"`
}

type recordOperands struct {
	Value      uint64 `json:"value"`
	Base       uint64 `json:"base"`
	Multi      uint64 `json:"multi"`
	PerfTime   int64  `json:"perf_time"`
	PerfFreq   int64  `json:"perf_freq"`
	Time100ns  int64  `json:"time_100ns"`
	ObjectTime int64  `json:"object_time"`
	ObjectFreq int64  `json:"object_freq"`
}

type recordAnomaly struct {
	Kind        string       `json:"kind"`
	Time        lineTime     `json:"time"`
	Source      string       `json:"source"`
	ObjectIndex uint32       `json:"object_index"`
	ObjectGUID  winperf.GUID `json:"object_guid"`
	Object      string       `json:"object"`
	Instances   []string     `json:"instances"`
	Detail      string       `json:"detail"`
	Action      string       `json:"action"`
	Error       string       `json:"error"`
}

// ParseRecord parses a record in the form of AppendJSON. Unknown fields are ignored. The error is a
// *winperf.DataError, which wraps winperf.ErrBadData.
func ParseRecord(line []byte) (Record, error) {
	if len(line) > MaxRecord {
		return Record{}, badRecord(fmt.Sprintf("record of %d bytes, expected at most %d", len(line), MaxRecord))
	}
	var l recordLine
	if err := json.Unmarshal(line, &l); err != nil {
		return Record{}, badRecord("invalid JSON: " + strings.TrimPrefix(err.Error(), "json: "))
	}

	r, err := l.record()
	if err != nil {
		return Record{}, badRecord(err.Error())
	}
	return r, nil
}

func badRecord(msg string) error { return &winperf.DataError{Msg: msg, Offset: -1} }

func (l *recordLine) record() (Record, error) {
	r := Record{
		Experiment: l.Experiment, Session: l.Session, Number: l.Number, Binding: l.Binding,
		Begun: time.Time(l.Begun), Ended: time.Time(l.Ended),
		Delay: time.Duration(l.Delay), Blocked: time.Duration(l.Blocked),
		Cost: measure.Cost{
			Prepare: time.Duration(l.Cost.Prepare), Sample: time.Duration(l.Cost.Sample),
			Decode: time.Duration(l.Cost.Decode), Bytes: l.Cost.Bytes,
		},
		Dropped: l.Dropped, Err: l.Error,
	}
	kind := slices.Index(kindWords[:], l.Kind)
	if kind < 0 {
		const form = "unknown kind of record %q, expected one of %s"
		return r, fmt.Errorf(form, l.Kind, strings.Join(kindWords[:], ", "))
	}
	if l.Number == 0 {
		return r, errors.New("record has no number (numbers begin with 1)")
	}
	r.Kind = Kind(kind)

	var err error
	if r.Event, err = l.Event.info(); err != nil {
		return r, err
	}
	if r.Values, err = convertAll(l.Values, (*recordValue).value); err != nil {
		return r, err
	}
	r.Anomalies, err = convertAll(l.Anomalies, (*recordAnomaly).anomaly)
	return r, err
}

func convertAll[A, B any](all []A, convert func(*A) (B, error)) ([]B, error) {
	if len(all) == 0 {
		return nil, nil
	}
	converted := make([]B, len(all))
	for i := range all {
		var err error
		if converted[i], err = convert(&all[i]); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

func (l *recordEvent) info() (EventInfo, error) {
	attrs, err := convertAll(l.Attrs, (*recordAttr).attr)
	return EventInfo{
		Name: l.Name, Source: l.Source, ID: l.ID, Parent: l.Parent,
		Trace: l.Trace, SpanID: l.Span, Task: l.Task,
		Time: time.Time(l.Time), Duration: time.Duration(l.Duration), Missed: l.Missed, Attrs: attrs,
	}, err
}

func (l *recordAttr) attr() (Attr, error) {
	value, err := l.value()
	if err != nil {
		return Attr{}, fmt.Errorf("attribute %q: %s is not of the type %q", l.Key, l.Value, l.Type)
	}
	return Attr{l.Key, value}, nil
}

func (l *recordAttr) value() (any, error) {
	switch l.Type {
	case "string":
		return unmarshal[string](l.Value)
	case "bool":
		return unmarshal[bool](l.Value)
	case "int":
		return unmarshal[int64](l.Value)
	case "uint":
		return unmarshal[uint64](l.Value)
	case "float":
		return parseAnyFloat(l.Value)

	case "time":
		t, err := unmarshal[lineTime](l.Value)
		return time.Time(t), err
	case "duration":
		d, err := unmarshal[seconds](l.Value)
		return time.Duration(d), err

	case "none":
		return nil, nil
	}
	return nil, errors.ErrUnsupported
}

func unmarshal[T any](text []byte) (v T, err error) {
	err = json.Unmarshal(text, &v)
	return v, err
}

func parseAnyFloat(text []byte) (float64, error) {
	if len(text) == 0 || text[0] != '"' {
		return unmarshal[float64](text)
	}
	s, err := unmarshal[string](text)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(s, 64)
}

func (l *recordValue) value() (Value, error) {
	v := Value{Path: l.Path, Source: l.Source, Age: time.Duration(l.Age)}
	var known bool
	if v.Unit, known = counter.ParseUnit(l.Unit); !known {
		return v, fmt.Errorf("unknown unit %q", l.Unit)
	}
	if v.Status, known = counter.ParseStatus(l.Status); !known {
		return v, fmt.Errorf("unknown status %q", l.Status)
	}
	if l.Difference != nil {
		v.Difference, v.HasDifference, v.TicksPerSecond = *l.Difference, true, max(l.Ticks, 0)
	}

	for _, text := range l.Anomalies {
		kind, known := winperf.ParseAnomalyKind(text)
		if !known {
			return v, fmt.Errorf("unknown kind of anomaly %q", text)
		}
		v.Touched = v.Touched.With(kind)
	}

	for _, raw := range l.Raw {
		v.Raw = append(v.Raw, raw.sample())
	}
	if l.Statistics != nil {
		v.Statistics = l.Statistics.statistics()
	}
	err := l.number(&v)
	return v, err
}

func (l *recordStatistics) statistics() *Statistics {
	return &Statistics{
		Count: l.Count, Missing: l.Missing, Mean: knownNumber(l.Mean), Deviation: knownNumber(l.Deviation),
		Min: knownNumber(l.Min), Max: knownNumber(l.Max),
		Confidence: knownNumber(l.Confidence), Low: knownNumber(l.Low), High: knownNumber(l.High),
		Percents: knownNumbers(l.Percents), Percentiles: knownNumbers(l.Percentiles), Difference: l.Difference,
	}
}

func knownNumber(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}

func knownNumbers(all []*float64) (numbers []float64) {
	for _, f := range all {
		numbers = append(numbers, knownNumber(f))
	}
	return numbers
}

func (l *recordValue) number(v *Value) error {
	switch {
	case v.Status != counter.OK:
		return nil
	case l.Text != nil:
		v.Value = counter.Text(*l.Text)
		return nil
	case l.Value == nil:
		return nil
	}

	text := l.Value.String()
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		v.Value = counter.Int(n)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("value %s of %s is out of range", text, l.Path)
	}
	v.Value = counter.Float(f)
	return nil
}

func (l *recordOperands) sample() counter.Sample {
	return counter.Sample{Value: l.Value, Base: l.Base, Multi: l.Multi, Clocks: counter.Clocks{
		PerfTime: l.PerfTime, PerfFreq: l.PerfFreq, Time100ns: l.Time100ns,
		ObjectTime: l.ObjectTime, ObjectFreq: l.ObjectFreq,
	}}
}

func (l *recordAnomaly) anomaly() (winperf.Anomaly, error) {
	kind, known := winperf.ParseAnomalyKind(l.Kind)
	if !known {
		return winperf.Anomaly{}, fmt.Errorf("unknown kind of anomaly %q", l.Kind)
	}
	a := winperf.Anomaly{
		Kind: kind, Time: time.Time(l.Time), Source: l.Source,
		Object:     winperf.ObjectID{Index: l.ObjectIndex, GUID: l.ObjectGUID},
		ObjectName: l.Object, Instances: l.Instances, Detail: l.Detail, Action: l.Action,
	}
	if l.Error != "" {
		a.Err = errors.New(l.Error)
	}
	return a, nil
}

type lineTime time.Time

func (t *lineTime) UnmarshalJSON(text []byte) error {
	var at time.Time
	if err := json.Unmarshal(text, &at); err != nil {
		return err
	}
	*t = lineTime(at.UTC())
	return nil
}

type seconds time.Duration

// UnmarshalJSON parses seconds exactly, down to the nanosecond; further digits are ignored.
func (s *seconds) UnmarshalJSON(text []byte) error {
	whole, part, _ := strings.Cut(string(text), ".")
	if len(part) > 9 {
		part = part[:9]
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", 9-len(part)), 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not a duration in seconds, expected a number such as 0.25, up to 292 years", text)
	}
	*s = seconds(n)
	return nil
}
