package perfdata

import (
	"slices"

	"github.com/winperf/winperf/internal/index"
)

func (r *textReader) instanceLine(head word, args []word) error {
	if err := r.in(head, r.object != nil && r.object.Raw == nil && r.object.Form == Multiple,
		"object with instances"); err != nil {
		return err
	}
	if len(args) == 0 {
		return head.errorf(`instance needs a name, or "-"`)
	}

	in := r.addInstance()
	if args[0].text != "-" {
		name := ""
		if err := toString(&name)(args[0]); err != nil {
			return err
		}
		if err := r.object.SetInstanceName(len(r.object.Instances)-1, name); err != nil {
			return args[0].errorf("%v", err)
		}
	}

	err := r.values(head, args[1:], map[string]reader{
		"parent":     toUnsigned(&in.ParentObject),
		"position":   toUnsigned(&in.ParentInstance),
		"id":         toSigned(&in.UniqueID),
		"nameoffset": toUnsigned(&in.Name.Offset),
		"namelength": toUnsigned(&in.Name.Length),
		"rest":       toBytes(&in.Name.Bytes),
	})
	r.fields = append(slices.Clip(instanceFields),
		fieldName{blockLength, uint32(instanceSize + len(in.Name.Bytes))})
	return err
}

func (r *textReader) valuesLine(head word, args []word) error {
	if err := r.in(head, r.object != nil && r.object.Raw == nil && r.object.Form != Multiple,
		"object without instances"); err != nil {
		return err
	}
	r.addInstance()
	r.fields = []fieldName{{blockLength, 0}}
	return r.values(head, args, map[string]reader{})
}

func (r *textReader) addInstance() *Instance {
	r.object.Instances = append(r.object.Instances, Instance{UniqueID: index.NoUniqueID})
	r.instance = &r.object.Instances[len(r.object.Instances)-1]
	r.overrides = &r.instance.Overrides
	r.extra = nil
	return r.instance
}

// values reads the options of an instance and, behind a colon, its values.
func (r *textReader) values(head word, args []word, readers map[string]reader) error {
	colon := slices.IndexFunc(args, func(w word) bool { return w.text == ":" })
	if colon < 0 {
		colon = len(args)
	}

	size := uint32(r.object.dataSize() + blockSize)
	readers["size"] = toUnsigned(&size)
	if err := options(args[:colon], readers); err != nil {
		return err
	}
	if size < blockSize || int64(size) > int64(r.budget) {
		return head.errorf("counter block of %d bytes, want 4 to %d", size, r.budget)
	}

	r.budget -= int(size)
	r.instance.Data = make([]byte, size-blockSize)
	for k, w := range args[min(colon+1, len(args)):] {
		if k >= len(r.object.Counters) {
			return w.errorf("there are values for %d counters already", k)
		}
		if err := r.value(k, w); err != nil {
			return err
		}
	}
	return nil
}

// value reads the value of the counter at position k of the last instance.
func (r *textReader) value(k int, w word) error {
	o, i := r.object, len(r.object.Instances)-1
	if w.text[0] == '?' {
		if err := o.SetMissing(i, k, true); err != nil {
			return w.errorf("%v", err)
		}
		if w = w.after(1); w.text == "" {
			return nil
		}
	}

	switch {
	case w.text == "-":
		return nil
	case w.text[0] == '"':
		return r.textValue(i, k, w)
	case len(w.text) > 4 && w.text[:4] == "hex:":
		var b []byte
		if err := toBytes(&b)(w.after(4)); err != nil {
			return err
		}
		if place := o.value(i, k); copy(place, b) < len(b) {
			return w.errorf("%v", o.noPlace("value", i, k))
		}
		return nil
	}

	var v uint64
	if err := toUnsigned(&v)(w); err != nil {
		return err
	}
	if err := o.SetValue(i, k, v); err != nil {
		return w.errorf("%v", err)
	}
	if got, _ := o.Value(i, k); got != v {
		return w.errorf("%d does not fit 4 bytes", v)
	}
	return nil
}

func (r *textReader) textValue(i, k int, w word) error {
	s := ""
	if err := toString(&s)(w); err != nil {
		return err
	}
	if err := r.object.SetText(i, k, s); err != nil {
		return w.errorf("%v", err)
	}
	return nil
}

// bytesLine puts bytes into the counter block of the last instance.
func (r *textReader) bytesLine(head word, args []word) error {
	if err := r.in(head, r.instance != nil, "instance"); err != nil {
		return err
	}
	at, args, err := number(head, args)
	if err != nil {
		return err
	}

	b, err := hexBytes(head, args)
	if err != nil {
		return err
	}

	data := r.instance.Data
	if at < blockSize || uint64(at)+uint64(len(b)) > uint64(len(data)+blockSize) {
		return head.errorf("%d bytes at %d are not inside the counter block of %d bytes", len(b), at,
			len(data)+blockSize)
	}
	copy(data[at-blockSize:], b)
	return nil
}
