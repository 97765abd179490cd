package providerdll

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unicode/utf16"
	"unsafe"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// service is the key of a service for these tests, and dll what it loads.
const service = `SYSTEM\CurrentControlSet\Services\`

// HKLM is HKEY_LOCAL_MACHINE (winreg.h).
const hklm = winapi.HKEY(0x80000002)

func utf16z(s string) (p []byte) {
	for _, u := range utf16.Encode([]rune(s + "\x00")) {
		p = binary.LittleEndian.AppendUint16(p, u)
	}
	return p
}

func number(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// set writes values of a key, until the test ends.
func set(t testing.TB, key string, typ uint32, values map[string][]byte) {
	t.Helper()
	r := winapi.NewRegistryEditor(winapi.NewDLL("advapi32.dll"))
	close := winapi.NewRegistry(winapi.NewDLL("advapi32.dll")).CloseKey
	h, _, err := r.CreateKey(hklm, key)
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("skipped: this account may not write to HKEY_LOCAL_MACHINE")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = close(h) }()
	for name, data := range values {
		if err := r.SetValue(h, name, typ, data); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = r.DeleteKey(hklm, key) }) // other values of it are gone with it
}

const (
	typeText, typeNumber, typeTexts = 1, 4, 7 // REG_SZ, REG_DWORD, REG_MULTI_SZ (winnt.h)
)

// install writes what lodctr would about the driver.
func install(t testing.TB) {
	t.Helper()
	key := service + `WinperfLibrary\Performance`
	set(t, key, typeNumber, map[string][]byte{
		"First Counter": number(firstCounter), "Last Counter": number(lastCounter),
		"First Help": number(firstHelp), "Last Help": number(lastHelp),
	})
}

// library is the DLL with its functions.
type library struct{ open, collect, close, owner, troubles uintptr }

// load loads a copy of the DLL, which knows nothing of other tests, until the test ends.
func load(t testing.TB) library {
	t.Helper()
	code, err := os.ReadFile(wintest.DLL(t, "winperf-provider"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "winperf-provider.dll")
	if err := os.WriteFile(path, code, 0o777); err != nil {
		t.Fatal(err)
	}
	dll, err := syscall.LoadLibrary(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.FreeLibrary(dll); err != nil {
			t.Error(err)
		}
	})

	find := func(name string) uintptr {
		addr, err := syscall.GetProcAddress(dll, name)
		if err != nil {
			t.Fatal(err)
		}
		return addr
	}
	return library{
		find("WinperfOpen"), find("WinperfCollect"), find("WinperfClose"), find("WinperfOwner"),
		find("WinperfTroubles"),
	}
}

// start opens the provider with a context, until the test ends.
func (l library) start(t testing.TB, context ...string) {
	t.Helper()
	var p []byte
	for _, c := range context {
		p = append(p, utf16z(c)...)
	}
	p = append(p, 0, 0)
	at := unsafe.Pointer(&p[0])
	if context == nil {
		at = nil
	}
	if status, _, _ := syscall.SyscallN(l.open, uintptr(at)); status != 0 {
		t.Fatalf("WinperfOpen: %d", status)
	}
	t.Cleanup(func() {
		if status, _, _ := syscall.SyscallN(l.close); status != 0 {
			t.Errorf("WinperfClose: %d", status)
		}
	})
}

// ask collects, and makes the tests of pointers, lengths and guard areas.
func (l library) ask(t testing.TB, query string, room int) answer {
	t.Helper()
	const guard = 1024
	buf := bytes.Repeat([]byte{0xA5}, guard+room+guard)
	text := utf16z(query)
	data, size, objects := uintptr(unsafe.Pointer(&buf[guard])), uint32(room), uint32(77)
	before := data
	status, _, _ := syscall.SyscallN(l.collect, uintptr(unsafe.Pointer(&text[0])),
		uintptr(unsafe.Pointer(&data)),
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&objects)))
	a := answer{more: status == 234, objects: int(objects)}
	if status != 0 && !a.more {
		t.Fatalf("WinperfCollect: %d", status)
	}
	if data != before+uintptr(size) || int64(size) > int64(room) || size%8 != 0 {
		t.Fatalf("%d bytes in room for %d, the pointer moved by %d", size, room, data-before)
	}
	a.data = buf[guard:][:size]
	for i, b := range buf {
		if (i < guard || i >= guard+int(size)) && b != 0xA5 {
			t.Fatalf("byte %d of the buffer was written, %d bytes in use", i-guard, size)
		}
	}
	return a
}

// published is a directory that the DLL looks into, by way of ProgramData.
func published(t testing.TB) string {
	t.Helper()
	root, err := os.MkdirTemp("", "published")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the files of publishers that are still mapped stay
		runtime.GC()
		_ = os.RemoveAll(root)
	})
	t.Setenv("ProgramData", root)
	dir := filepath.Join(root, "winperf", "published")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// provider returns a directory to publish in and a collector of what is there.
func provider(t testing.TB) (dir string, collect collector) {
	t.Helper()
	l := load(t)
	install(t)
	dir = published(t)
	l.start(t, "WinperfLibrary")
	return dir, l.ask
}
