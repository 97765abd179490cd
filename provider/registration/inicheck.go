package registration

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/suggest"
)

// CheckINI finds what is wrong with an .ini file as a whole and with it and its
// header together. Without a header, nil, only the former is looked at.
func CheckINI(ini *INI, h *Header) Findings {
	r := &report{file: ini.File}
	if ini.DriverName.Key == "" && ini.whole("info") {
		r.fault(Position{}, "[info] has no drivername")
	}
	if ini.SymbolFile.Key == "" && ini.whole("info") {
		r.fault(Position{}, "[info] has no symbolfile")
	}
	switch {
	case !ini.whole("languages"):
	case len(ini.Languages) == 0:
		r.fault(Position{}, "[languages] lists no language")
	case !ini.hasLanguage(English):
		r.warn(ini.Languages[0].Position, "[languages] has no %s: programs ask for the English names", English)
	}
	switch {
	case !ini.whole("objects"):
	case !ini.HasObjects:
		r.warn(Position{}, "no section [objects]: the DLL is called for every query, whatever it asks for, and an event 2000 tells of it")
	case len(ini.Objects) == 0:
		r.fault(Position{}, "[objects] lists no object")
	}
	for _, t := range ini.Texts {
		if !ini.hasLanguage(t.Language) && ini.whole("languages") {
			r.fault(t.Position, "%s: language %s is not in [languages]", t.Key, t.Language)
		}
	}
	if h != nil {
		ini.checkSymbols(r, h)
		ini.checkTexts(r, h)
	}
	return r.findings.sorted()
}

// checkSymbols finds what the header does not define, and objects that are not
// listed.
func (ini *INI) checkSymbols(r *report, h *Header) {
	for _, list := range [][]Title{ini.Objects, ini.Texts} {
		for _, t := range list {
			if _, ok := h.Find(t.Symbol); !ok {
				r.fault(t.Position, "%s is not defined in %s%s", t.Symbol, h.File, didYouMeanOf(t.Symbol, h.names()))
			}
		}
	}
	if len(h.Symbols) == 0 || len(ini.Objects) == 0 || !ini.whole("objects") {
		return
	}
	first := h.Symbols[0]
	if !slices.ContainsFunc(ini.Objects, func(t Title) bool { return strings.EqualFold(t.Symbol, first.Name) }) {
		r.fault(ini.Objects[0].Position, "[objects] does not list %s, the first symbol of %s, which is an object", first.Name, h.File)
	}
}

// checkTexts finds symbols without a name in a language, and help texts of
// nothing.
func (ini *INI) checkTexts(r *report, h *Header) {
	type key struct{ symbol, language string }
	named := map[key]bool{}
	for _, t := range ini.Texts {
		if !t.Help {
			named[key{strings.ToLower(t.Symbol), t.Language}] = true
		}
	}
	for _, language := range ini.Languages {
		id := strings.ToUpper(language.Key)
		for _, s := range h.Symbols {
			if !named[key{strings.ToLower(s.Name), id}] && ini.whole("text") {
				r.fault(language.Position, "language %s has no %s_%s_NAME", id, s.Name, id)
			}
		}
	}
	for _, t := range ini.Texts {
		if _, defined := h.Find(t.Symbol); defined && t.Help && ini.hasLanguage(t.Language) &&
			!named[key{strings.ToLower(t.Symbol), t.Language}] {
			r.fault(t.Position, "%s is the help text of a symbol without a name in language %s", t.Key, t.Language)
		}
	}
}

// names yields the symbols' names.
func (h *Header) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range h.Symbols {
			if !yield(s.Name) {
				return
			}
		}
	}
}

// FromINI returns the schema that an .ini file and its header describe. Neither
// says what types counters have or whether objects have instances.
func FromINI(ini *INI, h *Header) *Schema {
	s := &Schema{Driver: ini.DriverName.Value, Trusted: ini.Trusted}
	isObject := func(symbol string) bool {
		return slices.ContainsFunc(ini.Objects, func(t Title) bool { return strings.EqualFold(t.Symbol, symbol) })
	}
	for i, symbol := range h.Symbols {
		english, others := ini.texts(symbol.Name)
		if i == 0 || isObject(symbol.Name) {
			s.Objects = append(s.Objects, Object{Symbol: symbol.Name, Text: english, Languages: others})
			continue
		}
		o := &s.Objects[len(s.Objects)-1]
		o.Counters = append(o.Counters, Counter{Symbol: symbol.Name, Text: english, Languages: others})
	}
	return s
}

// texts returns the texts of a symbol.
func (ini *INI) texts(symbol string) (english Text, others map[string]Text) {
	all := map[string]Text{}
	for _, t := range ini.Texts {
		if !strings.EqualFold(t.Symbol, symbol) {
			continue
		}
		text := all[t.Language]
		if t.Help {
			text.Help = t.Value
		} else {
			text.Name = t.Value
		}
		all[t.Language] = text
	}
	english = all[English]
	delete(all, English)
	if len(all) == 0 {
		return english, nil
	}
	return english, all
}

// didYouMean is the end of a message about a word that is not among the keys.
func didYouMean[V any](word string, known map[string]V) string {
	return didYouMeanOf(word, slices.Values(slices.Sorted(maps.Keys(known))))
}

func didYouMeanOf(word string, known iter.Seq[string]) string {
	if near := suggest.Closest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
