package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/sorted"
)

// Part is one of several logs that follow each other, such as the files of a recording.
type Part struct {
	Name string
	// Version changes when the content changes, such as the size and time of a file.
	Version string
	Size    int64 // in bytes
	Open    func(ctx context.Context) (winperf.Source, error)
}

// Join joins the parts of each machine to a log. The logs have the order of their first samples. list returns
// the parts in any order; it is called again for each query, so that parts can appear, grow and disappear. A
// part that is missing is a gap in the samples, and a part that cannot be read is damage.
//
// Parts without a machine belong to the first log. Parts of machines that appear later are damage of the
// first log. Without parts there is one log, of the machine that has a part first.
func Join(ctx context.Context, list func() ([]Part, error)) (logs []winperf.Source, err error) {
	all := &joined{list: list, known: map[string]knownPart{}}
	if err := all.look(ctx); err != nil {
		return nil, err
	}
	var machines []string
	for _, p := range all.parts {
		if machine := p.is.Machine; machine != "" && indexFold(machines, machine) < 0 {
			machines = append(machines, machine)
		}
	}

	for i := range max(1, len(machines)) {
		j := &joined{
			list: list, known: maps.Clone(all.known), parts: slices.Clone(all.parts), machines: machines, index: i,
		}
		j.choose()
		j.describe()
		logs = append(logs, j)
	}
	return logs, nil
}

func indexFold(names []string, name string) int {
	return slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, name) })
}

type joined struct {
	list     func() ([]Part, error)
	machines []string // each has a log
	index    int      // of this log's machine

	mu     sync.Mutex
	known  map[string]knownPart // by name and version
	parts  []knownPart          // by begin
	is     winperf.Description
	schema *winperf.Schema
}

// knownPart is a part with the times of its samples; end is zero if it is unknown.
type knownPart struct {
	Part
	begin, end time.Time
	is         winperf.Description
	schema     *winperf.Schema // may be nil
	err        error           // the part cannot be opened
}

// Describe implements winperf.Source.
func (j *joined) Describe() winperf.Description {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := j.is
	d.Recorded = true
	return d
}

// Schema implements winperf.Source.
func (j *joined) Schema(context.Context) (*winperf.Schema, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.schema, nil
}

// Close implements winperf.Source.
func (j *joined) Close() error { return nil }

// Compile implements winperf.Source.
func (j *joined) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.refresh(ctx); err != nil {
		return nil, err
	}
	q := &joinedQuery{sel: sel}
	for _, p := range j.parts {
		q.of += p.Size
		if (p.end.IsZero() || !p.end.Before(sel.Begin)) && (sel.End.IsZero() || !p.begin.After(sel.End)) {
			q.parts = append(q.parts, p)
		} else if len(q.parts) == 0 {
			q.passed += p.Size
		}
	}
	return q, nil
}

// refresh updates the parts. j is locked.
func (j *joined) refresh(ctx context.Context) error {
	if err := j.look(ctx); err != nil {
		return err
	}
	j.choose()
	j.describe()
	return nil
}

