package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/nametable"
)

// NoLanguage tells that a source has no names in the language of [Options]. They are
// shown in English then. It stands among the damage of a cycle, and nothing is lost by it.
type NoLanguage struct {
	Language string
	There    string // those that the source has
}

// Error says which language is missing.
func (e *NoLanguage) Error() string {
	return fmt.Sprintf("there are no names in language %s, only in %s", e.Language, e.There)
}

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
	return []error{&NoLanguage{language, strings.Join(there, ", ")}}
}
