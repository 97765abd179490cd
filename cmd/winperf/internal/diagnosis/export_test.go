package diagnosis

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/wire"
)

// utf16 is a text as regedit writes it.
func utf16(text string) []byte {
	return wire.AppendUTF16([]byte{0xff, 0xfe}, strings.ReplaceAll(text, "\n", "\r\n"))
}

// TestExport reads the same keys in all forms of a file.
func TestExport(t *testing.T) {
	const body = `

; a comment
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Ätna]
"Start"=dword:00000004
@="a \"default\" in C:\\x"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Ätna\performance]
"Library"=hex(2):%s
"First Counter"=dword:000007D0
"bytes"=hex:01,02,\
  03
"none"=hex:

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Ätna\Parameters]
"skipped"=hex(7):31,\
  00
[-HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Gone]
[HKEY_CURRENT_USER\SYSTEM\CurrentControlSet\Services\Other]
"Start"=dword:00000001
`
	wide, narrow := "25,00,58,00,\\\n  25,00,5c,00,e4,00,00,00", "25,58,25,5c,e4,00"
	for name, data := range map[string][]byte{
		"UTF-16":   utf16(header5 + fmt.Sprintf(body, wide)),
		"UTF-8":    []byte(header5 + fmt.Sprintf(body, wide)),
		"REGEDIT4": []byte(strings.ReplaceAll(header4+fmt.Sprintf(body, narrow), "Ä", "\xc4")),
	} {
		t.Run(name, func(t *testing.T) {
			e := &Export{}
			if err := e.Read("x.reg", bytes.NewReader(data)); err != nil {
				t.Fatal(err)
			}
			if damage := e.Damage(); damage != nil {
				t.Fatal(damage)
			}

			services, err := e.Keys(`system\currentcontrolset\SERVICES`)
			if d := cmp.Diff([]string{"Ätna"}, services); d != "" || err != nil {
				t.Errorf("services %s, error %v", d, err)
			}
			const key = regfile.Services + `\Ätna`
			keys, err := e.Keys(key)
			if d := cmp.Diff([]string{"performance"}, keys); d != "" || err != nil {
				t.Errorf("keys %s, error %v", d, err)
			}
			for _, c := range []struct {
				key, name string
				want      regfile.Value
			}{
				{key, "start", regfile.Value{Type: regfile.TypeDWord, Number: 4}},
				{key, "", regfile.Value{Type: regfile.TypeString, Strings: []string{`a "default" in C:\x`}}},
				{key + `\Performance`, "Library", regfile.Value{Type: regfile.TypeExpandString, Strings: []string{`%X%\ä`}}},
				{key + `\Performance`, "First Counter", regfile.Value{Type: regfile.TypeDWord, Number: 2000}},
				{key + `\Performance`, "bytes", regfile.Value{Type: 3, Data: []byte{1, 2, 3}}},
			} {
				kind, data, err := e.Value(c.key, c.name)
				if d := cmp.Diff(c.want, regfile.ParseValue(kind, data)); d != "" || err != nil {
					t.Errorf("%s: %s, error %v", c.name, d, err)
				}
			}
			if _, _, err := e.Value(key, "other"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a missing value: error %v", err)
			}
			if _, err := e.Keys(key + `\Parameters`); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a skipped key: error %v", err)
			}
		})
	}
}

