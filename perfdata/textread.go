package perfdata

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// freeBudget limits the bytes of counter blocks not covered by values. Values have at most
// 16 times the length of their text.
const freeBudget = 16 << 20

// ParseText reads the text form of a block (see the package documentation). An error is a
// [*winperf.DataError] with line and column, the latter in bytes, and wraps winperf.ErrBadData.
func ParseText(text []byte) (*Block, error) {
	r := textReader{block: &Block{}, budget: freeBudget + 16*len(text)}
	r.overrides = &r.block.overrides
	r.places = headerFields
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := r.line(strings.TrimSuffix(line, "\n")); err != nil {
			var at *winperf.DataError
			if errors.As(err, &at) {
				at.Line = number
			}
			return nil, err
		}
	}
	return r.block, nil
}

// textReader is the state between two lines.
type textReader struct {
	block       *Block
	seenBlock   bool
	object      *Object   // the current object
	next        uint32    // end of its previous values
	autoMissing bool      // its bit map is placed at next
	instance    *Instance // the current instance of the object
	extra       *[]byte   // of the current structure, if it has one
	overrides   *[]override
	places      []fieldName // of the current structure
	budget      int         // remaining bytes of counter blocks
}

func (r *textReader) line(line string) error {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return err
	}

	head, args := words[0], words[1:]
	switch head.text {
	case "block":
		return r.blockLine(head, args)
	case "object":
		return r.objectLine(head, args)
	case "counter":
		return r.counterLine(head, args)
	case "instance":
		return r.instanceLine(head, args)
	case "values":
		return r.valuesLine(head, args)
	case "bytes":
		return r.bytesLine(head, args)
	case "set":
		return r.setLine(args)
	case "extra", "gap", "tail", "raw", "slack":
		return r.hexLine(head, args)
	}
	return head.errorf("unknown keyword %q", head.text)
}

func (r *textReader) blockLine(head word, args []word) error {
	b := r.block
	if r.seenBlock || len(b.Objects) > 0 {
		return head.errorf("the block line must be the first one and occur once")
	}
	r.seenBlock = true
	name := field{key: "name", to: func(w word) error {
		name := ""
		if err := w.read(&name); err != nil {
			return err
		}
		return w.wrap(b.SetMachine(name))
	}}
	return options(args, b.fields(), b.name.fields(), []field{name})
}

func (r *textReader) objectLine(head word, args []word) error {
	title, args, err := number(head, args)
	if err != nil {
		return err
	}

	o := r.addObject(Object{Title: title, Help: title + 1, Detail: 100})
	r.overrides = &o.overrides
	r.places = objectFields
	r.extra = &o.Extra
	auto := field{key: "missing", to: func(w word) error {
		if r.autoMissing = w.text == "auto"; r.autoMissing {
			o.Missing = r.next
			return nil
		}
		return w.read(&o.Missing)
	}}
	return options(args, []field{auto}, o.fields())
}

func (r *textReader) addObject(o Object) *Object {
	r.block.Objects = append(r.block.Objects, o)
	r.object = &r.block.Objects[len(r.block.Objects)-1]
	r.next = firstValue
	r.autoMissing = false
	r.instance = nil
	r.extra = nil
	return r.object
}

func (r *textReader) counterLine(head word, args []word) error {
	title, args, err := number(head, args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return head.errorf("expected a title index and a type")
	}

	typ, err := counter.ParseType(args[0].text)
	if err != nil {
		return args[0].wrap(err)
	}
	if err := r.in(head, r.object != nil && r.object.Raw == nil && r.instance == nil,
		"object, before its instances"); err != nil {
		return err
	}

	c, placed := NewCounter(title, typ), false
	err = options(args[1:], c.fields(), []field{{key: "offset", to: func(w word) error {
		placed = true
		return w.read(&c.Offset)
	}}})

	if !placed {
		c.Offset, _ = place(r.next, c.Size)
	}
	r.next = behind(r.next, &c)
	if r.autoMissing {
		r.object.Missing = r.next
	}

	r.object.Counters = append(r.object.Counters, c)
	last := &r.object.Counters[len(r.object.Counters)-1]
	r.overrides = &last.overrides
	r.places = counterFields
	r.extra = &last.extra
	return err
}

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
		if err := args[0].read(&name); err != nil {
			return err
		}
		if err := args[0].wrap(r.object.SetInstanceName(len(r.object.Instances)-1, name)); err != nil {
			return err
		}
	}

	err := r.values(head, args[1:], in.fields(), in.name.fields())
	r.places = in.places(true)
	return err
}

