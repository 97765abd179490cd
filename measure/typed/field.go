package typed

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/winperf/winperf/counter"
)

// ErrField is wrapped by errors about a struct, or one of its fields, that cannot be filled. The
// errors name it.
var ErrField = errors.New("field cannot be filled")

// field is a field of the struct with its tag.
type field struct {
	path          string // Processor.Busy
	offset        uintptr
	what          source
	counter       string // name of the counter
	raw, optional bool
	base          bool // read the counter's base
	form          form
}

// source is the content of a field.
type source uint8

const (
	fromCounter source = iota
	fromInstance
	fromIndex
)

// form is a type of field for a counter, with the values that fit.
type form struct {
	typ            reflect.Type
	float, integer set  // for decimals and integers; nil if these do not fit
	narrow         bool // only integers of 4 bytes fit
	text           bool
}

func forms() []form {
	return []form{
		{typ: reflect.TypeFor[float64](), float: plainFloat[float64], integer: plainInteger[float64]},
		{typ: reflect.TypeFor[float32](), float: plainFloat[float32], integer: plainInteger[float32]},
		{typ: reflect.TypeFor[Value[float64]](), float: valueFloat[float64], integer: valueInteger[float64]},
		{typ: reflect.TypeFor[Value[float32]](), float: valueFloat[float32], integer: valueInteger[float32]},
		{typ: reflect.TypeFor[Value[uint64]](), integer: valueInteger[uint64]},
		{typ: reflect.TypeFor[Value[uint32]](), integer: valueInteger[uint32], narrow: true},
		{typ: reflect.TypeFor[Value[string]](), text: true},
	}
}

func fieldsOf(t reflect.Type) ([]field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v: %w: expected a struct", t, ErrField)
	}
	fields, err := appendFields(nil, t, t.Name(), 0)
	if err == nil && len(fields) == 0 {
		err = fmt.Errorf("%v: %w: no field has a perf tag", t, ErrField)
	}
	return fields, err
}

// appendFields appends the fields of a struct at offset.
func appendFields(fields []field, t reflect.Type, path string, offset uintptr) ([]field, error) {
	var errs []error
	for i := range t.NumField() {
		sf := t.Field(i)
		f := field{path: path + "." + sf.Name, offset: offset + sf.Offset}
		tag, tagged := sf.Tag.Lookup("perf")
		if !tagged {
			if sf.Type.Kind() == reflect.Struct {
				var err error
				fields, err = appendFields(fields, sf.Type, f.path, f.offset)
				errs = append(errs, err)
			}
			continue
		}

		if err := f.read(tag, sf); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w: %w", f.path, ErrField, err))
			continue
		}
		fields = append(fields, f)
	}
	return fields, errors.Join(errs...)
}

func (f *field) read(tag string, sf reflect.StructField) error {
	if !sf.IsExported() {
		return errors.New("the field is not exported")
	}
	want := reflect.Type(nil)
	switch tag {
	case "@instance":
		f.what, want = fromInstance, reflect.TypeFor[string]()
	case "@index":
		f.what, want = fromIndex, reflect.TypeFor[int]()
	}

	if want != nil {
		if sf.Type != want {
			return fmt.Errorf("type %v, but %s needs %v", sf.Type, tag, want)
		}
		return nil
	}

	f.options(tag)
	if f.counter == "" || f.counter[0] == '@' {
		return fmt.Errorf("tag %q: expected a counter name, @instance or @index", tag)
	}

	for _, form := range forms() {
		if form.typ == sf.Type {
			f.form = form
			return nil
		}
	}
	return fmt.Errorf("type %v cannot represent a missing value; use float64, float32 or typed.Value", sf.Type)
}

// options removes the options from the end of a tag; a counter's name can contain commas.
func (f *field) options(tag string) {
	for {
		at := strings.LastIndexByte(tag, ',')
		switch {
		case at >= 0 && tag[at:] == ",raw":
			f.raw = true
		case at >= 0 && tag[at:] == ",base":
			f.base = true
		case at >= 0 && tag[at:] == ",optional":
			f.optional = true
		default:
			f.counter = tag
			return
		}
		tag = tag[:at]
	}
}

// setter returns the function that fills the field with values of a type; nil for text.
func (f *field) setter(t counter.ValueType) (set, error) {
	fits := set(nil)
	switch {
	case t == counter.NoValue && f.raw:
		return nil, errors.New("the counter has no raw value of 4 or 8 bytes")
	case t == counter.NoValue:
		return nil, errors.New("the counter has no displayable value; add ,raw to read its raw value")
	case t == counter.TextValue && f.form.text:
		return nil, nil
	case t == counter.Decimal:
		fits = f.form.float
	case t == counter.Integer32, t == counter.Integer64 && !f.form.narrow:
		fits = f.form.integer
	}

	if fits == nil {
		return nil, fmt.Errorf("the values are %v, which a %v cannot hold", valueWords[t], f.form.typ)
	}
	return fits, nil
}

var valueWords = map[counter.ValueType]string{
	counter.Integer32: "integers of 4 bytes",
	counter.Integer64: "integers of 8 bytes",
	counter.Decimal:   "decimals",
	counter.TextValue: "text",
}
