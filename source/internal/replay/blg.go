package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/findings"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/source/internal/pdhraw"
)

// OpenBLG opens a binary performance log (.blg) of Windows as a source. Its samples are performance
// data blocks. Whole objects are copied byte for byte; single raw values become objects with the
// counters of the log. Samples of a log of several machines have one part per machine. A machine in
// a path selects one of them; a path without machine applies to all.
//
// OpenBLG reads the log up to its first sample. Errors wrap fs.ErrNotExist, winperf.ErrBadData (and
// pdhlog.ErrNoLog) or winperf.ErrNotSupported. Each query reads the file independently, in the
// memory of a few samples. Damage is skipped and reported (winperf.Sample.Damage).
func OpenBLG(file File) (winperf.Source, error) {
	first, err := openBLG(file)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	if err := first.read(context.Background()); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}

	head, titles := first.log.Header(), first.titles // both before the first sample
	r := &record{
		name:   file.Name,
		schema: titles.Schema(),
		is:     winperf.Description{Machine: head.Machine, Recorded: true},
		open: func(sel winperf.Selection) (reader, error) {
			r, err := openBLG(file)
			if err == nil {
				r.choose, r.parts, r.titles = true, selection.Parts(sel), titles.Clone()
			}
			return r, err
		},
	}
	r.is.Log = winperf.LogInfo{
		Format: "PDH binary (.blg)", System: head.System(), Zone: head.Zone(), Location: first.log.Location(),
	}
	r.is.Samples, r.is.Log.End = endOfBLG(file, &head)
	if !r.is.Log.End.IsZero() {
		r.is.Log.Begin = first.sample.Time
	}
	if len(first.machines) > 0 {
		r.is.Machine = cmp.Or(first.machines[0].Machine(), head.Machine)
	}
	return r, nil
}

// mostLast limits the buffers that are read to find the last sample.
const mostLast = 512

// endOfBLG returns the number of samples and the time of the last one according to the log's last buffer,
// -1 and zero if the log does not record it.
func endOfBLG(file File, head *pdhlog.Header) (samples int, end time.Time) {
	f, err := file.open()
	if err != nil {
		return -1, end
	}
	defer f.Close()

	info, err := f.Stat()
	size := int64(head.BufferSize)
	if err != nil || info.Size() < 2*size {
		return -1, end
	}

	// The last sample may begin some buffers before the end.
	last := (info.Size() - 1) / size * size
	for buffers := int64(1); ; buffers *= 8 {
		from := max(last-(buffers-1)*size, size)
		samples, end = lastOfBLG(io.NewSectionReader(f, 0, size), io.NewSectionReader(f, from, info.Size()-from))
		if !end.IsZero() || from == size || buffers >= mostLast {
			return samples, end
		}
	}
}

// lastOfBLG returns the number of samples, and the time of the last one, of a log's first and last buffers.
func lastOfBLG(first, tail io.Reader) (samples int, end time.Time) {
	r, err := pdhlog.NewReader(io.MultiReader(first, tail))
	if err != nil {
		return -1, end
	}
	var sample pdhlog.Sample
	for err == nil {
		if err = r.Next(&sample); err == nil {
			end = sample.Time
		}
	}
	return r.Samples(), end
}

// blgReader reads the log from its beginning. It skips objects that no path names.
type blgReader struct {
	*input
	found  findings.List
	omit   func(time.Time) bool // nil omits nothing
	choose bool                 // false: everything is read
	parts  []selection.Part     // wanted parts

	log      *pdhlog.Reader
	sample   pdhlog.Sample
	titles   *pdhraw.Titles
	lists    int          // of the log when the machines were prepared; -1 before
	machines []blgMachine // wanted machines
}

// openBLG opens a log and reads its head.
func openBLG(file File) (*blgReader, error) {
	in, err := file.input()
	if err != nil {
		return nil, err
	}
	log, err := pdhlog.NewReader(in)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file.Name, err), in.Close())
	}
	return &blgReader{input: in, log: log, lists: -1}, nil
}

// read reads the next wanted sample.
func (q *blgReader) read(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := q.log.Next(&q.sample)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if q.lists != q.log.Lists() {
			q.prepare()
		}
		if err != nil || q.omit == nil || !q.omit(q.sample.Time) {
			return err
		}
	}
}

// prepare prepares one blgMachine for every wanted machine in the log's current list of counters.
func (q *blgReader) prepare() {
	q.lists = q.log.Lists()
	if q.titles == nil {
		q.titles = pdhraw.NewTitles(q.log.Names())
	}

	list := q.log.Counters()
	names, entries := machinesOf(list)
	if len(names) == 0 {
		names, entries = []string{""}, [][]int{nil} // without a list, the blocks define their contents
	}

	q.machines = q.machines[:0]

	// If the selection wants none of the machines, all are read: the samples then show that the
	// names of the selection do not exist.
	takeAll := !slices.ContainsFunc(names, q.selectsMachine)
	for i, name := range names {
		if !takeAll && !q.selectsMachine(name) {
			continue
		}

		m := newBLGMachine(name, list, entries[i], q.log.Header().PerfFreq, q.titles, q.fail)
		m.orphans = i == 0 // blocks that are not in the list belong to the first machine
		if q.choose {
			m.Select(q.parts)
		}
		q.machines = append(q.machines, m)
	}
}

// selectsMachine reports whether the selection wants anything of a machine.
func (q *blgReader) selectsMachine(name string) bool {
	about := func(p selection.Part) bool { return p.Machine(name) }
	return name == "" || len(q.parts) == 0 || slices.ContainsFunc(q.parts, about)
}

// fail records damage of the current sample.
func (q *blgReader) fail(text string) {
	q.found.Add(func() error { return &winperf.DataError{Offset: q.sample.Offset, Msg: text} })
}

// next implements reader. The sample has one part per machine.
func (q *blgReader) next(ctx context.Context, s *winperf.Sample) error {
	if err := q.read(ctx); err != nil {
		return err
	}
	for i := range q.machines {
		m := &q.machines[i]
		b := s.Add()
		b.Format, b.Bytes = winperf.FormatV1, m.block(b.Bytes, &q.sample)
		if len(q.machines) > 1 {
			s.Parts[i].Name = m.Machine()
		}
	}

	s.Schema = q.titles.Schema() // blocks may have added names
	for i := range s.Parts {
		s.Parts[i].Block.Schema = s.Schema
	}
	return nil
}

func (q *blgReader) skip(omit func(time.Time) bool) { q.omit = omit }

func (q *blgReader) damage() []error { return append(q.log.Damage(), q.found.Take()...) }
