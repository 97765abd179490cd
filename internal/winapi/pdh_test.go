package winapi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// pdhLayout are sizes and offsets of the structures of pdh.h, on 64 and 32 bits.
var pdhLayout = []struct {
	c          string // in C
	got        uintptr
	on64, on32 uintptr
}{
	{"sizeof(PDH_RAW_COUNTER)", unsafe.Sizeof(PDH_RAW_COUNTER{}), 40, 40},
	{"offsetof(PDH_RAW_COUNTER, TimeStamp)", unsafe.Offsetof(PDH_RAW_COUNTER{}.TimeStamp), 4, 4},
	{"offsetof(PDH_RAW_COUNTER, FirstValue)", unsafe.Offsetof(PDH_RAW_COUNTER{}.FirstValue), 16, 16},
	{"offsetof(PDH_RAW_COUNTER, SecondValue)", unsafe.Offsetof(PDH_RAW_COUNTER{}.SecondValue), 24, 24},
	{"offsetof(PDH_RAW_COUNTER, MultiCount)", unsafe.Offsetof(PDH_RAW_COUNTER{}.MultiCount), 32, 32},
	{"sizeof(PDH_RAW_COUNTER_ITEM_W)", unsafe.Sizeof(PDH_RAW_COUNTER_ITEM{}), 48, 48},
	{"offsetof(PDH_RAW_COUNTER_ITEM_W, RawValue)", unsafe.Offsetof(PDH_RAW_COUNTER_ITEM{}.RawValue), 8, 8},
	{"sizeof(PDH_FMT_COUNTERVALUE)", unsafe.Sizeof(PDH_FMT_COUNTERVALUE{}), 16, 16},
	{"offsetof(PDH_FMT_COUNTERVALUE, largeValue)", unsafe.Offsetof(PDH_FMT_COUNTERVALUE{}.Bits), 8, 8},
	{"sizeof(PDH_FMT_COUNTERVALUE_ITEM_W)", unsafe.Sizeof(PDH_FMT_COUNTERVALUE_ITEM{}), 24, 24},
	{"offsetof(PDH_FMT_COUNTERVALUE_ITEM_W, FmtValue)",
		unsafe.Offsetof(PDH_FMT_COUNTERVALUE_ITEM{}.FmtValue), 8, 8},
	{"sizeof(PDH_COUNTER_INFO_W)", unsafe.Sizeof(PDH_COUNTER_INFO{}), 112, 72},
	{"offsetof(PDH_COUNTER_INFO_W, dwType)", unsafe.Offsetof(PDH_COUNTER_INFO{}.Type), 4, 4},
	{"offsetof(PDH_COUNTER_INFO_W, CStatus)", unsafe.Offsetof(PDH_COUNTER_INFO{}.CStatus), 12, 12},
	{"offsetof(PDH_COUNTER_INFO_W, lDefaultScale)", unsafe.Offsetof(PDH_COUNTER_INFO{}.DefaultScale), 20, 20},
	{"offsetof(PDH_COUNTER_INFO_W, szFullPath)", unsafe.Offsetof(PDH_COUNTER_INFO{}.FullPath), 40, 32},
	{"offsetof(PDH_COUNTER_INFO_W, szMachineName)", unsafe.Offsetof(PDH_COUNTER_INFO{}.MachineName), 48, 36},
	{"offsetof(PDH_COUNTER_INFO_W, szInstanceName)",
		unsafe.Offsetof(PDH_COUNTER_INFO{}.InstanceName), 64, 44},
	{"offsetof(PDH_COUNTER_INFO_W, dwInstanceIndex)",
		unsafe.Offsetof(PDH_COUNTER_INFO{}.InstanceIndex), 80, 52},
	{"offsetof(PDH_COUNTER_INFO_W, szCounterName)", unsafe.Offsetof(PDH_COUNTER_INFO{}.CounterName), 88, 56},
	{"offsetof(PDH_COUNTER_INFO_W, szExplainText)", unsafe.Offsetof(PDH_COUNTER_INFO{}.ExplainText), 96, 64},
}

// pdhConstants are numbers of pdh.h.
var pdhConstants = map[string]uint32{
	"PDH_FMT_DOUBLE": PDH_FMT_DOUBLE, "PDH_FMT_LARGE": PDH_FMT_LARGE, "PDH_FMT_NOSCALE": PDH_FMT_NOSCALE,
	"PDH_FMT_NOCAP100": PDH_FMT_NOCAP100,
}

