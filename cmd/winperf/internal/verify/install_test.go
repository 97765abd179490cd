package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider/publish"
)

// registry is a system with a registry and the programs lodctr and unlodctr. The test's own directory takes
// the place of the directory that everybody publishes in.
type registry struct {
	values   map[string]regfile.Value
	keys     map[string]bool
	sets     map[string]bool // registered version 2 providers
	commands []string
	failing  string // a command that fails
	killAt   int    // the step before which the program is killed; 0 is never
	steps    int
}

func newRegistry() *registry {
	return &registry{values: map[string]regfile.Value{}, keys: map[string]bool{}, sets: map[string]bool{}}
}

type killed struct{}

// step counts the steps that change something. The program can be killed before each one, and so after each one.
func (s *registry) step() {
	if s.steps++; s.steps == s.killAt {
		panic(killed{})
	}
}

func (s *registry) CreateKey(key string) ([]string, error) {
	s.step()
	if s.keys[key] {
		return nil, nil
	}
	s.keys[key] = true
	return []string{key}, nil
}

func (s *registry) DeleteKey(key string) (bool, error) {
	s.step()
	for name := range s.values {
		if strings.HasPrefix(name, key+`\`) {
			return false, nil
		}
	}
	found := s.keys[key]
	delete(s.keys, key)
	return found, nil
}

func (s *registry) MakePublished() error { return nil }

func (s *registry) Value(key, name string) (regfile.Value, bool, error) {
	v, found := s.values[key+`\`+name]
	return v, found, nil
}

func (s *registry) SetValue(key, name string, v regfile.Value) error {
	s.step()
	s.values[key+`\`+name] = v
	return nil
}

func (s *registry) DeleteValue(key, name string) error {
	s.step()
	delete(s.values, key+`\`+name)
	return nil
}

func (s *registry) Run(_ context.Context, command []string) error {
	s.step()
	text := strings.Join(command, " ")
	s.commands = append(s.commands, text)
	first := regfile.Services + `\` + driverName + `\Performance\First Counter`
	switch _, registered := s.values[first]; {
	case s.failing != "" && strings.Contains(text, s.failing):
		return errors.New("access denied")
	case strings.HasPrefix(text, "lodctr /S:"):
		return os.WriteFile(strings.TrimPrefix(text, "lodctr /S:"), []byte("[PERF_009]"), 0o600)
	case strings.HasSuffix(text, ".ini"):
		s.values[first] = regfile.Value{Type: regfile.TypeDWord, Number: 8000}
	case strings.HasPrefix(text, "lodctr /M:"):
		s.sets[setGUID] = true
	case text == "unlodctr "+driverName && registered:
		delete(s.values, first)
	case text == "unlodctr /G:"+setGUID && s.sets[setGUID]:
		delete(s.sets, setGUID)
	case strings.HasPrefix(text, "unlodctr "):
		return errors.New("not registered")
	}
	return nil
}

// left describes what is still registered.
func (s *registry) left() string {
	if len(s.values)+len(s.keys)+len(s.sets) == 0 {
		return ""
	}
	return fmt.Sprint(s.values, s.keys, s.sets)
}

// installing returns an installation on a fake system. This machine's published objects are its version 1
// objects.
func installing(t *testing.T, s *registry) (*installation, *Report) {
	t.Helper()
	r := &Report{}
	library := filepath.Join(t.TempDir(), "winperf-provider.dll")
	if err := os.WriteFile(library, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := r.newInstallation(Install{
		System: s, Wanted: true, Library: library, directory: filepath.Join(t.TempDir(), "verify"), sources: []string{"local:"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return in, r
}

func failures(r *Report) (all []string) {
	for _, c := range r.Checks {
		if c.Failed {
			all = append(all, c.Name+": "+c.Detail)
		}
	}
	return all
}

// published lets this test publish for itself alone.
func published(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads what it publishes on Linux only")
	}
	t.Setenv(publish.Environment, filepath.Join(t.TempDir(), "published"))
}

func TestInstall(t *testing.T) {
	published(t)
	s := newRegistry()
	in, r := installing(t, s)
	in.run(t.Context())

	// Linux has no version 2 providers.
	for _, f := range failures(r) {
		if !strings.HasPrefix(f, "a version 2 provider: ") || !strings.Contains(f, "not supported") {
			t.Error(f)
		}
	}
	if len(r.Checks) != 4 || s.left() != "" {
		t.Errorf("%+v, left in the registry: %s", r.Checks, s.left())
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"lodctr /S:" + in.file(tablesFile), "lodctr " + in.file("WinperfVerify.ini"),
		"lodctr /M:" + in.file("WinperfVerify.man") + " " + filepath.Dir(program),
		"unlodctr WinperfVerify", "unlodctr /G:" + setGUID,
	}
	if diff := cmp.Diff(want, s.commands); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(in.directory); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", in.directory, err)
	}
}

// TestInstallNothing: without a journal of an interrupted check, nothing is changed.
func TestInstallNothing(t *testing.T) {
	s := newRegistry()
	in, r := installing(t, s)
	in.removeRest(t.Context())
	if _, err := os.Stat(in.directory); !errors.Is(err, os.ErrNotExist) || s.steps > 0 || len(r.Checks)+len(r.Skipped) > 0 {
		t.Errorf("%v, %d steps, %+v", err, s.steps, r)
	}
}

// TestInstallUnsaved: if the name tables cannot be saved, nothing is changed.
func TestInstallUnsaved(t *testing.T) {
	s := newRegistry()
	s.failing = "/S:"
	in, r := installing(t, s)
	in.run(t.Context())
	if len(r.Checks) > 0 || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, "could not be saved: access denied") {
		t.Errorf("%+v", r)
	}
	if len(s.commands) != 1 {
		t.Errorf("commands %q", s.commands)
	}
}

// TestInstallLibrary: without the DLL nothing is tried.
func TestInstallLibrary(t *testing.T) {
	in, _ := installing(t, newRegistry())
	if err := in.ready(); err != nil {
		t.Error(err)
	}
	in.Library += "missing"
	if err := in.ready(); err == nil || !strings.Contains(err.Error(), "dllmissing: ") || !strings.Contains(err.Error(), "--library names it") {
		t.Error(err)
	}
}

// TestInstallKilled: whenever the program is killed, the next one removes what it registered, and says so.
func TestInstallKilled(t *testing.T) {
	published(t)
	ended := false
	for at := 1; !ended; at++ {
		s := newRegistry()
		s.killAt = at
		in, _ := installing(t, s)
		func() {
			defer func() {
				if r := recover(); r != nil && r != (killed{}) {
					t.Errorf("step %d: %v", at, r)
				}
			}()
			in.run(t.Context())
			ended = true
		}()
		s.killAt = 0
		_, err := os.Stat(in.file(journalFile))
		begun := err == nil
		if !begun && s.left() != "" {
			t.Errorf("step %d: without a journal there is %s", at, s.left())
		}

		// If the program was killed directly before the version 2 provider was registered or after it was removed,
		// its removal fails. This is reported once.
		r := &Report{}
		in.report = r
		set := s.sets[setGUID]
		in.removeRest(t.Context())
		if text := strings.Join(failures(r), ""); text != "" {
			if set || !strings.Contains(text, "not registered") || !strings.Contains(text, "unlodctr /G:"+setGUID) {
				t.Errorf("step %d: %s", at, text)
			}
			in.report = &Report{}
			in.removeRest(t.Context())
			if in.report.Differs() || len(in.report.Checks) != 2 {
				t.Errorf("step %d, again: %+v", at, in.report.Checks)
			}
		}
		if len(r.Checks) > 0 != begun || s.left() != "" {
			t.Errorf("step %d: %+v, left in the registry: %s", at, r.Checks, s.left())
		}

		files, err := filepath.Glob(filepath.Join(in.directory, "*"))
		if err != nil || len(files) != 0 {
			t.Errorf("step %d: files %q, %v", at, files, err)
		}
		in.report = &Report{}
		if in.removeRest(t.Context()); len(in.report.Checks) > 0 {
			t.Errorf("step %d: removed twice: %+v", at, in.report.Checks)
		}
	}
}

// TestInstallDiffers: names that are left after a kill are reported with the command that restores the tables.
func TestInstallDiffers(t *testing.T) {
	published(t)
	s := newRegistry()
	in, r := installing(t, s)
	if err := os.MkdirAll(in.directory, 0o700); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(in.write(undoDriver), os.WriteFile(in.file(tablesFile), nil, 0o600), in.saveTables(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(in.file(namesFile))
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(saved, []byte(`"Memory"`), []byte(`"Speicher"`), 1)
	if err := os.WriteFile(in.file(namesFile), changed, 0o600); err != nil {
		t.Fatal(err)
	}

	in.removeRest(t.Context())
	want := "name tables after the removal: language 009: 1 names are missing or changed, the first is 4 \"Speicher\"\n" +
		"language 009: 1 names are new, the first is 4 \"Memory\"; lodctr /R:" + in.file(tablesFile) +
		" in an elevated prompt restores them"
	if diff := cmp.Diff([]string{want}, failures(r)); diff != "" {
		t.Error(diff)
	}
	files, err := filepath.Glob(filepath.Join(in.directory, "*"))
	if diff := cmp.Diff([]string{in.file(tablesFile)}, files); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestInstallLeft: what cannot be removed is reported with the commands that remove it, and is tried again.
func TestInstallLeft(t *testing.T) {
	published(t)
	s := newRegistry()
	s.failing = "unlodctr " + driverName
	in, r := installing(t, s)
	in.run(t.Context())
	failed := strings.Join(failures(r), "\n")
	if !strings.Contains(failed, "removal of both providers: ") || !strings.Contains(failed, "prompt: unlodctr WinperfVerify; unlodctr /G:"+setGUID) {
		t.Error(failed)
	}
	s.failing = ""
	in.report = &Report{}
	in.removeRest(t.Context())
	if len(in.report.Checks) != 2 || in.report.Differs() || s.left() != "" {
		t.Errorf("%+v, %s", in.report.Checks, s.left())
	}
}

func TestSameTables(t *testing.T) {
	before := names{"009": {1: "1847", 2: "System", 4: "Memory"}, "007": {2: "System"}, "009 (help)": {3: "Help"}}
	if err := sameTables(before, before); err != nil {
		t.Error(err)
	}
	after := names{"009": {1: "1847", 2: "System", 6: "Winperf Verify"}, "009 (help)": {3: "Help", 7: "Written"}}
	err := sameTables(before, after)
	const want = "the language 007 is missing\nlanguage 009: 1 names are missing or changed, the first is 4 \"Memory\"\n" +
		"language 009: 1 names are new, the first is 6 \"Winperf Verify\"\n" +
		"language 009 (help): 1 names are new, the first is 7 \"Written\""
	if fmt.Sprint(err) != want {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestNewInstallation: other systems have no providers.
func TestNewInstallation(t *testing.T) {
	if _, err := (&Report{}).newInstallation(Install{Wanted: true}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
}