func (r *textReader) valuesLine(head word, args []word) error {
	if err := r.in(head, r.object != nil && r.object.Raw == nil && r.object.Form != Multiple,
		"object without instances"); err != nil {
		return err
	}
	r.places = r.addInstance().places(false)
	return r.values(head, args)
}

func (r *textReader) addInstance() *Instance {
	r.object.Instances = append(r.object.Instances, Instance{UniqueID: index.NoUniqueID})
	r.instance = &r.object.Instances[len(r.object.Instances)-1]
	r.overrides = &r.instance.overrides
	r.extra = nil
	return r.instance
}

// values reads the options of an instance and, behind a colon, its values.
func (r *textReader) values(head word, args []word, fields ...[]field) error {
	colon := slices.IndexFunc(args, func(w word) bool { return w.text == ":" })
	if colon < 0 {
		colon = len(args)
	}

	size := uint32(r.object.dataSize() + firstValue)
	if err := options(args[:colon], append(fields, []field{{key: "size", to: &size}})...); err != nil {
		return err
	}
	if size < firstValue || int64(size) > int64(r.budget) {
		return head.errorf("counter block of %d bytes, expected 4 to %d", size, r.budget)
	}

	r.budget -= int(size)
	r.instance.Data = make([]byte, size-firstValue)
	for k, w := range args[min(colon+1, len(args)):] {
		if k >= len(r.object.Counters) {
			return w.errorf("too many values: the object has %d counters", k)
		}
		if err := r.value(k, w); err != nil {
			return err
		}
	}
	return nil
}

// value reads the value of the counter at position k of the current instance.
func (r *textReader) value(k int, w word) error {
	o, i := r.object, len(r.object.Instances)-1
	if w.text[0] == '?' {
		if err := o.SetMissing(i, k, true); err != nil {
			return w.wrap(err)
		}
		w = w.after(1)
	}

	switch {
	case w.text == "", w.text == "-":
		return nil
	case w.text[0] == '"':
		s := ""
		if err := w.read(&s); err != nil {
			return err
		}
		return w.wrap(o.SetText(i, k, s))
	case len(w.text) > 4 && w.text[:4] == "hex:":
		var b []byte
		if err := w.after(4).read(&b); err != nil {
			return err
		}
		if place := o.value(i, k); copy(place, b) < len(b) {
			return w.wrap(o.noPlace("value", i, k))
		}
		return nil
	}

	var v uint64
	if err := w.read(&v); err != nil {
		return err
	}
	if err := o.SetValue(i, k, v); err != nil {
		return w.wrap(err)
	}
	if got, _ := o.Value(i, k); got != v {
		return w.errorf("%d does not fit 4 bytes", v)
	}
	return nil
}

// in returns an error unless ok: the line has no suitable line above it.
func (r *textReader) in(head word, ok bool, where string) error {
	if ok {
		return nil
	}
	return head.errorf("%s belongs to an %s", head.text, where)
}

func number(head word, args []word) (n uint32, rest []word, err error) {
	if len(args) == 0 {
		return 0, nil, head.errorf("%s needs a number", head.text)
	}
	err = args[0].read(&n)
	return n, args[1:], err
}

// hexBytes reads the only argument of a line.
func hexBytes(head word, args []word) (b []byte, err error) {
	if len(args) != 1 {
		return nil, head.errorf("%s needs hexadecimal digits and nothing else", head.text)
	}
	err = args[0].read(&b)
	return b, err
}

// bytesLine writes bytes to the counter block of the current instance.
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
	if at < firstValue || uint64(at)+uint64(len(b)) > uint64(len(data)+firstValue) {
		return head.errorf("%d bytes at %d are not inside the counter block of %d bytes", len(b), at,
			len(data)+firstValue)
	}
	copy(data[at-firstValue:], b)
	return nil
}

func (r *textReader) setLine(args []word) error {
	for _, w := range args {
		key, _, ok := strings.Cut(w.text, "=")
		if !ok {
			return w.errorf("%q is not field=value", w.text)
		}

		var o override
		i := slices.IndexFunc(r.places, func(f fieldName) bool { return f.name == key })
		if offset, err := strconv.ParseUint(key, 0, 32); err == nil {
			o.Offset = uint32(offset)
		} else if i < 0 {
			return w.errorf("the structure above has no field %q", key)
		} else {
			o.Offset = r.places[i].offset
		}

		if err := w.after(len(key) + 1).read(&o.Value); err != nil {
			return err
		}
		*r.overrides = append(*r.overrides, o)
	}
	return nil
}

