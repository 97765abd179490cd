package strictyaml

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/suggest"
	"go.yaml.in/yaml/v4"
)

type fields struct {
	names    []string // in the order of the structure
	index    map[string][]int
	required []string
	pos      [][]int // fields of type Pos
	rest     []int   // the map of other keys, if there is one
}

// fieldsOf returns the keys of a type by its tags.
func fieldsOf(t reflect.Type) *fields {
	all := &fields{index: map[string][]int{}}
	all.add(t, nil)
	return all
}

func (f *fields) add(t reflect.Type, around []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(slices.Clone(around), i)
		tag, tagged := field.Tag.Lookup("yaml")
		name, options, _ := strings.Cut(tag, ",")

		switch {
		case field.Type == reflect.TypeFor[Pos]() && !tagged && field.IsExported():
			f.pos = append(f.pos, index)
		case options == "inline" && field.Type.Kind() == reflect.Struct:
			f.add(field.Type, index)
		case options == "rest" && field.Type.Kind() == reflect.Map:
			f.rest = index
		case name == "" || name == "-" || !field.IsExported():
		default:
			f.names = append(f.names, name)
			f.index[name] = index
			if options == "required" {
				f.required = append(f.required, name)
			}
		}
	}
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value) {
	all := fieldsOf(v.Type())
	problems := len(d.list)
	seen, misspelt := map[string]Pos{}, map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, ok := d.key(n.Content[i], seen)
		if !ok {
			continue
		}
		switch index, known := all.index[key]; {
		case known:
			d.value(n.Content[i+1], v.FieldByIndex(index), key)
		case all.rest != nil:
			d.entry(key, n.Content[i+1], v.FieldByIndex(all.rest))
		default:
			d.unknown(d.at(n.Content[i]), key, all, v, misspelt)
		}
	}

	for _, name := range all.required {
		if _, there := seen[name]; !there && !misspelt[name] {
			d.problem(d.at(n), fmt.Sprintf("the key %s is missing", name))
		}
	}

	at := d.at(n)
	at.Partial = d.full || len(d.list) > problems
	for _, index := range all.pos {
		v.FieldByIndex(index).Set(reflect.ValueOf(at))
	}
}

// unknown reports an unknown key. It adds the known key that it resembles to misspelt.
func (d *decoder) unknown(at Pos, key string, all *fields, v reflect.Value, misspelt map[string]bool) {
	msg := "unknown key " + quoted(key)
	hinter, ok := v.Interface().(interface{ UnknownKey(key string) string })
	if ok && hinter.UnknownKey(key) != "" {
		d.problem(at, msg+": "+hinter.UnknownKey(key))
		return
	}
	if near := suggest.Closest(key, slices.Values(all.names)); near != "" {
		misspelt[near] = true
		msg += fmt.Sprintf(" (did you mean %s?)", near)
	} else if place := elsewhere(v.Type(), lastName(key), 0); place != "" {
		msg += fmt.Sprintf(" (did you mean %s?)", place)
	} else if len(all.names) <= 24 {
		msg += ", expected one of " + strings.Join(slices.Sorted(maps.Keys(all.index)), ", ")
	}
	d.problem(at, msg)
}

// lastName returns the last part of a key, in the form of keys.
func lastName(key string) string {
	return strings.ReplaceAll(key[strings.LastIndexByte(key, '.')+1:], "-", "_")
}

// elsewhere returns the path of a key in nested structures, or "".
func elsewhere(t reflect.Type, name string, depth int) string {
	if depth > 4 {
		return ""
	}

	all := fieldsOf(t)
	for _, key := range all.names {
		within := t.FieldByIndex(all.index[key]).Type
		for within.Kind() == reflect.Slice || within.Kind() == reflect.Pointer {
			within = within.Elem()
		}
		if within.Kind() != reflect.Struct {
			continue
		}

		if _, there := fieldsOf(within).index[name]; there {
			return key + ": " + name
		}
		if place := elsewhere(within, name, depth+1); place != "" {
			return key + ": " + place
		}
	}

	return ""
}
