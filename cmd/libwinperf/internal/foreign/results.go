package foreign

import (
	"fmt"
	"math"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/recook"
	"github.com/winperf/winperf/measure"
)

type results struct {
	time      int64 // of the sample, in nanoseconds since 1970
	items     []Item
	texts     map[int]string
	anomalies []string
	more      int

	bits   []uint64
	status []counter.Status
}

const maxAnomalies = 256

func (r *results) clear() {
	clear(r.texts)
	clear(r.anomalies)
	r.items, r.anomalies, r.more = r.items[:0], r.anomalies[:0], 0
}

func (r *results) note(cycle *measure.Cycle) {
	for _, a := range cycle.Anomalies {
		r.addAnomaly(a.String())
	}
	for _, err := range cycle.Damage {
		r.addAnomaly(err.Error())
	}
}

func (r *results) addAnomaly(text string) {
	if len(r.anomalies) == maxAnomalies {
		r.more++
		return
	}
	r.anomalies = append(r.anomalies, text)
}

func (r *results) listed() []string {
	if r.more == 0 {
		return r.anomalies
	}
	n := len(r.anomalies)
	return append(r.anomalies[:n:n], fmt.Sprintf("%d more", r.more))
}

// collect makes items of the values of a cycle. If since is not nil, it computes the values again with
// since.
func (r *results) collect(cycle *measure.Cycle, w requested, since *frame.Cooker) error {
	r.time = cycle.Time.UnixNano()
	if n := cycle.Len(); n > math.MaxInt32 {
		return fmt.Errorf("%d values: %w", n, TooMany)
	}

	columns, ends := cycle.Columns(), cycle.ColumnParts
	part := 0
	for i, col := range columns {
		for part < len(ends) && i >= ends[part] {
			part++
		}
		request := -1
		if part < len(w.order) {
			request = w.order[part]
		}
		if since != nil {
			r.recook(&col, since)
		}
		r.addColumn(&col, w, request)
	}
	return nil
}

func (r *results) recook(col *winperf.Column, since *frame.Cooker) {
	o, k, _, ok := recook.Place(col, 0)
	if !ok {
		return
	}
	cooked := since.Object(o).Column(k)

	r.bits, r.status = r.bits[:0], r.status[:0]
	for n := range col.Len() {
		_, _, at, _ := recook.Place(col, n)
		r.bits, r.status = append(r.bits, cooked.Bits[at]), append(r.status, cooked.Status[at])
	}
	col.Bits, col.Status = r.bits, r.status
}

func (r *results) addColumn(col *winperf.Column, w requested, request int) {
	for n := range col.Len() {
		item := Item{Instance: -1, Request: int32(request), Status: int32(col.Status[n])}
		if o, k, at, ok := recook.Place(col, n); ok {
			c := o.Counter(k)
			item.Object, item.Counter, item.Instance = o.ID().Index, c.ID.Index, int32(at)
			item.Type = int32(counter.ValueTypeOf(c.Type, c.Size))
		} else if request >= 0 {
			item.Object, item.Counter = w.requests[request].Object, w.requests[request].Counter
		}
		r.addItem(item, col, n)
	}
}

func (r *results) addItem(item Item, col *winperf.Column, n int) {
	switch {
	case col.Status[n] != counter.OK:
	case col.KindOf(n) != counter.KindText:
		item.Value = col.Bits[n]
	default:
		if r.texts == nil {
			r.texts = map[int]string{}
		}
		r.texts[len(r.items)], _ = col.Value(n).AsText()
	}
	r.items = append(r.items, item)
}

func (l *Library) read(h Handle, a Access, do func(*snapshot) error) Code {
	return on(l, h, func(s *snapshot) error {
		return s.run(opRead, a, func() error {
			if !s.completed {
				return fmt.Errorf("read of a snapshot without a complete cycle: %w", WrongState)
			}
			return do(s)
		})
	})
}

// Time returns the time of the last sample, in nanoseconds since 1970 in UTC.
func (l *Library) Time(h Handle, a Access) (ns int64, code Code) {
	code = l.read(h, a, func(s *snapshot) error {
		ns = s.time
		return nil
	})
	return ns, code
}

// ItemsCount returns the number of items of the last cycle.
func (l *Library) ItemsCount(h Handle, a Access) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) error {
		n = len(s.items)
		return nil
	})
	return n, code
}

// Items writes the items of the last cycle.
func (l *Library) Items(h Handle, a Access, out []Item) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) (err error) {
		n, err = copyAll(out, s.items)
		return err
	})
	return n, code
}

func (s *snapshot) textOf(item int) (string, error) {
	text, is := s.texts[item]
	switch {
	case item < 0 || item >= len(s.items):
		return "", fmt.Errorf("item %d of %d: %w", item, len(s.items), BadArgument)
	case !is:
		return "", fmt.Errorf("item %d is not a text: %w", item, NotFound)
	}
	return text, nil
}

// TextSize returns the number of bytes that Text writes.
func (l *Library) TextSize(h Handle, a Access, item int) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) error {
		text, err := s.textOf(item)
		if err != nil {
			return err
		}
		n, err = textSize(text)
		return err
	})
	return n, code
}

// Text writes the text of the item at a position.
func (l *Library) Text(h Handle, a Access, item int, out []byte) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) error {
		text, err := s.textOf(item)
		if err != nil {
			return err
		}
		n, err = copyText(out, text)
		return err
	})
	return n, code
}

// AnomaliesCount returns the number of anomalies of the last cycle, including its repeated samples.
func (l *Library) AnomaliesCount(h Handle, a Access) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) error {
		n = len(s.listed())
		return nil
	})
	return n, code
}

// AnomaliesSize returns the number of bytes that Anomalies writes.
func (l *Library) AnomaliesSize(h Handle, a Access) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) (err error) {
		n, err = listSize(s.listed())
		return err
	})
	return n, code
}

// Anomalies writes a line for each anomaly: instances_came: Process: 2 instances: editor, shell.
func (l *Library) Anomalies(h Handle, a Access, out []byte) (n int, code Code) {
	code = l.read(h, a, func(s *snapshot) (err error) {
		n, err = copyList(out, s.listed())
		return err
	})
	return n, code
}
