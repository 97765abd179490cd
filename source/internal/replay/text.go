package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/textset"
	"github.com/winperf/winperf/internal/valueblock"
)

// TextOptions configure the reading of a text log. The zero value suits the logs of Windows.
type TextOptions struct {
	// CodePage of the text; 0 detects it (pdhtext.ReadOptions).
	CodePage uint32
	// Location is the time zone of the time stamps; nil means the time zone in the head, or UTC if
	// the head has none.
	Location *time.Location
}

// OpenText opens a text log, PDH-CSV or PDH-TSV, as a source. Its samples hold displayable values
// ([winperf.FormatValues]) and no raw ones; a row is a sample. A machine in a path selects columns.
//
// OpenText reads the head. Errors wrap fs.ErrNotExist, winperf.ErrBadData (and pdhtext.ErrNoHead)
// or winperf.ErrNotSupported. Each query reads the file independently, in the memory of a few rows.
func OpenText(file File, opt TextOptions) (winperf.Source, error) {
	how := pdhtext.ReadOptions{CodePage: opt.CodePage, Location: opt.Location}
	first, err := openText(file, how)
	if err != nil {
		return nil, err
	}
	defer first.Close()

	head := first.log.Head()
	r := &record{
		name:   file.Name,
		is:     winperf.Description{Recorded: true, Samples: -1, Cooked: true, Log: textInfo(head, opt)},
		schema: valueSchema,
		open: func(sel winperf.Selection) (reader, error) {
			how := how
			how.Known = head
			c := newChoice(sel)
			if !c.all || len(c.selected) > 0 { // if all columns are wanted, none is checked
				how.Select = c.selects
			}
			log, err := openText(file, how)
			if err != nil {
				return nil, err
			}
			return namesOr(log, log.series, sel), nil
		},
	}
	for _, c := range head.Columns {
		if c != nil {
			r.is.Machine = c.Path.Machine
			break
		}
	}
	return r, nil
}

// valueSchema is the schema of displayable values: it has no indices and no help texts.
var valueSchema = &winperf.Schema{Interface: "log"}

// formNames are the formats' names in heads.
var formNames = [...]string{pdhtext.CSV: "PDH-CSV", pdhtext.TSV: "PDH-TSV"}

// textInfo returns the log's description of itself.
func textInfo(h *pdhtext.Head, opt TextOptions) winperf.LogInfo {
	info := winperf.LogInfo{
		Format:   formNames[h.Format] + " " + h.Version,
		Zone:     h.Zone,
		Encoding: fmt.Sprintf("code page %d", h.CodePage),
	}

	if h.BiasKnown || opt.Location != nil {
		info.Location = h.Location()
	}
	info.NoZone = info.Location == nil
	if h.Guessed {
		info.Encoding += " (guessed)"
	}
	return info
}

// choice selects series of a log of displayable values.
type choice struct {
	all      bool
	selected []textPath
}

func newChoice(sel winperf.Selection) choice {
	c := choice{all: sel.Global}
	for _, p := range sel.Paths {
		c.selected = append(c.selected, textPath{Path: selection.NewPath(p)})
	}
	return c
}

// textPath is a path of the selection. In addition to its columns, one column of its object and one
// of its counter are read. They show whether only the counter or only the instance is missing.
type textPath struct {
	selection.Path
	ofObject, ofCounter *winperf.Series
}

// selects reports whether the selection wants a column. The caller that compiled the selection
// assigns columns to paths and orders them.
func (c *choice) selects(s *winperf.Series) bool {
	selected := c.all
	for i := range c.selected {
		selected = c.selected[i].selects(s) || selected
	}
	return selected
}

func (w *textPath) selects(s *winperf.Series) bool {
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

// textReader reads the rows of a log.
type textReader struct {
	*input
	log *pdhtext.Reader
	row pdhtext.Row

	// The series found by a query for names, and their texts.
	all   []*winperf.Series
	known textset.Set
}

// openText opens a log and reads its head.
func openText(file File, opt pdhtext.ReadOptions) (*textReader, error) {
	in, err := file.input()
	if err != nil {
		return nil, err
	}
	log, err := pdhtext.NewReader(in, opt)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file.Name, err), in.Close())
	}
	return &textReader{input: in, log: log}, nil
}

func (r *textReader) damage() []error { return r.log.Damage() }

func (r *textReader) next(_ context.Context, s *winperf.Sample) error {
	if err := r.log.Next(&r.row); err != nil {
		return err
	}
	fillValues(s, r.row.Time, r.row.Series, &r.row.Values)
	return nil
}

// fillValues fills a sample with displayable values.
func fillValues(s *winperf.Sample, at time.Time, series []*winperf.Series, v *valueblock.Values) {
	b := s.Begin()
	v.Fill(&b.Raw, at, series)
	b.Schema, s.Schema = valueSchema, valueSchema
}

// namesReader reads one sample: all series of a file, without values. Displayable values have no
// other definitions.
type namesReader struct {
	reader
	series func(context.Context) ([]*winperf.Series, error) // may be called again after an error
	done   bool
}

// namesOr returns the reader for a selection: of the names in a file, or r.
func namesOr(
	r reader, series func(context.Context) ([]*winperf.Series, error), sel winperf.Selection,
) reader {
	if sel.Metadata || sel.NamesOnly {
		return &namesReader{reader: r, series: series}
	}
	return r
}

func (r *namesReader) next(ctx context.Context, s *winperf.Sample) error {
	if r.done {
		return io.EOF
	}
	series, err := r.series(ctx)
	if err != nil {
		return err
	}

	r.done = true
	var v valueblock.Values
	v.Grow(len(series))
	for range series {
		v.AddBits(counter.KindNone, 0, counter.NoPrevious)
	}
	fillValues(s, time.Time{}, series, &v)
	s.Parts[0].Block.Clocks.Time100ns = 0 // unknown
	return nil
}

// series returns the columns of all heads. It reads all lines of the file.
func (r *textReader) series(ctx context.Context) (_ []*winperf.Series, err error) {
	var text []byte
	for err == nil {
		selected := r.log.Selected()
		size := 0
		for _, series := range selected {
			size += len(series.String())
		}

		// Growing by append would leave several times the memory unused.
		r.all = slices.Grow(r.all, len(selected))
		r.known.Grow(len(selected), size)
		for _, series := range selected {
			text = append(text[:0], series.String()...)
			if _, added := r.known.Add(text); added {
				r.all = append(r.all, series)
			}
		}

		if err = ctx.Err(); err == nil {
			err = r.log.NextHead()
		}
	}

	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return r.all, nil
}
