package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxRequest bounds a line of a client, maxAnswer one of a server that is no record.
const (
	MaxRequest = 1 << 20
	maxAnswer  = 64 << 20
)

// MaxReceived is the number of experiments whose records one client receives at most.
const MaxReceived = 16

// Request is what a client asks for.
type Request struct {
	// ID is in the answer, too; that to a request without one has none. An "ack" without one gets no
	// answer.
	ID uint64 `json:"id,omitempty"`
	// Op is one of "list", "sensors", "attach", "receive", "detach", "pause", "resume",
	// "change" and "ack".
	Op string `json:"op"`
	// Experiment names the one that it is about; "" is the only one there is.
	Experiment string `json:"experiment,omitempty"`

	Spec    *Spec   `json:"spec,omitempty"`    // of "attach"
	Change  *Change `json:"change,omitempty"`  // of "change"
	Pattern string  `json:"pattern,omitempty"` // of "sensors": names with * and ?; "" is all
	// Session and Number are those of "ack": the last record that the client has.
	Session string `json:"session,omitempty"`
	Number  uint64 `json:"number,omitempty"`
}

// Answer is a line of the server: the answer to a request, a record, the end of a batch of
// records, or the end of an experiment.
type Answer struct {
	ID     uint64          `json:"id,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`

	Experiment string          `json:"experiment,omitempty"`
	Record     json.RawMessage `json:"record,omitempty"`
	// Session and Through end a batch: the client is to acknowledge it.
	Session string `json:"session,omitempty"`
	Through uint64 `json:"through,omitempty"`
	// Ended tells that no more records of the experiment will come.
	Ended bool `json:"ended,omitempty"`
}

// Error is why a request was not carried out.
type Error struct {
	// Code is one of "bad_request", "unknown", "exists", "state", "forbidden", "busy" and
	// "failed", for programs; Message is for people.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Errorf returns an Error with a code and a message.
func Errorf(code, form string, args ...any) *Error { return &Error{code, fmt.Sprintf(form, args...)} }

// Spec is an experiment that is to be attached.
type Spec struct {
	// Name is the experiment's; "" is "experiment". No two of a program have one.
	Name     string    `json:"name,omitempty"`
	Bindings []Binding `json:"bindings"`
	// Events are sources of events beside the code of the program.
	Events []EventSource `json:"events,omitempty"`
	// Sinks get the records, beside whoever attached the experiment.
	Sinks []Sink `json:"sinks,omitempty"`
	// Keep lets the experiment go on when whoever attached it has gone; otherwise it ends.
	Keep bool `json:"keep,omitempty"`
	// Names is how processes and threads are named: "pid", "name:pid" or "name", which is also "". With
	// an id a series never goes on with another process of the same name, and the instance self of
	// Process and Thread is the program itself.
	Names string `json:"names,omitempty"`
	// Quiet has no records sent to whoever attached it.
	Quiet bool `json:"quiet,omitempty"`
}

// Binding is an experiment.Binding.
type Binding struct {
	Name   string   `json:"name,omitempty"`
	Events []string `json:"events"`
	// Sensors are names of sensors, or paths, which begin with a backslash.
	Sensors []string `json:"sensors"`
	// Policy is "wait", "drop_oldest", "drop_newest" or, where the program has a place for
	// that, "spill"; "" is "drop_oldest", since whoever attaches an experiment should not hold
	// up the program.
	Policy   string   `json:"policy,omitempty"`
	Capacity int      `json:"capacity,omitempty"`
	Timeout  Duration `json:"timeout,omitempty"`
	Raw      bool     `json:"raw,omitempty"`
}

// EventSource emits events: at an interval where it has Every only, when a counter is above
// or below a number where it has a Path and a bound, and otherwise when instances of Path,
// or processes of the name Process, come and go.
type EventSource struct {
	Name       string   `json:"name"`
	Every      Interval `json:"every,omitempty"`
	Aligned    bool     `json:"aligned,omitempty"`
	Path       string   `json:"path,omitempty"`
	Process    string   `json:"process,omitempty"`
	Above      *float64 `json:"above,omitempty"`
	Below      *float64 `json:"below,omitempty"`
	Hysteresis float64  `json:"hysteresis,omitempty"`
	For        Duration `json:"for,omitempty"`
}

// Sink is where records go: a file, an endpoint or the standard input of a program.
type Sink struct {
	// Name tells it from the others; "" is what it is about.
	Name string `json:"name,omitempty"`
	// File is its whole path, Format and Overwrite are as in delivery.FileOptions.
	File      string            `json:"file,omitempty"`
	Format    string            `json:"format,omitempty"`
	Overwrite bool              `json:"overwrite,omitempty"`
	URL       string            `json:"url,omitempty"`
	Header    map[string]string `json:"header,omitempty"`
	Program   []string          `json:"program,omitempty"`
}

// Change is a change of an experiment that is attached. Each of its parts may be there.
type Change struct {
	// Every is the new interval of the event source Source; "" is the only one with an
	// interval.
	Source string   `json:"source,omitempty"`
	Every  Interval `json:"every,omitempty"`
	// Sensors are the new ones of Binding; "" is the only one.
	Binding string   `json:"binding,omitempty"`
	Sensors []string `json:"sensors,omitempty"`
	// AddSinks are added, RemoveSinks ended by their names.
	AddSinks    []Sink   `json:"add_sinks,omitempty"`
	RemoveSinks []string `json:"remove_sinks,omitempty"`
}

// Listing is what a program has.
type Listing struct {
	Program     string       `json:"program"`
	PID         int          `json:"pid"`
	Sources     []string     `json:"sources"` // the names of what can be measured
	Events      []string     `json:"events"`  // names of events that its code emits, as far as known
	Experiments []Experiment `json:"experiments"`
}

// Experiment is how an experiment is at a moment.
type Experiment struct {
	Name     string    `json:"name"`
	Session  string    `json:"session"`
	State    string    `json:"state"`
	Attached time.Time `json:"attached"`
	// By is who attached it over a socket; "" is the program itself.
	By          string         `json:"by,omitempty"`
	Keep        bool           `json:"keep,omitempty"`
	Stored      uint64         `json:"stored"`
	Dropped     uint64         `json:"dropped"`
	Waiting     int            `json:"waiting"`
	OpenRegions int            `json:"open_regions"`
	Bindings    []BindingState `json:"bindings"`
	Sources     []SourceState  `json:"event_sources"`
	Sinks       []SinkState    `json:"sinks"`
	// Error is why its records get no further for now: a disk that is full, for instance.
	Error string `json:"error,omitempty"`
}

// BindingState is how a binding is.
type BindingState struct {
	Name    string   `json:"name"`
	Events  []string `json:"events"`
	Sensors []string `json:"sensors"`
	Policy  string   `json:"policy"`
	Emitted uint64   `json:"emitted"`
	Failed  uint64   `json:"failed"`
	Dropped uint64   `json:"dropped"`
}

// SourceState is how an event source is.
type SourceState struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Detail  string   `json:"detail,omitempty"`
	Every   Duration `json:"every,omitempty"`
	Emitted uint64   `json:"emitted"`
	Running bool     `json:"running"`
	Error   string   `json:"error,omitempty"`
}

