package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

var errSchema = errors.New("not the schema of a publisher")

// readSchema returns the objects of a published schema, with relative titles. counters limits the
// counters of each object. The caller limits objects and counters by counting braces.
func readSchema(text []byte, counters []int) ([]*provider.Object, error) {
	d := &registration.Declaration{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, schemaFault("%w", err)
	}
	if len(d.Objects) != len(counters) {
		return nil, schemaFault("%d objects, the file has %d: %w", len(d.Objects), len(counters), errSchema)
	}

	for i := range d.Objects {
		o := &d.Objects[i]
		if len(o.Counters) > counters[i] {
			return nil, schemaFault("object %q has more than the %d counters of its head: %w", brief(o.Name),
				counters[i], errSchema)
		}
		longest := longestName(o.Name, o.Languages)
		for k := range o.Counters {
			longest = max(longest, longestName(o.Counters[k].Name, o.Counters[k].Languages))
		}
		if longest > pubfile.MaxName {
			return nil, schemaFault("a name of %d bytes, want at most %d: %w", longest, pubfile.MaxName,
				errSchema)
		}
	}

	if err := d.Check(); err != nil {
		return nil, schemaFault("%w", err)
	}
	return d.ProviderObjects(pubfile.FirstTitle), nil
}

func longestName(english string, languages map[string]provider.Text) int {
	longest := len(english)
	for _, text := range languages {
		longest = max(longest, len(text.Name))
	}
	return longest
}

func schemaFault(format string, args ...any) error {
	return errors.New(brief("schema: " + fmt.Errorf(format, args...).Error()))
}

const maxText = 256

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
