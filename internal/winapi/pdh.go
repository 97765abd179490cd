package winapi

import (
	"fmt"
	"io/fs"
	"slices"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// PdhStatus is a result of PDH functions: 0, a code of pdhmsg.h, or an error number of
// winerror.h. The two top bits are the severity.
type PdhStatus uint32

// The codes of pdhmsg.h that callers distinguish.
const (
	PDH_CSTATUS_VALID_DATA        PdhStatus = 0x00000000
	PDH_CSTATUS_NEW_DATA          PdhStatus = 0x00000001
	PDH_CSTATUS_NO_MACHINE        PdhStatus = 0x800007D0
	PDH_CSTATUS_NO_INSTANCE       PdhStatus = 0x800007D1
	PDH_MORE_DATA                 PdhStatus = 0x800007D2
	PDH_RETRY                     PdhStatus = 0x800007D4
	PDH_NO_DATA                   PdhStatus = 0x800007D5
	PDH_CALC_NEGATIVE_DENOMINATOR PdhStatus = 0x800007D6
	PDH_CALC_NEGATIVE_TIMEBASE    PdhStatus = 0x800007D7
	PDH_CALC_NEGATIVE_VALUE       PdhStatus = 0x800007D8
	PDH_CSTATUS_NO_OBJECT         PdhStatus = 0xC0000BB8
	PDH_CSTATUS_NO_COUNTER        PdhStatus = 0xC0000BB9
	PDH_CSTATUS_INVALID_DATA      PdhStatus = 0xC0000BBA
	PDH_MEMORY_ALLOCATION_FAILURE PdhStatus = 0xC0000BBB
	PDH_INVALID_HANDLE            PdhStatus = 0xC0000BBC
	PDH_INVALID_ARGUMENT          PdhStatus = 0xC0000BBD
	PDH_FUNCTION_NOT_FOUND        PdhStatus = 0xC0000BBE
	PDH_CSTATUS_NO_COUNTERNAME    PdhStatus = 0xC0000BBF
	PDH_CSTATUS_BAD_COUNTERNAME   PdhStatus = 0xC0000BC0
	PDH_INSUFFICIENT_BUFFER       PdhStatus = 0xC0000BC2
	PDH_CANNOT_CONNECT_MACHINE    PdhStatus = 0xC0000BC3
	PDH_INVALID_PATH              PdhStatus = 0xC0000BC4
	PDH_INVALID_INSTANCE          PdhStatus = 0xC0000BC5
	PDH_INVALID_DATA              PdhStatus = 0xC0000BC6
	PDH_FILE_NOT_FOUND            PdhStatus = 0xC0000BD1
	PDH_FILE_ALREADY_EXISTS       PdhStatus = 0xC0000BD2
	PDH_NOT_IMPLEMENTED           PdhStatus = 0xC0000BD3
	PDH_ACCESS_DENIED             PdhStatus = 0xC0000BDB
	PDH_QUERY_PERF_DATA_TIMEOUT   PdhStatus = 0xC0000BFE
)

var pdhNames = map[PdhStatus]string{
	PDH_CSTATUS_NO_MACHINE:        "PDH_CSTATUS_NO_MACHINE",
	PDH_CSTATUS_NO_INSTANCE:       "PDH_CSTATUS_NO_INSTANCE",
	PDH_MORE_DATA:                 "PDH_MORE_DATA",
	0x800007D3:                    "PDH_CSTATUS_ITEM_NOT_VALIDATED",
	PDH_RETRY:                     "PDH_RETRY",
	PDH_NO_DATA:                   "PDH_NO_DATA",
	PDH_CALC_NEGATIVE_DENOMINATOR: "PDH_CALC_NEGATIVE_DENOMINATOR",
	PDH_CALC_NEGATIVE_TIMEBASE:    "PDH_CALC_NEGATIVE_TIMEBASE",
	PDH_CALC_NEGATIVE_VALUE:       "PDH_CALC_NEGATIVE_VALUE",
	0x800007D9:                    "PDH_DIALOG_CANCELLED",
	0x800007DC:                    "PDH_CANNOT_SET_DEFAULT_REALTIME_DATASOURCE",
	PDH_CSTATUS_NO_OBJECT:         "PDH_CSTATUS_NO_OBJECT",
	PDH_CSTATUS_NO_COUNTER:        "PDH_CSTATUS_NO_COUNTER",
	PDH_CSTATUS_INVALID_DATA:      "PDH_CSTATUS_INVALID_DATA",
	PDH_MEMORY_ALLOCATION_FAILURE: "PDH_MEMORY_ALLOCATION_FAILURE",
	PDH_INVALID_HANDLE:            "PDH_INVALID_HANDLE",
	PDH_INVALID_ARGUMENT:          "PDH_INVALID_ARGUMENT",
	PDH_FUNCTION_NOT_FOUND:        "PDH_FUNCTION_NOT_FOUND",
	PDH_CSTATUS_NO_COUNTERNAME:    "PDH_CSTATUS_NO_COUNTERNAME",
	PDH_CSTATUS_BAD_COUNTERNAME:   "PDH_CSTATUS_BAD_COUNTERNAME",
	0xC0000BC1:                    "PDH_INVALID_BUFFER",
	PDH_INSUFFICIENT_BUFFER:       "PDH_INSUFFICIENT_BUFFER",
	PDH_CANNOT_CONNECT_MACHINE:    "PDH_CANNOT_CONNECT_MACHINE",
	PDH_INVALID_PATH:              "PDH_INVALID_PATH",
	PDH_INVALID_INSTANCE:          "PDH_INVALID_INSTANCE",
	PDH_INVALID_DATA:              "PDH_INVALID_DATA",
	0xC0000BC7:                    "PDH_NO_DIALOG_DATA",
	0xC0000BC8:                    "PDH_CANNOT_READ_NAME_STRINGS",
	0xC0000BC9:                    "PDH_LOG_FILE_CREATE_ERROR",
	0xC0000BCA:                    "PDH_LOG_FILE_OPEN_ERROR",
	0xC0000BCB:                    "PDH_LOG_TYPE_NOT_FOUND",
	0xC0000BCC:                    "PDH_NO_MORE_DATA",
	0xC0000BCD:                    "PDH_ENTRY_NOT_IN_LOG_FILE",
	0xC0000BCE:                    "PDH_DATA_SOURCE_IS_LOG_FILE",
	0xC0000BCF:                    "PDH_DATA_SOURCE_IS_REAL_TIME",
	0xC0000BD0:                    "PDH_UNABLE_READ_LOG_HEADER",
	PDH_FILE_NOT_FOUND:            "PDH_FILE_NOT_FOUND",
	PDH_FILE_ALREADY_EXISTS:       "PDH_FILE_ALREADY_EXISTS",
	PDH_NOT_IMPLEMENTED:           "PDH_NOT_IMPLEMENTED",
	0xC0000BD4:                    "PDH_STRING_NOT_FOUND",
	0xC0000BD6:                    "PDH_UNKNOWN_LOG_FORMAT",
	PDH_ACCESS_DENIED:             "PDH_ACCESS_DENIED",
	0xC0000BDC:                    "PDH_LOG_FILE_TOO_SMALL",
	0xC0000BDD:                    "PDH_INVALID_DATASOURCE",
	0xC0000BE6:                    "PDH_SQL_CONNECT_FAILED",
	0xC0000BE8:                    "PDH_CANNOT_CONNECT_WMI_SERVER",
	0xC0000BF7:                    "PDH_BINARY_LOG_CORRUPT",
	0xC0000BFB:                    "PDH_INCORRECT_APPEND_TIME",
	0xC0000BFC:                    "PDH_UNMATCHED_APPEND_COUNTER",
	PDH_QUERY_PERF_DATA_TIMEOUT:   "PDH_QUERY_PERF_DATA_TIMEOUT",
}

// pdhSentinels are the equivalent errors of packages winperf and io/fs.
var pdhSentinels = map[PdhStatus]error{
	PDH_CSTATUS_NO_MACHINE:      winperf.ErrNoMachine,
	PDH_CANNOT_CONNECT_MACHINE:  winperf.ErrNoMachine,
	PDH_CSTATUS_NO_OBJECT:       winperf.ErrNoObject,
	PDH_CSTATUS_NO_COUNTER:      winperf.ErrNoCounter,
	PDH_CSTATUS_NO_COUNTERNAME:  winperf.ErrPath,
	PDH_CSTATUS_BAD_COUNTERNAME: winperf.ErrPath,
	PDH_INVALID_PATH:            winperf.ErrPath,
	PDH_CSTATUS_NO_INSTANCE:     winperf.ErrNoInstance,
	PDH_INVALID_INSTANCE:        winperf.ErrNoInstance,
	PDH_NOT_IMPLEMENTED:         winperf.ErrNotSupported,
	PDH_FUNCTION_NOT_FOUND:      winperf.ErrNotSupported,
	PDH_ACCESS_DENIED:           fs.ErrPermission,
	PDH_FILE_NOT_FOUND:          fs.ErrNotExist,
	PDH_FILE_ALREADY_EXISTS:     fs.ErrExist,
}

// Error returns the code's name and number.
func (s PdhStatus) Error() string {
	if name := pdhNames[s]; name != "" {
		return fmt.Sprintf("%s (%#x)", name, uint32(s))
	}
	if s.isErrno() {
		return Errno(s).Error()
	}
	return fmt.Sprintf("PDH status %#x", uint32(s))
}

// isErrno reports whether the code is an error number of the system. PDH's own codes have a
// severity or a facility in their upper 16 bits.
func (s PdhStatus) isErrno() bool { return s < 1<<16 }

// Is reports whether the code means target, an error of package winperf or of io/fs.
func (s PdhStatus) Is(target error) bool {
	is := pdhSentinels[s]
	return is != nil && is == target || s.isErrno() && Errno(s).Is(target)
}

// Err returns nil for success, including PDH_CSTATUS_NEW_DATA, otherwise the code.
func (s PdhStatus) Err() error {
	if s == PDH_CSTATUS_VALID_DATA || s == PDH_CSTATUS_NEW_DATA {
		return nil
	}
	return s
}

// Formats of displayed values and flags of other functions (pdh.h).
const (
	PDH_FMT_DOUBLE   = 0x00000200
	PDH_FMT_LARGE    = 0x00000400
	PDH_FMT_NOSCALE  = 0x00001000
	PDH_FMT_NOCAP100 = 0x00008000

	PERF_DETAIL_WIZARD = 400
	PERF_DETAIL_COSTLY = 0x00010000
)

// padding follows a pointer before fields aligned to 8 bytes.
type padding [8 - unsafe.Sizeof(uintptr(0))]byte

// PDH_RAW_COUNTER is a raw value (pdh.h), with C's alignment on 32 bits, too.
type PDH_RAW_COUNTER struct {
	CStatus     PdhStatus
	TimeStamp   [2]uint32 // FILETIME in local time
	_           uint32
	FirstValue  int64
	SecondValue int64
	MultiCount  uint32
	_           uint32
}

// PDH_RAW_COUNTER_ITEM is a raw value of an instance (pdh.h).
type PDH_RAW_COUNTER_ITEM struct {
	Name     uintptr // a text in the same buffer
	_        padding
	RawValue PDH_RAW_COUNTER
}

// PDH_FMT_COUNTERVALUE is a displayed value (pdh.h): a double or an integer, as requested.
type PDH_FMT_COUNTERVALUE struct {
	CStatus PdhStatus
	_       uint32
	Bits    uint64
}

// PDH_FMT_COUNTERVALUE_ITEM is a displayed value of an instance (pdh.h).
type PDH_FMT_COUNTERVALUE_ITEM struct {
	Name     uintptr // a text in the same buffer
	_        padding
	FmtValue PDH_FMT_COUNTERVALUE
}

// pathUnion is the size of the union of PDH_COUNTER_INFO behind the path: on 32 bits it
// contains a GUID.
const pathUnion = 4 * (8 - unsafe.Sizeof(uintptr(0))) / 4

// PDH_COUNTER_INFO describes a counter of a query (pdh.h).
type PDH_COUNTER_INFO struct {
	Length        uint32
	Type          uint32
	CVersion      uint32
	CStatus       PdhStatus
	Scale         int32
	DefaultScale  int32
	UserData      uintptr
	QueryUserData uintptr
	FullPath      uintptr // all texts are in the same buffer
	MachineName   uintptr
	ObjectName    uintptr
	InstanceName  uintptr
	Parent        uintptr
	InstanceIndex uint32
	_             [unsafe.Sizeof(uintptr(0)) - 4]byte
	CounterName   uintptr
	_             [pathUnion]byte
	ExplainText   uintptr
	DataBuffer    [1]uint32
}

// Memory is a buffer for structures with pointers, aligned to 8 bytes.
type Memory []uint64

// Bytes returns the length in bytes.
func (m Memory) Bytes() int { return 8 * len(m) }

func (m Memory) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m))) }

