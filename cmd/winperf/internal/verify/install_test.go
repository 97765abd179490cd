package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider/publish"
)

// registry is a system with a registry and the programs lodctr and unlodctr. The test's own directory takes
// the place of the directory that everybody publishes in.
type registry struct {
	values   map[string]regfile.Value
	commands []string
	failing  string // a command that fails
	killing  string // a command during which the program is killed
}

type killed struct{}

func (s *registry) CreateKey(string) ([]string, error) { return nil, nil }
func (s *registry) DeleteKey(string) (bool, error)     { return true, nil }
func (s *registry) MakePublished() error               { return nil }

func (s *registry) Value(key, name string) (regfile.Value, bool, error) {
	v, found := s.values[key+`\`+name]
	return v, found, nil
}

func (s *registry) SetValue(key, name string, v regfile.Value) error {
	s.values[key+`\`+name] = v
	return nil
}

func (s *registry) DeleteValue(key, name string) error {
	delete(s.values, key+`\`+name)
	return nil
}

func (s *registry) Run(_ context.Context, command []string) error {
	text := strings.Join(command, " ")
	s.commands = append(s.commands, text)
	first := regfile.Services + `\` + driverName + `\Performance\First Counter`
	switch {
	case s.failing != "" && strings.Contains(text, s.failing):
		return errors.New("access denied")
	case strings.HasSuffix(text, ".ini") && !strings.Contains(text, "/S:"):
		s.values[first] = regfile.Value{Type: regfile.TypeDWord, Number: 8000}
	case text == "unlodctr "+driverName:
		delete(s.values, first)
	}
	if s.killing != "" && strings.Contains(text, s.killing) {
		panic(killed{})
	}
	return nil
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
	s := &registry{values: map[string]regfile.Value{}}
	in, r := installing(t, s)
	in.run(t.Context())

	// Linux has no version 2 providers.
	for _, f := range failures(r) {
		if !strings.HasPrefix(f, "a version 2 provider: ") || !strings.Contains(f, "not supported") {
			t.Error(f)
		}
	}
	if len(r.Checks) != 4 || len(s.values) != 0 {
		t.Errorf("%+v, left in the registry: %v", r.Checks, s.values)
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

// TestInstallUnsaved: if the name tables cannot be saved, nothing is changed.
func TestInstallUnsaved(t *testing.T) {
	s := &registry{values: map[string]regfile.Value{}, failing: "/S:"}
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
	s := &registry{}
	in, r := installing(t, s)
	in.Library += "missing"
	in.run(t.Context())
	if len(r.Checks) > 0 || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, "--library names") || s.commands != nil {
		t.Errorf("%+v, %q", r, s.commands)
	}
}

// TestInstallKilled: whenever the program is killed, the next one removes what it registered.
func TestInstallKilled(t *testing.T) {
	published(t)
	for i, during := range []string{"WinperfVerify.ini", "/M:", "unlodctr WinperfVerify", "unlodctr /G:"} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := &registry{values: map[string]regfile.Value{}, killing: during}
			in, _ := installing(t, s)
			func() {
				defer func() {
					if r := recover(); r != (killed{}) {
						t.Errorf("%v", r)
					}
				}()
				in.run(t.Context())
			}()
			s.killing, s.commands = "", nil

			r := &Report{}
			in.report = r
			in.removeRest(t.Context())
			if len(r.Checks) != 1 || r.Checks[0].Failed || len(s.values) != 0 {
				t.Errorf("%+v, left in the registry: %v", r.Checks, s.values)
			}
			wantSet := during == "/M:" || strings.HasPrefix(during, "unlodctr")
			if got := slices.Contains(s.commands, "unlodctr /G:"+setGUID); got != wantSet {
				t.Errorf("commands %q, want removal of the set: %v", s.commands, wantSet)
			}

			files, err := filepath.Glob(filepath.Join(in.directory, "*"))
			if err != nil || len(files) != 0 {
				t.Errorf("files %q, %v", files, err)
			}
			r.Checks = nil
			if in.removeRest(t.Context()); len(r.Checks) > 0 {
				t.Errorf("removed twice: %+v", r.Checks)
			}
		})
	}
}

// TestInstallLeft: what cannot be removed is reported with the commands that remove it, and is tried again.
func TestInstallLeft(t *testing.T) {
	published(t)
	s := &registry{values: map[string]regfile.Value{}, failing: "unlodctr " + driverName}
	in, r := installing(t, s)
	in.run(t.Context())
	failed := strings.Join(failures(r), "\n")
	if !strings.Contains(failed, "removal of both providers: ") || !strings.Contains(failed, "prompt: unlodctr WinperfVerify; unlodctr /G:"+setGUID) {
		t.Error(failed)
	}
	s.failing = ""
	in.report = &Report{}
	in.removeRest(t.Context())
	if len(in.report.Checks) != 1 || in.report.Differs() || len(s.values) != 0 {
		t.Errorf("%+v, %v", in.report.Checks, s.values)
	}
}

func TestSameTables(t *testing.T) {
	table := func(texts map[uint32]string) *nametable.Table {
		names, err := nametable.FromMap(nametable.Counter, texts)
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := map[string]*nametable.Table{
		"009": table(map[uint32]string{1: "1847", 2: "System", 4: "Memory"}), "007": table(map[uint32]string{2: "System"}),
	}
	if err := sameTables(before, before); err != nil {
		t.Error(err)
	}
	after := map[string]*nametable.Table{"009": table(map[uint32]string{1: "1847", 2: "System", 6: "Winperf Verify"})}
	err := sameTables(before, after)
	const want = "language 009: 1 names are missing or changed, the first is 4 \"Memory\"\n" +
		"language 009: 1 names are new, the first is 6 \"Winperf Verify\"\nthe language 007 is missing"
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
