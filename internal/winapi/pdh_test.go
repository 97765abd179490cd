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
	{"offsetof(PDH_FMT_COUNTERVALUE_ITEM_W, FmtValue)", unsafe.Offsetof(PDH_FMT_COUNTERVALUE_ITEM{}.FmtValue), 8, 8},
	{"sizeof(PDH_STATISTICS)", unsafe.Sizeof(PDH_STATISTICS{}), 56, 56},
	{"offsetof(PDH_STATISTICS, mean)", unsafe.Offsetof(PDH_STATISTICS{}.Mean), 40, 40},
	{"sizeof(PDH_COUNTER_PATH_ELEMENTS_W)", unsafe.Sizeof(PDH_COUNTER_PATH_ELEMENTS{}), 48, 24},
	{"offsetof(PDH_COUNTER_PATH_ELEMENTS_W, szCounterName)", unsafe.Offsetof(PDH_COUNTER_PATH_ELEMENTS{}.CounterName), 40, 20},
	{"sizeof(PDH_COUNTER_INFO_W)", unsafe.Sizeof(PDH_COUNTER_INFO{}), 112, 72},
	{"offsetof(PDH_COUNTER_INFO_W, dwType)", unsafe.Offsetof(PDH_COUNTER_INFO{}.Type), 4, 4},
	{"offsetof(PDH_COUNTER_INFO_W, CStatus)", unsafe.Offsetof(PDH_COUNTER_INFO{}.CStatus), 12, 12},
	{"offsetof(PDH_COUNTER_INFO_W, lDefaultScale)", unsafe.Offsetof(PDH_COUNTER_INFO{}.DefaultScale), 20, 20},
	{"offsetof(PDH_COUNTER_INFO_W, szFullPath)", unsafe.Offsetof(PDH_COUNTER_INFO{}.FullPath), 40, 32},
	{"offsetof(PDH_COUNTER_INFO_W, szMachineName)", unsafe.Offsetof(PDH_COUNTER_INFO{}.MachineName), 48, 36},
	{"offsetof(PDH_COUNTER_INFO_W, szInstanceName)", unsafe.Offsetof(PDH_COUNTER_INFO{}.InstanceName), 64, 44},
	{"offsetof(PDH_COUNTER_INFO_W, dwInstanceIndex)", unsafe.Offsetof(PDH_COUNTER_INFO{}.InstanceIndex), 80, 52},
	{"offsetof(PDH_COUNTER_INFO_W, szCounterName)", unsafe.Offsetof(PDH_COUNTER_INFO{}.CounterName), 88, 56},
	{"offsetof(PDH_COUNTER_INFO_W, szExplainText)", unsafe.Offsetof(PDH_COUNTER_INFO{}.ExplainText), 96, 64},
	{"sizeof(PDH_TIME_INFO)", unsafe.Sizeof(PDH_TIME_INFO{}), 24, 24},
	{"offsetof(PDH_TIME_INFO, EndTime)", unsafe.Offsetof(PDH_TIME_INFO{}.EndTime), 8, 8},
	{"offsetof(PDH_TIME_INFO, SampleCount)", unsafe.Offsetof(PDH_TIME_INFO{}.SampleCount), 16, 16},
	{"sizeof(PDH_RAW_LOG_RECORD)", unsafe.Sizeof(PDH_RAW_LOG_RECORD{}), 16, 16},
	{"offsetof(PDH_RAW_LOG_RECORD, dwRecordType)", unsafe.Offsetof(PDH_RAW_LOG_RECORD{}.RecordType), 4, 4},
	{"offsetof(PDH_RAW_LOG_RECORD, dwItems)", unsafe.Offsetof(PDH_RAW_LOG_RECORD{}.Items), 8, 8},
	{"offsetof(PDH_RAW_LOG_RECORD, RawBytes)", unsafe.Offsetof(PDH_RAW_LOG_RECORD{}.RawBytes), 12, 12},
	{"sizeof(PDH_BROWSE_DLG_CONFIG_W)", unsafe.Sizeof(PDH_BROWSE_DLG_CONFIG{}), 72, 40},
	{"sizeof(PDH_BROWSE_DLG_CONFIG_HW)", unsafe.Sizeof(PDH_BROWSE_DLG_CONFIG{}), 72, 40},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, hWndOwner)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.HWndOwner), 8, 4},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, szDataSource)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.DataSource), 16, 8},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_HW, hDataSource)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.DataSource), 16, 8},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, szReturnPathBuffer)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.ReturnPathBuffer), 24, 12},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, cchReturnPathLength)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.ReturnPathLength), 32, 16},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, pCallBack)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.CallBack), 40, 20},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, dwCallBackArg)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.CallBackArg), 48, 24},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, CallBackStatus)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.CallBackStatus), 56, 28},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, dwDefaultDetailLevel)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.DefaultDetailLevel), 60, 32},
	{"offsetof(PDH_BROWSE_DLG_CONFIG_W, szDialogBoxCaption)", unsafe.Offsetof(PDH_BROWSE_DLG_CONFIG{}.DialogBoxCaption), 64, 36},
}