// hexLine reads a line whose only argument is bytes.
func (r *textReader) hexLine(head word, args []word) (err error) {
	to := &r.block.tail
	switch head.text {
	case "extra":
		to, err = r.extra, r.in(head, r.extra != nil, "object or counter")
	case "raw":
		to = &r.addObject(Object{}).Raw
	case "gap", "tail":
		if err := r.in(head, r.object != nil, "object"); err != nil {
			return err
		}
		to = &r.object.gap
		if head.text == "tail" {
			to = &r.object.tail
		}
	}

	if err == nil {
		*to, err = hexBytes(head, args)
	}
	return err
}

type word struct {
	column int // from 1
	text   string
}

func (w word) errorf(format string, args ...any) error {
	return &winperf.DataError{Err: errText, Column: w.column, Msg: fmt.Sprintf(format, args...)}
}

func (w word) wrap(err error) error {
	if err == nil {
		return nil
	}
	return w.errorf("%v", err)
}

// after returns the word without its first n bytes.
func (w word) after(n int) word { return word{w.column + n, w.text[n:]} }

// split splits a line into words. Spaces inside quotes do not separate; a comment ends the
// line.
func split(line string) (words []word, err error) {
	for i := 0; i < len(line); {
		if isSpace(line[i]) {
			i++
			continue
		}

		if line[i] == '#' {
			break
		}
		begin := i
		for i < len(line) && !isSpace(line[i]) {
			n := 1
			if line[i] == '"' {
				quoted, err := strconv.QuotedPrefix(line[i:])
				if err != nil {
					return nil, word{column: i + 1}.errorf("a string without its closing quote")
				}
				n = len(quoted)
			}
			i += n
		}
		words = append(words, word{begin + 1, line[begin:i]})
	}
	return words, nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// options assigns words of the form key=value to the first field with the key.
func options(words []word, fields ...[]field) error {
	all := slices.Concat(fields...)
	for _, w := range words {
		key, _, ok := strings.Cut(w.text, "=")
		if !ok {
			return w.errorf("%q is not key=value", w.text)
		}
		i := slices.IndexFunc(all, func(f field) bool { return f.key == key })
		if i < 0 {
			return w.errorf("unknown key %q", key)
		}

		w = w.after(len(key) + 1)
		read, ok := all[i].to.(func(word) error)
		if !ok {
			read = func(w word) error { return w.read(all[i].to) }
		}
		if err := read(w); err != nil {
			return err
		}
	}
	return nil
}

// read parses the word into a variable: a number of the variable's size, a quoted string,
// hexadecimal bytes, a form, or numbers separated by commas.
func (w word) read(to any) (err error) {
	if form, ok := to.(*Form); ok {
		i := slices.IndexFunc(forms[:], func(f formWord) bool { return f.word == w.text })
		if i < 0 {
			return w.errorf("unknown form %q", w.text)
		}
		*form = forms[i].form
		return nil
	}

	v := reflect.ValueOf(to).Elem()
	switch v.Kind() {
	case reflect.String:
		s, err := strconv.Unquote(w.text)
		if err != nil {
			return w.errorf("expected a string in double quotes")
		}
		v.SetString(s)
	case reflect.Slice:
		b, err := hex.DecodeString(w.text)
		if err != nil {
			return w.errorf("expected hexadecimal digits, two for each byte")
		}
		v.SetBytes(b)
	case reflect.Array:
		return w.readAll(v)
	case reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(w.text, 0, v.Type().Bits())
		if err != nil {
			return w.errorf("%q is not a signed number of %d bits", w.text, v.Type().Bits())
		}
		v.SetInt(n)
	default:
		n, err := strconv.ParseUint(w.text, 0, v.Type().Bits())
		if err != nil {
			return w.errorf("%q is not a number of %d bits", w.text, v.Type().Bits())
		}
		v.SetUint(n)
	}
	return nil
}

func (w word) readAll(v reflect.Value) error {
	parts := strings.Split(w.text, ",")
	if len(parts) != v.Len() {
		return w.errorf("expected %d numbers separated by commas", v.Len())
	}
	for i, part := range parts {
		if err := (word{w.column, part}).read(v.Index(i).Addr().Interface()); err != nil {
			return err
		}
		w.column += len(part) + 1
	}
	return nil
}