// TestExportDamage reads files with faults. Lines without faults count.
func TestExportDamage(t *testing.T) {
	const key = "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\A]\n"
	for text, want := range map[string]string{
		`"Start"=dword:four`:    "x.reg:3: expected 8 hexadecimal digits after dword:",
		`"Start"=hex(4):0g,00`:  "x.reg:3: expected hexadecimal bytes, separated by commas: encoding/hex: invalid byte: U+0067 'g'",
		`"Start"=hex(x):00`:     "x.reg:3: expected hex: or hex(TYPE):",
		`"Start"=hex(7):00,\`:   `x.reg:4: a value ends after \, which continues it`,
		`"Start"="a`:            "x.reg:3: expected a text in quotes, dword: or hex:",
		`"Start"="a" b`:         "x.reg:3: expected a text in quotes, dword: or hex:",
		`"Start`:                `x.reg:3: expected "name"= or @=`,
		`Start=dword:00000001`:  `x.reg:3: expected "name"= or @=`,
		`"Start" dword:1`:       "x.reg:3: expected = after a name",
		`[HKEY_LOCAL_MACHINE\S`: "x.reg:3: expected ] at the end of a key",
	} {
		e := &Export{}
		file := header5 + "\n" + key + text + "\n\n" + `"Last"=dword:00000007` + "\n" + key + `"Good"=dword:00000007`
		if err := e.Read("x.reg", strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		damage := e.Damage()
		if len(damage) != 1 || damage[0].Error() != want+": bad data" && damage[0].Error() != want ||
			!errors.Is(damage[0], winperf.ErrBadData) {
			t.Errorf("%s: %q, want %q", text, damage, want)
		}
		if _, data, err := e.Value(regfile.Services+`\A`, "Good"); err != nil || !bytes.Equal(data, []byte{7, 0, 0, 0}) {
			t.Errorf("%s: the line after it is % x, error %v", text, data, err)
		}
	}
}

// TestExportTexts has texts with line breaks, and one without end: the next key counts.
func TestExportTexts(t *testing.T) {
	const key = "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\"
	e := &Export{}
	file := header5 + "\n" + key + "A]\n\"Description\"=\"one\n [two]\n\n\\\"three\\\"\"\n\"Start\"=dword:00000002\n" +
		key + "B]\n\"Open\"=\"one\n\"Close\"=\"two\\\"\n" + key + "C]\n\"Start\"=dword:00000003\n"
	if err := e.Read("x.reg", bytes.NewReader(utf16(file))); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]uint32{"A": 2, "C": 3} {
		kind, data, err := e.Value(regfile.Services+`\`+key, "Start")
		if v := regfile.ParseValue(kind, data); v.Number != want || err != nil {
			t.Errorf("%s: %+v, error %v", key, v, err)
		}
	}
	kind, data, _ := e.Value(regfile.Services+`\A`, "Description")
	if v := regfile.ParseValue(kind, data); v.Strings[0] != "one\n [two]\n\n\"three\"" {
		t.Errorf("%q", v.Strings)
	}
	if damage := e.Damage(); len(damage) != 1 || !strings.HasPrefix(damage[0].Error(), "x.reg:9: ") {
		t.Errorf("%q", damage)
	}
}

// TestExportDeep has a key of 4 MB with many parents: it concerns nothing.
func TestExportDeep(t *testing.T) {
	e := &Export{}
	const key = `[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib`
	file := header5 + "\n" + key + strings.Repeat(`\A`, 1<<20) + "]\n" + key + `\_V2Providers\{1}\{2}]`
	if err := e.Read("x.reg", strings.NewReader(file)); err != nil || len(e.keys) > 10 {
		t.Errorf("%d keys, error %v", len(e.keys), err)
	}
	if keys, err := e.Keys(setsKey + `\{1}`); len(keys) != 1 || err != nil {
		t.Errorf("%q, error %v", keys, err)
	}
}

// endless is a file without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ';'
	}
	b[0] = '\n'
	return len(b), nil
}

// TestExportLimit reads a file above the limit, of which a part would be missing without notice.
func TestExportLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 1 GiB")
	}
	err := new(Export).Read("x.reg", io.MultiReader(strings.NewReader(header5+"\n"), endless{}))
	if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), "more than 1073741824 bytes") {
		t.Errorf("error %v", err)
	}
}

// TestExportRefused reads files that are no exports.
func TestExportRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                     `x.reg:1: expected the first line "Windows Registry Editor Version 5.00" or "REGEDIT4"`,
		"[HKEY_LOCAL_MACHINE]": `x.reg:1: expected the first line "Windows Registry Editor Version 5.00" or "REGEDIT4"`,
		header5 + "\n" + strings.Repeat("a", maxLine+1): "x.reg:1: bufio.Scanner: token too long",
	} {
		err := new(Export).Read("x.reg", strings.NewReader(text))
		if !errors.Is(err, winperf.ErrBadData) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// FuzzExport examines any file. Keys and values of an accepted file are found again by their names.
func FuzzExport(f *testing.F) {
	f.Add([]byte(withTables(healthy)))
	f.Add(utf16(withTables(healthy)))
	f.Add([]byte("REGEDIT4\n[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\A\\Performance]\n\"Library\"=hex(2):25,\\\n00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &Export{}
		if err := e.Read("x.reg", bytes.NewReader(data)); err != nil && !errors.Is(err, winperf.ErrBadData) {
			t.Fatal(err)
		}
		for _, err := range e.Damage() {
			if !errors.Is(err, winperf.ErrBadData) {
				t.Error(err)
			}
		}

		size := 0
		for path, key := range e.keys {
			for _, name := range key.subkeys {
				if _, err := e.Keys(path + `\` + name); err != nil {
					t.Errorf("%q is listed, but: %v", name, err)
				}
			}
			for _, v := range key.values {
				size += len(v.data)
			}
		}
		if size > 8*len(data) {
			t.Errorf("%d bytes of values from %d", size, len(data))
		}
		for _, finding := range Examine(&Machine{Registry: e}).Findings {
			if finding.What == "" || len(finding.Evidence) == 0 {
				t.Errorf("%+v", finding)
			}
		}
	})
}
