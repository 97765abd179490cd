package registration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// English is the language id that every provider should have texts in.
const English = "009"

// Schema describes the objects and counters of one provider: what the .ini, .h
// and .man files are made from. As JSON it is written by hand:
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
//	    "counters": [{"symbol": "BYTES_SENT", "name": "Bytes Sent", "help": "...", "type": "PERF_COUNTER_RAWCOUNT"}]
//	  }]
//	}
type Schema struct {
	Driver  string       `json:"driver"`            // name of the service key
	Library string       `json:"library,omitempty"` // the version 1 DLL
	GUID    winperf.GUID `json:"provider,omitzero"` // the version 2 provider
	// file with the version 2 provider's texts, without a path
	Binary  string   `json:"binary,omitempty"`
	Trusted bool     `json:"trusted,omitempty"` // lodctr notes the DLL's signature
	Objects []Object `json:"objects"`
}

// Object describes an object, or counter set.
type Object struct {
	Symbol string `json:"symbol"`
	Text
	// texts in other languages than English, by language id
	Languages map[string]Text `json:"languages,omitempty"`
	GUID      winperf.GUID    `json:"guid,omitzero"`   // of the counter set
	Multi     bool            `json:"multi,omitempty"` // it has instances
	Counters  []Counter       `json:"counters"`
}

// Counter describes a counter. Its base is not declared: it follows from the type.
type Counter struct {
	Symbol string `json:"symbol"`
	Text
	Languages map[string]Text `json:"languages,omitempty"`
	// Type is the constant of winperf.h. It is empty in what FromINI returns.
	Type   string          `json:"type"`
	Scale  int32           `json:"scale,omitempty"`  // power of ten for graphs, -10 to 10
	Detail provider.Detail `json:"detail,omitempty"` // 100 or 200; 0 is 100
	// BaseSlot names the base; counters of one object with the same one share it.
	BaseSlot string `json:"base,omitempty"`
}

// Text is a name and what it means.
type Text struct {
	Name string `json:"name"`
	Help string `json:"help,omitempty"`
}

// ParseSchema reads a Schema from JSON and checks it. The error wraps ErrInvalid
// and tells the line and column of what is no JSON.
func ParseSchema(file string, data []byte) (*Schema, error) {
	s := &Schema{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(s)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more text behind the schema")
		}
	}

	if err != nil {
		at := d.InputOffset()
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			at = syntax.Offset
		case errors.As(err, &kind):
			at = kind.Offset
		}
		return nil, NewFinding(file, positionOf(data, at-1), err.Error())
	}

	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// positionOf turns an offset into line and column.
func positionOf(data []byte, offset int64) Position {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	last := before[bytes.LastIndexByte(before, '\n')+1:]
	return Position{line, len([]rune(string(last))) + 1}
}

// Check tells everything that is wrong with the schema. The error wraps
// ErrInvalid.
func (s *Schema) Check() error {
	k := schemaCheck{symbols: map[string]bool{}, guids: map[winperf.GUID]string{}}
	if msg := keyFault(s.Driver); msg != "" {
		k.fault("driver %q: %s", s.Driver, msg)
	}
	if len(s.Objects) == 0 {
		k.fault("no objects")
	}
	if strings.ContainsAny(s.Binary, `\/`) {
		k.fault("binary %q: want a file name without a path", s.Binary)
	}

	for i := range s.Objects {
		k.object(&s.Objects[i])
	}

	// The provider's own rules need types and names that are right.
	if len(k.errs) == 0 {
		for _, o := range s.ProviderObjects(2) {
			for _, err := range apart(o.Check()) {
				k.add(err)
			}
		}
	}

	if k.more > 0 {
		k.errs = append(k.errs, fmt.Errorf("%w: and %d more", ErrInvalid, k.more))
	}
	return errors.Join(k.errs...)
}

// schemaCheck collects what is wrong with a schema.
type schemaCheck struct {
	errs    []error
	more    int                     // errors that were not kept
	symbols map[string]bool         // that were seen, in lower case
	guids   map[winperf.GUID]string // symbols of objects by GUID
}

func (k *schemaCheck) add(err error) {
	if len(k.errs) < maxFindings {
		k.errs = append(k.errs, fmt.Errorf("%w: %w", ErrInvalid, err))
	} else {
		k.more++
	}
}

func (k *schemaCheck) fault(format string, args ...any) { k.add(fmt.Errorf(format, args...)) }

