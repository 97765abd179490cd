package regfile

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/provider/registration"
)

// INI is an initialization file for lodctr, as [ParseINI] reads it.
type INI struct {
	file       string
	driverName iniEntry
	symbolFile iniEntry
	trusted    bool
	hasObjects bool       // there is a section [objects]
	objects    []iniTitle // its entries, without values
	languages  []iniEntry // the keys are language ids; without values
	titles     []iniTitle // names and help texts, in the order of the file

	unread map[string]bool // sections with unreadable lines; "" for an unreadable section head
}

// DriverName returns the name of the service key, or "".
func (ini *INI) DriverName() string { return ini.driverName.value }

// SymbolFile returns the name of the header, or "", and its place.
func (ini *INI) SymbolFile() (name string, at Position) {
	return ini.symbolFile.value, ini.symbolFile.valueAt
}

type iniEntry struct {
	key, value string
	Position   // of the key
	valueAt    Position
}

// iniTitle is an entry whose key is SYMBOL_LANGUAGE_NAME or SYMBOL_LANGUAGE_HELP.
type iniTitle struct {
	iniEntry
	symbol   string
	language string
	help     bool
}

var sections = map[string]func(*INI, *rules.Report, iniEntry){
	"info":      (*INI).info,
	"objects":   (*INI).object,
	"languages": (*INI).language,
	"text":      (*INI).text,
}

// ParseINI reads an .ini file; file is its name in the findings. It reports faults of
// single lines; [CheckINI] reports the others. The INI is never nil: it has the readable
// entries.
func ParseINI(file string, data []byte) (*INI, Findings) {
	r := rules.NewReport(file)
	ini := &INI{file: file, unread: map[string]bool{}}
	section, seen := "", map[string]int{}
	keys := map[string]int{}
	for n, line := range lines(decodeText(r, data)) {
		text := strings.TrimSpace(line)
		at := rules.At(n, column(line, strings.Index(line, text)))
		switch {
		case text == "" || text[0] == ';':
			continue
		case text[0] == '[':
			section = ini.section(r, at, text, seen)
			continue
		}

		if section == "" {
			if len(seen) == 0 {
				r.Fault(at, "%q is before the first section: expected [info]", text)
			}
			continue // skip the entries of a damaged section head
		}

		entry, ok := parseEntry(r, n, line)
		if !ok {
			ini.unread[section] = true
			continue
		}

		key := section + "\x00" + strings.ToLower(entry.key)
		if first, twice := keys[key]; twice {
			r.Fault(entry.Position, "%s is in line %d already, and Windows uses that one",
				entry.key, first)
			continue
		}
		keys[key] = n
		sections[section](ini, r, entry)
	}
	return ini, r.Sorted()
}

// section reads the head of a section. It returns "" for a damaged one.
func (ini *INI) section(r *rules.Report, at Position, text string, seen map[string]int) string {
	name, closed := strings.CutSuffix(text[1:], "]")
	if !closed {
		r.Fault(at, "section %q has no ] at its end", text)
		seen[text] = at.Line
		ini.unread[""] = true
		return ""
	}

	name = strings.ToLower(name)
	first, twice := seen[name]
	seen[name] = at.Line
	switch {
	case sections[name] == nil:
		r.Fault(at, "section [%s] is unknown%s", name, didYouMean(name, sections))
		ini.unread[""] = true
		return ""
	case twice:
		r.Fault(at, "section [%s] began in line %d already, and Windows reads only that", name, first)
		return ""
	}
	ini.hasObjects = ini.hasObjects || name == "objects"
	return name
}

func parseEntry(r *rules.Report, n int, line string) (iniEntry, bool) {
	key, value, found := strings.Cut(line, "=")
	name := strings.TrimSpace(key)
	at := rules.At(n, column(line, max(strings.Index(line, name), 0)))
	switch {
	case !found:
		r.Fault(at, "%q has no =", name)
		return iniEntry{}, false
	case name == "":
		r.Fault(at, "no key before the =")
		return iniEntry{}, false
	}

	trimmed := strings.Trim(value, " ")
	start := len(key) + 1 + strings.Index(value, trimmed)
	return iniEntry{name, trimmed, at, rules.At(n, column(line, start))}, true
}

