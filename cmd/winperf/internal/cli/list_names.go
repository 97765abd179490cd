package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/winperf/winperf/nametable"
)

// writeNames writes the names and help texts of one language in the form that
// nametable.ReadFile reads.
func (l *lister) writeNames() error {
	names, damage := nametable.FromSchema(l.schema)
	l.app.damaged(slices.Concat(l.schema.Damage, damage))
	languages := names.Languages()
	if len(languages) == 0 {
		return errors.New("the source has no name table; give one with ?names=FILE")
	}

	language := languages[0]
	if wanted := string(l.source.language); wanted != "" {
		if !slices.Contains(languages, wanted) {
			return fmt.Errorf("the source has no name table of language %s, but of %q", wanted, languages)
		}
		language = wanted
	}

	table, help := names.Tables(language)
	for _, t := range []*nametable.Table{table, help} {
		for index, text := range t.All() {
			fmt.Fprintf(l.w, "%d\t%s\n", index, strings.Map(breaksNoLine, text))
		}
	}
	return nil
}

// breaksNoLine makes blanks of what would end a line of data.
func breaksNoLine(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
		return ' '
	}
	return r
}
