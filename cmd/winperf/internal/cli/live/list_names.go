package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/nametable"
)

func (l *lister) writeNames() error {
	names, damage := nametable.FromSchema(l.schema)
	l.app.Damaged(slices.Concat(l.schema.Damage, damage))
	languages := names.Languages()
	if len(languages) == 0 {
		return errors.New("the source has no name table; name one with ?names=FILE")
	}

	language := languages[0]
	if requested := string(l.source.Language); requested != "" {
		if !slices.Contains(languages, requested) {
			return fmt.Errorf("the source has no name table for language %s, only for %q", requested, languages)
		}
		language = requested
	}

	table, help := names.Tables(language)
	for _, t := range []*nametable.Table{table, help} {
		for index, text := range t.All() {
			fmt.Fprintf(l.w, "%d\t%s\n", index, strings.Map(console.BreaksNoLine, text))
		}
	}
	return nil
}
