package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/measure"
)

// recordTail is what is known of a file that is appended to.
type recordTail struct {
	capture *capture.Tail
	head    *pdhtext.Head // the last one of a text log
}

// openTail prepares a file to be appended to: what it holds, and the offset where it
// goes on. Broken bytes at its end are cut off and told. A file that is no recording of
// the format stays as it is.
func (f *recordFile) openTail(format string) (tail *recordTail, note string, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return nil, "", err
	}

	at := info.Size()
	tail = &recordTail{}
	switch {
	case at == 0:
	case format == "capture":
		at, note, err = f.openCapture(tail, at)
	case format == "jsonl":
		err = looksLikeJSON(io.NewSectionReader(f.file, 0, at))
	case format == "csv", format == "tsv":
		tail.head, err = lastHead(io.NewSectionReader(f.file, 0, at), format)
	}

	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", f.name, err)
	}

	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return nil, "", err
	}
	f.size, f.good = at, at
	if format != "capture" && at > 0 {
		err = f.endLine()
	}
	return tail, note, err
}

// openCapture finds the end of what is whole in a capture, and cuts off the rest.
func (f *recordFile) openCapture(tail *recordTail, size int64) (at int64, note string, err error) {
	held, err := capture.Open(f.file, size)
	if err != nil {
		return 0, "", err
	}
	tail.capture = held.Tail()
	if broken := tail.capture.Broken; broken > 0 {
		note = fmt.Sprintf("%s: cut off the last %d bytes, which are no whole record", f.name, broken)
		err = f.file.Truncate(tail.capture.Offset)
	}
	return tail.capture.Offset, note, err
}

// endLine completes the last line of a text file that is appended to.
func (f *recordFile) endLine() error {
	var b [1]byte
	if _, err := f.file.ReadAt(b[:], f.size-1); err != nil || b[0] == '\n' {
		return err
	}
	_, err := f.Write([]byte("\r\n"))
	return err
}

// looksLikeJSON refuses a file that does not begin as JSON lines do.
func looksLikeJSON(r io.Reader) error {
	begin := make([]byte, 64)
	n, err := io.ReadFull(r, begin)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if text := bytes.TrimSpace(begin[:n]); len(text) > 0 && text[0] != '{' {
		return fmt.Errorf("%w: it begins with %q, expected lines of JSON", winperf.ErrBadData, text[:1])
	}
	return nil
}

// lastHead reads a text log up to its last head.
func lastHead(r io.ReadSeeker, format string) (*pdhtext.Head, error) {
	var mark [2]byte
	_, err := io.ReadFull(r, mark[:])
	if err == nil && (mark == [2]byte{0xFF, 0xFE} || mark == [2]byte{0xFE, 0xFF}) {
		return nil, fmt.Errorf("the file is in UTF-16, and rows are written in UTF-8: %w", winperf.ErrNotSupported)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}

	log, err := pdhtext.NewReader(r, pdhtext.ReadOptions{})
	for err == nil {
		err = log.NextHead()
	}

	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	is := map[pdhtext.Format]string{pdhtext.CSV: "csv", pdhtext.TSV: "tsv"}[log.Head().Format]
	if is != format {
		return nil, fmt.Errorf("the file is a %s log, expected %s: %w", is, format, winperf.ErrNotSupported)
	}
	return log.Head(), nil
}

// counterName names a counter, whatever the case of its letters.
type counterName struct{ machine, object, counter string }

func counterNameOf(p winperf.Path) counterName {
	return counterName{strings.ToLower(p.Machine), strings.ToLower(p.Object), strings.ToLower(p.Counter)}
}

// sameCounters refuses a recording of other counters than a log has columns of.
// Instances that a wildcard stands for may be others: they come and go.
type sameCounters struct {
	columns []*winperf.Series
	names   map[counterName]bool
	texts   map[string]bool
}

func newSameCounters(head *pdhtext.Head) *sameCounters {
	s := &sameCounters{columns: head.Columns, names: map[counterName]bool{}, texts: map[string]bool{}}
	for _, column := range head.Columns {
		s.names[counterNameOf(column.Path)] = true
		s.texts[column.Path.String()] = true
	}
	return s
}

// inAnother is what can be done about it.
const inAnother = "record other counters in another file"

// check compares the columns with the readings of a cycle. Each of its parts is of one of
// the paths.
func (s *sameCounters) check(paths []winperf.Path, c *measure.Cycle) error {
	recorded, every := map[string]bool{}, map[counterName]bool{}
	from := 0
	for w, to := range c.Parts {
		wildcard := everyInstance(paths[w])
		for i := from; i < to; i++ {
			r := c.At(i)
			if namesNothing(r.Status) {
				continue
			}
			if !s.has(r.Path, wildcard) {
				return fmt.Errorf("the file has no column for %s; %s", r.Path, inAnother)
			}
			recorded[r.Path.String()] = true
			every[counterNameOf(r.Path)] = every[counterNameOf(r.Path)] || wildcard
		}
		from = to
	}

	for _, column := range s.columns {
		p := column.Path
		if !recorded[p.String()] && !every[counterNameOf(p)] && !wanted(paths, p) {
			return fmt.Errorf("the file has a column for %s, which is not recorded; %s", p, inAnother)
		}
	}
	return nil
}

// has tells whether there is a column for a reading, or one for another instance where
// all are recorded. A column without machine is that of a path which named nothing.
func (s *sameCounters) has(p winperf.Path, wildcard bool) bool {
	anywhere := p
	anywhere.Machine = ""
	return s.texts[p.String()] || s.names[counterNameOf(anywhere)] || wildcard && s.names[counterNameOf(p)]
}

// wanted tells whether one of the paths names a column.
func wanted(paths []winperf.Path, column winperf.Path) bool {
	for _, p := range paths {
		m := p.Matcher()
		counter := m.Machine(column.Machine) && m.Object(column.Object) && m.Counter(column.Counter)
		instance := !column.HasInstance || m.Instance(column.Instance, column.Index)
		if counter && instance && m.WantsInstance() == column.HasInstance {
			return true
		}
	}
	return false
}

// everyInstance tells whether a path stands for instances that may come and go.
func everyInstance(p winperf.Path) bool {
	return winperf.Path{HasInstance: p.HasInstance, Instance: p.Instance, Index: p.Index}.HasWildcard()
}
