package winapi

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/winperf/winperf"
)

func name16(s string) []uint16 { return utf16.Encode([]rune(s + "\x00")) }

func TestMissing(t *testing.T) {
	r := NewRegistry(NewDLL("ntdll.dll")) // exports none of them
	var value RegValue
	calls := map[string]func() error{
		"RegQueryValueExW": func() error {
			return r.QueryValue(HKEY_PERFORMANCE_DATA, name16("1"),
				nil, &value)
		},
		"RegCloseKey": func() error { return r.CloseKey(HKEY_PERFORMANCE_DATA) },
		"RegOpenKeyExW": func() error {
			_,
				err := r.OpenKey(HKEY_LOCAL_MACHINE, "SOFTWARE")
			return err
		},
		"RegEnumKeyExW":       func() error { _, err := r.EnumKey(HKEY_LOCAL_MACHINE, 0); return err },
		"RegConnectRegistryW": func() error { _, err := r.Connect("x", HKEY_PERFORMANCE_DATA); return err },
	}
	k := NewKernel(NewDLL("ntdll.dll"))
	calls["GetComputerNameW"] = func() error { _, err := k.ComputerName(); return err }
	calls["GetUserDefaultUILanguage"] = func() error { _, err := k.UILanguage(); return err }
	calls["GetModuleHandleW"] = func() error { _, err := k.Loaded("x"); return err }
	calls["GetHandleInformation"] = func() error { _, err := k.HandleCount(); return err }
	calls["GetProcessHandleCount"] = func() error { _, err := k.OpenHandles(); return err }
	calls["K32GetProcessMemoryInfo"] = func() error { _, err := k.MemoryInfo(); return err }
	for function, call := range calls {
		var missing *MissingError
		err := call()
		if !errors.As(err, &missing) || missing.Function != function || missing.Library != "ntdll.dll" ||
			!errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("%s: error %v", function, err)
		}
	}
}

func TestMissingLibrary(t *testing.T) {
	for _, name := range []string{"winperf-no-such.dll", t.TempDir() + `\no-such.dll`} {
		_, err := NewDLL(name).Proc("Do").Addr()
		if !errors.Is(err, winperf.ErrNotSupported) || !errors.Is(err, ERROR_MOD_NOT_FOUND) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	r := NewRegistry(NewDLL("advapi32.dll"))
	key, err := r.OpenKey(HKEY_LOCAL_MACHINE, `SOFTWARE\Microsoft\Windows NT\CurrentVersion`)
	if err != nil {
		t.Fatal(err)
	}
	if first, err := r.EnumKey(key, 0); err != nil || first == "" {
		t.Errorf("first subkey %q, error %v", first, err)
	}
	if _, err := r.EnumKey(key, 1<<20); !errors.Is(err, ERROR_NO_MORE_ITEMS) {
		t.Errorf("subkey 1048576: error %v", err)
	}
	var value RegValue
	buf := make([]byte, 512)
	if err := r.QueryValue(key, name16("CurrentVersion"), buf, &value); err != nil || value.Type != REG_SZ ||
		value.Size < 4 || value.Size > 512 {
		t.Errorf("CurrentVersion: %+v, error %v", value, err)
	}
	if err := r.QueryValue(key, name16("CurrentVersion"), buf[:2],
		&value); !errors.Is(err, ERROR_MORE_DATA) || value.Size < 4 {
		t.Errorf("CurrentVersion into 2 bytes: %+v, error %v", value, err)
	}
	if err := r.QueryValue(key, name16("winperf has no such value"), buf,
		&value); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("unknown value: error %v", err)
	}
	if err := r.CloseKey(key); err != nil {
		t.Error(err)
	}
	if _, err := r.OpenKey(HKEY_LOCAL_MACHINE,
		`SOFTWARE\winperf has no such key`); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("unknown key: error %v", err)
	}
	if _, err := r.OpenKey(HKEY_LOCAL_MACHINE, "a\x00b"); !errors.Is(err, ERROR_INVALID_PARAMETER) {
		t.Errorf("key with NUL: error %v", err)
	}
	allocs := testing.AllocsPerRun(10, func() {
		_ = r.QueryValue(HKEY_LOCAL_MACHINE, value16, buf, &value) // fails, as it has no such value
	})
	if allocs != 0 {
		t.Errorf("%v allocations a query", allocs)
	}
}

var value16 = name16("winperf has no such value")

func TestKernel(t *testing.T) {
	k := NewKernel(NewDLL("kernel32.dll"))
	if name, err := k.ComputerName(); err != nil || name == "" || strings.ContainsAny(name, "\\\x00") {
		t.Errorf("computer name %q, error %v", name, err)
	}
	if language, err := k.UILanguage(); err != nil || language == 0 {
		t.Errorf("language %#x, error %v", language, err)
	}
	if loaded, err := k.Loaded("kernel32.dll"); err != nil || !loaded {
		t.Errorf("kernel32.dll loaded: %v, error %v", loaded, err)
	}
	if loaded, err := k.Loaded("winperf-no-such.dll"); err != nil || loaded {
		t.Errorf("winperf-no-such.dll loaded: %v, error %v", loaded, err)
	}
	if info, err := k.MemoryInfo(); err != nil || info.WorkingSetSize == 0 {
		t.Errorf("memory %+v, error %v", info, err)
	}
}

// TestMachine: what the calls about the machine tell is what a machine can have.
func TestMachine(t *testing.T) {
	k := NewKernel(NewDLL("kernel32.dll"))
	if name, err := k.ComputerNameEx(ComputerNameDnsHostname); err != nil || name == "" {
		t.Errorf("host name %q, error %v", name, err)
	}
	if m, err := k.MemoryStatus(); err != nil || m.UllTotalPhys < 1<<20 || m.UllAvailPhys > m.UllTotalPhys ||
		m.UllTotalVirtual < 1<<30 {
		t.Errorf("memory %+v, error %v", m, err)
	}
	if up, err := k.UpTime(); err != nil || up <= 0 {
		t.Errorf("up for %v, error %v", up, err)
	}
	if n, err := k.Processors(); err != nil || n < 1 {
		t.Errorf("%d processors, error %v", n, err)
	}
	if _, err := k.TimeZoneKey(); err != nil {
		t.Error(err)
	}
}

// TestHandleCount opens a file, which is one handle more. The runtime may start a
// thread at any time, which has handles too, but not every time.
func TestHandleCount(t *testing.T) {
	k := NewKernel(NewDLL("kernel32.dll"))
	var before, after int
	for range 100 {
		var errBefore, errAfter error
		before, errBefore = k.HandleCount()
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		after, errAfter = k.HandleCount()
		if err := errors.Join(errBefore, errAfter, f.Close()); err != nil {
			t.Fatal(err)
		}

		if before > 0 && after == before+1 {
			return
		}
	}
	t.Errorf("%d handles, then %d in the last of 100 tries; want one more", before, after)
}
