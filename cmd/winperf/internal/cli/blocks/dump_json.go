package blocks

import (
	"bufio"
	"bytes"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/safetext"
)

// The JSON form of dump -o json. It is a public format: fields may only be added.
type (
	dumpObject struct {
		Index    uint32        `json:"index"`
		GUID     *winperf.GUID `json:"guid"`
		Name     string        `json:"name"`              // "" if the name table lacks it
		Machine  string        `json:"machine,omitempty"` // only if there are several
		Counters []dumpCounter `json:"counters"`
	}
	dumpCounter struct {
		Index  uint32       `json:"index"`
		Name   string       `json:"name"`
		Type   counter.Type `json:"type"`
		Size   int          `json:"size"`
		Offset int          `json:"offset"`
	}
)

func (d *dump) writeJSON(w *bufio.Writer) error {
	w.WriteString(`{"objects":[`)
	separator := "\n"
	for o := range d.cycle.Frame.Objects() {
		if !d.includes(o) {
			continue
		}
		w.WriteString(separator)
		separator = ",\n"
		if err := d.writeObject(w, o); err != nil {
			return err
		}
	}
	_, err := w.WriteString("\n]}\n")
	return err
}

func (d *dump) writeObject(w *bufio.Writer, o frame.Object) error {
	id, names := o.ID(), d.cycle.Names
	obj := dumpObject{Index: id.Index, Counters: []dumpCounter{}}
	obj.Name, _ = names.Name(id.Index)
	if len(d.machines) > 1 {
		obj.Machine = o.Machine()
	}

	for k := range o.NumCounters() {
		c := o.Counter(k)
		name, _ := names.Name(c.ID.Index)
		counter := dumpCounter{c.ID.Index, name, c.Type, c.Size, c.Offset}
		obj.Counters = append(obj.Counters, counter)
	}

	var head bytes.Buffer
	if err := output.NewJSON(&head).Encode(obj); err != nil {
		return err
	}

	// Instances are inserted before the object's closing brace.
	w.Write(bytes.TrimSuffix(head.Bytes(), []byte("}\n")))
	w.WriteString(`,"instances":[`)
	var line []byte
	for in := range o.Instances() {
		line = line[:0]
		if in.Position() > 0 {
			line = append(line, ',')
		}
		line = appendDumpInstance(append(line, "\n "...), o, in)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	_, err := w.WriteString("]}")
	return err
}

// appendDumpInstance appends an instance such as
// {"name":"svchost","parent":null,"unique_id":-1,"raw":[1,2]}: the name as in the sample ("" without
// instances), and raw values in the order of the counters, null if missing. It avoids reflection because
// samples may have many instances.
func appendDumpInstance(b []byte, o frame.Object, in frame.Instance) []byte {
	b = safetext.AppendJSON(append(b, `{"name":`...), in.RawName())
	b = append(b, `,"parent":`...)
	if p, ok := in.Parent(); ok {
		b = safetext.AppendJSON(b, p.RawName())
	} else {
		b = append(b, "null"...)
	}

	unique, ok := in.UniqueID()
	if !ok {
		unique = -1
	}

	b = append(b, `,"unique_id":`...)
	b = strconv.AppendInt(b, int64(unique), 10)
	b = append(b, `,"raw":[`...)
	for k := range o.NumCounters() {
		if k > 0 {
			b = append(b, ',')
		}
		if v, ok := o.Raw(in.Position(), k); ok {
			b = strconv.AppendUint(b, v, 10)
		} else if s, ok := o.Text(in.Position(), k); ok {
			b = safetext.AppendJSON(b, s)
		} else {
			b = append(b, "null"...)
		}
	}
	return append(b, "]}"...)
}
