package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxRequest limits the length of a line from a client, maxAnswer the length of a line from
// a server, in bytes.
const (
	MaxRequest = 1 << 20
	maxAnswer  = 64 << 20
)

// MaxReceived limits the experiments that one client receives.
const MaxReceived = 16

// Request is a request of a client.
type Request struct {
	// ID is repeated in the answer. An "ack" without ID has no answer.
	ID uint64 `json:"id,omitempty"`
	// Op is one of "list", "sensors", "attach", "receive", "detach", "pause", "resume",
	// "change" and "ack".
	Op string `json:"op"`
	// Experiment is the name of the experiment; "" means the only experiment.
	Experiment string `json:"experiment,omitempty"`

	Spec    *Spec   `json:"spec,omitempty"`    // of "attach"
	Change  *Change `json:"change,omitempty"`  // of "change"
	Pattern string  `json:"pattern,omitempty"` // of "sensors": names with * and ?; "" is all
	// Session and Number of "ack" are the last record that the client has.
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
	// Session and Through end a batch, which the client must acknowledge.
	Session string `json:"session,omitempty"`
	Through uint64 `json:"through,omitempty"`
	// Ended means that no more records of the experiment follow.
	Ended bool `json:"ended,omitempty"`
}

// Error is the reason why a request failed.
type Error struct {
	// Code is for programs: one of "bad_request", "unknown", "exists", "state",
	// "forbidden", "busy" and "failed". Message is for people.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Errorf returns an Error with a code and a message.
func Errorf(code, form string, args ...any) *Error { return &Error{code, fmt.Sprintf(form, args...)} }

// Spec is an experiment to attach.
type Spec struct {
	// Name of the experiment; "" is "experiment". It must be unique in the program.
	Name     string    `json:"name,omitempty"`
	Bindings []Binding `json:"bindings"`
	// Events are sources of events in addition to the program's code.
	Events []EventSource `json:"events,omitempty"`
	// Sinks get the records, in addition to the client.
	Sinks []Sink `json:"sinks,omitempty"`
	// Keep continues the experiment when the client has left; otherwise it ends.
	Keep bool `json:"keep,omitempty"`
	// Names is the naming of processes and threads: "pid", "name:pid" or "name" (also "").
	// With an id, a series never continues with another process of the same name, and the
	// instance self of Process and Thread is the program itself.
	Names string `json:"names,omitempty"`
	// Quiet sends no records to the client.
	Quiet bool `json:"quiet,omitempty"`
}

// Binding is an experiment.Binding.
type Binding struct {
	Name   string   `json:"name,omitempty"`
	Events []string `json:"events"`
	// Sensors are names of sensors, or paths, which begin with a backslash.
	Sensors []string `json:"sensors"`
	// Policy is "wait", "drop_oldest", "drop_newest" or, if the program supports it,
	// "spill"; "" is "drop_oldest", because an attached experiment should not delay the
	// program.
	Policy   string   `json:"policy,omitempty"`
	Capacity int      `json:"capacity,omitempty"`
	Timeout  Duration `json:"timeout,omitempty"`
	Raw      bool     `json:"raw,omitempty"`
}

// EventSource emits events: at an interval if it has only Every; when a counter crosses a
// limit if it has a Path and Above or Below; otherwise when instances of Path, or processes
// named Process, appear or end.
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

// Sink is a receiver of records: a file, an endpoint or the standard input of a program.
type Sink struct {
	// Name must be unique; "" is made from the target.
	Name string `json:"name,omitempty"`
	// File is a full path; Format and Overwrite are as in delivery.FileOptions.
	File      string            `json:"file,omitempty"`
	Format    string            `json:"format,omitempty"`
	Overwrite bool              `json:"overwrite,omitempty"`
	URL       string            `json:"url,omitempty"`
	Header    map[string]string `json:"header,omitempty"`
	Program   []string          `json:"program,omitempty"`
}

// Change is a change of an attached experiment. All parts are optional.
type Change struct {
	// Every is the new interval of the event source Source; "" means the only event source
	// with an interval.
	Source string   `json:"source,omitempty"`
	Every  Interval `json:"every,omitempty"`
	// Sensors are the new sensors of Binding; "" means the only binding.
	Binding string   `json:"binding,omitempty"`
	Sensors []string `json:"sensors,omitempty"`
	// AddSinks are added, RemoveSinks removed by name.
	AddSinks    []Sink   `json:"add_sinks,omitempty"`
	RemoveSinks []string `json:"remove_sinks,omitempty"`
}

// Listing describes a program.
type Listing struct {
	Program     string       `json:"program"`
	PID         int          `json:"pid"`
	Sources     []string     `json:"sources"` // names of sources
	Events      []string     `json:"events"`  // known events of its code
	Experiments []Experiment `json:"experiments"`
}

// Experiment is the state of an experiment.
type Experiment struct {
	Name     string    `json:"name"`
	Session  string    `json:"session"`
	State    string    `json:"state"`
	Attached time.Time `json:"attached"`
	// By is the user that attached it over a socket; "" is the program itself.
	By          string         `json:"by,omitempty"`
	Keep        bool           `json:"keep,omitempty"`
	Stored      uint64         `json:"stored"`
	Dropped     uint64         `json:"dropped"`
	Waiting     int            `json:"waiting"`
	OpenRegions int            `json:"open_regions"`
	Bindings    []BindingState `json:"bindings"`
	Sources     []SourceState  `json:"event_sources"`
	Sinks       []SinkState    `json:"sinks"`
	// Error is why its records are currently not delivered, such as a full disk.
	Error string `json:"error,omitempty"`
}

// BindingState is the state of a binding.
type BindingState struct {
	Name    string   `json:"name"`
	Events  []string `json:"events"`
	Sensors []string `json:"sensors"`
	Policy  string   `json:"policy"`
	Emitted uint64   `json:"emitted"`
	Failed  uint64   `json:"failed"`
	Dropped uint64   `json:"dropped"`
}

// SourceState is the state of an event source.
type SourceState struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Detail  string   `json:"detail,omitempty"`
	Every   Duration `json:"every,omitempty"`
	Emitted uint64   `json:"emitted"`
	Running bool     `json:"running"`
	Error   string   `json:"error,omitempty"`
}

