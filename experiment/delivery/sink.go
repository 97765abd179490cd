package delivery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
)

// Item is one record on its way.
type Item struct {
	Experiment string
	Session    string
	Number     uint64
	// JSON is the record as experiment.Record.AppendJSON writes it, without a line end.
	JSON []byte
}

// Record reads the record.
func (i *Item) Record() (experiment.Record, error) { return experiment.ParseRecord(i.JSON) }

// newItem returns a record on its way.
func newItem(r *experiment.Record) Item {
	return Item{r.Experiment, r.Session, r.Number, appendRecord(r)}
}

// appendRecord writes a record. One that no reader would take, as it is too long, goes without its
// values, or else without what its event tells, too, and says so.
func appendRecord(r *experiment.Record) []byte {
	text := r.AppendJSON(nil)
	if len(text) <= experiment.MaxRecord {
		return text
	}
	const form = "its %d values are left out: with them the record has %d bytes, and %d are the most"
	short := *r
	short.Err = fmt.Sprintf(form, len(r.Values), len(text), experiment.MaxRecord)
	short.Values, short.Anomalies = nil, nil
	if text := short.AppendJSON(nil); len(text) <= experiment.MaxRecord {
		return text
	}

	const most = 1024
	const formAttrs = "its %d values and %d attributes are left out: with them the record has %d bytes," +
		" and %d are the most"
	short.Err = fmt.Sprintf(formAttrs, len(r.Values), len(r.Event.Attrs), len(text), experiment.MaxRecord)
	short.Event.Name = strings.ToValidUTF8(short.Event.Name[:min(len(short.Event.Name), most)], "")
	short.Event.Attrs, short.Event.Trace, short.Event.SpanID, short.Event.Task = nil, "", "", ""
	return short.AppendJSON(nil)
}

// ParseItem finds out which record a line of JSON is, and reads no more of it than that
// takes: what it is stands at the beginning.
func ParseItem(line []byte) (Item, error) {
	i := Item{JSON: line}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return i, fmt.Errorf("no record: %w", cmp.Or(err, winperf.ErrBadData))
	}

	var rest json.RawMessage
	fields := map[any]any{"experiment": &i.Experiment, "session": &i.Session, "number": &i.Number}
	for len(fields) > 0 && d.More() {
		name, err := d.Token()
		if err != nil {
			return i, fmt.Errorf("no record: %w", err)
		}
		into := fields[name]
		if delete(fields, name); into == nil {
			into = &rest
		}
		if err := d.Decode(into); err != nil {
			return i, fmt.Errorf("no record: %w", err)
		}
	}
	if i.Number == 0 {
		return i, errNoNumber
	}
	return i, nil
}

// errNoNumber is about a record that no receiver could tell from others.
var errNoNumber = fmt.Errorf("a record without its number: %w", winperf.ErrBadData)

// Sink takes records. It is used by one goroutine at a time.
type Sink interface {
	// Deliver takes a batch: records of one session in the order of their numbers, at least
	// one. It returns nil when all of them are where they belong. An error of Refuse is final:
	// each record of the batch is then delivered alone. After any other error the batch, or records of
	// it followed by others, is delivered again, after an error of RetryAfter not before its pause has
	// ended. It obeys ctx.
	Deliver(ctx context.Context, batch []Item) error
	// Close completes what was delivered. It is called once, and obeys ctx.
	Close(ctx context.Context) error
}

// Refuse returns an error for Deliver of a sink that will never take the batch. It wraps err.
func Refuse(err error) error { return &refused{err} }

// RetryAfter returns an error for Deliver of a sink that asks for a pause. It wraps err. A pause
// of more than 10 minutes counts as 10 minutes.
func RetryAfter(pause time.Duration, err error) error { return &wait{pause, err} }

// refused is the error of Refuse.
type refused struct{ err error }

func (r *refused) Error() string { return "refused for good: " + r.err.Error() }

func (r *refused) Unwrap() error { return r.err }

// wait is the error of RetryAfter.
type wait struct {
	pause time.Duration
	err   error
}

func (w *wait) Error() string { return fmt.Sprintf("%v; it asked for a pause of %v", w.err, w.pause) }

func (w *wait) Unwrap() error { return w.err }

// ErrUndelivered is wrapped by the error of Delivery.Close where records were not delivered.
var ErrUndelivered = errors.New("records were not delivered")
