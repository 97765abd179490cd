package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
)

// TextOptions say how a text log is to be read. The zero value suits what
// Windows writes.
type TextOptions struct {
	// CodePage of the text; 0 finds it out (pdhlog.ReadOptions).
	CodePage uint32
	// Location is the time zone of the time stamps; nil is the one in the head,
	// or where it has none, time.Local.
	Location *time.Location
}

// OpenText opens a text log, PDH-CSV or PDH-TSV, as a source. Its queries
// implement winperf.CookedQuery, as the log holds displayable values and no
// raw ones; a row is a sample. A machine in a path selects columns.
//
// The head is read at once; errors wrap fs.ErrNotExist, winperf.ErrBadData (and
// pdhlog.ErrNoHead) or winperf.ErrNotSupported. Each query reads the file on
// its own, in memory of a few rows.
func OpenText(file string, opt TextOptions) (winperf.Source, error) {
	s := &textSource{file: file, opt: opt}
	q := &textQuery{source: s}
	defer q.Close()
	if err := q.open(); err != nil {
		return nil, err
	}
	s.head = q.reader.Head()
	return s, nil
}

// textSource is immutable, so that any number of goroutines may use it.
type textSource struct {
	file string
	opt  TextOptions
	head *pdhlog.Head // the first one
}

// Machine implements winperf.Source: the machine of the first column.
func (s *textSource) Machine() string {
	for _, c := range s.head.Columns {
		if c != nil {
			return c.Path.Machine
		}
	}
	return ""
}

// Recorded implements winperf.Recorded.
func (s *textSource) Recorded() int { return -1 }

// Schema implements winperf.Source: a text log has no indices and no help texts.
func (s *textSource) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{Interface: "log"}, nil
}

// Close implements winperf.Source. Queries have files of their own.
func (s *textSource) Close() error { return nil }

// formNames are the formats' names in heads.
var formNames = [...]string{pdhlog.CSV: "PDH-CSV", pdhlog.TSV: "PDH-TSV"}

// Log implements winperf.Described.
func (s *textSource) Log() winperf.LogInfo {
	h := s.head
	info := winperf.LogInfo{
		Format:   formNames[h.Format] + " " + h.Version,
		Zone:     h.Zone,
		Encoding: fmt.Sprintf("code page %d", h.CodePage),
	}
	if h.BiasKnown || s.opt.Location != nil {
		info.Location = h.Location()
	}
	if h.Guessed {
		info.Encoding += " (guessed)"
	}
	return info
}

// Compile implements winperf.Source. It accepts every selection; objects by
// identity are not found, because a text log has none.
func (s *textSource) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	q := &textQuery{source: s, all: sel.Global}
	for _, p := range sel.Paths {
		q.wanted = append(q.wanted, textPath{Matcher: p.Matcher()})
	}
	return q, nil
}

// textQuery reads the log from its beginning.
type textQuery struct {
	source *textSource
	all    bool
	wanted []textPath

	file   *os.File
	size   int64
	read   int64 // bytes read of file
	reader *pdhlog.Reader
	row    pdhlog.Row
}

