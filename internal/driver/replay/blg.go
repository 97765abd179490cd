package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/findings"
	"github.com/winperf/winperf/internal/pdhraw"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/pdhlog"
)

// OpenBLG opens a binary performance log (.blg) of Windows as a source. Its
// samples are performance data blocks: whole objects are taken over byte for
// byte, single raw values become objects with the counters that the log has. Samples
// of a log of several machines have a part for each of them; a machine in a path
// selects, and a path without one is about all.
//
// The log is read up to its first sample; errors wrap fs.ErrNotExist,
// winperf.ErrBadData (and pdhlog.ErrNoLog) or winperf.ErrNotSupported. Each
// query reads the file on its own, in memory of a few samples, and passes over
// what is damaged (winperf.Sample.Damage).
func OpenBLG(file File) (winperf.Source, error) {
	s := &blgSource{file: file, samples: -1}
	q := &blgQuery{source: s}
	defer q.Close()
	if err := q.open(); err != nil {
		return nil, err
	}
	if err := q.next(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	s.head, s.info = q.reader.Header(), q.describe()
	s.titles = q.titles
	s.titles.Schema()
	if len(q.machines) > 0 {
		s.machine = q.machines[0].Machine()
	}
	if s.machine == "" {
		s.machine = s.head.Machine
	}
	s.samples = countBLG(file, &s.head)
	return s, nil
}

// blgSource is immutable, so that any number of goroutines may use it.
type blgSource struct {
	file    File
	head    pdhlog.Header
	info    winperf.LogInfo
	machine string
	titles  *pdhraw.Titles // as they are before the first sample
	samples int
}

// Describe implements winperf.Source. The machine is that of the first counter. How
// many samples there are only logs of whole objects tell.
func (s *blgSource) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Recorded: true, Samples: s.samples, Log: s.info}
}

// Schema implements winperf.Source.
func (s *blgSource) Schema(context.Context) (*winperf.Schema, error) { return s.titles.Schema(), nil }

// Close implements winperf.Source. Queries have files of their own.
func (s *blgSource) Close() error { return nil }

// Compile implements winperf.Source. It accepts every selection; of the log's
// objects those that none of its paths names are not read.
func (s *blgSource) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &blgQuery{source: s, sel: sel, choose: true, parts: selection.Parts(sel)}, nil
}

// countBLG returns how many samples the log says it has, -1 where it does not: what
// tells stands in its last buffer.
func countBLG(file File, head *pdhlog.Header) int {
	f, err := file.open()
	if err != nil {
		return -1
	}
	defer f.Close()

	info, err := f.Stat()
	size := int64(head.BufferSize)
	if err != nil || info.Size() < 2*size {
		return -1
	}

	last := (info.Size() - 1) / size * size
	r, err := pdhlog.NewReader(io.MultiReader(io.NewSectionReader(f, 0, size), io.NewSectionReader(f, last, size)))
	if err != nil {
		return -1
	}

	var sample pdhlog.Sample
	for err == nil {
		err = r.Next(&sample)
	}

	return r.Samples()
}

// blgQuery reads the log from its beginning.
type blgQuery struct {
	source *blgSource
	sel    winperf.Selection
	choose bool             // else everything is read
	parts  []selection.Part // that are wanted
	blocks winperf.Blocks

	file     *os.File
	size     int64
	reader   *pdhlog.Reader
	sample   pdhlog.Sample
	titles   *pdhraw.Titles
	lists    int           // of the reader, when the machines were planned
	machines []blgMachine  // those that are wanted
	found    findings.List // damage that the reader does not know
}

// open opens the file and reads its head.
func (q *blgQuery) open() error {
	f, err := q.source.file.open()
	if err != nil {
		return err
	}

	q.file = f
	if info, err := f.Stat(); err == nil {
		q.size = info.Size()
	}

	if q.reader, err = pdhlog.NewReader(f); err != nil {
		return fmt.Errorf("%s: %w", q.source.file.Name, err)
	}
	return nil
}

// next reads the next sample.
func (q *blgQuery) next() error {
	err := q.reader.Next(&q.sample)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", q.source.file.Name, err)
	}
	if q.titles == nil || q.lists != q.reader.Lists() {
		q.plan()
	}
	return err
}

// plan prepares for the list of counters at hand.
func (q *blgQuery) plan() {
	q.lists = q.reader.Lists()
	switch {
	case q.titles == nil && q.choose:
		q.titles = q.source.titles.Clone()
	case q.titles == nil:
		q.titles = pdhraw.NewTitles(q.reader.Names())
	}

	list := q.reader.Counters()
	names, entries := machinesOf(list)
	if len(names) == 0 {
		names, entries = []string{""}, [][]int{nil} // blocks tell themselves what they are
	}

	q.machines = q.machines[:0]
	any := !slices.ContainsFunc(names, q.wantsMachine) // then the samples tell that what is wanted is not there
	for i, name := range names {
		if !any && !q.wantsMachine(name) {
			continue
		}
		m := newBLGMachine(name, list, entries[i], q.reader.Header().PerfFreq, q.titles, q.fail)
		m.orphans = i == 0
		if q.choose {
			m.Select(q.parts)
		}
		q.machines = append(q.machines, m)
	}
}

// wantsMachine tells whether the selection wants anything of a machine.
func (q *blgQuery) wantsMachine(name string) bool {
	about := func(p selection.Part) bool { return p.Machine(name) }
	return name == "" || len(q.parts) == 0 || slices.ContainsFunc(q.parts, about)
}

// fail notes damage in the sample at hand.
func (q *blgQuery) fail(text string) {
	q.found.Add(func() error { return &winperf.DataError{Offset: q.sample.Offset, Msg: text} })
}

// Next implements winperf.Query: the next sample, in parts by machine.
func (q *blgQuery) Next(ctx context.Context, s *winperf.Sample) error {
	s.Release()
	err := q.read(ctx)
	for i := 0; err == nil && i < len(q.machines); i++ {
		m := &q.machines[i]
		b := s.Add(&q.blocks)
		b.Format, b.Bytes = winperf.FormatV1, m.block(b.Bytes, &q.sample)
		if len(q.machines) > 1 {
			s.Parts[i].Name = m.Machine()
		}
	}

	if err == nil { // blocks may have brought names
		s.Schema = q.titles.Schema()
	}
	for i := range s.Parts {
		s.Parts[i].Block.Schema = s.Schema
	}

	if q.reader != nil {
		s.At, s.Of = q.reader.Position(), q.size
		s.Damage = append(s.Damage, q.damage()...)
	}
	return err
}

// read reads the next sample that is wanted.
func (q *blgQuery) read(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if q.reader == nil {
		if err := q.open(); err != nil {
			return err
		}
	}

	for {
		if err := q.next(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil || q.sel.Within(q.sample.Time) {
			return err
		}
	}
}

// damage returns what was found since it was asked for last.
func (q *blgQuery) damage() []error {
	found := append(q.reader.Damage(), q.found.Take()...)
	for i, err := range found {
		found[i] = fmt.Errorf("%s: %w", q.source.file.Name, err)
	}
	return found
}

// Close implements winperf.Query.
func (q *blgQuery) Close() error {
	if q.file == nil {
		return nil
	}
	return q.file.Close()
}

// describe is what the log says about itself.
func (q *blgQuery) describe() winperf.LogInfo {
	h := q.reader.Header()
	return winperf.LogInfo{
		Format:   "PDH binary (.blg)",
		System:   h.System(),
		Zone:     h.Zone(),
		Location: q.reader.Location(),
	}
}
