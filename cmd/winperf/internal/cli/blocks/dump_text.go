package blocks

import (
	"bufio"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/perfdata"
)

// text decodes the blocks and returns a function that writes them one after the other.
func (d *dump) text() (func(w *bufio.Writer) error, error) {
	blocks, err := d.blocks()
	if err != nil {
		return nil, err
	}

	var parts []func(w *bufio.Writer) error
	for _, b := range blocks {
		if b.Format == winperf.FormatV2 {
			parts = append(parts, func(w *bufio.Writer) error { return d.writeSets(w, b) })
			continue
		}
		parsed, err := d.parse(&b.Raw)
		if parsed == nil {
			return nil, err
		}
		parts = append(parts, func(w *bufio.Writer) error { return perfdata.WriteText(w, parsed, d.name) })
	}

	return func(w *bufio.Writer) error {
		for i, write := range parts {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := write(w); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// name returns the name of a title index, or "".
func (d *dump) name(title uint32) string {
	name, _ := d.cycle.Names.Name(title)
	return name
}

// writeSets writes counter sets in lines, similar to performance data blocks:
//
//	sets name="HOST" perftime=5 perffreq=1000 time100ns=133500000000000000
//	set {00000001-0000-0000-0000-000000000000} title=1000 # "Pool"
//	  counter 1 PERF_COUNTER_RAWCOUNT title=1002 size=4 # "Free"
//	  instance "a b" id=3 : 2
//
// A value that is missing is "?". A set without instances has a line "values" in place of
// instances.
func (d *dump) writeSets(w *bufio.Writer, block *winperf.Block) error {
	head := false
	for o := range d.cycle.Frame.Objects() {
		if !d.includes(o) || o.Block() != block {
			continue
		}
		if c := o.Clocks(); !head {
			fmt.Fprintf(w, "sets name=%q perftime=%d perffreq=%d time100ns=%d\n",
				o.Machine(), c.PerfTime, c.PerfFreq, c.Time100ns)
			head = true
		}
		d.writeSet(w, o)
	}
	_, err := w.Write(nil)
	return err
}

func (d *dump) writeSet(w *bufio.Writer, o frame.Object) {
	line := func(title uint32) {
		if name := d.name(title); name != "" {
			fmt.Fprintf(w, " # %q", name)
		}
		fmt.Fprintln(w)
	}

	id := o.ID()
	fmt.Fprintf(w, "set %v title=%d", id.GUID, id.Index)
	line(id.Index)
	for k := range o.NumCounters() {
		c := o.Counter(k)
		fmt.Fprintf(w, "  counter %d %v title=%d size=%d", c.ID.ID, c.Type, c.ID.Index, c.Size)
		line(c.ID.Index)
	}

	for in := range o.Instances() {
		if o.Single() {
			fmt.Fprint(w, "  values :")
		} else {
			unique, _ := in.UniqueID() // every instance has one
			fmt.Fprintf(w, "  instance %q id=%d :", in.RawName(), uint32(unique))
		}
		for k := range o.NumCounters() {
			if v, ok := o.Raw(in.Position(), k); ok {
				fmt.Fprintf(w, " %d", v)
			} else {
				fmt.Fprint(w, " ?")
			}
		}
		fmt.Fprintln(w)
	}
}