// open opens the file and reads its head.
func (q *textQuery) open() error {
	name := q.source.file
	f, err := openRegular(name)
	if err != nil {
		return err
	}
	q.file = f
	if info, err := f.Stat(); err == nil {
		q.size = info.Size()
	}
	q.reader, err = pdhlog.NewReader(q, pdhlog.ReadOptions{
		CodePage: q.source.opt.CodePage,
		Location: q.source.opt.Location,
		Want:     q.wants,
		Known:    q.source.head,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// openRegular opens a file that is no directory, pipe or device.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name) // before it is opened, as opening a pipe waits for who writes to it
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file (%v): %w", name, info.Mode(), winperf.ErrNotSupported)
	}
	return os.Open(name)
}

// Read implements io.Reader for the log's reader and counts the bytes.
func (q *textQuery) Read(p []byte) (int, error) {
	n, err := q.file.Read(p)
	q.read += int64(n)
	return n, err
}

// Position implements winperf.Positioned.
func (q *textQuery) Position() (at, size int64) { return q.read, q.size }

// textPath is a path of the selection. Besides the columns that it names, one of
// the same object and one of the same counter are read, which tell that it
// lacks no more than the counter, or the instance.
type textPath struct {
	winperf.Matcher
	ofObject, ofCounter *winperf.Series
}

// wants tells whether the selection wants a column. Which of its paths it is,
// and in which order columns are to come, is the business of who compiled it.
func (q *textQuery) wants(s *winperf.Series) bool {
	wanted := q.all
	for i := range q.wanted {
		wanted = q.wanted[i].wants(s) || wanted
	}
	return wanted
}

func (w *textPath) wants(s *winperf.Series) bool {
	p := &s.Path
	if !w.Machine(p.Machine) || !w.Object(p.Object) {
		return false
	}
	if w.ofObject == nil {
		w.ofObject = s
	}
	if !w.Counter(p.Counter) {
		return w.ofObject == s
	}
	if w.ofCounter == nil {
		w.ofCounter = s
	}
	return wantsInstance(&w.Matcher, p) || w.ofObject == s || w.ofCounter == s
}

// wantsInstance compares instances. (*) is accepted for none, as Windows logs
// have it.
func wantsInstance(m *winperf.Matcher, p *winperf.Path) bool {
	if !p.HasInstance {
		return !m.WantsInstance() || m.Instance("", 0)
	}
	return m.WantsInstance() && m.Instance(p.Instance, p.Index)
}

// noSeries is that of the reading which tells the time of a row without columns.
var noSeries = winperf.NewSeries(winperf.Path{})

// Readings implements winperf.CookedQuery: the next row.
func (q *textQuery) Readings(ctx context.Context, buf []winperf.Reading) ([]winperf.Reading, error) {
	if err := ctx.Err(); err != nil {
		return buf, err
	}
	if q.reader == nil {
		if err := q.open(); err != nil {
			return buf, err
		}
	}
	q.row.Readings = buf[len(buf):]
	switch err := q.reader.Next(&q.row); {
	case errors.Is(err, io.EOF):
		return buf, err
	case err != nil:
		return buf, fmt.Errorf("%s: %w", q.source.file, err)
	}
	if len(q.row.Readings) == 0 && !q.all {
		return append(buf, winperf.Reading{Series: noSeries, Time: q.row.Time, Status: counter.NoObject}), nil
	}
	if len(buf) == 0 {
		return q.row.Readings, nil
	}
	return append(buf, q.row.Readings...), nil
}

// Series implements winperf.SeriesQuery: the columns of all heads, found by a walk
// over the lines of the file.
func (q *textQuery) Series(ctx context.Context) ([]*winperf.Series, error) {
	walk := &textQuery{source: q.source, all: q.all, wanted: slices.Clone(q.wanted)}
	defer walk.Close()
	err := walk.open()
	var all []*winperf.Series
	known := map[string]bool{}
	for err == nil {
		for _, s := range walk.reader.Wanted() {
			if !known[s.String()] {
				known[s.String()] = true
				all = append(all, s)
			}
		}
		if err = ctx.Err(); err == nil {
			err = walk.reader.NextHead()
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
}

// Sample implements winperf.Query: there are no raw samples.
func (q *textQuery) Sample(context.Context, *winperf.Raw) error {
	return fmt.Errorf("%s: a text log holds displayable values and no raw ones: %w", q.source.file, winperf.ErrNotSupported)
}

// Damage implements winperf.DamagedQuery.
func (q *textQuery) Damage() []error {
	if q.reader == nil {
		return nil
	}
	found := q.reader.Damage()
	for i, err := range found {
		found[i] = fmt.Errorf("%s: %w", q.source.file, err)
	}
	return found
}

// Close implements winperf.Query.
func (q *textQuery) Close() error {
	if q.file == nil {
		return nil
	}
	return q.file.Close()
}
