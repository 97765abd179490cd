package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"
)

// basic decodes a string, a number or a truth value.
func (d *decoder) basic(n *yaml.Node, v reflect.Value, what string) {
	switch {
	case v.Kind() == reflect.String:
		if d.scalar(n, what, "text") {
			v.SetString(n.Value)
		}

	case v.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(n.Value)
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || err != nil {
			d.expected(n, what, "true or false")
			return
		}
		v.SetBool(b)

	case v.CanInt():
		i, err := strconv.ParseInt(n.Value, 0, v.Type().Bits())
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil {
			d.expected(n, what, wholeForm(n, v))
			return
		}
		v.SetInt(i)

	case v.CanUint():
		u, err := strconv.ParseUint(n.Value, 0, v.Type().Bits())
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil {
			d.expected(n, what, "a whole number from 0")
			return
		}
		v.SetUint(u)

	case v.CanFloat():
		f, ok := number(n)
		if !ok {
			d.expected(n, what, "a number")
			return
		}
		v.SetFloat(f)

	default:
		d.problem(d.at(n), fmt.Sprintf("%sinternal error: nothing reads a %v", label(what), v.Type()))
	}
}

// wholeForm returns the expected form of a number, with the range if it is out of range.
func wholeForm(n *yaml.Node, v reflect.Value) string {
	if n.ShortTag() == "!!int" {
		most := int64(math.MaxInt64) >> (64 - v.Type().Bits())
		return fmt.Sprintf("a whole number from %d to %d", -most-1, most)
	}
	return "a whole number"
}

func number(n *yaml.Node) (float64, bool) {
	tag := n.ShortTag()
	f, err := strconv.ParseFloat(n.Value, 64)
	finite := !math.IsInf(f, 0) && !math.IsNaN(f)
	return f, n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") && err == nil && finite
}

// scalar reports whether a node is text, including numbers.
func (d *decoder) scalar(n *yaml.Node, what, expected string) bool {
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return true
	}
	d.expected(n, what, expected)
	return false
}

const timeForm = "a number of seconds or a time such as 500ms, 15s or 1h30m"

// duration decodes a time: seconds, or with units.
func (d *decoder) duration(n *yaml.Node, what string) time.Duration {
	if t, err := time.ParseDuration(n.Value); err == nil {
		return t
	}
	seconds, ok := number(n)
	if !ok || math.Abs(seconds) >= math.MaxInt64/1e9 {
		d.expected(n, what, timeForm)
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys with values"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!str":
		return "text " + quoted(n.Value)
	}
	return quoted(n.Value)
}

// quoted returns text of the file in quotes, at most a line.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}

// label returns the key as the beginning of a message about its value.
func label(what string) string {
	if what == "" {
		return ""
	}
	return printable(what) + ": "
}

// printable returns a key, in quotes if it is not one word.
func printable(s string) string {
	for _, r := range s {
		if r <= ' ' || r == 0x7f || !strconv.IsPrint(r) {
			return quoted(s)
		}
	}
	return s
}