// look updates the parts of all machines. j is locked.
func (j *joined) look(ctx context.Context) error {
	list, err := j.list()
	if err != nil {
		return err
	}
	known := make(map[string]knownPart, len(list))
	j.parts = j.parts[:0]
	for _, part := range list {
		key := part.Name + "\x00" + part.Version
		p, same := j.known[key]
		if !same {
			p = lookAt(ctx, part)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if errors.Is(p.err, fs.ErrNotExist) {
			continue
		}
		known[key] = p
		j.parts = append(j.parts, p)
	}

	j.known = known
	sorted.Func(j.parts, func(a, b knownPart) int {
		return cmp.Or(a.begin.Compare(b.begin), cmp.Compare(a.Name, b.Name))
	})
	return nil
}

// choose keeps the parts of this log. Parts of unknown machines are damage of the first log. j is locked.
func (j *joined) choose() {
	chosen := j.parts[:0]
	for _, p := range j.parts {
		i := 0
		if machine := p.is.Machine; machine != "" {
			if len(j.machines) == 0 {
				j.machines = []string{machine}
			}
			if i = indexFold(j.machines, machine); i < 0 {
				const form = "the log is from %s, not from %s: open it alone"
				i, p.err = 0, fmt.Errorf(form, machine, j.machines[0])
				p.begin, p.end = time.Time{}, time.Time{} // to report it with any range
			}
		}
		if i == j.index {
			chosen = append(chosen, p)
		}
	}
	j.parts = chosen
}

// lookAt reads the times of a part.
func lookAt(ctx context.Context, part Part) (p knownPart) {
	p.Part = part
	src, err := part.Open(ctx)
	if err != nil {
		p.err = err
		return p
	}
	defer src.Close()

	p.is = src.Describe()
	p.begin, p.end = p.is.Log.Begin, p.is.Log.End
	if schema, err := src.Schema(ctx); err == nil {
		p.schema = schema
	}
	if !p.begin.IsZero() {
		return p
	}

	q, err := src.Compile(ctx, winperf.Selection{Global: true, Costly: true})
	if err != nil {
		p.err = err
		return p
	}
	defer q.Close()
	var sample winperf.Sample
	if q.Next(ctx, &sample) == nil {
		p.begin = capture.Time(&sample)
	}
	return p
}

// describe updates the description. j is locked.
func (j *joined) describe() {
	j.is, j.schema = winperf.Description{}, nil
	var begin, end time.Time
	samples, all := 0, true
	for _, p := range j.parts {
		if p.err != nil {
			continue
		}
		j.is = p.is
		j.schema = cmp.Or(p.schema, j.schema)
		if p.is.Samples < 0 {
			all = false
		}
		samples += p.is.Samples
		if begin.IsZero() { // the ones without a time are first
			begin = p.begin
		}
		end = p.end
	}

	if j.is.Samples = samples; !all {
		j.is.Samples = -1
	}
	j.is.Log.Begin, j.is.Log.End = begin, end
}

// joinedQuery reads one part after the other.
type joinedQuery struct {
	sel        winperf.Selection
	parts      []knownPart // the rest
	passed, of int64       // bytes

	size   int64 // of the current part
	src    winperf.Source
	query  winperf.Query // nil without a current part
	last   time.Time     // of the latest sample
	damage []error
}

// Next implements winperf.Query.
func (q *joinedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	for {
		s.Clear()
		if err := ctx.Err(); err != nil {
			return err
		}
		if q.query == nil {
			if len(q.parts) == 0 {
				s.Damage, q.damage = append(s.Damage, q.damage...), nil
				return io.EOF
			}
			q.begin(ctx)
			continue
		}

		err := q.query.Next(ctx, s)
		if err == nil {
			s.Damage, q.damage = append(s.Damage, q.damage...), nil
			q.last = capture.Time(s)
			s.At, s.Of = q.passed+s.At, q.of
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, fs.ErrNotExist) { // or it was removed
			q.damage = append(q.damage, err)
		}
		q.damage = append(q.damage, s.Damage...)
		_ = q.end() // it was only read
	}
}

// begin opens the next part. A part that was removed in the meantime is a gap.
func (q *joinedQuery) begin(ctx context.Context) {
	p := q.parts[0]
	q.parts = q.parts[1:]
	sel := q.sel
	sel.Before = sel.Before && q.last.IsZero() // later parts follow a sample that was read
	if next := q.last.Add(sel.Every); sel.Every > 0 && !q.last.IsZero() && next.After(sel.Begin) {
		sel.Begin = next
	}
	if !p.end.IsZero() && p.end.Before(sel.Begin) {
		q.passed += p.Size
		return
	}

	err := p.err
	if err == nil {
		q.src, err = p.Open(ctx)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		q.passed += p.Size
		return
	case err == nil:
		q.size = p.Size
		if q.query, err = q.src.Compile(ctx, sel); err != nil {
			_ = q.src.Close()
		}
	}
	if err != nil && ctx.Err() == nil {
		q.passed += p.Size
		q.damage = append(q.damage, fmt.Errorf("%s: %w", p.Name, err))
	}
}

// end closes the current part, if there is one.
func (q *joinedQuery) end() error {
	if q.query == nil {
		return nil
	}
	err := errors.Join(q.query.Close(), q.src.Close())
	q.query, q.passed = nil, q.passed+q.size
	return err
}

// Close implements winperf.Query.
func (q *joinedQuery) Close() error { return q.end() }
