package v1

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/nametable"
)

// english is the table that some systems give for every language.
func english() []answer { return names(4, "Memory", 6, "English") }

// TestNames reads names of many kinds of systems.
func TestNames(t *testing.T) {
	type values = map[string][]answer
	sz := []answer{{typ: winapi.REG_SZ, b: []byte("4\x00M\x00")}}
	for _, c := range []struct {
		name      string
		language  string
		subkeys   []string
		values    values
		want      string // per language the name of 4 and the help text 5
		damage    string // part of the only damage; "" for none
		listError error
	}{
		{"both", "", []string{"009", "007"}, values{"Counter 009": names(4, "Memory"),
			"Help 009": names(5, "help"), "Counter 007": names(4, "Speicher"), "Help 007": names(5, "Hilfe")},
			"009 Memory help, 007 Speicher Hilfe", "", nil},
		{"the user's first", "407", []string{"009", "007"},
			values{"Counter 009": names(4, "Memory"), "Counter 007": names(4, "Speicher")},
			"007 Speicher , 009 Memory ", "", nil},
		{"no key for the user's language", "407", []string{"009"},
			values{"Counter 009": names(4, "Memory"), "NLSTEXT Counter": names(4, "Speicher")},
			"007 Speicher , 009 Memory ", "", nil},
		{"a language in small letters", "", []string{"00a"},
			values{"Counter 009": names(4, "Memory"), "Counter 00A": names(4, "Memoria")},
			"009 Memory , 00A Memoria ", "", nil},
		{"English from the text key", "", nil,
			values{"TEXT Counter": names(4, "Memory"), "TEXT Help": names(5, "help")},
			"009 Memory help", "", nil},
		{"English from Perflib", "", nil, values{`Perflib\009 Counter`: names(4, "Memory")},
			"009 Memory ", "", nil},
		{"English texts for German help", "", []string{"007"},
			values{"Counter 009": names(4, "Memory"), "Help 009": names(5, "help"),
				"Counter 007": names(4, "Speicher"), "Help 007": names(5, "help"),
				`Perflib\007 Help`: names(5, "Hilfe")},
			"009 Memory help, 007 Speicher Hilfe", "", nil},
		{"English for everything", "", []string{"007", "00C"},
			values{"Counter 009": english(), "Counter 007": english(), "Counter 00C": english(),
				`Perflib\00C Counter`: names(4, "Mémoire")},
			"009 Memory , 00C Mémoire ", "", nil},
		{"nothing", "", []string{"007"}, values{},
			"009 #4 ", "name table Counter 009: HKEY_PERFORMANCE_DATA, value \"Counter 009\": " +
				"Windows error 2", nil},
		{"a wrong type, and another place", "", nil,
			values{"Counter 009": sz, "TEXT Counter": names(4, "Memory")},
			"009 Memory ", "", nil},
		{"a wrong type", "", []string{"007"}, values{"Counter 009": names(4, "Memory"), "Counter 007": sz},
			"009 Memory ", "type 1, expected 7", nil},
		{"refused", "", []string{"007"}, values{"Counter 009": names(4, "Memory"),
			"Counter 007": failing(winapi.ERROR_ACCESS_DENIED)},
			"009 Memory ", "name table Counter 007", nil},
		{"no list of languages", "", nil, values{"Counter 009": names(4, "Memory")},
			"009 Memory ", "installed languages", winapi.ERROR_ACCESS_DENIED},
		{"empty at first", "", nil, values{"Counter 009": answers(multi(nil), names(4, "Memory"))},
			"009 Memory ", "", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, &machine{values: c.values, languages: c.subkeys, langErr: c.listError},
				Options{Language: c.language, Interface: "test"})
			schema, err := s.Schema(t.Context())
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if got := show(schema); got != c.want || schema.Interface != "test" {
				t.Errorf("%s: %s; want %s", c.name, got, c.want)
			}
			switch {
			case c.damage == "" && len(schema.Damage) > 0:
				t.Errorf("%s: damage %v", c.name, schema.Damage)
			case c.damage != "" && (len(schema.Damage) != 1 ||
				!strings.Contains(schema.Damage[0].Error(), c.damage)):
				t.Errorf("%s: damage %v, want %s", c.name, schema.Damage, c.damage)
			}
		})
	}
}

// show is what a schema knows of title index 4 and help index 5 in each language.
func show(schema *winperf.Schema) string {
	var all []string
	for _, nt := range schema.Names {
		one, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{nt}})
		all = append(all, nt.Language+" "+one.Title(4)+" "+one.Help(5))
	}
	return strings.Join(all, ", ")
}

// TestNamesAgain installs counters while the source is open.
func TestNamesAgain(t *testing.T) {
	m := system()
	s := start(t, m, Options{})
	first, err := s.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := compile(t, s, winperf.Selection{Costly: true})
	raw := new(winperf.Raw)
	if err := perftest.Take(t.Context(), q, raw); err != nil || len(raw.Schema.Costly) != 1 ||
		raw.Schema.Costly[0] != 900 {
		t.Fatalf("costly %v, error %v", raw.Schema, err)
	}
	m.asked()
	second, err := s.Schema(t.Context())
	if log := m.asked(); err != nil || log != "Perflib Last Counter; Perflib Last Help" ||
		len(second.Names) != len(first.Names) {
		t.Errorf("asked for %s, error %v", log, err)
	}
	m.values["Perflib Last Counter"] = number(7100)
	m.values["Counter 009"] = names(4, "Memory", 7100, "New")
	compile(t, s, winperf.Selection{}, `\New\x`)
	if log := m.asked(); !strings.Contains(log, "Counter 009") {
		t.Errorf("asked for %s", log)
	}
	if err := perftest.Take(t.Context(), q, raw); err != nil ||
		!strings.Contains(show(raw.Schema), "Memory") || len(raw.Schema.Costly) != 1 {
		t.Errorf("the sample has another schema: error %v", err)
	}
	if got, _ := nametable.FromSchema(raw.Schema); got.Title(7100) != "New" {
		t.Errorf("7100 is %s", got.Title(7100))
	}
}

// TestStampDamaged keeps the names that were read when the stamp cannot be.
func TestStampDamaged(t *testing.T) {
	for _, bad := range [][]answer{
		failing(winapi.ERROR_ACCESS_DENIED),
		{{typ: winapi.REG_SZ, b: []byte("9\x00")}},
		{{typ: winapi.REG_DWORD, b: []byte{1, 2}}},
	} {
		m := system()
		m.values["Perflib Last Counter"] = bad
		s := start(t, m, Options{})
		first, err := s.Schema(t.Context())
		if err != nil || show(first) == "" {
			t.Errorf("error %v", err)
		}
		if again, err := s.Schema(t.Context()); err != nil || again != first {
			t.Errorf("names were read again, error %v", err)
		}
	}
}

func TestNamesMissingIsNotExist(t *testing.T) {
	s := start(t, &machine{}, Options{})
	schema, err := s.Schema(t.Context())
	if err != nil || len(schema.Damage) != 1 || !errors.Is(schema.Damage[0], fs.ErrNotExist) {
		t.Errorf("damage %v, error %v", schema, err)
	}
}