func TestPdhLayout(t *testing.T) {
	for _, l := range pdhLayout {
		want := l.on64
		if unsafe.Sizeof(uintptr(0)) == 4 {
			want = l.on32
		}
		if l.got != want {
			t.Errorf("%s is %d, want %d", l.c, l.got, want)
		}
	}
}

// TestPdhHeaders compares the same table, and all codes, with the headers of
// mingw-w64.
func TestPdhHeaders(t *testing.T) {
	const compiler = "x86_64-w64-mingw32-gcc"
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("skipped: no %s to read the Windows headers with", compiler)
	}
	var c strings.Builder
	c.WriteString("#include <stddef.h>\n#include <windows.h>\n#include <pdh.h>\n#include <pdhmsg.h>\n")
	c.WriteString("#define SAME(x, n) _Static_assert((unsigned)(x) == (n), #x)\n")
	for _, l := range pdhLayout {
		fmt.Fprintf(&c, "SAME(%s, %d);\n", l.c, l.on64)
	}
	for s, name := range pdhNames {
		if name != "PDH_QUERY_PERF_DATA_TIMEOUT" { // newer than these headers
			fmt.Fprintf(&c, "SAME(%s, %du);\n", name, uint32(s))
		}
	}
	for name, n := range pdhConstants {
		fmt.Fprintf(&c, "SAME(%s, %du);\n", name, n)
	}
	file := filepath.Join(t.TempDir(), "pdh.c")
	if err := os.WriteFile(file, []byte(c.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-fsyntax-only", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPdhStatus(t *testing.T) {
	for s, is := range map[PdhStatus]error{
		PDH_CSTATUS_NO_OBJECT: winperf.ErrNoObject, PDH_CSTATUS_NO_COUNTER: winperf.ErrNoCounter,
		PDH_INVALID_PATH:        winperf.ErrPath,
		PDH_CSTATUS_NO_INSTANCE: winperf.ErrNoInstance, PDH_CANNOT_CONNECT_MACHINE: winperf.ErrNoMachine,
		PDH_FILE_NOT_FOUND: fs.ErrNotExist, PDH_FILE_ALREADY_EXISTS: fs.ErrExist,
		PDH_NOT_IMPLEMENTED: winperf.ErrNotSupported, PDH_ACCESS_DENIED: fs.ErrPermission,
		PdhStatus(ERROR_ACCESS_DENIED): fs.ErrPermission,
	} {
		if !errors.Is(s, is) || s.Err() == nil {
			t.Errorf("%v is not %v", s, is)
		}
	}
	if PDH_CSTATUS_NEW_DATA.Err() != nil || PDH_CSTATUS_VALID_DATA.Err() != nil {
		t.Error("success is an error")
	}
	for s, want := range map[PdhStatus]string{
		PDH_NO_DATA: "PDH_NO_DATA (0x800007d5)", 0xC0000BFF: "PDH status 0xc0000bff",
	} {
		if s.Error() != want {
			t.Errorf("%q, want %q", s.Error(), want)
		}
	}
}

// heap keeps memory that holds pointers into itself off the stack, which moves.
var heap Memory

// TestMemory follows pointers only within the memory.
func TestMemory(t *testing.T) {
	m := make(Memory, 32)
	heap = m
	info := (*PDH_COUNTER_INFO)(unsafe.Pointer(&m[0]))
	text := func(at int, s string) uintptr {
		for i, c := range s {
			unsafe.Slice((*uint16)(unsafe.Pointer(&m[0])), 128)[at/2+i] = uint16(c)
		}
		return m.base() + uintptr(at)
	}
	*info = PDH_COUNTER_INFO{Type: 7, DefaultScale: -1, ObjectName: text(200, "Obj"),
		InstanceName: text(220, "In"), InstanceIndex: 2}
	got, err := m.CounterInfo()
	want := CounterInfo{Type: 7, DefaultScale: -1, Object: "Obj", Instance: "In", HasInstance: true, Index: 2}
	if got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []uintptr{m.base() + 256, m.base() - 2, m.base() + 201, 1, text(252, "no")} {
		info.CounterName = bad
		if _, err := m.CounterInfo(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("pointer %d: %v", int64(bad-m.base()), err)
		}
	}
	if _, err := m[:2].CounterInfo(); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
	if items, err := m.RawItems(5); err != nil || len(items) != 5 {
		t.Error(err)
	}
	if _, err := m.RawItems(6); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
	if _, err := m.FormattedItems(1 << 31); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
}
