package registration

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/provider"
)

// ErrInvalid is wrapped by errors about invalid declarations and files.
var ErrInvalid = rules.ErrInvalid

// Declaration describes the objects and counters of one provider. The .ini, .h and .man files are
// generated from it. It can be written as JSON; the driver and symbols are optional (see
// ParseDeclaration):
//
//	{
//	  "driver": "MyApplication",
//	  "library": "winperf-provider.dll",
//	  "provider": "{d5e4f3a2-0000-4000-8000-0123456789ab}",
//	  "binary": "myapp.exe",
//	  "objects": [{
//	    "symbol": "TRANSFER_OBJECT", "name": "Transfer", "help": "Transfers of this application.",
//	    "guid": "{...}", "multi": false,
//	    "languages": {"00C": {"name": "Transfert", "help": "..."}},
//	    "counters": [{
//	      "symbol": "BYTES_SENT", "name": "Bytes Sent", "help": "...", "type": "PERF_COUNTER_RAWCOUNT"
//	    }]
//	  }]
//	}
type Declaration struct {
	Driver  string       `json:"driver"`            // name of the service key
	Library string       `json:"library,omitempty"` // the version 1 DLL
	GUID    winperf.GUID `json:"provider,omitzero"` // the version 2 provider
	// file with the version 2 provider's texts, without a path
	Binary  string   `json:"binary,omitempty"`
	Trusted bool     `json:"trusted,omitempty"` // lodctr records the DLL's signature
	Objects []Object `json:"objects"`
}

// Object describes an object, or counter set.
type Object struct {
	Symbol string `json:"symbol"`
	provider.Text
	// texts in languages other than English, by language id
	Languages map[string]provider.Text `json:"languages,omitempty"`
	GUID      winperf.GUID             `json:"guid,omitzero"`   // of the counter set
	Multi     bool                     `json:"multi,omitempty"` // has instances
	Counters  []Counter                `json:"counters"`
}

// Counter describes a counter. Its base is not declared: it follows from the type.
type Counter struct {
	Symbol string `json:"symbol"`
	provider.Text
	Languages map[string]provider.Text `json:"languages,omitempty"`
	// Type is the constant of winperf.h. FromINI leaves it empty.
	Type   string          `json:"type"`
	Scale  int32           `json:"scale,omitempty"`  // power of ten for graphs, -10 to 10
	Detail provider.Detail `json:"detail,omitempty"` // 100 or 200; 0 is 100
	// BaseSlot names the base; counters of one object with the same BaseSlot share it.
	BaseSlot string `json:"base,omitempty"`
}

// ParseDeclaration parses a Declaration from JSON and checks it. A missing driver and missing symbols are
// made from the names, such as MYAPPLICATION_BYTES_SENT. The error wraps ErrInvalid and has the line and
// column of a JSON error.
func ParseDeclaration(file string, data []byte) (*Declaration, error) {
	s := &Declaration{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(s)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("text after the end of the schema")
		}
	}

	if err != nil {
		at := d.InputOffset()
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			at = int64(len(data)) + 1
		case errors.As(err, &syntax):
			at = syntax.Offset
		case errors.As(err, &kind):
			at = kind.Offset
		}
		place := rules.NewPlaces(data)
		return nil, rules.NewFinding(file, place.Of(at-1), explainJSON(err))
	}

	s.Complete()
	if err := s.check(file); err != nil {
		return nil, err
	}
	return s, nil
}

// explainJSON describes a JSON error without names of Go types.
func explainJSON(err error) string {
	wrong, isType := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "the file ends before the end of the JSON object"
	case !isType:
		return strings.TrimPrefix(err.Error(), "json: ")
	}

	expected := "a JSON object"
	switch wrong.Type.Kind() {
	case reflect.String:
		expected = "text"
	case reflect.Bool:
		expected = "true or false"
	case reflect.Slice:
		expected = "a list"
	case reflect.Int32, reflect.Uint32:
		expected = "a whole number of 32 bits"
	}
	return fmt.Sprintf("%s: found %s, expected %s", cmp.Or(wrong.Field, "schema"), wrong.Value, expected)
}

