package regfile

import (
	"maps"
	"slices"

	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// languagesOf returns the ids of all languages of a schema, English first.
func languagesOf(s *registration.Declaration) []string {
	ids := map[string]bool{}
	for _, t := range titlesOf(s) {
		for id := range t.languages {
			ids[id] = true
		}
	}
	return append([]string{rules.English}, slices.Sorted(maps.Keys(ids))...)
}

// titled is an object or a counter, with a number in the header.
type titled struct {
	symbol    string
	english   provider.Text
	languages map[string]provider.Text
	object    bool
}

func (t *titled) text(language string) provider.Text {
	if text, ok := t.languages[language]; ok {
		return text
	}
	return t.english
}

// titlesOf returns all objects and counters in the order of their numbers.
func titlesOf(s *registration.Declaration) []titled {
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
