package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/nametable"
)

// writeNames writes the names and help texts of one language in the form that
// nametable.ReadFile reads.
func (l *lister) writeNames() error {
	names, damage := nametable.FromSchema(l.schema)
	l.app.Damaged(slices.Concat(l.schema.Damage, damage))
	languages := names.Languages()
	if len(languages) == 0 {
		return errors.New("the source has no name table; give one with ?names=FILE")
	}

	language := languages[0]
	if wanted := string(l.source.Language); wanted != "" {
		if !slices.Contains(languages, wanted) {
			return fmt.Errorf("the source has no name table of language %s, but of %q", wanted, languages)
		}
		language = wanted
	}

	table, help := names.Tables(language)
	for _, t := range []*nametable.Table{table, help} {
		for index, text := range t.All() {
			fmt.Fprintf(l.w, "%d\t%s\n", index, strings.Map(console.BreaksNoLine, text))
		}
	}
	return nil
}
