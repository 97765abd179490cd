// Package strictyaml decodes configuration files in YAML strictly into structures. Unknown keys,
// repeated keys and values of another type are errors. All errors are reported together, with line
// and column.
//
// Supported are:
//
//   - structures, whose keys are in tags yaml:"key"; fields without a tag have no key.
//     yaml:"key,required" is a required key, and yaml:",inline" adds its keys to the
//     surrounding ones;
//   - pointers, slices, maps with string keys, strings, whole numbers, decimals and
//     true or false;
//   - time.Duration: seconds, or a time with units such as 500ms or 1h30m;
//   - winperf.Path, and every type with UnmarshalText, such as Size of this package;
//   - Value, which stores the position of its value, and a field of type Pos, which stores
//     the start of its structure and whether all of it was readable: for later checks;
//   - Embedded, which may also be text that contains YAML.
//
// A structure may have a method UnknownKey(key string) string, which returns an explanation of an
// unknown key, or "".
//
// A key without a value leaves lists, maps, structures and pointers unchanged; for other types it
// is an error. Anchors and aliases may expand to at most MaxValues values. Merge keys and custom
// tags are not supported.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/winperf/winperf"
	"go.yaml.in/yaml/v4"
)

// The limits.
const (
	MaxSize   = 1 << 20 // bytes of text
	MaxDepth  = 64      // levels of lists, maps and structures
	MaxValues = 100_000 // values, counting each use of an alias
	maxErrors = 50      // reported problems
)

// Decode decodes one document of YAML into the value that into points to. Values that the text does
// not set are unchanged. An empty text is a document without keys. Errors use name, the file's
// name, for the text.
//
// The error joins all problems, each a *winperf.DataError with line and column. The value then
// contains the readable part, but must not be relied on.
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

// decoder decodes one text.
type decoder struct {
	*problems
	text  []byte
	place func(line, column int) Pos // of a place in text
}

// problems are the errors and the number of values up to now.
type problems struct {
	list   []error
	values int
	depth  int
	full   bool // a limit was exceeded: stop reading
}

// document decodes the only document of the text.
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

// syntax reports invalid YAML.
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
	if byteAt(d.text, line, column) == '\t' {
		msg = "a tab, expected spaces: YAML is indented by nothing else"
	}
	d.problem(d.place(line, column), msg)
}

// hints are the most frequent reasons for errors of the YAML package.
var hints = map[string]string{
	"found unknown escape character": `in double quotes \ begins an escape: write counter paths in single quotes`,
	"did not find expected alphabetic or numeric character": "* and & begin an alias or an anchor: " +
		"write text that begins with them in quotes",
	"found character that cannot start any token": "text that begins with %, @ or ` needs quotes",
	"did not find expected key":                   "keys that belong together are indented alike",
}

// byteAt returns the byte at a position in text without earlier multi-byte characters; 0 for none.
func byteAt(text []byte, line, column int) byte {
	for one := range bytes.Lines(text) {
		if line--; line == 0 && column > 0 && column <= len(one) {
			return one[column-1]
		}
	}
	return 0
}

// position returns the line and column of a byte.
func position(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// at returns the start of a node.
func (d *decoder) at(n *yaml.Node) Pos { return d.place(n.Line, n.Column) }

// problem adds an error.
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

// stop reports an exceeded limit, and ends reading.
func (d *decoder) stop(at Pos, msg string) {
	d.problem(at, msg)
	d.full = true
}
