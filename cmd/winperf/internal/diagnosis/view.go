package diagnosis

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/nametable"
)

// EnglishNames is the key of the English name tables below HKEY_LOCAL_MACHINE.
const EnglishNames = perflibKey + `\` + nametable.English

const (
	hklm       = `HKLM\`
	perflibKey = `SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib`
	setsKey    = perflibKey + `\_V2Providers`
	disable    = "Disable Performance Counters"
)

// view is a machine with its registry read and parsed once.
type view struct {
	*Machine
	unexamined []Unexamined
	denied     []string // keys that the account may not read

	perflib   bool // the key exists
	languages []language
	services  bool // the key exists
	providers []*provider
	sets      []set

	incomplete bool // some keys of providers could not be read
}

// language has the name tables of a language.
type language struct {
	id          string
	names, help *nametable.Table
	damage      []error
}

// provider is a version 1 provider's key.
type provider struct {
	name                 string
	key                  string
	library              string
	exports              map[string]string
	first, last          uint32 // title indices of names; 0, 0 without names
	firstHelp, lastHelp  uint32
	objects              []uint32 // Object List
	disabled             uint32
	installed, hasExport bool
}

// set is a registered counter set of a version 2 provider.
type set struct {
	provider, name, binary string
	id                     winperf.GUID
}

func newView(m *Machine) *view {
	v := &view{Machine: m}
	if m.Registry != nil {
		v.readNames()
		v.readProviders()
		v.readSets()
	}
	return v
}

// missed notes a key that could not be read.
func (v *view) missed(part, key string, err error) {
	if errors.Is(err, fs.ErrPermission) && !slices.Contains(v.denied, hklm+key) {
		v.denied = append(v.denied, hklm+key)
	}
	v.incomplete = v.incomplete || part != namesPart
	u := Unexamined{part, fmt.Sprintf("%s: %v", hklm+key, err)}
	if !slices.Contains(v.unexamined, u) {
		v.unexamined = append(v.unexamined, u)
	}
}

func (v *view) keys(part, key string) ([]string, bool) {
	names, err := v.Registry.Keys(key)
	if err != nil {
		v.missed(part, key, err)
	}
	return names, err == nil
}

// raw returns a value and its bytes. A missing value is empty.
func (v *view) raw(part, key, name string) (regfile.Value, []byte) {
	t, data, err := v.Registry.Value(key, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return regfile.Value{}, nil
	case err != nil:
		v.missed(part, key, err)
		return regfile.Value{}, nil
	}
	return regfile.ParseValue(t, data), data
}

func (v *view) number(part, key, name string) uint32 {
	value, _ := v.raw(part, key, name)
	return value.Number
}

func (v *view) text(part, key, name string) string {
	value, _ := v.raw(part, key, name)
	return strings.Join(value.Strings, " ")
}

const namesPart = "name tables"

func (v *view) readNames() {
	keys, found := v.keys(namesPart, perflibKey)
	v.perflib = found
	for _, id := range keys {
		if _, err := strconv.ParseUint(id, 16, 16); err != nil || len(id) < 3 {
			continue
		}

		l := language{id: id}
		key := perflibKey + `\` + id
		_, names := v.raw(namesPart, key, "Counter")
		_, help := v.raw(namesPart, key, "Help")
		l.names = l.parse(names, nametable.Counter)
		l.help = l.parse(help, nametable.Help)
		v.languages = append(v.languages, l)
	}
}

// parse returns a name table of the language and notes its damage, unless the registry has none.
func (l *language) parse(text []byte, kind nametable.Kind) *nametable.Table {
	table, damage := nametable.Parse(text, nametable.Options{Kind: kind, Tolerant: true})
	if len(text) > 0 {
		l.damage = append(l.damage, damage...)
	}
	return table
}

// english returns the table that every system needs, or nil.
func (v *view) english() *language {
	i := slices.IndexFunc(v.languages, func(l language) bool { return l.id == nametable.English })
	if i < 0 {
		return nil
	}
	return &v.languages[i]
}

const providersPart = "version 1 providers"

func (v *view) readProviders() {
	services, found := v.keys(providersPart, regfile.Services)
	v.services = found
	for _, name := range services {
		key := regfile.Services + `\` + name + `\Performance`
		if _, err := v.Registry.Keys(key); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			v.missed("provider "+name, key, err)
			continue
		}

		p := v.readProvider(name, key)
		switch {
		case !p.installed:
		case !quotable(name):
			v.missed("provider", key, errors.New("its name has characters that are unsafe in commands"))
		default:
			v.providers = append(v.providers, p)
		}
	}
}

// quotable reports whether a command prompt and PowerShell use a name in double or single quotes as it is.
// Findings of an export have commands with its names, which can be made to harm the reader.
func quotable(name string) bool {
	const quotes = "\"'`’‘‚‛“”„"
	unsafe := func(r rune) bool { return r == '%' || strings.ContainsRune(quotes, r) || !unicode.IsPrint(r) }
	return !strings.ContainsFunc(name, unsafe) && !strings.Contains(name, "$(") && !strings.Contains(name, "${")
}

func (v *view) readProvider(name, key string) *provider {
	part := "provider " + name
	number := func(value string) uint32 { return v.number(part, key, value) }
	p := &provider{
		name: name, key: key,
		library: v.text(part, key, "Library"),
		first:   number("First Counter"), last: number("Last Counter"),
		firstHelp: number("First Help"), lastHelp: number("Last Help"),
		disabled: number(disable), exports: map[string]string{},
	}

	for _, export := range []string{"Open", "Collect", "Close"} {
		p.exports[export] = v.text(part, key, export)
		p.hasExport = p.hasExport || p.exports[export] != ""
	}
	for word := range strings.FieldsSeq(v.text(part, key, "Object List")) {
		if n, err := strconv.ParseUint(word, 10, 32); err == nil {
			p.objects = append(p.objects, uint32(n))
		}
	}
	p.installed = p.library != "" || p.hasExport || p.first != 0
	return p
}

// named reports whether lodctr gave names to the provider.
func (p *provider) named() bool { return p.first != 0 || p.last != 0 }

func (p *provider) owns(index uint32) bool { return p.first <= index && index <= p.last }

func (v *view) readSets() {
	const part = "version 2 providers"
	providers, err := v.Registry.Keys(setsKey)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.missed(part, setsKey, err)
	}

	for _, guid := range providers {
		key := setsKey + `\` + guid
		name := v.text(part, key, "ProviderName")
		binary := v.text(part, key, "ApplicationIdentity")
		ids, _ := v.keys(part, key)
		if _, err := winperf.ParseGUID(guid); err != nil {
			v.missed(part, key, err)
			continue
		}
		for _, id := range ids {
			if g, err := winperf.ParseGUID(id); err == nil {
				v.sets = append(v.sets, set{provider: guid, name: name, binary: binary, id: g})
			}
		}
	}
}
