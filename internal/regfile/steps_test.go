package regfile_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/internal/regfile"
)

// machine is a System in memory.
type machine struct {
	keys    map[string]map[string]regfile.Value
	log     []string
	fail    string // the action that fails
	lodctrs bool   // lodctr does its work
}

var errFail = errors.New("broken on purpose")

func (m *machine) step(what string) error {
	m.log = append(m.log, what)
	if what == m.fail {
		return errFail
	}
	return nil
}

func (m *machine) CreateKey(key string) (created []string, err error) {
	if err := m.step("create " + key); err != nil {
		return nil, err
	}
	for i, r := range key + `\` {
		if r == '\\' && m.keys[key[:i]] == nil {
			m.keys[key[:i]] = map[string]regfile.Value{}
			created = append(created, key[:i])
		}
	}
	return created, nil
}

func (m *machine) DeleteKey(key string) (bool, error) {
	if err := m.step("delete " + key); err != nil {
		return false, err
	}
	values, found := m.keys[key]
	if !found || len(values) > 0 {
		return false, nil
	}
	for other := range m.keys {
		if strings.HasPrefix(other, key+`\`) {
			return false, nil
		}
	}
	delete(m.keys, key)
	return true, nil
}

func (m *machine) Value(key, name string) (regfile.Value, bool, error) {
	v, found := m.keys[key][name]
	return v, found, nil
}

func (m *machine) SetValue(key, name string, v regfile.Value) error {
	if err := m.step("set " + name); err != nil {
		return err
	}
	m.keys[key][name] = v
	return nil
}

func (m *machine) DeleteValue(key, name string) error {
	if err := m.step("delete value " + name); err != nil {
		return err
	}
	delete(m.keys[key], name)
	return nil
}

func (m *machine) MakePublished() error { return m.step("make published") }

func (m *machine) Run(_ context.Context, command []string) error {
	if err := m.step(strings.Join(command, " ")); err != nil {
		return err
	}
	key := regfile.Services + `\App\Performance`
	switch {
	case command[0] == "lodctr" && m.lodctrs:
		m.keys[key]["First Counter"] = regfile.Value{Type: regfile.TypeDWord, Number: 5000}
	case command[0] == "unlodctr":
		delete(m.keys[key], "First Counter")
	}
	return nil
}

// before is a machine with a service that has another provider's values.
func before() *machine {
	service := regfile.Services + `\App`
	return &machine{lodctrs: true, keys: map[string]map[string]regfile.Value{
		`SYSTEM`: {}, `SYSTEM\CurrentControlSet`: {}, regfile.Services: {},
		service:                  {"Start": {Type: regfile.TypeDWord, Number: 3}},
		service + `\Performance`: {"Library": {Type: regfile.TypeString, Strings: []string{"old.dll"}}},
	}}
}

var install = regfile.Install{INI: `C:\app\app.ini`, Driver: "App", Library: `C:\app\app.dll`,
	Manifest:   `C:\app\app.man`,
	Publishers: []string{"LocalService", "S-1-5-18"}}

func TestInstall(t *testing.T) {
	m := before()
	if err := install.Steps().Run(t.Context(), m, nil); err != nil {
		t.Fatal(err)
	}
	if m.log[0] != "make published" {
		t.Errorf("the directory was not made: %q", m.log)
	}
	values := m.keys[regfile.Services+`\App\Performance`]
	var got []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		got = append(got, name+" "+values[name].String())
	}
	want := []string{
		`Close "WinperfClose"`, `Collect "WinperfCollect"`, `First Counter dword:5000`,
		`Library "C:\\app\\app.dll"`, `Open "WinperfOpen"`, `Publishers multi_sz:LocalService,S-1-5-18`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := m.keys[regfile.Services+`\App\Linkage`]["Export"].String(); got != "multi_sz:App" {
		t.Errorf("Export is %s", got)
	}
}

// TestInstallUndone lets each action fail in turn: what was there before must be
// there again.
func TestInstallUndone(t *testing.T) {
	whole := before()
	if err := install.Steps().Run(t.Context(), whole, nil); err != nil {
		t.Fatal(err)
	}
	for _, action := range whole.log {
		m := before()
		m.fail = action
		err := install.Steps().Run(t.Context(), m, nil)
		if !errors.Is(err, errFail) {
			t.Errorf("%s fails: error %v", action, err)
		}
		if d := cmp.Diff(before().keys, m.keys); d != "" {
			t.Errorf("%s fails: %s", action, d)
		}
	}
	m := before()
	m.lodctrs = false
	if err := install.Steps().Run(t.Context(), m, nil); err == nil ||
		!strings.Contains(err.Error(), "First Counter") {
		t.Errorf("lodctr does nothing: error %v", err)
	}
	if d := cmp.Diff(before().keys, m.keys); d != "" {
		t.Errorf("lodctr does nothing: %s", d)
	}
}

// TestInstallStale: a First Counter that was there before says nothing. What is in the
// name table tells whether lodctr did its work.
func TestInstallStale(t *testing.T) {
	const names = `SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009`
	number := func(n uint32) regfile.Value {
		return regfile.Value{Type: regfile.TypeDWord,
			Number: n}
	}
	for _, tt := range []struct {
		name  string
		first regfile.Value
		table []string
		want  string // of the error
	}{
		{"the names are there", number(5000),
			[]string{"1", "1847", "5002", "Jobs Done", "5000", "Jobs", "5004", "Wait"}, ""},
		{"nothing is there", number(5000), []string{"1", "1847"}, `5000 has the name "", want "Jobs"`},
		{"another's names are there", number(5000), []string{"5000", "Other", "5002", "Jobs Done"},
			`has the name "Other", want "Jobs"`},
		{"the file has more than before", number(5000), []string{"5000", "Jobs", "5002", "Jobs Done"},
			`5004 has the name "", want "Wait"`},
		{"the highest number", number(1<<32 - 1), nil, `4294967295 has the name ""`},
		{"not a number", regfile.Value{Type: regfile.TypeString, Strings: []string{"5000"}}, nil,
			"not a number"},
	} {
		stale := func() *machine {
			m := before()
			m.lodctrs = false
			m.keys[names] = map[string]regfile.Value{"Counter": {Type: regfile.TypeMultiString,
				Strings: tt.table}}
			m.keys[regfile.Services+`\App\Performance`]["First Counter"] = tt.first
			return m
		}
		in := install
		in.Names = []string{"Jobs", "Jobs Done", "Wait"}
		m := stale()
		err := in.Steps().Run(t.Context(), m, nil)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if d := cmp.Diff(stale().keys, m.keys); err != nil && d != "" {
			t.Errorf("%s: not undone: %s", tt.name, d)
		}
	}
	m := before()
	in := install
	in.Names = []string{"Jobs"}
	if err := in.Steps().Run(t.Context(), m, nil); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("without a table: %v", err)
	}
}

func TestUninstall(t *testing.T) {
	m := before()
	if err := install.Steps().Run(t.Context(), m, nil); err != nil {
		t.Fatal(err)
	}
	installed := maps.Clone(m.keys)
	if err := regfile.UninstallDriver("App").Run(t.Context(), m, nil); err != nil {
		t.Fatal(err)
	}
	service := regfile.Services + `\App`
	if m.keys[service+`\Performance`] != nil || m.keys[service+`\Linkage`] != nil || m.keys[service] == nil {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(m.keys)))
	}
	m.keys, m.fail = installed, "unlodctr App"
	if err := regfile.UninstallDriver("App").Run(t.Context(), m, nil); !errors.Is(err, errFail) {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := before()
	err := install.Steps().Run(ctx, m, func(s regfile.Step) {
		if strings.HasSuffix(s.String(), "First Counter exists") {
			cancel()
			m.fail, m.lodctrs = "lodctr /M:"+install.Manifest, false
		}
	})
	if err == nil {
		t.Error("no error")
	}
	if d := cmp.Diff(before().keys, m.keys); d != "" {
		t.Error(d)
	}
}