func (ini *INI) info(r *rules.Report, e iniEntry) {
	switch strings.ToLower(e.key) {
	case "drivername":
		ini.driverName = e
		if msg := rules.KeyFault(e.value); msg != "" {
			r.Fault(e.valueAt, "drivername %q %s", e.value, msg)
		}

	case "symbolfile":
		ini.symbolFile = e
		switch {
		case e.value == "":
			r.Fault(e.valueAt, "symbolfile is empty")
		case strings.ContainsAny(e.value, `\/:`):
			const form = "symbolfile %q has a path: the header must be in the directory of the .ini file"
			r.Fault(e.valueAt, form, e.value)
		}

	case "trusted":
		ini.trusted = true
	default:
		known := map[string]bool{"drivername": true, "symbolfile": true, "trusted": true}
		r.Warn(e.Position, "[info] has no %s%s", e.key, didYouMean(e.key, known))
	}
}

func (ini *INI) object(r *rules.Report, e iniEntry) {
	t, ok := parseTitle(r, e)
	if !ok {
		ini.unread["objects"] = true
		return
	}
	if t.help {
		r.Fault(e.Position, "%s: objects are listed by their _NAME", e.key)
		return
	}
	ini.objects = append(ini.objects, t)
}

func (ini *INI) language(r *rules.Report, e iniEntry) {
	if !rules.IsLanguage(e.key) {
		r.Fault(e.Position, "language %q is not a hexadecimal number of 3 digits, such as %s", e.key, rules.English)
		return
	}
	ini.languages = append(ini.languages, e)
}

func (ini *INI) text(r *rules.Report, e iniEntry) {
	t, ok := parseTitle(r, e)
	if !ok {
		ini.unread["text"] = true
		return
	}

	if e.value == "" && !t.help {
		r.Fault(e.valueAt, "%s is empty", e.key)
	}
	if msg := rules.TextFault(e.value); msg != "" {
		r.Fault(e.valueAt, "%s %s", e.key, msg)
	}
	ini.titles = append(ini.titles, t)
}

// parseTitle splits a key SYMBOL_LANGUAGE_NAME.
func parseTitle(r *rules.Report, e iniEntry) (iniTitle, bool) {
	rest, kind, ok := cutLast(e.key, "_")
	help := strings.EqualFold(kind, "HELP")
	if !ok || !help && !strings.EqualFold(kind, "NAME") {
		r.Fault(e.Position, "key %q does not end in _NAME or _HELP", e.key)
		return iniTitle{}, false
	}

	symbol, language, ok := cutLast(rest, "_")
	switch {
	case !ok || !rules.IsLanguage(language):
		r.Fault(e.Position, "key %q has no language id of 3 hexadecimal digits before _%s", e.key, kind)
		return iniTitle{}, false
	case rules.SymbolFault(symbol) != "":
		r.Fault(e.Position, "key %q: symbol %q %s", e.key, symbol, rules.SymbolFault(symbol))
		return iniTitle{}, false
	}
	return iniTitle{e, symbol, strings.ToUpper(language), help}, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// WriteINI returns the .ini file of a schema. headerName is the file name of its header
// (see [WriteHeader]). The schema must pass [Declaration.Check].
func WriteINI(s *registration.Declaration, headerName string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "[info]\ndrivername=%s\nsymbolfile=%s\n", s.Driver, headerName)
	if s.Trusted {
		b.WriteString("trusted=1\n")
	}

	languages, titles := languagesOf(s), titlesOf(s)
	b.WriteString("\n[objects]\n")
	for _, t := range titles {
		if t.object {
			fmt.Fprintf(&b, "%s_%s_NAME=\n", t.symbol, rules.English)
		}
	}

	b.WriteString("\n[languages]\n")
	for _, id := range languages {
		fmt.Fprintf(&b, "%s=\n", id)
	}

	b.WriteString("\n[text]\n")
	for _, id := range languages {
		for _, t := range titles {
			text := t.text(id)
			fmt.Fprintf(&b, "%s_%s_NAME=%s\n", t.symbol, id, text.Name)
			if text.Help != "" {
				fmt.Fprintf(&b, "%s_%s_HELP=%s\n", t.symbol, id, text.Help)
			}
		}
	}
	return encodeUTF16(b.String())
}

// whole reports whether a section was readable. Otherwise missing entries are not reported.
func (ini *INI) whole(section string) bool { return !ini.unread[section] && !ini.unread[""] }