// SinkState is how the way to a sink is.
type SinkState struct {
	Name      string `json:"name"`
	Number    uint64 `json:"number"` // of the last record that it took
	Delivered uint64 `json:"delivered"`
	Lost      uint64 `json:"lost"`
	Refused   uint64 `json:"refused"`
	Failures  uint64 `json:"failures"`
	Error     string `json:"error,omitempty"`
}

// Sensor is something that can be measured.
type Sensor struct {
	Name      string `json:"name"` // source/group/sensor
	Path      string `json:"path"`
	Unit      string `json:"unit"`
	Instances bool   `json:"instances,omitempty"` // it has some: name one behind #, * is all
}

// Sensors are the result of "sensors". There are Of that fit the pattern.
type Sensors struct {
	Sensors []Sensor `json:"sensors"`
	Of      int      `json:"of"`
}

// Attached is the result of "attach" and "receive".
type Attached struct {
	Experiment string `json:"experiment"`
	Session    string `json:"session"`
	// Absent is what "attach" was asked to measure and that is not there now.
	Absent []Absent `json:"absent,omitempty"`
}

// Changed is the result of "change".
type Changed struct {
	Absent []Absent `json:"absent,omitempty"` // of its sensors
	// Failed are the errors of sinks that were removed: records may be missing there.
	Failed []string `json:"failed,omitempty"`
}

// Absent is a sensor that names nothing now, though it may come later. At most 50 are told.
type Absent struct {
	Sensor string `json:"sensor"` // as it was asked for
	Path   string `json:"path"`
	// Status is "no_object", "no_counter" or "no_instance".
	Status string `json:"status"`
}

// Duration is a time.Duration whose text is such as "500ms" or "1m30s".
type Duration time.Duration

// String returns the text.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the text.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the text.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return errors.New("expected a time such as 500ms or 1m30s")
	}
	*d = Duration(v)
	return nil
}

// Interval is a Duration between two events or looks, of 10 ms at least. Its zero value says that none is
// given, and so no text is that.
type Interval time.Duration

// String returns the text.
func (i Interval) String() string { return time.Duration(i).String() }

// MarshalText writes the text.
func (i Interval) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the text. 0 is refused: it would become another interval.
func (i *Interval) UnmarshalText(text []byte) error {
	var d Duration
	if err := d.UnmarshalText(text); err != nil {
		return err
	}
	if d == 0 {
		return CheckInterval(0)
	}
	*i = Interval(d)
	return nil
}