// Complete sets a missing driver name and missing symbols: the driver gets the name of the first object,
// a symbol is made from the object's name and the counter's name.
func (s *Declaration) Complete() {
	taken := map[string]bool{}
	for i := range s.Objects {
		o := &s.Objects[i]
		taken[strings.ToLower(o.Symbol)] = true
		for k := range o.Counters {
			taken[strings.ToLower(o.Counters[k].Symbol)] = true
		}
	}
	symbol := func(of *string, name string) {
		if *of != "" || name == "" {
			return
		}
		base := rules.SymbolOf(name)
		*of = base
		for n := 2; taken[strings.ToLower(*of)]; n++ {
			*of = fmt.Sprint(base, "_", n)
		}
		taken[strings.ToLower(*of)] = true
	}

	for i := range s.Objects {
		o := &s.Objects[i]
		symbol(&o.Symbol, o.Name)
		for k := range o.Counters {
			c := &o.Counters[k]
			symbol(&c.Symbol, o.Name+" "+c.Name)
		}
	}

	if s.Driver == "" && len(s.Objects) > 0 {
		s.Driver = strings.NewReplacer("/", "_", `\`, "_").Replace(s.Objects[0].Name)
	}
}

// Check returns all faults of the declaration. The error wraps ErrInvalid.
func (s *Declaration) Check() error { return s.check("") }

func (s *Declaration) check(file string) error {
	k := declarationCheck{rules.NewReport(file), map[string]bool{}, map[winperf.GUID]string{}}
	if msg := rules.KeyFault(s.Driver); msg != "" {
		k.wrong("driver %q: %s", s.Driver, msg)
	}
	if len(s.Objects) == 0 {
		k.wrong("no objects")
	}
	if strings.ContainsAny(s.Binary, `\/`) {
		k.wrong("binary %q: expected a file name without a path", s.Binary)
	}

	for i := range s.Objects {
		k.object(&s.Objects[i])
	}

	// The checks of package provider need valid types and names.
	if len(k.Findings) == 0 {
		for _, o := range s.ProviderObjects(2) {
			err := o.Check()
			if err == nil {
				continue
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				k.wrong("%s", strings.TrimSuffix(line, ": "+provider.ErrSchema.Error()))
			}
		}
	}
	return k.Sorted().Err()
}

type declarationCheck struct {
	*rules.Report
	symbols map[string]bool
	guids   map[winperf.GUID]string
}

func (k *declarationCheck) wrong(format string, args ...any) {
	k.Fault(rules.Position{}, format, args...)
}

func (k *declarationCheck) object(o *Object) {
	k.names("object", o.Symbol, o.Text, o.Languages)
	if other, taken := k.guids[o.GUID]; taken && !o.GUID.IsZero() {
		k.wrong("object %s has the same GUID as %s", o.Symbol, other)
	}
	k.guids[o.GUID] = o.Symbol

	for i := range o.Counters {
		c := &o.Counters[i]
		k.names("counter", c.Symbol, c.Text, c.Languages)
		if c.Type == "" {
			k.wrong("counter %s has no type", c.Symbol)
		} else if _, err := counter.ParseType(c.Type); err != nil {
			k.wrong("counter %s: %v", c.Symbol, err)
		}
	}
}

func (k *declarationCheck) names(
	what, symbol string, english provider.Text, others map[string]provider.Text,
) {
	if msg := rules.SymbolFault(symbol); msg != "" {
		k.wrong("%s %q: symbol %q %s", what, english.Name, symbol, msg)
	} else if k.symbols[strings.ToLower(symbol)] {
		k.wrong("%s %q: symbol %s is already used", what, english.Name, symbol)
	}
	k.symbols[strings.ToLower(symbol)] = true

	if msg := rules.NameFault(english); msg != "" {
		k.wrong("%s %s: %s", what, symbol, msg)
	}
	for _, language := range slices.Sorted(maps.Keys(others)) {
		switch msg := rules.NameFault(others[language]); {
		case !rules.IsLanguage(language):
			k.wrong("%s %s: language %q is not a hexadecimal number of 3 digits", what, symbol, language)
		case language == rules.English:
			k.wrong("%s %s: put the English texts into name and help", what, symbol)
		case msg != "":
			k.wrong("%s %s in language %s: %s", what, symbol, language, msg)
		}
	}
}

// ProviderObjects returns the objects for package provider. Their title indices begin with first, in the
// order of lodctr: a name has first plus its number in the header, and its help text the next number.
func (s *Declaration) ProviderObjects(first uint32) []*provider.Object {
	var objects []*provider.Object
	next := first
	title := func() (index uint32) {
		index, next = next, next+2
		return index
	}

	for i := range s.Objects {
		from := &s.Objects[i]
		o := &provider.Object{Index: title(), Name: from.Name, Help: from.Help,
			Languages: inUpper(from.Languages), Multi: from.Multi}
		for k := range from.Counters {
			c := &from.Counters[k]
			o.Counters = append(o.Counters, provider.Counter{
				Index: title(), Name: c.Name, Help: c.Help, Languages: inUpper(c.Languages),
				Type: c.CounterType(), Scale: c.Scale, Detail: c.Detail, BaseSlot: c.BaseSlot,
			})
		}
		objects = append(objects, o)
	}
	return objects
}

func inUpper(languages map[string]provider.Text) map[string]provider.Text {
	if len(languages) == 0 {
		return nil
	}
	texts := map[string]provider.Text{}
	for _, id := range slices.Sorted(maps.Keys(languages)) {
		texts[strings.ToUpper(id)] = languages[id]
	}
	return texts
}

// CounterType returns the number of a type. Check must have succeeded.
func (c *Counter) CounterType() counter.Type {
	t, _ := counter.ParseType(c.Type)
	return t
}

// FormatDeclaration returns the schema as indented JSON.
func FormatDeclaration(s *Declaration) ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
