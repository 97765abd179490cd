package regfile

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// CheckINI reports faults of an .ini file as a whole, and contradictions to its header,
// unless h is nil. It does not repeat the findings of [ParseINI].
func CheckINI(ini *INI, h *Header) Findings {
	r := rules.NewReport(ini.file)
	if ini.driverName.key == "" && ini.whole("info") {
		r.Fault(Position{}, "[info] has no drivername")
	}
	if ini.symbolFile.key == "" && ini.whole("info") {
		r.Fault(Position{}, "[info] has no symbolfile")
	}

	switch {
	case !ini.whole("languages"):
	case len(ini.languages) == 0:
		r.Fault(Position{}, "[languages] lists no language")
	case !slices.ContainsFunc(ini.languages, func(e iniEntry) bool {
		return strings.EqualFold(e.key,
			rules.English)
	}):
		r.Warn(ini.languages[0].Position, "[languages] has no %s: programs ask for the English names",
			rules.English)
	}

	switch {
	case !ini.whole("objects"):
	case !ini.hasObjects:
		r.Warn(Position{}, "no section [objects]: the DLL is called for every query, whatever it asks for, "+
			"and an event 2000 reports it")
	case len(ini.objects) == 0:
		r.Fault(Position{}, "[objects] lists no object")
	}

	c := newINICheck(ini, h, r)
	for _, t := range ini.titles {
		if !c.languages[t.language] && ini.whole("languages") {
			r.Fault(t.Position, "%s: language %s is not in [languages]", t.key, t.language)
		}
	}

	if h != nil {
		c.checkSymbols()
		c.checkTexts()
	}
	return r.Sorted()
}

type iniCheck struct {
	*rules.Report
	ini       *INI
	header    *Header
	languages map[string]bool // of [languages], in upper case
	symbols   map[string]bool // of the header, in lower case
	guesses   int             // remaining effort for suggestions
}

// maxGuesses limits the pairs of characters compared for the suggestions of one file.
const maxGuesses = 1 << 26

func newINICheck(ini *INI, h *Header, r *rules.Report) *iniCheck {
	c := &iniCheck{Report: r, ini: ini, header: h, guesses: maxGuesses}
	c.languages, c.symbols = map[string]bool{}, map[string]bool{}
	for _, e := range ini.languages {
		c.languages[strings.ToUpper(e.key)] = true
	}
	if h != nil {
		for _, s := range h.symbols {
			c.symbols[strings.ToLower(s.name)] = true
		}
	}
	return c
}

func (c *iniCheck) defines(symbol string) bool { return c.symbols[strings.ToLower(symbol)] }

// checkSymbols reports undefined symbols and unlisted objects.
func (c *iniCheck) checkSymbols() {
	ini, h := c.ini, c.header
	for _, list := range [][]iniTitle{ini.objects, ini.titles} {
		for _, t := range list {
			switch {
			case c.defines(t.symbol):
			case c.Full():
				c.MoreFaults(1)
			default:
				guess := didYouMeanOf(t.symbol, c.candidates(t.symbol))
				c.Fault(t.Position, "%s is not defined in %s%s", t.symbol, h.file, guess)
			}
		}
	}

	if len(h.symbols) == 0 || len(ini.objects) == 0 || !ini.whole("objects") {
		return
	}

	first := h.symbols[0]
	if !slices.ContainsFunc(ini.objects, func(t iniTitle) bool {
		return strings.EqualFold(t.symbol,
			first.name)
	}) {
		c.Fault(ini.objects[0].Position, "[objects] does not list %s, the first symbol of %s, which "+
			"is an object", first.name, h.file)
	}
}

// candidates yields possible symbols within the effort for suggestions.
func (c *iniCheck) candidates(symbol string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range c.header.symbols {
			c.guesses -= len(symbol) * len(s.name)
			if c.guesses < 0 || !yield(s.name) {
				return
			}
		}
	}
}

type nameKey struct{ symbol, language string }

func keyOf(symbol, language string) nameKey { return nameKey{strings.ToLower(symbol), language} }

// checkTexts reports symbols without a name in a language, and help texts without a name.
func (c *iniCheck) checkTexts() {
	named := map[nameKey]bool{}
	missing := map[string]int{} // by language: symbols without a name
	for language := range c.languages {
		missing[language] = len(c.symbols)
	}

	for _, t := range c.ini.titles {
		key := keyOf(t.symbol, t.language)
		if !t.help && !named[key] && c.defines(t.symbol) {
			named[key] = true
			missing[t.language]--
		}
	}

	if c.ini.whole("text") {
		for _, language := range c.ini.languages {
			c.listMissing(language, missing[strings.ToUpper(language.key)], named)
		}
	}

	for _, t := range c.ini.titles {
		if t.help && c.defines(t.symbol) && c.languages[t.language] && !named[keyOf(t.symbol, t.language)] {
			c.Fault(t.Position, "%s is the help text of a symbol without a name in language %s",
				t.key, t.language)
		}
	}
}

// listMissing reports the symbols without a name in a language. It stops at the last one,
// or when findings are full.
func (c *iniCheck) listMissing(language iniEntry, missing int, named map[nameKey]bool) {
	id := strings.ToUpper(language.key)
	for _, s := range c.header.symbols {
		if missing <= 0 || c.Full() {
			break
		}
		if !named[keyOf(s.name, id)] {
			c.Fault(language.Position, "language %s has no %s_%s_NAME", id, s.name, id)
			missing--
		}
	}
	c.MoreFaults(missing)
}

// FromINI returns the schema of an .ini file and its header. Types of counters and the
// existence of instances are unknown.
func FromINI(ini *INI, h *Header) *registration.Declaration {
	s := &registration.Declaration{Driver: ini.driverName.value, Trusted: ini.trusted}
	objects := map[string]bool{}
	for _, t := range ini.objects {
		objects[strings.ToLower(t.symbol)] = true
	}

	texts := ini.texts()
	for i, symbol := range h.symbols {
		key := strings.ToLower(symbol.name)
		english, others := inEnglish(texts[key])
		if i == 0 || objects[key] {
			s.Objects = append(s.Objects, registration.Object{Symbol: symbol.name, Text: english, Languages: others})
			continue
		}
		o := &s.Objects[len(s.Objects)-1]
		o.Counters = append(o.Counters, registration.Counter{Symbol: symbol.name, Text: english, Languages: others})
	}
	return s
}

// texts returns the texts of each symbol by language; symbols are in lower case.
func (ini *INI) texts() map[string]map[string]provider.Text {
	all := map[string]map[string]provider.Text{}
	for _, t := range ini.titles {
		key := strings.ToLower(t.symbol)
		if all[key] == nil {
			all[key] = map[string]provider.Text{}
		}
		text := all[key][t.language]
		if t.help {
			text.Help = t.value
		} else {
			text.Name = t.value
		}
		all[key][t.language] = text
	}
	return all
}

func inEnglish(texts map[string]provider.Text) (english provider.Text, others map[string]provider.Text) {
	english = texts[rules.English]
	delete(texts, rules.English)
	if len(texts) == 0 {
		return english, nil
	}
	return english, texts
}

func didYouMean[V any](word string, known map[string]V) string {
	return didYouMeanOf(word, slices.Values(slices.Sorted(maps.Keys(known))))
}

func didYouMeanOf(word string, known iter.Seq[string]) string {
	if near := suggest.Closest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