// object checks an object with its counters.
func (k *schemaCheck) object(o *Object) {
	k.names("object", o.Symbol, o.Text, o.Languages)
	if other, taken := k.guids[o.GUID]; taken && !o.GUID.IsZero() {
		k.fault("object %s: it has the GUID of %s", o.Symbol, other)
	}
	k.guids[o.GUID] = o.Symbol

	for i := range o.Counters {
		c := &o.Counters[i]
		k.names("counter", c.Symbol, c.Text, c.Languages)
		if c.Type == "" {
			k.fault("counter %s has no type", c.Symbol)
		} else if _, err := counter.ParseType(c.Type); err != nil {
			k.fault("counter %s: %v", c.Symbol, err)
		}
	}
}

// names checks the symbol and the texts of an object or counter.
func (k *schemaCheck) names(what, symbol string, english Text, others map[string]Text) {
	if msg := symbolFault(symbol); msg != "" {
		k.fault("%s %q: symbol %q %s", what, english.Name, symbol, msg)
	} else if k.symbols[strings.ToLower(symbol)] {
		k.fault("%s %q: symbol %s stands for something else already", what, english.Name, symbol)
	}
	k.symbols[strings.ToLower(symbol)] = true

	if msg := english.fault(); msg != "" {
		k.fault("%s %s: %s", what, symbol, msg)
	}
	for _, language := range slices.Sorted(maps.Keys(others)) {
		switch msg := others[language].fault(); {
		case !isLanguage(language):
			k.fault("%s %s: language %q is not a hexadecimal number of 3 digits", what, symbol, language)
		case language == English:
			k.fault("%s %s: the English texts stand in name and help", what, symbol)
		case msg != "":
			k.fault("%s %s in language %s: %s", what, symbol, language, msg)
		}
	}
}

// apart returns the errors that are joined in one.
func apart(err error) []error {
	many, joined := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !joined:
		return []error{err}
	}
	return many.Unwrap()
}

// ProviderObjects returns the objects as package provider takes them, with title
// indices from first on, as lodctr gives them: a name is first + its number in
// the header, and a help text the number behind it.
func (s *Schema) ProviderObjects(first uint32) []*provider.Object {
	var objects []*provider.Object
	next := first
	title := func() (index uint32) {
		index, next = next, next+2
		return index
	}
	for i := range s.Objects {
		from := &s.Objects[i]
		o := &provider.Object{Index: title(), Name: from.Name, Help: from.Help, Multi: from.Multi}
		for k := range from.Counters {
			c := &from.Counters[k]
			o.Counters = append(o.Counters, provider.Counter{
				Index: title(), Name: c.Name, Help: c.Help, Type: c.counterType(), Scale: c.Scale,
				Detail: c.Detail, BaseSlot: c.BaseSlot,
			})
		}
		objects = append(objects, o)
	}
	return objects
}

// counterType is the number of a type that Check has checked.
func (c *Counter) counterType() counter.Type {
	t, _ := counter.ParseType(c.Type)
	return t
}

// languages are the ids of all languages that there are texts in, English first.
func (s *Schema) languages() []string {
	ids := map[string]bool{}
	add := func(texts map[string]Text) {
		for id := range texts {
			ids[id] = true
		}
	}

	for i := range s.Objects {
		add(s.Objects[i].Languages)
		for k := range s.Objects[i].Counters {
			add(s.Objects[i].Counters[k].Languages)
		}
	}
	return append([]string{English}, slices.Sorted(maps.Keys(ids))...)
}

// titled is what has a number in the header: an object or a counter.
type titled struct {
	symbol    string
	english   Text
	languages map[string]Text
	object    bool
}

// text is the text in a language, in English where there is none.
func (t *titled) text(language string) Text {
	if text, ok := t.languages[language]; ok {
		return text
	}
	return t.english
}

// titles are all objects and counters in the order of their numbers.
func (s *Schema) titles() []titled {
	var list []titled
	for i := range s.Objects {
		o := &s.Objects[i]
		list = append(list, titled{o.Symbol, o.Text, o.Languages, true})
		for k := range o.Counters {
			c := &o.Counters[k]
			list = append(list, titled{c.Symbol, c.Text, c.Languages, false})
		}
	}
	return list
}

// FormatSchema returns the schema as indented JSON.
func FormatSchema(s *Schema) ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