func (m Memory) text(p uintptr) (string, error) {
	units, err := m.units(p)
	return wire.UnitsText(units), err
}

// units returns a text in the memory without its NUL, nil for NULL. A pointer to other
// memory, or to a text without an end, is an error.
func (m Memory) units(p uintptr) ([]uint16, error) {
	if p == 0 {
		return nil, nil
	}
	off := p - m.base()
	if off >= uintptr(m.Bytes()) || off%2 != 0 {
		return nil, fmt.Errorf("a text is outside its buffer of %d bytes: %w", m.Bytes(), winperf.ErrBadData)
	}

	units := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(m))), m.Bytes()/2)[off/2:]
	if n := slices.Index(units, 0); n >= 0 {
		return units[:n], nil
	}
	return nil, fmt.Errorf("a text at byte %d has no end in its buffer of %d bytes: %w", off, m.Bytes(),
		winperf.ErrBadData)
}

func items[T any](m Memory, count uint32) ([]T, error) {
	var zero T
	if space := uintptr(m.Bytes()) / unsafe.Sizeof(zero); uintptr(count) > space {
		return nil, fmt.Errorf("%d items are claimed, room is for %d: %w", count, space, winperf.ErrBadData)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m))), count), nil
}

// RawItems returns the items of PdhGetRawCounterArray, which are part of the memory.
func (m Memory) RawItems(count uint32) ([]PDH_RAW_COUNTER_ITEM, error) {
	return items[PDH_RAW_COUNTER_ITEM](m, count)
}

