package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// What a reader takes of a published schema: names, help texts and types. Its
// text is not parsed as a whole, which could be made to take a hundred times the
// memory of the text: objects and counters are read one by one, up to the numbers
// that the file's heads allow, and the first fault ends it.

// schemaReader reads the text of a schema.
type schemaReader struct {
	json  *json.Decoder
	heads []int // of each object, the most counters that it has
}

// errSchema is what is wrong with a schema.
var errSchema = errors.New("not the schema of a publisher")

// readSchema returns the objects of a schema, with relative titles.
func readSchema(text []byte, heads []int) ([]*provider.Object, error) {
	r := schemaReader{json.NewDecoder(bytes.NewReader(text)), heads}
	s := &registration.Schema{}
	err := r.object(func(key string) error {
		if key != "objects" {
			return r.skip()
		}
		return r.array(func() error {
			if len(s.Objects) == len(heads) {
				return fmt.Errorf("more than the %d objects of the file: %w", len(heads), errSchema)
			}
			o, err := r.readObject(heads[len(s.Objects)])
			s.Objects = append(s.Objects, o)
			return err
		})
	})

	if err == nil && len(s.Objects) < len(heads) {
		err = fmt.Errorf("%d objects, the file has %d: %w", len(s.Objects), len(heads), errSchema)
	}
	if err != nil {
		return nil, fmt.Errorf("schema, about byte %d: %s", r.json.InputOffset(), brief(err.Error()))
	}
	return s.ProviderObjects(pubfile.FirstTitle), nil
}

// readObject reads an object with at most so many counters.
func (r *schemaReader) readObject(most int) (o registration.Object, err error) {
	seen := map[string]bool{}
	err = r.object(func(key string) error {
		switch key {
		case "name":
			return r.json.Decode(&o.Name)
		case "help":
			return r.json.Decode(&o.Help)
		case "multi":
			return r.json.Decode(&o.Multi)
		case "counters":
			return r.array(func() error {
				if len(o.Counters) == most {
					return fmt.Errorf("object %q has more than the %d counters of its head: %w",
						brief(o.Name), most, errSchema)
				}
				c, err := r.readCounter(seen)
				o.Counters = append(o.Counters, c)
				return err
			})
		}
		return r.skip()
	})

	if err == nil {
		err = checkName(o.Name)
	}
	return o, err
}

// readCounter reads a counter, whose name must not be one that was seen.
func (r *schemaReader) readCounter(seen map[string]bool) (c registration.Counter, err error) {
	var text struct { // without the texts in other languages
		registration.Text
		Type   string          `json:"type"`
		Scale  int32           `json:"scale"`
		Detail provider.Detail `json:"detail"`
		Base   string          `json:"base"`
	}

	if err := r.json.Decode(&text); err != nil {
		return c, err
	}
	if err := checkName(text.Name); err != nil {
		return c, err
	}
	if _, err := counter.ParseType(text.Type); err != nil {
		return c, fmt.Errorf("counter %q: %w", text.Name, err)
	}

	lower := strings.ToLower(text.Name)
	if seen[lower] {
		return c, fmt.Errorf("two counters are called %q: %w", text.Name, errSchema)
	}

	seen[lower] = true
	return registration.Counter{
		Text: text.Text, Type: text.Type, Scale: text.Scale, Detail: text.Detail, BaseSlot: text.Base,
	}, nil
}

// checkName tells what is wrong with the name of an object or a counter.
func checkName(name string) error {
	if name == "" || len(name) > pubfile.MaxName {
		return fmt.Errorf("a name of %d bytes, want 1 to %d: %w", len(name), pubfile.MaxName, errSchema)
	}
	return nil
}

// maxKeys is more keys than a schema's objects have.
const maxKeys = 32

// object calls f for every key of a JSON object; f reads the value.
func (r *schemaReader) object(f func(key string) error) error {
	keys := 0
	return r.each('{', func() error {
		if keys++; keys > maxKeys {
			return fmt.Errorf("more than %d keys: %w", maxKeys, errSchema)
		}
		key, err := r.json.Token()
		if err != nil {
			return err
		}
		text, _ := key.(string) // in an object it is one
		return f(text)
	})
}

// array calls f for every element of a JSON array; f reads it.
func (r *schemaReader) array(f func() error) error { return r.each('[', f) }

func (r *schemaReader) each(open json.Delim, f func() error) error {
	begin, err := r.json.Token()
	if err != nil {
		return err
	}
	if begin != open {
		return fmt.Errorf("%.40q where %q was expected: %w", fmt.Sprint(begin), open, errSchema)
	}

	for r.json.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err = r.json.Token()
	return err
}

// skip passes over a value.
func (r *schemaReader) skip() error {
	var value json.RawMessage
	return r.json.Decode(&value)
}

// maxText bounds what is taken over of another's text into a message.
const maxText = 256

// brief returns the beginning of a text.
func brief(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
