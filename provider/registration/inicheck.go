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
	case !slices.ContainsFunc(ini.Languages, func(e Entry) bool { return strings.EqualFold(e.Key, English) }):
		r.warn(ini.Languages[0].Position, "[languages] has no %s: programs ask for the English names", English)
	}

	switch {
	case !ini.whole("objects"):
	case !ini.HasObjects:
		r.warn(Position{}, "no section [objects]: the DLL is called for every query, whatever it asks for, and an event 2000 tells of it")
	case len(ini.Objects) == 0:
		r.fault(Position{}, "[objects] lists no object")
	}

	c := newINICheck(ini, h, r)
	for _, t := range ini.Texts {
		if !c.languages[t.Language] && ini.whole("languages") {
			r.fault(t.Position, "%s: language %s is not in [languages]", t.Key, t.Language)
		}
	}

	if h != nil {
		c.checkSymbols()
		c.checkTexts()
	}
	return r.sorted()
}

// iniCheck is the check of an .ini file with its header.
type iniCheck struct {
	*report
	ini       *INI
	header    *Header
	languages map[string]bool // those of [languages], in upper case
	symbols   map[string]bool // those of the header, in lower case
	guesses   int             // how much may still be spent on guessing what was meant
}

// maxGuesses bounds the pairs of characters that are compared for one file to find
// out which symbols were meant.
const maxGuesses = 1 << 26

func newINICheck(ini *INI, h *Header, r *report) *iniCheck {
	c := &iniCheck{report: r, ini: ini, header: h, guesses: maxGuesses}
	c.languages, c.symbols = map[string]bool{}, map[string]bool{}
	for _, e := range ini.Languages {
		c.languages[strings.ToUpper(e.Key)] = true
	}
	if h != nil {
		for _, s := range h.Symbols {
			c.symbols[strings.ToLower(s.Name)] = true
		}
	}
	return c
}

// defines reports whether the header defines a symbol.
func (c *iniCheck) defines(symbol string) bool { return c.symbols[strings.ToLower(symbol)] }

// checkSymbols finds what the header does not define, and objects that are not
// listed.
func (c *iniCheck) checkSymbols() {
	ini, h := c.ini, c.header
	for _, list := range [][]Title{ini.Objects, ini.Texts} {
		for _, t := range list {
			switch {
			case c.defines(t.Symbol):
			case c.full():
				c.moreFaults(1)
			default:
				guess := didYouMeanOf(t.Symbol, c.candidates(t.Symbol))
				c.fault(t.Position, "%s is not defined in %s%s", t.Symbol, h.File, guess)
			}
		}
	}

	if len(h.Symbols) == 0 || len(ini.Objects) == 0 || !ini.whole("objects") {
		return
	}

	first := h.Symbols[0]
	if !slices.ContainsFunc(ini.Objects, func(t Title) bool { return strings.EqualFold(t.Symbol, first.Name) }) {
		c.fault(ini.Objects[0].Position, "[objects] does not list %s, the first symbol of %s, which is an object", first.Name, h.File)
	}
}

// candidates yields the symbols that may have been meant, as long as there is
// something left to spend on comparing them.
func (c *iniCheck) candidates(symbol string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range c.header.Symbols {
			c.guesses -= len(symbol) * len(s.Name)
			if c.guesses < 0 || !yield(s.Name) {
				return
			}
		}
	}
}

// nameKey is what has a name in a language.
type nameKey struct{ symbol, language string }

func keyOf(symbol, language string) nameKey { return nameKey{strings.ToLower(symbol), language} }

// checkTexts finds symbols without a name in a language, and help texts of
// nothing.
func (c *iniCheck) checkTexts() {
	named := map[nameKey]bool{}
	missing := map[string]int{} // by language: symbols without a name
	for language := range c.languages {
		missing[language] = len(c.symbols)
	}

	for _, t := range c.ini.Texts {
		key := keyOf(t.Symbol, t.Language)
		if !t.Help && !named[key] && c.defines(t.Symbol) {
			named[key] = true
			missing[t.Language]--
		}
	}

	if c.ini.whole("text") {
		for _, language := range c.ini.Languages {
			c.listMissing(language, missing[strings.ToUpper(language.Key)], named)
		}
	}

	for _, t := range c.ini.Texts {
		if t.Help && c.defines(t.Symbol) && c.languages[t.Language] && !named[keyOf(t.Symbol, t.Language)] {
			c.fault(t.Position, "%s is the help text of a symbol without a name in language %s", t.Key, t.Language)
		}
	}
}

// listMissing tells the symbols without a name in a language. It looks no further
// than to the last of them, or than findings are kept: so there is no walk over
// all symbols for each language.
func (c *iniCheck) listMissing(language Entry, missing int, named map[nameKey]bool) {
	id := strings.ToUpper(language.Key)
	for _, s := range c.header.Symbols {
		if missing <= 0 || c.full() {
			break
		}
		if !named[keyOf(s.Name, id)] {
			c.fault(language.Position, "language %s has no %s_%s_NAME", id, s.Name, id)
			missing--
		}
	}
	c.moreFaults(missing)
}

// FromINI returns the schema that an .ini file and its header describe. Neither
// says what types counters have or whether objects have instances.
func FromINI(ini *INI, h *Header) *Schema {
	s := &Schema{Driver: ini.DriverName.Value, Trusted: ini.Trusted}
	objects := map[string]bool{}
	for _, t := range ini.Objects {
		objects[strings.ToLower(t.Symbol)] = true
	}

	texts := ini.texts()
	for i, symbol := range h.Symbols {
		key := strings.ToLower(symbol.Name)
		english, others := inEnglish(texts[key])
		if i == 0 || objects[key] {
			s.Objects = append(s.Objects, Object{Symbol: symbol.Name, Text: english, Languages: others})
			continue
		}
		o := &s.Objects[len(s.Objects)-1]
		o.Counters = append(o.Counters, Counter{Symbol: symbol.Name, Text: english, Languages: others})
	}
	return s
}

// texts returns the texts of each symbol by language; symbols are in lower case.
func (ini *INI) texts() map[string]map[string]Text {
	all := map[string]map[string]Text{}
	for _, t := range ini.Texts {
		key := strings.ToLower(t.Symbol)
		if all[key] == nil {
			all[key] = map[string]Text{}
		}
		text := all[key][t.Language]
		if t.Help {
			text.Help = t.Value
		} else {
			text.Name = t.Value
		}
		all[key][t.Language] = text
	}
	return all
}

// inEnglish takes the English text out of a symbol's texts.
func inEnglish(texts map[string]Text) (english Text, others map[string]Text) {
	english = texts[English]
	delete(texts, English)
	if len(texts) == 0 {
		return english, nil
	}
	return english, texts
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
