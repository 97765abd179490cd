package pdhlog

import (
	"crypto/rand"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/zone"
	"github.com/winperf/winperf/nametable"
)

// begin writes what stands before the samples.
func (w *BLGWriter) begin(f frame.Frame, names *nametable.Names) error {
	utc, local := w.times(f)
	if w.opt.GUID.IsZero() {
		if _, err := rand.Read(w.opt.GUID[:]); err != nil {
			return err
		}
	}

	w.plan = newBLGPlan(&w.opt)
	w.plan.fix(f, names)
	head := BLGHeader{
		LogName: fitName(w.opt.Name), GUID: w.opt.GUID,
		PerfFreq: f.Clocks().PerfFreq, BufferSize: w.opt.BufferSize, Start: winperf.FromFiletime(utc),
		Zone: zone.At(w.opt.Location, winperf.FromFiletime(utc)),
	}

	head.setSystem(w.opt.System)
	err := w.out.begin(head)
	if err == nil && w.opt.Layout == BLGObjects {
		err = w.writeNames(f, names, local, utc)
		w.catalogue = newCatalogueWriter(local)
	}

	if err != nil {
		return err
	}
	var list []BLGCounter
	for i := range w.plan.entries {
		list = append(list, w.plan.entries[i].BLGCounter)
	}
	return w.out.record(blgTypeList, local-10, utc, appendList(nil, list))
}

// times returns when a frame was taken, as FILETIME.
func (w *BLGWriter) times(f frame.Frame) (utc, local int64) {
	t := f.Time()
	_, offset := t.In(w.opt.Location).Zone()
	utc = winperf.ToFiletime(t)
	return utc, utc + int64(offset)*10_000_000
}

// write writes a sample.
func (w *BLGWriter) write(f frame.Frame, names *nametable.Names) error {
	utc, local := w.times(f)
	w.plan.note(f, names)
	w.sample.fill(&w.plan, f, local)
	if w.catalogue != nil {
		w.catalogue.note(&w.plan, f, local)
	}
	w.sample.buf = appendSample(w.sample.buf[:0], &w.sample.sample)
	return w.out.record(blgTypeSample, local, utc, w.sample.buf)
}

// end writes what stands behind the samples.
func (w *BLGWriter) end() error {
	if w.catalogue != nil && !w.catalogue.full {
		b := w.catalogue.finish()
		if err := w.out.record(blgTypeCatalogue, w.catalogue.c.Last+20, w.out.last, b); err != nil {
			return err
		}
	}
	return w.out.end()
}

// writeNames writes the name table that names are shown in, as far as it goes,
// in records of one event each. Several machines have it in common: it stands there once,
// as that of the first.
func (w *BLGWriter) writeNames(f frame.Frame, names *nametable.Names, local, utc int64) error {
	pairs := map[uint32]bool{}
	var record []byte
	flush := func() error {
		if record == nil {
			return nil
		}
		b := record
		record = nil
		return w.out.record(blgTypeNames, local-20, utc, b)
	}

	put := func(index uint32, name string) error {
		if name == "" || pairs[index] {
			return nil
		}
		pairs[index] = true
		pair := appendNames(nil, strconv.FormatUint(uint64(index), 10), name)
		if len(record)+len(pair) > blgPart {
			if err := flush(); err != nil {
				return err
			}
		}
		if record == nil {
			record = appendUTF16Z(nil, `\\`+w.machines[0])
		}
		record = append(record, pair...)
		return nil
	}

	if languages := names.Languages(); len(languages) > 0 {
		table, _ := names.Tables(languages[0])
		for index, name := range table.All() {
			if err := put(index, strings.ReplaceAll(name, "\x00", " ")); err != nil {
				return err
			}
		}
	}

	if err := eachTitle(f, names, put); err != nil { // what only another language names
		return err
	}
	return flush()
}

// eachTitle calls put with the name of each object and counter of a frame that
// has one.
func eachTitle(f frame.Frame, names *nametable.Names, put func(index uint32, name string) error) error {
	for o := range f.Objects() {
		titles := []uint32{o.ID().Index}
		for k := range o.NumCounters() {
			titles = append(titles, o.Counter(k).ID.Index)
		}
		for _, title := range titles {
			if name, ok := names.Name(title); ok {
				if err := put(title, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// maxCatalogue bounds how many instances a catalogue lists; a log with more has
// none.
const maxCatalogue = 1 << 16

// catalogueWriter collects what the catalogue tells.
type catalogueWriter struct {
	c     BLGCatalogue
	known []map[string]bool // by object: its instances
	seen  []*frame.Labels
	count int
	full  bool
}

func newCatalogueWriter(local int64) *catalogueWriter {
	return &catalogueWriter{c: BLGCatalogue{First: local}}
}

// note collects what a frame has.
func (w *catalogueWriter) note(p *blgPlan, f frame.Frame, local int64) {
	w.c.Samples++
	w.c.Last = local
	for len(w.c.Objects) < len(p.entries) {
		w.c.Objects = append(w.c.Objects, BLGCatalogueObject{})
		w.known, w.seen = append(w.known, map[string]bool{}), append(w.seen, nil)
	}

	for i := range p.entries {
		o, found := p.entries[i].find(f)
		if !found || w.full || w.seen[i] == o.Labels() {
			continue
		}
		w.seen[i] = o.Labels()
		if w.c.Objects[i].Counters == nil {
			w.counters(&w.c.Objects[i], o)
		}
		if !o.Single() {
			w.instances(i, o)
		}
	}
}

func (w *catalogueWriter) counters(c *BLGCatalogueObject, o frame.Object) {
	for k := range o.NumCounters() {
		d := o.Counter(k)
		c.Counters = append(c.Counters, BLGCatalogueCounter{Title: d.ID.Index, Type: d.Type, TimeBase: timeBase(o, &d), Scale: d.Scale})
	}
}

func (w *catalogueWriter) instances(i int, o frame.Object) {
	c := &w.c.Objects[i]
	if c.Instances == nil {
		c.Instances = []BLGCatalogueInstance{}
	}

	for in := range o.Instances() {
		key := strings.ToLower(in.Full()) + "#" + strconv.Itoa(in.Occurrence())
		if w.known[i][key] {
			continue
		}

		if w.count++; w.count > maxCatalogue {
			w.full = true
			return
		}

		w.known[i][key] = true
		entry := BLGCatalogueInstance{Name: in.Name(), Index: in.Occurrence()}
		if parent, ok := in.Parent(); ok {
			entry.Parent = parent.Name()
		}
		c.Instances = append(c.Instances, entry)
	}
}

// finish returns the catalogue as a record.
func (w *catalogueWriter) finish() []byte { return w.c.append(nil) }
