package perfdata

import (
	"errors"
	"strconv"
	"strings"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// freeBudget is how many bytes of counter blocks any text may ask for. The
// values of a block are never more than 16 times its text; only zeros that no
// counter covers can be.
const freeBudget = 16 << 20

// ParseText reads the text form of a block. An error is a
// [*winperf.DataError] with line and column, the latter in bytes, and wraps [ErrText].
func ParseText(text []byte) (*Block, error) {
	r := textReader{block: &Block{}, budget: freeBudget + 16*len(text)}
	r.overrides = &r.block.Overrides
	r.fields = headerFields
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
	object      *Object   // the last one
	next        uint32    // where its values so far end
	autoMissing bool      // its bit map goes there
	instance    *Instance // the last one of the object
	extra       *[]byte   // of the last structure that has one
	overrides   *[]Override
	fields      []fieldName // of the last structure
	budget      int         // bytes of counter blocks that a text may still ask for
}

// keywords are what a line may begin with.
var keywords = map[string]func(r *textReader, head word, args []word) error{
	"block":    (*textReader).blockLine,
	"object":   (*textReader).objectLine,
	"counter":  (*textReader).counterLine,
	"instance": (*textReader).instanceLine,
	"values":   (*textReader).valuesLine,
	"bytes":    (*textReader).bytesLine,
	"set":      (*textReader).setLine,
	"extra":    (*textReader).extraLine,
	"gap":      (*textReader).gapLine,
	"tail":     (*textReader).tailLine,
	"raw":      (*textReader).rawLine,
	"slack":    (*textReader).slackLine,
}

func (r *textReader) line(line string) error {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return err
	}
	read, ok := keywords[words[0].text]
	if !ok {
		return words[0].errorf("unknown keyword %q", words[0].text)
	}
	return read(r, words[0], words[1:])
}

func (r *textReader) blockLine(head word, args []word) error {
	b := r.block
	if r.seenBlock || len(b.Objects) > 0 {
		return head.errorf("the block line comes first and only once")
	}

	r.seenBlock = true
	name := ""
	readName := func(w word) error {
		if err := toString(&name)(w); err != nil {
			return err
		}
		if err := b.SetMachine(name); err != nil {
			return w.errorf("%v", err)
		}
		return nil
	}

	return options(args, map[string]reader{
		"name":       readName,
		"default":    toSigned(&b.DefaultObject),
		"perftime":   toSigned(&b.PerfTime),
		"perffreq":   toSigned(&b.PerfFreq),
		"time100ns":  toSigned(&b.Time100ns),
		"systemtime": toSystemTime(&b.SystemTime),
		"nameoffset": toUnsigned(&b.Name.Offset),
		"namelength": toUnsigned(&b.Name.Length),
		"rest":       toBytes(&b.Name.Bytes),
	})
}

func (r *textReader) objectLine(head word, args []word) error {
	title, args, err := number(head, args)
	if err != nil {
		return err
	}

	o := r.addObject(Object{Title: title, Help: title + 1, Detail: 100})
	r.overrides = &o.Overrides
	r.fields = objectFields
	r.extra = &o.Extra
	return options(args, map[string]reader{
		"help":     toUnsigned(&o.Help),
		"detail":   toUnsigned(&o.Detail),
		"default":  toSigned(&o.DefaultCounter),
		"form":     toForm(&o.Form),
		"codepage": toUnsigned(&o.CodePage),
		"time":     toSigned(&o.Time),
		"freq":     toSigned(&o.Freq),
		"missing": func(w word) error {
			if r.autoMissing = w.text == "auto"; r.autoMissing {
				o.Missing = r.next
				return nil
			}
			return toUnsigned(&o.Missing)(w)
		},
	})
}

func (r *textReader) addObject(o Object) *Object {
	r.block.Objects = append(r.block.Objects, o)
	r.object = &r.block.Objects[len(r.block.Objects)-1]
	r.next = blockSize
	r.autoMissing = false
	r.instance = nil
	return r.object
}

