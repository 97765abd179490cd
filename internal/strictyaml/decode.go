// Package strictyaml reads configuration files in YAML: into structures, strictly,
// and with the line and column of everything that is wrong. A key that is not
// known, a key given twice and a value of another type are errors, and a reader is
// told all of them at once.
//
// What is read:
//
//   - structures, whose keys are those of the tag yaml:"key"; fields without a tag
//     are no keys. yaml:"key,required" must be there, and yaml:",inline" has its
//     keys among those around it;
//   - pointers, slices, maps with string keys, strings, whole numbers, decimals and
//     true or false;
//   - time.Duration: seconds, or a time with units such as 500ms or 1h30m;
//   - winperf.Path, and everything with UnmarshalText, such as Size of this package;
//   - Value, which remembers where its value stood, and a field of type Pos, which
//     says where the structure around it began, and whether all in it could be read:
//     for checks that come later;
//   - Embedded, which may also be text that holds YAML.
//
// A structure with the method UnknownKey(key string) string says of a key that it does not
// have what there is to know, "" where that is nothing.
//
// A key without a value leaves lists, maps, structures and pointers as they are;
// of anything else it is an error. Anchors and aliases can be used as far as they
// make no more than MaxValues values; there are no merge keys and no tags of a
// program's own.
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

// The bounds of what is read.
const (
	MaxSize   = 1 << 20 // bytes of text
	MaxDepth  = 64      // levels of lists, maps and structures
	MaxValues = 100_000 // values, those behind aliases counted each time
	maxErrors = 50      // problems that are told
)

// Decode reads one document of YAML into what into points to, which keeps what it
// held where the text says nothing. An empty text is a document without keys. name
// stands for the text in errors: the name of its file.
//
// The error joins all that is wrong, each a *winperf.DataError with line and
// column. What could be read is then in into, but must not be relied on.
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

// decoder reads one text.
type decoder struct {
	*problems
	text  []byte
	place func(line, column int) Pos // of a place in text
}

// problems are what was found wrong, and how much was read so far.
type problems struct {
	list   []error
	values int
	depth  int
	full   bool // there is too much of something: nothing more is read
}

// document reads the one document of the text.
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

// syntax reports that the text is no YAML.
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

// hints say what is most often the reason of what the YAML package reports.
var hints = map[string]string{
	"found unknown escape character": `in double quotes \ begins an escape: write counter paths in single quotes`,
	"did not find expected alphabetic or numeric character": "* and & begin an alias or an anchor: " +
		"write text that begins with them in quotes",
	"found character that cannot start any token": "text that begins with %, @ or ` needs quotes",
	"did not find expected key":                   "keys that belong together are indented alike",
}

// byteAt is what stands at a place of text without characters of several bytes before it; 0 is nothing.
func byteAt(text []byte, line, column int) byte {
	for one := range bytes.Lines(text) {
		if line--; line == 0 && column > 0 && column <= len(one) {
			return one[column-1]
		}
	}
	return 0
}

// position is the line and column of a byte.
func position(text []byte, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// at is where a node begins.
func (d *decoder) at(n *yaml.Node) Pos { return d.place(n.Line, n.Column) }

// problem reports that something is wrong.
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

// stop reports that there is too much of something, and ends reading.
func (d *decoder) stop(at Pos, msg string) {
	d.problem(at, msg)
	d.full = true
}
