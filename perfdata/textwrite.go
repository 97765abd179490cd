package perfdata

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/wire"
)

// WriteText writes the text form of a block, which [ParseText] reads. It does not hold the
// whole text in memory. names, if not nil, returns the name of a title index, or ""; names
// are written as comments. The error is the first error of out.
func WriteText(out io.Writer, b *Block, names func(title uint32) string) error {
	w := textWriter{names: names, out: out}
	w.all(b)
	w.spill(0)
	return w.err
}

type textWriter struct {
	b     []byte
	names func(uint32) string
	out   io.Writer
	err   error // of out
}

// spillAt is the number of buffered bytes that are written to out.
const spillAt = 64 << 10

// spill writes the buffer to out if it holds at least enough bytes.
func (w *textWriter) spill(enough int) {
	if len(w.b) < enough {
		return
	}
	if w.err == nil {
		_, w.err = w.out.Write(w.b)
	}
	w.b = w.b[:0]
}

func (w *textWriter) all(b *Block) {
	w.block(b)
	for i := range b.Objects {
		w.object(&b.Objects[i])
	}
	w.hexLine("slack", b.tail)
}

func (w *textWriter) printf(format string, args ...any) { w.b = fmt.Appendf(w.b, format, args...) }

func (w *textWriter) options(fields []field) {
	for _, f := range fields {
		v := reflect.ValueOf(f.to).Elem()
		switch to := f.to.(type) {
		case *[]byte:
			if len(*to) > 0 {
				w.printf(" %s=%x", f.key, *to)
			}
			continue
		case *[8]uint16:
			if *to != f.implied {
				text := strings.Trim(fmt.Sprint(*to), "[]")
				w.printf(" %s=%s", f.key, strings.ReplaceAll(text, " ", ","))
			}
			continue
		}

		if v.Interface() != f.implied {
			w.printf(" %s=%v", f.key, v)
		}
	}
}

// end ends a line, with a comment if it is not empty.
func (w *textWriter) end(comment string) {
	if comment != "" {
		w.printf(" # %s", strconv.Quote(comment))
	}
	w.b = append(w.b, '\n')
	w.spill(spillAt)
}

func (w *textWriter) title(title uint32) string {
	if w.names == nil {
		return ""
	}
	return w.names(title)
}

func (w *textWriter) hexLine(word string, b []byte) {
	if len(b) == 0 {
		return
	}
	w.printf("%s ", word)
	for part := range slices.Chunk(b, spillAt/2) {
		w.b = hex.AppendEncode(w.b, part)
		w.spill(spillAt)
	}
	w.end("")
}

func (w *textWriter) block(b *Block) {
	w.printf("block")
	if b.name.isPlain(b.Machine(), wire.UTF16LE, datablock.HeadLen) {
		w.printf(" name=%q", b.Machine())
	} else {
		w.options(b.name.fields())
	}
	w.options(b.fields())
	w.end("")
	w.set(b.overrides, headerFields)
}

// isPlain reports whether a name is in the plain layout.
func (n nameField) isPlain(name string, codePage uint32, size int) bool {
	plain, err := newName(name, codePage, size)
	return err == nil && n.Offset == plain.Offset && n.Length == plain.Length &&
		bytes.Equal(n.Bytes, plain.Bytes)
}

func (w *textWriter) set(overrides []override, fields []fieldName) {
	if len(overrides) == 0 {
		return
	}
	w.printf("set")
	for _, o := range overrides {
		i := slices.IndexFunc(fields, func(f fieldName) bool { return f.offset == o.Offset })
		if i >= 0 {
			w.printf(" %s=%d", fields[i].name, o.Value)
		} else {
			w.printf(" %d=%d", o.Offset, o.Value)
		}
	}
	w.end("")
}