// FormattedItems returns the items of PdhGetFormattedCounterArray, which are part of the
// memory.
func (m Memory) FormattedItems(count uint32) ([]PDH_FMT_COUNTERVALUE_ITEM, error) {
	return items[PDH_FMT_COUNTERVALUE_ITEM](m, count)
}

// Name reads the name of an item.
func (m Memory) Name(p uintptr) (string, error) { return m.text(p) }

// NameBytes returns the name of an item in UTF-16LE without its NUL, as part of the memory.
func (m Memory) NameBytes(p uintptr) ([]byte, error) {
	units, err := m.units(p)
	// Windows is little endian
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(units))), 2*len(units)), err
}

// CounterInfo is PDH_COUNTER_INFO with its texts.
type CounterInfo struct {
	Type         uint32
	Status       PdhStatus
	DefaultScale int32
	FullPath     string
	Machine      string
	Object       string
	Instance     string
	HasInstance  bool
	Parent       string
	Index        uint32
	Counter      string
	Explain      string
}

// CounterInfo reads the result of PdhGetCounterInfo.
func (m Memory) CounterInfo() (CounterInfo, error) {
	all, err := items[PDH_COUNTER_INFO](m, 1)
	if err != nil {
		return CounterInfo{}, err
	}

	raw := &all[0]
	info := CounterInfo{
		Type: raw.Type, Status: raw.CStatus, DefaultScale: raw.DefaultScale,
		HasInstance: raw.InstanceName != 0, Index: raw.InstanceIndex,
	}
	for _, t := range []struct {
		to   *string
		from uintptr
	}{
		{&info.FullPath, raw.FullPath}, {&info.Machine, raw.MachineName}, {&info.Object, raw.ObjectName},
		{&info.Instance, raw.InstanceName}, {&info.Parent, raw.Parent}, {&info.Counter, raw.CounterName},
		{&info.Explain, raw.ExplainText},
	} {
		if *t.to, err = m.text(t.from); err != nil {
			return CounterInfo{}, err
		}
	}
	return info, nil
}