// SinkState is the state of a delivery to a sink.
type SinkState struct {
	Name      string `json:"name"`
	Number    uint64 `json:"number"` // of the last record delivered
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
	Instances bool   `json:"instances,omitempty"` // name one after #; * is all
}

// Sensors are the result of "sensors". Of is the number that match the pattern.
type Sensors struct {
	Sensors []Sensor `json:"sensors"`
	Of      int      `json:"of"`
}

// Attached is the result of "attach" and "receive".
type Attached struct {
	Experiment string `json:"experiment"`
	Session    string `json:"session"`
	// Absent are sensors of "attach" that are currently missing.
	Absent []Absent `json:"absent,omitempty"`
}

// Changed is the result of "change".
type Changed struct {
	Absent []Absent `json:"absent,omitempty"` // of its sensors
	// Failed are the errors of removed sinks, which may lack records.
	Failed []string `json:"failed,omitempty"`
}

// Absent is a sensor that is currently missing and may appear later. At most 50 are
// reported.
type Absent struct {
	Sensor string `json:"sensor"` // as requested
	Path   string `json:"path"`
	// Status is "no_object", "no_counter" or "no_instance".
	Status string `json:"status"`
}

// Duration is a time.Duration with a text such as "500ms" or "1m30s".
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

// Interval is a Duration between two events or checks, at least 10 ms. Its zero value means
// that no interval is given, so no text has this value.
type Interval time.Duration

// String returns the text.
func (i Interval) String() string { return time.Duration(i).String() }

// MarshalText writes the text.
func (i Interval) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the text. 0 is refused.
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
