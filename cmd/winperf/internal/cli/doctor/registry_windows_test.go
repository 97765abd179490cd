package doctor

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

const perflib = `SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib`

// TestRegistry reads a fake registry, which counts open keys.
func TestRegistry(t *testing.T) {
	dll := winapi.NewDLL(wintest.DLL(t, "registry"))
	r := registry{winapi.NewRegistry(dll)}
	t.Setenv("WINPERF_FAKE", "")
	if keys, err := r.Keys(perflib); err != nil || len(keys) != 3 || keys[0] != "007" {
		t.Errorf("keys %q, error %v", keys, err)
	}
	if _, err := r.Keys(`SOFTWARE\Other`); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing key: error %v", err)
	}
	kind, data, err := r.Value(perflib+`\007`, "Counter")
	if err != nil || kind != winapi.REG_MULTI_SZ || len(data) == 0 {
		t.Errorf("type %d, %d bytes, error %v", kind, len(data), err)
	}

	t.Setenv("WINPERF_FAKE", "endless")
	if keys, err := r.Keys(perflib); err != nil || len(keys) != maxKeys {
		t.Errorf("%d keys, error %v", len(keys), err)
	}
	addr, err := dll.Proc("FakeHandles").Addr()
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := syscall.SyscallN(addr); n != 0 {
		t.Errorf("%d keys are open at the end", n)
	}
}

// TestRefused examines a registry that this account may not read.
func TestRefused(t *testing.T) {
	t.Setenv("WINPERF_FAKE", "refused")
	m := &diagnosis.Machine{Registry: registry{winapi.NewRegistry(winapi.NewDLL(wintest.DLL(t, "registry")))}}
	found := map[string]bool{}
	for _, f := range diagnosis.Examine(m).Findings {
		found[f.Code] = true
	}
	if !found["key_denied"] {
		t.Errorf("findings %v", found)
	}
}

// TestRights reads the rights of keys of this system. The key of a name table has none.
func TestRights(t *testing.T) {
	r := registry{winapi.NewRegistry(winapi.NewDLL("advapi32.dll"))}
	if list, err := r.rights(perflib); err != nil || len(list) == 0 {
		t.Errorf("%+v, error %v", list, err)
	}
	if list, err := r.rights(perflib + `\009`); err != nil || list != nil {
		t.Errorf("English names: %+v, error %v", list, err)
	}
}
