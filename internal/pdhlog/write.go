package pdhlog

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/zone"
	"github.com/winperf/winperf/nametable"
)

// begin writes the records before the samples.
func (w *Writer) begin(f frame.Frame, names *nametable.Names) error {
	w.contents = newContents(&w.opt)
	w.contents.fix(f, names)
	if w.opt.Tail != nil {
		if err := w.opt.Tail.arrange(&w.contents, f, names); err != nil {
			return err
		}
		return w.out.resume(w.opt.Tail)
	}

	utc, local := w.moment(f.Time())
	if w.opt.Layout == Objects {
		w.catalogue = &catalogue{first: local}
	}
	return w.beginLog(utc, local, entriesOf(w.contents.entries), f.Clocks().PerfFreq, func() error {
		if !w.contents.hasBlocks() {
			return nil
		}
		return w.writeNames(f, names, local, utc)
	})
}

func (w *Writer) beginLog(utc, local int64, list []Counter, perfFreq int64, names func() error) error {
	if w.opt.GUID.IsZero() {
		if _, err := rand.Read(w.opt.GUID[:]); err != nil {
			return err
		}
	}

	start := winperf.FromFiletime(utc)
	head := Header{
		LogName: fitName(w.opt.Name), GUID: w.opt.GUID,
		PerfFreq: perfFreq, BufferSize: w.opt.BufferSize, Start: start,
		zone: zone.At(w.opt.Location, start),
	}
	head.setSystem(w.opt.System)

	if err := w.out.begin(head); err != nil {
		return err
	}
	if err := names(); err != nil {
		return err
	}
	return w.out.record(typeList, local-10, utc, appendList(nil, list))
}

func (w *Writer) moment(t time.Time) (utc, local int64) {
	_, offset := t.In(w.opt.Location).Zone()
	utc = winperf.ToFiletime(t)
	return utc, utc + int64(offset)*10_000_000
}

func (w *Writer) write(f frame.Frame, names *nametable.Names) error {
	utc, local := w.moment(f.Time())
	if err := w.contents.cooker.Set(w.contents.older, f, counter.Options{}); err != nil {
		return err
	}
	w.sample.fill(&w.contents, f, local)
	w.contents.note(f, names)
	w.contents.older = f
	if w.catalogue != nil {
		w.catalogue.note(&w.contents, f, local)
	}
	w.sample.buf = appendSample(w.sample.buf[:0], &w.sample.sample)
	return w.out.record(typeSample, local, utc, w.sample.buf)
}

// end writes the records behind the samples.
func (w *Writer) end() error {
	if w.catalogue != nil && !w.catalogue.full {
		b := w.catalogue.append(nil)
		if err := w.out.record(typeCatalogue, w.catalogue.last+20, w.out.last, b); err != nil {
			return err
		}
	}
	return w.out.end()
}

// writeNames writes the shown name table in records of one event each. It is written once
// for all machines, under the name of the first.
func (w *Writer) writeNames(f frame.Frame, names *nametable.Names, local, utc int64) error {
	pairs := map[uint32]bool{}
	machine := appendUTF16Z(nil, `\\`+w.machines[0])
	var all [][]byte
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

	// Names that only another language has.
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
