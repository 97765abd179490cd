package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/nametable"
)

// noLanguage is a notice in the Damage of a [Cycle]: the source has no names in the language
// of [Options]. The cycle is whole, but its names are English.
type noLanguage struct {
	language string // as Options has it
	others   string // the languages that the source has, for the message
}

// Error says which language is missing.
func (e *noLanguage) Error() string {
	return fmt.Sprintf("there are no names in language %s, only in %s", e.language, e.others)
}

// Topic marks a notice.
func (e *noLanguage) Topic() string { return e.Error() }

// missingLanguage says that names lack a language. The names of a source without any
// name table are of no language.
func missingLanguage(language string, names *nametable.Names) []error {
	there := names.Languages()
	if id, err := nametable.ParseLanguage(language); err == nil {
		language = id
	}
	if len(there) == 0 || slices.Contains(there, language) {
		return nil
	}
	return []error{&noLanguage{language, strings.Join(there, ", ")}}
}
