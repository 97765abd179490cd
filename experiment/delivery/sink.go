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

// Item is one record in a delivery.
type Item struct {
	Experiment string
	Session    string
	Number     uint64
	// JSON is the record in the form of experiment.Record.AppendJSON, without a line end.
	JSON []byte
}

// Record parses the record.
func (i *Item) Record() (experiment.Record, error) { return experiment.ParseRecord(i.JSON) }

func newItem(r *experiment.Record) Item {
	return Item{r.Experiment, r.Session, r.Number, appendRecord(r)}
}

// appendRecord encodes a record. If it exceeds MaxRecord, its values are omitted, then also the
// attributes of its event; Err says so.
func appendRecord(r *experiment.Record) []byte {
	text := r.AppendJSON(nil)
	if len(text) <= experiment.MaxRecord {
		return text
	}
	const form = "its %d values are omitted: the record would have %d bytes, and the limit is %d"
	short := *r
	short.Err = fmt.Sprintf(form, len(r.Values), len(text), experiment.MaxRecord)
	short.Values, short.Anomalies = nil, nil
	if text := short.AppendJSON(nil); len(text) <= experiment.MaxRecord {
		return text
	}

	const most = 1024
	const formAttrs = "its %d values and %d attributes are omitted: the record would have %d bytes," +
		" and the limit is %d"
	short.Err = fmt.Sprintf(formAttrs, len(r.Values), len(r.Event.Attrs), len(text), experiment.MaxRecord)
	short.Event.Name = strings.ToValidUTF8(short.Event.Name[:min(len(short.Event.Name), most)], "")
	short.Event.Attrs, short.Event.Trace, short.Event.SpanID, short.Event.Task = nil, "", "", ""
	return short.AppendJSON(nil)
}

// ParseItem parses the identity of a record from a line of JSON. It reads only the beginning of the line.
func ParseItem(line []byte) (Item, error) {
	i := Item{JSON: line}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return i, fmt.Errorf("invalid record: %w", cmp.Or(err, winperf.ErrBadData))
	}

	var rest json.RawMessage
	fields := map[any]any{"experiment": &i.Experiment, "session": &i.Session, "number": &i.Number}
	for len(fields) > 0 && d.More() {
		name, err := d.Token()
		if err != nil {
			return i, fmt.Errorf("invalid record: %w", err)
		}
		into := fields[name]
		if delete(fields, name); into == nil {
			into = &rest
		}
		if err := d.Decode(into); err != nil {
			return i, fmt.Errorf("invalid record: %w", err)
		}
	}
	if i.Number == 0 {
		return i, errNoNumber
	}
	return i, nil
}

var errNoNumber = fmt.Errorf("record without a number: %w", winperf.ErrBadData)

// Sink takes records. One goroutine uses it at a time.
type Sink interface {
	// Deliver delivers a batch: at least one record of one session, in the order of their numbers. It
	// returns nil when all of them are stored. An error of Refuse is permanent: each record of the batch
	// is then delivered alone. After any other error the batch, possibly split or followed by more
	// records, is delivered again, after an error of RetryAfter not before its pause has ended. Deliver
	// returns when ctx ends.
	Deliver(ctx context.Context, batch []Item) error
	// Close completes the output. It is called once and returns when ctx ends.
	Close(ctx context.Context) error
}

// Refuse returns an error for Deliver of a sink that will never take the batch. It wraps err.
func Refuse(err error) error { return &refused{err} }

// RetryAfter returns an error for Deliver of a sink that requests a pause. It wraps err. A pause above 10
// minutes counts as 10 minutes.
func RetryAfter(pause time.Duration, err error) error { return &wait{pause, err} }

type refused struct{ err error }

func (r *refused) Error() string { return "refused permanently: " + r.err.Error() }

func (r *refused) Unwrap() error { return r.err }

type wait struct {
	pause time.Duration
	err   error
}

func (w *wait) Error() string { return fmt.Sprintf("%v; it requested a pause of %v", w.err, w.pause) }

func (w *wait) Unwrap() error { return w.err }

// ErrUndelivered is wrapped by the error of Delivery.Close if records were not delivered.
var ErrUndelivered = errors.New("records were not delivered")
