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
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/textset"
)

// TextOptions say how a text log is to be read. The zero value suits what
// Windows writes.
type TextOptions struct {
	// CodePage of the text; 0 finds it out (pdhtext.ReadOptions).
	CodePage uint32
	// Location is the time zone of the time stamps; nil is the one in the head,
	// or where it has none, UTC.
	Location *time.Location
}

// OpenText opens a text log, PDH-CSV or PDH-TSV, as a source. Its samples hold
// readings, as the log holds displayable values and no raw ones; a row is a
// sample. A machine in a path selects columns.
//
// The head is read at once; errors wrap fs.ErrNotExist, winperf.ErrBadData (and
// pdhtext.ErrNoHead) or winperf.ErrNotSupported. Each query reads the file on
// its own, in memory of a few rows.
func OpenText(file File, opt TextOptions) (winperf.Source, error) {
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
	file File
	opt  TextOptions
	head *pdhtext.Head // the first one
}

// Describe implements winperf.Source. The machine is that of the first column.
func (s *textSource) Describe() winperf.Description {
	d := winperf.Description{Recorded: true, Samples: -1, Cooked: true, Log: s.log()}
	for _, c := range s.head.Columns {
		if c != nil {
			d.Machine = c.Path.Machine
			break
		}
	}
	return d
}

// Schema implements winperf.Source: a text log has no indices and no help texts.
func (s *textSource) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{Interface: "log"}, nil
}

// Close implements winperf.Source. Queries have files of their own.
func (s *textSource) Close() error { return nil }

// formNames are the formats' names in heads.
var formNames = [...]string{pdhtext.CSV: "PDH-CSV", pdhtext.TSV: "PDH-TSV"}

// log is what the log says about itself.
func (s *textSource) log() winperf.LogInfo {
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
	return &textQuery{source: s, sel: sel, choice: newChoice(sel)}, nil
}

// textQuery reads the log from its beginning.
type textQuery struct {
	source *textSource
	sel    winperf.Selection
	choice choice

	file   *os.File
	size   int64
	read   int64 // bytes read of file
	reader *pdhtext.Reader
	row    pdhtext.Row

	described bool // the sample of a query for definitions was given
}

// open opens the file and reads its head.
func (q *textQuery) open() error {
	f, err := q.source.file.open()
	if err != nil {
		return err
	}

	q.file = f
	if info, err := f.Stat(); err == nil {
		q.size = info.Size()
	}

	opt := pdhtext.ReadOptions{
		CodePage: q.source.opt.CodePage,
		Location: q.source.opt.Location,
		Known:    q.source.head,
	}

	if !q.choice.all || len(q.choice.wanted) > 0 { // of all columns each need not be asked about
		opt.Want = q.choice.wants
	}
	q.reader, err = pdhtext.NewReader(q, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", q.source.file.Name, err)
	}
	return nil
}

// Read implements io.Reader for the log's reader and counts the bytes.
func (q *textQuery) Read(p []byte) (int, error) {
	n, err := q.file.Read(p)
	q.read += int64(n)
	return n, err
}

// choice is what a query wants of the series of a log that holds displayable values.
type choice struct {
	all    bool
	wanted []textPath
}

func newChoice(sel winperf.Selection) choice {
	c := choice{all: sel.Global}
	for _, p := range sel.Paths {
		c.wanted = append(c.wanted, textPath{Path: selection.NewPath(p)})
	}
	return c
}

// clone returns the same choice for another walk.
func (c *choice) clone() choice { return choice{all: c.all, wanted: slices.Clone(c.wanted)} }

// textPath is a path of the selection. Besides the columns that it names, one of
// the same object and one of the same counter are read, which tell that it
// lacks no more than the counter, or the instance.
type textPath struct {
	selection.Path
	ofObject, ofCounter *winperf.Series
}

// wants tells whether the selection wants a column. Which of its paths it is,
// and in which order columns are to come, is the business of who compiled it.
func (c *choice) wants(s *winperf.Series) bool {
	wanted := c.all
	for i := range c.wanted {
		wanted = c.wanted[i].wants(s) || wanted
	}
	return wanted
}

func (w *textPath) wants(s *winperf.Series) bool {
	lack := w.Path.Series(s)
	if lack == counter.NoObject {
		return false
	}
	if w.ofObject == nil {
		w.ofObject = s
	}
	if w.ofCounter == nil && lack != counter.NoCounter {
		w.ofCounter = s
	}
	return lack == counter.OK || w.ofObject == s || w.ofCounter == s
}

// Next implements winperf.Query: the next row, or of a query for definitions all series
// that there are.
func (q *textQuery) Next(ctx context.Context, s *winperf.Sample) error {
	s.Release()
	err := q.fill(ctx, s)
	s.At, s.Of = q.read, q.size
	if q.reader != nil {
		for _, found := range q.reader.Damage() {
			s.Damage = append(s.Damage, fmt.Errorf("%s: %w", q.source.file.Name, found))
		}
	}
	return err
}

func (q *textQuery) fill(ctx context.Context, s *winperf.Sample) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if q.sel.Metadata {
		return q.describe(ctx, s)
	}

	if q.reader == nil {
		if err := q.open(); err != nil {
			return err
		}
	}

	q.row.Readings = s.Readings
	for {
		switch err := q.reader.Next(&q.row); {
		case errors.Is(err, io.EOF):
			return err
		case err != nil:
			return fmt.Errorf("%s: %w", q.source.file.Name, err)
		}
		if q.sel.Within(q.row.Time) {
			break
		}
	}
	s.Time, s.Cooked, s.Readings = q.row.Time, true, q.row.Readings
	return nil
}

// describe makes the one sample of a query for definitions: the columns of all heads,
// found by a walk over the lines of the file.
func (q *textQuery) describe(ctx context.Context, s *winperf.Sample) error {
	if q.described {
		return io.EOF
	}
	walk := &textQuery{source: q.source, choice: q.choice.clone()}
	defer walk.Close()

	err := walk.open()
	var known textset.Set
	var text []byte
	for err == nil {
		wanted := walk.reader.Wanted()
		size := 0
		for _, series := range wanted {
			size += len(series.String())
		}

		// What grows by itself leaves several times its size behind.
		s.Readings = slices.Grow(s.Readings, len(wanted))
		known.Grow(len(wanted), size)
		for _, series := range wanted {
			text = append(text[:0], series.String()...)
			if _, added := known.Add(text); added {
				s.Readings = append(s.Readings, winperf.Reading{Series: series, Status: counter.NoPrevious})
			}
		}

		if err = ctx.Err(); err == nil {
			err = walk.reader.NextHead()
		}
	}

	if !errors.Is(err, io.EOF) {
		return err
	}
	q.described, s.Cooked = true, true
	return nil
}

// Close implements winperf.Query.
func (q *textQuery) Close() error {
	if q.file == nil {
		return nil
	}
	return q.file.Close()
}
