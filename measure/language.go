package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/nametable"
)

// noLanguage is a notice in the Damage of a [Cycle]: the names are English because the source has
// none in the language of [Options].
type noLanguage struct {
	language string
	others   string
}

func (e *noLanguage) Error() string {
	return fmt.Sprintf("the source has no names in language %s, only in %s", e.language, e.others)
}

// Topic marks the error as a notice.
func (e *noLanguage) Topic() string { return e.Error() }

// missingLanguage returns a notice if the names are not in the language. Without a name table nothing
// is missing.
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
