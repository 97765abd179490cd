package strictyaml

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"go.yaml.in/yaml/v4"
)

// value decodes a node into v. The parameter what names the key or the kind of value in messages.
func (d *decoder) value(n *yaml.Node, v reflect.Value, what string) {
	d.values++
	switch {
	case d.full:
		return
	case d.values > MaxValues:
		d.stop(d.at(n), fmt.Sprintf("more than %d values, aliases counted each time", MaxValues))
		return
	case d.depth >= MaxDepth:
		d.stop(d.at(n), fmt.Sprintf("more than %d levels deep", MaxDepth))
		return
	}

	d.depth++
	defer func() { d.depth-- }()
	switch {
	case n.Kind == yaml.AliasNode && n.Alias != nil:
		d.value(n.Alias, v, what)
	case !strings.HasPrefix(n.ShortTag(), "!!"):
		d.problem(d.at(n), fmt.Sprintf("%sunknown tag %s", label(what), quoted(n.Tag)))
	case !d.special(n, v, what):
		d.plain(n, v, what)
	}
}

// special decodes types with their own form; it reports whether v has one.
func (d *decoder) special(n *yaml.Node, v reflect.Value, what string) bool {
	if !v.CanAddr() {
		return false
	}
	switch into := v.Addr().Interface().(type) {
	case interface{ placed(at Pos) any }:
		d.value(n, reflect.ValueOf(into.placed(d.at(n))).Elem(), what)

	case interface{ embedded() any }:
		inner := reflect.ValueOf(into.embedded()).Elem()
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
			d.inside(n).document(inner)
		} else {
			d.value(n, inner, what)
		}

	case *Any:

	case interface{ short() (*string, any) }:
		word, inner := into.short()
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
			*word = n.Value
		} else {
			d.value(n, reflect.ValueOf(inner).Elem(), what)
		}

	case *time.Duration:
		if d.scalar(n, what, timeForm) {
			*into = d.duration(n, what)
		}

	case *winperf.Path:
		if d.scalar(n, what, "text") {
			var err error
			if *into, err = winperf.ParsePath(n.Value); err != nil {
				d.fail(d.at(n).wrap(err, label(what)+err.Error()))
			}
		}

	case encoding.TextUnmarshaler:
		if !d.scalar(n, what, "text") {
			return true
		}
		if err := into.UnmarshalText([]byte(n.Value)); err != nil {
			d.fail(d.at(n).wrap(err, label(what)+err.Error()))
		}

	default:
		return false
	}
	return true
}

func (d *decoder) plain(n *yaml.Node, v reflect.Value, what string) {
	null := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
	switch v.Kind() {
	case reflect.Pointer:
		if null {
			return
		}
		p := reflect.New(v.Type().Elem())
		d.value(n, p.Elem(), what)
		v.Set(p)

	case reflect.Slice:
		if d.is(n, yaml.SequenceNode, what, "a list") {
			d.slice(n, v, what)
		}

	case reflect.Map:
		if d.is(n, yaml.MappingNode, what, "keys with values") {
			d.table(n, v)
		}

	case reflect.Struct:
		if d.is(n, yaml.MappingNode, what, "keys with values") {
			d.structure(n, v)
		}

	default:
		d.basic(n, v, what)
	}
}

// is reports whether a node is of a kind. A node without a value is not, but is no error.
func (d *decoder) is(n *yaml.Node, kind yaml.Kind, what, expected string) bool {
	if n.Kind == kind {
		return true
	}
	if n.Kind == yaml.ScalarNode && kind == yaml.SequenceNode && n.ShortTag() != "!!null" {
		expected += fmt.Sprintf(" such as ['%s']", strings.ReplaceAll(short(n.Value), "'", "''"))
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!null" {
		d.expected(n, what, expected)
	}
	return false
}

// short returns a text as an example of a list element.
func short(s string) string {
	if len(s) > 60 || printable(s) != s && strings.ContainsAny(s, "\r\n\t") {
		return "..."
	}
	return s
}

// expected reports a value of another form than expected.
func (d *decoder) expected(n *yaml.Node, what, expected string) {
	d.problem(d.at(n), fmt.Sprintf("%sexpected %s, found %s", label(what), expected, describe(n)))
}

func (d *decoder) slice(n *yaml.Node, v reflect.Value, what string) {
	list := reflect.MakeSlice(v.Type(), 0, min(len(n.Content), 64))
	for _, item := range n.Content {
		if d.full {
			return
		}
		one := reflect.New(v.Type().Elem()).Elem()
		d.value(item, one, what)
		list = reflect.Append(list, one)
	}
	v.Set(list)
}

// table decodes a map.
func (d *decoder) table(n *yaml.Node, v reflect.Value) {
	if v.Type().Key().Kind() != reflect.String {
		d.problem(d.at(n), fmt.Sprintf("internal error: keys of %v are no strings", v.Type()))
		return
	}

	v.Set(reflect.MakeMap(v.Type()))
	seen := map[string]Pos{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := d.key(n.Content[i], seen)
		if ok {
			d.entry(key, n.Content[i+1], v)
		}
	}
}

// entry decodes an entry of a map.
func (d *decoder) entry(key string, n *yaml.Node, v reflect.Value) {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	one := reflect.New(v.Type().Elem()).Elem()
	d.value(n, one, key)
	v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), one)
}

// key returns the text of a new key.
func (d *decoder) key(n *yaml.Node, seen map[string]Pos) (string, bool) {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		d.expected(n, "", "a key")
		return "", false
	}
	if first, twice := seen[n.Value]; twice {
		d.problem(d.at(n), fmt.Sprintf("duplicate key %s, first in line %d", quoted(n.Value), first.Line))
		return "", false
	}
	seen[n.Value] = d.at(n)
	return n.Value, true
}

func (d *decoder) inside(n *yaml.Node) *decoder {
	// Aliases can repeat one long text many times.
	d.values += len(n.Value) / 16
	inner := &decoder{problems: d.problems, text: []byte(n.Value)}
	around := d.place
	if n.Style&yaml.LiteralStyle == 0 {
		inner.place = func(int, int) Pos { return around(n.Line, n.Column) }
		return inner
	}

	indent := indentation(d.text, n)
	inner.place = func(line, column int) Pos { return around(n.Line+max(line, 1), indent+max(column, 1)) }
	return inner
}

// indentation returns the indentation of a block of text, in columns.
func indentation(text []byte, n *yaml.Node) int {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		lines = append(lines, line)
	}
	i := 0
	for inner := range strings.Lines(n.Value) {
		if strings.TrimSpace(inner) != "" && n.Line+i < len(lines) {
			return leading(string(lines[n.Line+i])) - leading(inner)
		}
		i++
	}
	return 0
}

func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