// pdhConstants are numbers of pdh.h.
var pdhConstants = map[string]uint32{
	"PDH_FMT_DOUBLE": PDH_FMT_DOUBLE, "PDH_FMT_LARGE": PDH_FMT_LARGE, "PDH_FMT_NOSCALE": PDH_FMT_NOSCALE, "PDH_FMT_NOCAP100": PDH_FMT_NOCAP100,
	"PDH_NOEXPANDCOUNTERS": PDH_NOEXPANDCOUNTERS,
	"PDH_LOG_READ_ACCESS":  PDH_LOG_READ_ACCESS, "PDH_LOG_WRITE_ACCESS": PDH_LOG_WRITE_ACCESS, "PDH_LOG_UPDATE_ACCESS": PDH_LOG_UPDATE_ACCESS,
	"PDH_LOG_CREATE_NEW": PDH_LOG_CREATE_NEW, "PDH_LOG_CREATE_ALWAYS": PDH_LOG_CREATE_ALWAYS,
	"PDH_LOG_OPEN_ALWAYS": PDH_LOG_OPEN_ALWAYS, "PDH_LOG_OPEN_EXISTING": PDH_LOG_OPEN_EXISTING,
	"PDH_LOG_OPT_USER_STRING": PDH_LOG_OPT_USER_STRING, "PDH_LOG_OPT_CIRCULAR": PDH_LOG_OPT_CIRCULAR,
	"PDH_LOG_OPT_MAX_IS_BYTES": PDH_LOG_OPT_MAX_IS_BYTES, "PDH_LOG_OPT_APPEND": PDH_LOG_OPT_APPEND,
	"PDH_LOG_TYPE_UNDEFINED": PDH_LOG_TYPE_UNDEFINED, "PDH_LOG_TYPE_CSV": PDH_LOG_TYPE_CSV, "PDH_LOG_TYPE_TSV": PDH_LOG_TYPE_TSV,
	"PDH_LOG_TYPE_PERFMON": PDH_LOG_TYPE_PERFMON, "PDH_LOG_TYPE_SQL": PDH_LOG_TYPE_SQL, "PDH_LOG_TYPE_BINARY": PDH_LOG_TYPE_BINARY,
	"PDH_FLAGS_CLOSE_QUERY": PDH_FLAGS_CLOSE_QUERY, "PDH_FLAGS_FILE_BROWSER_ONLY": PDH_FLAGS_FILE_BROWSER_ONLY,
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
		PDH_CSTATUS_NO_OBJECT: winperf.ErrNoObject, PDH_CSTATUS_NO_COUNTER: winperf.ErrNoCounter, PDH_INVALID_PATH: winperf.ErrPath,
		PDH_CSTATUS_NO_INSTANCE: winperf.ErrNoInstance, PDH_CANNOT_CONNECT_MACHINE: winperf.ErrNoMachine,
		PDH_FILE_NOT_FOUND: fs.ErrNotExist, PDH_FILE_ALREADY_EXISTS: fs.ErrExist,
		PDH_NOT_IMPLEMENTED: winperf.ErrNotSupported, PDH_ACCESS_DENIED: fs.ErrPermission, PdhStatus(ERROR_ACCESS_DENIED): fs.ErrPermission,
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
	*info = PDH_COUNTER_INFO{Type: 7, DefaultScale: -1, ObjectName: text(200, "Obj"), InstanceName: text(220, "In"), InstanceIndex: 2}
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

// TestMemoryOfLogs follows no count and no length out of the memory.
func TestMemoryOfLogs(t *testing.T) {
	m := make(Memory, 6)
	infos, err := m.TimeInfos(2)
	if err != nil || len(infos) != 2 {
		t.Fatal(err)
	}
	infos[1] = PDH_TIME_INFO{StartTime: 1, EndTime: 2, SampleCount: 3}
	if m[3] != 1 || m[4] != 2 || m[5] != 3 {
		t.Error(m)
	}
	if _, err := m.TimeInfos(3); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
	raw := (*PDH_RAW_LOG_RECORD)(unsafe.Pointer(&m[0]))
	*raw = PDH_RAW_LOG_RECORD{StructureSize: 40, RecordType: PDH_LOG_TYPE_BINARY, Items: 28, RawBytes: [1]byte{7}}
	if r, err := m.LogRecord(40); err != nil || r.Type != PDH_LOG_TYPE_BINARY || len(r.Data) != 28 || cap(r.Data) != 28 || r.Data[0] != 7 {
		t.Error(r, err)
	}
	for name, c := range map[string]struct{ structure, items, size uint32 }{
		"data beyond the record":   {40, 29, 40},
		"data of 4 GB":             {40, 1<<32 - 1, 40},
		"record beyond the answer": {41, 28, 40},
		"answer beyond the memory": {40, 28, 49},
		"record without its head":  {11, 0, 40},
	} {
		raw.StructureSize, raw.Items = c.structure, c.items
		if r, err := m.LogRecord(c.size); !errors.Is(err, winperf.ErrBadData) || r.Data != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if _, err := m[:1].LogRecord(8); !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}
}