func (w *textWriter) object(o *Object) {
	if o.Raw != nil {
		w.hexLine("raw", o.Raw)
		return
	}

	w.printf("object %d", o.Title)
	w.options(o.fields())
	w.end(w.title(o.Title))
	w.set(o.overrides, objectFields)
	w.hexLine("extra", o.Extra)
	next := uint32(firstValue)
	for i := range o.Counters {
		next = w.counter(&o.Counters[i], next)
	}

	w.hexLine("gap", o.gap)
	for i := range o.Instances {
		w.instance(o, i)
	}
	w.hexLine("tail", o.tail)
}

// counter writes a definition; next is the end of the previous values.
func (w *textWriter) counter(c *Counter, next uint32) uint32 {
	w.printf("  counter %d %v", c.Title, c.Type)
	w.options(c.fields())
	if offset, _ := place(next, c.Size); c.Offset != offset {
		w.printf(" offset=%d", c.Offset)
	}
	w.end(w.title(c.Title))
	w.set(c.overrides, counterFields)
	w.hexLine("extra", c.extra)
	return behind(next, c)
}

// behind returns the end of the values before next and of c.
func behind(next uint32, c *Counter) uint32 {
	if end := uint64(c.Offset) + uint64(c.Size); c.Size != 0 && end <= maxData {
		return max(next, uint32(end))
	}
	return next
}

func (w *textWriter) instance(o *Object, i int) {
	in, comment := &o.Instances[i], ""
	if o.Form == Multiple {
		comment = w.instanceHead(o, i)
	} else {
		w.printf("  values")
	}

	size := o.dataSize()
	if len(in.Data) != size {
		w.printf(" size=%d", len(in.Data)+firstValue)
	}

	// Store the values in a second object as ParseText will, then write the bytes that
	// differ.
	same := *o
	same.Instances = []Instance{{Data: make([]byte, len(in.Data))}}
	w.printf(" :")
	for k := range o.Counters {
		w.value(o, i, k, &same)
	}

	w.end(comment)
	w.patches(in.Data, same.Instances[0].Data)
	w.set(in.overrides, in.places(o.Form == Multiple))
}

// instanceHead writes the definition of an instance and returns a comment for
// the line.
func (w *textWriter) instanceHead(o *Object, i int) (comment string) {
	in, name := &o.Instances[i], o.InstanceName(i)
	if in.name.isPlain(name, o.CodePage, datablock.InstanceLen) {
		w.printf("  instance %q", name)
		w.options(in.fields())
		return ""
	}

	w.printf("  instance -")
	w.options(in.fields())
	w.options(in.name.fields())
	return name
}

// value writes the value of counter k of instance i and stores it in the instance of same,
// as ParseText will.
func (w *textWriter) value(o *Object, i, k int, same *Object) {
	w.printf(" ")
	if o.IsMissing(i, k) {
		same.setMissing(0, k, true)
		w.printf("?")
	}

	b := o.value(i, k)
	copy(same.value(0, k), b)

	v, isNumber := o.Value(i, k)
	switch {
	case len(b) == 0:
		w.printf("-")
	case isNumber:
		w.printf("%d", v)
	case o.Counters[k].Type.IsText() && w.text(o, i, k):
		// w.text wrote the value.
	default:
		w.printf("hex:%x", b)
	}
}

// text writes the value of a text counter as a string. It writes nothing and returns false
// if the string would not be encoded to the same bytes.
func (w *textWriter) text(o *Object, i, k int) bool {
	b := o.value(i, k)
	s := wire.Text(b, datablock.TextPage(o.Counters[k].Type, o.CodePage))
	again, err := wire.EncodeText(s, datablock.TextPage(o.Counters[k].Type, o.CodePage))
	if err != nil || !bytes.HasPrefix(b, again) || len(bytes.Trim(b[len(again):], "\x00")) > 0 {
		return false
	}
	w.printf("%q", s)
	return true
}

// patches writes the bytes in which data differs from given.
func (w *textWriter) patches(data, encoded []byte) {
	for i := 0; i < len(data); i++ {
		if data[i] == encoded[i] {
			continue
		}
		from := i
		for i < len(data) && data[i] != encoded[i] {
			i++
		}
		w.printf("bytes %d %x\n", from+firstValue, data[from:i])
	}
}
