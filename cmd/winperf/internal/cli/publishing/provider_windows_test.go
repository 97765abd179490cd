package publishing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/internal/regfile"
)

// TestRegistrationSystem carries out plans on this machine's registry: values of
// every type, and that a failure leaves nothing behind.
func TestRegistrationSystem(t *testing.T) {
	sys, err := RegistrationSystem()
	if err != nil {
		t.Fatal(err)
	}
	const top, key = `SOFTWARE\winperf test`, `SOFTWARE\winperf test\a\b`
	values := map[string]regfile.Value{
		"text":   {Type: regfile.TypeString, Strings: []string{`C:\é`}},
		"expand": {Type: regfile.TypeExpandString, Strings: []string{`%SystemRoot%\x`}},
		"number": {Type: regfile.TypeDWord, Number: 0xFFFFFFFF},
		"list":   {Type: regfile.TypeMultiString, Strings: []string{"one", "two"}},
		"bytes":  {Type: 3, Data: []byte{1, 2, 3}},
	}
	steps := regfile.Steps{regfile.CreateKey(key)}
	for name, v := range values {
		steps = append(steps, regfile.SetValue(key, name, v))
	}
	gone := regfile.Steps{}
	for name := range values {
		gone = append(gone, regfile.DeleteValue(key, name))
	}
	for _, k := range []string{key, `SOFTWARE\winperf test\a`, top} {
		gone = append(gone, regfile.DeleteKey(k))
	}
	if err := steps.Run(t.Context(), sys, nil); errors.Is(err, fs.ErrPermission) {
		t.Skip("this account may not write to HKEY_LOCAL_MACHINE")
	} else if err != nil {
		t.Fatal(err)
	}
	for name, want := range values {
		got, found, err := sys.Value(key, name)
		if err != nil || !found {
			t.Errorf("%s: found %v, error %v", name, found, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if deleted, err := sys.DeleteKey(key); deleted || err != nil {
		t.Errorf("a key with values was deleted: %v, error %v", deleted, err)
	}
	if err := gone.Run(t.Context(), sys, nil); err != nil {
		t.Fatal(err)
	}
	if _, found, err := sys.Value(key, "text"); found || err != nil {
		t.Errorf("left behind: %v, error %v", found, err)
	}
	none := regfile.CheckValue(key, "none")
	if err := append(steps, none).Run(t.Context(), sys, nil); err == nil {
		t.Error("no error")
	}
	if created, err := sys.CreateKey(top); len(created) != 1 || err != nil {
		t.Errorf("the failed plan left its keys: created %q, error %v", created, err)
	}
	if deleted, err := sys.DeleteKey(top); !deleted || err != nil {
		t.Errorf("not deleted: error %v", err)
	}
}

func TestRunFails(t *testing.T) {
	sys, err := RegistrationSystem()
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Run(t.Context(), []string{"no such program"}); err == nil {
		t.Error("no error")
	}
}

// TestRunElsewhere has the environment say that Windows' own programs are elsewhere:
// a plan is carried out by an administrator, and the environment may be another's.
func TestRunElsewhere(t *testing.T) {
	root := t.TempDir()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	directory := filepath.Join(root, "System32")
	if err := os.Mkdir(directory, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, "winperfplanted.exe"), program, 0o777); err != nil {
		t.Fatal(err)
	}

	sys, err := RegistrationSystem()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"SystemRoot", "windir"} {
		t.Setenv(name, root)
	}
	t.Setenv("PATH", directory)
	if err := sys.Run(t.Context(), []string{"winperfplanted", "-test.run=^$"}); err == nil {
		t.Error("a program was run from where the environment says")
	}
}
