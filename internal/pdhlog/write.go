package pdhlog

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/zone"
	"github.com/winperf/winperf/nametable"
)

// begin writes what stands before the samples.
func (w *Writer) begin(f frame.Frame, names *nametable.Names) error {
	utc, local := w.times(f)
	if w.opt.GUID.IsZero() {
		if _, err := rand.Read(w.opt.GUID[:]); err != nil {
			return err
		}
	}

	w.plan = newPlan(&w.opt)
	w.plan.fix(f, names)
	head := Header{
		LogName: fitName(w.opt.Name), GUID: w.opt.GUID,
		PerfFreq: f.Clocks().PerfFreq, BufferSize: w.opt.BufferSize, Start: winperf.FromFiletime(utc),
		zone: zone.At(w.opt.Location, winperf.FromFiletime(utc)),
	}

	head.setSystem(w.opt.System)
	err := w.out.begin(head)
	if err == nil && w.plan.hasBlocks() {
		err = w.writeNames(f, names, local, utc)
	}
	if w.opt.Layout == Objects {
		w.catalogue = &catalogue{first: local}
	}

	if err != nil {
		return err
	}
	var list []Counter
	for i := range w.plan.entries {
		list = append(list, w.plan.entries[i].Counter)
	}
	return w.out.record(typeList, local-10, utc, appendList(nil, list))
}

// times returns when a frame was taken, as FILETIME.
func (w *Writer) times(f frame.Frame) (utc, local int64) {
	t := f.Time()
	_, offset := t.In(w.opt.Location).Zone()
	utc = winperf.ToFiletime(t)
	return utc, utc + int64(offset)*10_000_000
}

// write writes a sample.
func (w *Writer) write(f frame.Frame, names *nametable.Names) error {
	utc, local := w.times(f)
	w.sample.fill(&w.plan, f, local)
	w.plan.note(f, names)
	if err := w.plan.keep(f); err != nil {
		return err
	}
	if w.catalogue != nil {
		w.catalogue.note(&w.plan, f, local)
	}
	w.sample.buf = appendSample(w.sample.buf[:0], &w.sample.sample)
	return w.out.record(typeSample, local, utc, w.sample.buf)
}

// end writes what stands behind the samples.
func (w *Writer) end() error {
	if w.catalogue != nil && !w.catalogue.full {
		b := w.catalogue.append(nil)
		if err := w.out.record(typeCatalogue, w.catalogue.last+20, w.out.last, b); err != nil {
			return err
		}
	}
	return w.out.end()
}

// writeNames writes the name table that names are shown in, as far as it goes,
// in records of one event each. Several machines have it in common: it stands there once,
// as that of the first.
func (w *Writer) writeNames(f frame.Frame, names *nametable.Names, local, utc int64) error {
	pairs := map[uint32]bool{}
	machine := appendUTF16Z(nil, `\\`+w.machines[0])
	var all [][]byte // records
	put := func(index uint32, name string) {
		if name == "" || pairs[index] {
			return
		}
		pairs[index] = true
		pair := appendUTF16Z(appendUTF16Z(nil, strconv.FormatUint(uint64(index), 10)), name)
		if n := len(all); n == 0 || len(all[n-1])+len(pair) > partLen {
			all = append(all, slices.Clone(machine))
		}
		last := &all[len(all)-1]
		*last = append(*last, pair...)
	}

	if languages := names.Languages(); len(languages) > 0 {
		table, _ := names.Tables(languages[0])
		for index, name := range table.All() {
			put(index, strings.ReplaceAll(name, "\x00", " "))
		}
	}

	// What only another language names.
	for o := range f.Objects() {
		title := o.ID().Index
		for k := range o.NumCounters() + 1 {
			name, _ := names.Name(title)
			put(title, name)
			if k < o.NumCounters() {
				title = o.Counter(k).ID.Index
			}
		}
	}

	for _, b := range all {
		if err := w.out.record(typeNames, local-20, utc, b); err != nil {
			return err
		}
	}
	return nil
}
