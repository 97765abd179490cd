// Package strictyaml decodes configuration files in YAML into structures, strictly, and
// reports all problems with line and column. Unknown keys, duplicate keys and values of
// other types are errors.
//
// It decodes
//
//   - structures, whose keys are in tags yaml:"key"; fields without a tag are not
//     decoded. yaml:"key,required" must exist, the keys of yaml:",inline" belong
//     to the outer structure, and a map with yaml:",rest" takes all other keys;
//   - pointers, slices, maps with string keys, strings, whole numbers, decimals and
//     true or false;
//   - time.Duration: seconds, or a time with units such as 500ms or 1h30m;
//   - winperf.Path, and types with UnmarshalText, such as Size of this package;
//   - Value, which keeps its place, and a field of type Pos, which is set to the
//     beginning of its structure and whether the structure was decoded completely,
//     for later checks;
//   - Embedded, which may also be text that contains YAML, Any, which may be anything, and
//     Into, which names the value to decode into.
//
// A structure may have a method UnknownKey(key string) string, which returns a hint about
// an unknown key, or "".
//
// A key without a value leaves lists, maps, structures and pointers unchanged; for other
// types it is an error. Anchors and aliases are supported up to MaxValues values; merge
// keys and custom tags are not.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/winperf/winperf"
	"go.yaml.in/yaml/v4"
)

// The limits of a text.
const (
	MaxSize   = 1 << 20 // bytes of text
	MaxDepth  = 64      // levels of lists, maps and structures
	MaxValues = 100_000 // values, with each use of an alias
	maxErrors = 50      // problems reported
)

// Decode decodes one YAML document into the value into points to. Fields without a key in
// the text are unchanged. An empty text is a document without keys. name is the file name
// for errors.
//
// The error joins all problems, each a *winperf.DataError with line and column. into then
// has the readable values, but must not be used.
func Decode(name string, text []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("strictyaml: %T is no pointer to read into", into)
	}

	d := &decoder{problems: &problems{}, text: text}
	d.place = func(line, column int) Pos { return Pos{Source: name, Line: line, Column: column} }
	d.document(v.Elem())
	return errors.Join(d.list...)
}

type decoder struct {
	*problems
	text  []byte
	place func(line, column int) Pos // converts a place in text
}

type problems struct {
	list   []error
	values int
	depth  int
	full   bool // a limit was exceeded: stop decoding
}

func (d *decoder) document(v reflect.Value) {
	if len(d.text) > MaxSize {
		d.stop(d.place(0, 0), fmt.Sprintf("longer than %d bytes", MaxSize))
		return
	}
	loader, err := yaml.NewLoader(bytes.NewReader(d.text))
	if err != nil {
		d.syntax(err)
		return
	}

	var doc yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return
	} else if err != nil {
		d.syntax(err)
		return
	}

	var second yaml.Node
	switch err := loader.Load(&second); {
	case err == nil:
		d.problem(d.at(&second), "a second document begins here, expected only one")
	case !errors.Is(err, io.EOF):
		d.syntax(err)
	}
	for _, root := range doc.Content {
		d.value(root, v, "")
	}
}

func (d *decoder) syntax(err error) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		d.problem(d.place(0, 0), err.Error())
		return
	}

	line, column := load.Mark.Line, load.Mark.Column
	if line == 0 && load.Mark.Index > 0 {
		line, column = position(d.text, load.Mark.Index)
	}
	msg := load.Message
	if hint := hints[msg]; hint != "" {
		msg += " (" + hint + ")"
	}
	if expected, ok := strings.CutPrefix(msg, "did not find expected "); ok {
		msg = "expected " + expected
	}
	if byteAt(d.text, line, column) == '\t' {
		msg = "a tab, expected spaces for indentation"
	}
	d.problem(d.place(line, column), msg)
}

// hints are the usual causes of errors of the YAML package.
var hints = map[string]string{
	"found unknown escape character": "in double quotes \\ begins an escape: " +
		"write counter paths in single quotes",
	"did not find expected alphabetic or numeric character": "* and & begin an alias or an anchor: " +
		"write text that begins with them in quotes",
	"found character that cannot start any token": "text that begins with %, @ or ` needs quotes",
	"did not find expected key":                   "keys that belong together are indented alike",
}

// byteAt returns the byte at a place of text, if no multi-byte characters precede it on the
// line, or 0.
func byteAt(text []byte, line, column int) byte {
	for one := range bytes.Lines(text) {
		if line--; line == 0 && column > 0 && column <= len(one) {
			return one[column-1]
		}
	}
	return 0
}

func position(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

func (d *decoder) at(n *yaml.Node) Pos { return d.place(n.Line, n.Column) }

func (d *decoder) problem(at Pos, msg string) { d.fail(at.wrap(nil, msg)) }

func (d *decoder) fail(err *winperf.DataError) {
	switch {
	case d.full:
	case len(d.list) < maxErrors:
		d.list = append(d.list, err)
	default:
		d.list = append(d.list, &winperf.DataError{
			Source: err.Source, Offset: -1, Line: err.Line, Column: err.Column, Msg: "more problems from here on",
		})
		d.full = true
	}
}

// stop reports that a limit is exceeded, and ends decoding.
func (d *decoder) stop(at Pos, msg string) {
	d.problem(at, msg)
	d.full = true
}
