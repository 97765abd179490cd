package pdhlog

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Tail is the end of a log that a [Writer] appends to (Options.Tail).
type Tail struct {
	head      Header
	guid      [16]byte
	endFields [endSize]byte
	location  *time.Location
	list      []Counter
	names     *nametable.Names
	last      int64 // FILETIME of the last sample, UTC
	size      int64
}

// ReadTail reads a log of size bytes to its end, so that a Writer can append samples to it.
// The error wraps winperf.ErrBadData if the log is damaged, and winperf.ErrNotSupported if
// the log has no counters or buffers that Writer does not write. Times that go back are no
// damage here.
func ReadTail(file io.ReaderAt, size int64) (*Tail, error) {
	r, err := NewReader(io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, err
	}

	r.anyOrder = true
	var s Sample
	for err == nil {
		err = r.Next(&s)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if damage := r.Damage(); len(damage) > 0 {
		return nil, fmt.Errorf("a damaged log cannot be appended to: %w", damage[0])
	}
	return newTail(r, file, size)
}

func newTail(r *Reader, file io.ReaderAt, size int64) (*Tail, error) {
	t := &Tail{
		head: r.head, guid: r.records.events.guid, location: r.location, list: r.list, size: size,
		last: winperf.ToFiletime(r.last),
	}
	if t.location == nil {
		t.location = time.UTC // as for reading
	}
	switch buffer := t.head.BufferSize; {
	case len(t.list) == 0:
		return nil, fmt.Errorf("a log without a counter list cannot be appended to: %w",
			winperf.ErrNotSupported)
	case buffer < minWritten || size%int64(buffer) != 0:
		return nil, fmt.Errorf("a log of %d bytes in buffers of %d cannot be appended to: %w",
			size, buffer, winperf.ErrNotSupported)
	}

	schema := winperf.Schema{Names: []winperf.NameTable{r.Names()}}
	t.names, _ = nametable.FromSchema(&schema)
	_, err := file.ReadAt(t.endFields[:], endAt)
	return t, err
}

const elsewhere = "write other counters to another file"

// order returns, for each entry of the log's list, its position in list. The error names
// the first counter that is missing in one of them or differs.
func (t *Tail) order(list []Counter) ([]int, error) {
	places := map[string]int{}
	for i := range list {
		places[list[i].is()] = i
	}

	var order []int
	known := map[string]bool{}
	for i := range t.list {
		has := &t.list[i]
		at, found := places[has.is()]
		if !found {
			return nil, fmt.Errorf("the file has %s, which is not written now; %s", has.Path, elsewhere)
		}
		if text := has.differs(&list[at]); text != "" {
			return nil, fmt.Errorf("%s %s; %s", has.Path, text, elsewhere)
		}
		known[has.is()] = true
		order = append(order, at)
	}

	for i := range list {
		if !known[list[i].is()] {
			return nil, fmt.Errorf("the file does not have %s; %s", list[i].Path, elsewhere)
		}
	}
	return order, nil
}

// is identifies an entry.
func (c *Counter) is() string { return c.Kind.String() + c.Path.String() }

// differs describes how the values of two entries of the same counter differ, or "".
func (c *Counter) differs(now *Counter) string {
	switch {
	case c.Kind == Object:
		return ""
	case c.Type != now.Type:
		return fmt.Sprintf("is of type %v in the file, and of %v now", c.Type, now.Type)
	case c.TimeBase != now.TimeBase:
		const form = "counts %d units per second in the file, and %d now"
		return fmt.Sprintf(form, c.TimeBase, now.TimeBase)
	}
	return ""
}

func entriesOf(entries []listEntry) []Counter {
	list := make([]Counter, 0, len(entries))
	for i := range entries {
		list = append(list, entries[i].Counter)
	}
	return list
}

// arrange sorts the entries of the list in the order of the log. The error names the first
// difference. Blocks may only contain title indices of the log's name table.
func (t *Tail) arrange(p *contents, f frame.Frame, names *nametable.Names) error {
	order, err := t.order(entriesOf(p.entries))
	if err != nil {
		return err
	}

	entries := make([]listEntry, 0, len(order))
	for _, at := range order {
		e := p.entries[at]
		if o, found := e.find(f); found && e.Kind == Object {
			if err := t.sameNames(o, names); err != nil {
				return err
			}
		}
		entries = append(entries, e)
	}
	p.entries = entries
	return nil
}

// sameNames refuses an object whose title indices have other names in the log.
func (t *Tail) sameNames(o frame.Object, names *nametable.Names) error {
	title := o.ID().Index
	for k := range o.NumCounters() + 1 {
		if k > 0 {
			title = o.Counter(k - 1).ID.Index
		}
		name, named := names.Name(title)
		if has, _ := t.names.Name(title); named && !strings.EqualFold(has, name) {
			const form = "%q has the title index %d, which is %q in the file; %s"
			return fmt.Errorf(form, name, title, has, elsewhere)
		}
	}
	return nil
}

// resume makes the output continue a log in a new buffer; w is at its end.
func (o *output) resume(t *Tail) error {
	s, ok := o.w.(io.Seeker)
	if !ok {
		return fmt.Errorf("appending to a binary log needs a file: %w", winperf.ErrNotSupported)
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}

	o.start, o.at = at-t.size, t.size
	o.head, o.guid, o.endFields, o.last = t.head, t.guid, t.endFields, t.last
	o.buffers = t.size / int64(t.head.BufferSize)
	return nil
}