func (r *textReader) counterLine(head word, args []word) error {
	title, args, err := number(head, args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return head.errorf("want a title index and a type")
	}

	typ, err := counter.ParseType(args[0].text)
	if err != nil {
		return args[0].errorf("%v", err)
	}
	if err := r.in(head, r.object != nil && r.object.Raw == nil && r.instance == nil,
		"object, before its instances"); err != nil {
		return err
	}

	c, placed := NewCounter(title, typ), false
	err = options(args[1:], map[string]reader{
		"help":   toUnsigned(&c.Help),
		"scale":  toSigned(&c.Scale),
		"detail": toUnsigned(&c.Detail),
		"size":   toUnsigned(&c.Size),
		"offset": func(w word) error {
			placed = true
			return toUnsigned(&c.Offset)(w)
		},
	})

	if !placed {
		c.Offset, _ = place(r.next, c.Size)
	}
	r.next = behind(r.next, &c)
	if r.autoMissing {
		r.object.Missing = r.next
	}

	r.object.Counters = append(r.object.Counters, c)
	last := &r.object.Counters[len(r.object.Counters)-1]
	r.overrides = &last.Overrides
	r.fields = counterFields
	r.extra = &last.Extra
	return err
}

// in says that a line is not where it can be.
func (r *textReader) in(head word, ok bool, where string) error {
	if ok {
		return nil
	}
	return head.errorf("%s belongs to an %s", head.text, where)
}

// number reads the number behind a keyword.
func number(head word, args []word) (n uint32, rest []word, err error) {
	if len(args) == 0 {
		return 0, nil, head.errorf("%s needs a number", head.text)
	}
	err = toUnsigned(&n)(args[0])
	return n, args[1:], err
}

// hexBytes reads the one argument of a line.
func hexBytes(head word, args []word) (b []byte, err error) {
	if len(args) != 1 {
		return nil, head.errorf("%s needs hexadecimal digits and nothing else", head.text)
	}
	err = toBytes(&b)(args[0])
	return b, err
}

func (r *textReader) setLine(head word, args []word) error {
	for _, w := range args {
		key, _, ok := strings.Cut(w.text, "=")
		if !ok {
			return w.errorf("%q is not field=value", w.text)
		}

		var o Override
		found := false
		for _, f := range r.fields {
			if f.name == key {
				o.Offset = f.offset
				found = true
			}
		}

		if offset, err := strconv.ParseUint(key, 0, 32); err == nil {
			o.Offset = uint32(offset)
			found = true
		}
		if !found {
			return w.errorf("the structure above has no field %q", key)
		}
		if err := toUnsigned(&o.Value)(w.after(len(key) + 1)); err != nil {
			return err
		}
		*r.overrides = append(*r.overrides, o)
	}
	return nil
}

func (r *textReader) extraLine(head word, args []word) (err error) {
	if err := r.in(head, r.extra != nil, "object or counter"); err != nil {
		return err
	}
	*r.extra, err = hexBytes(head, args)
	return err
}

func (r *textReader) gapLine(head word, args []word) (err error) {
	if err := r.in(head, r.object != nil, "object"); err != nil {
		return err
	}
	r.object.Gap, err = hexBytes(head, args)
	return err
}

func (r *textReader) tailLine(head word, args []word) (err error) {
	if err := r.in(head, r.object != nil, "object"); err != nil {
		return err
	}
	r.object.Tail, err = hexBytes(head, args)
	return err
}

func (r *textReader) rawLine(head word, args []word) error {
	b, err := hexBytes(head, args)
	if err != nil {
		return err
	}
	r.addObject(Object{Raw: b})
	r.extra = nil
	return nil
}

func (r *textReader) slackLine(head word, args []word) (err error) {
	r.block.Tail, err = hexBytes(head, args)
	return err
}
