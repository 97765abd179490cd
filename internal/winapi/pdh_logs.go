package winapi

import (
	"fmt"
	"unsafe"

	"github.com/winperf/winperf"
)

// How PdhOpenLog opens a log: one kind of access, one way of opening, and options.
const (
	PDH_LOG_READ_ACCESS   = 0x00010000
	PDH_LOG_WRITE_ACCESS  = 0x00020000
	PDH_LOG_UPDATE_ACCESS = 0x00040000 // SQL only

	PDH_LOG_CREATE_NEW    = 1
	PDH_LOG_CREATE_ALWAYS = 2
	PDH_LOG_OPEN_ALWAYS   = 3
	PDH_LOG_OPEN_EXISTING = 4

	PDH_LOG_OPT_USER_STRING  = 0x01000000
	PDH_LOG_OPT_CIRCULAR     = 0x02000000 // binary only, with a size
	PDH_LOG_OPT_MAX_IS_BYTES = 0x04000000
	PDH_LOG_OPT_APPEND       = 0x08000000
)

// The types of logs.
const (
	PDH_LOG_TYPE_UNDEFINED = 0 // what is read says what it is
	PDH_LOG_TYPE_CSV       = 1
	PDH_LOG_TYPE_TSV       = 2
	PDH_LOG_TYPE_PERFMON   = 6
	PDH_LOG_TYPE_SQL       = 7
	PDH_LOG_TYPE_BINARY    = 8
)

// Flags of single functions.
const (
	PDH_FLAGS_CLOSE_QUERY       = 1 // PdhCloseLog
	PDH_FLAGS_FILE_BROWSER_ONLY = 1 // PdhSelectDataSource
)

// What the dialog of PdhBrowseCounters offers: the bits of PDH_BROWSE_DLG_CONFIG,
// from the lowest.
const (
	BrowseIncludeInstanceIndex = 1 << iota
	BrowseSingleCounterPerAdd
	BrowseSingleCounterPerDialog
	BrowseLocalCountersOnly
	BrowseWildCardInstances
	BrowseHideDetailBox
	BrowseInitializePath
	BrowseDisableMachineSelection
	BrowseIncludeCostlyObjects
	BrowseShowObjectBrowser
)

// H_WBEM_DATASOURCE is the handle of live counters of WMI; 0 is that of the
// registry's.
const H_WBEM_DATASOURCE = ^uintptr(0)

// PDH_TIME_INFO is the time that a data source covers (pdh.h), as FILETIMEs in
// local time.
type PDH_TIME_INFO struct {
	StartTime, EndTime int64
	SampleCount        uint32
	_                  uint32
}

// PDH_RAW_LOG_RECORD is the head of a record (pdh.h). RawBytes goes on behind it.
type PDH_RAW_LOG_RECORD struct {
	StructureSize uint32
	RecordType    uint32
	Items         uint32 // bytes
	RawBytes      [1]byte
}

// PDH_BROWSE_DLG_CONFIG is what PdhBrowseCounters works with (pdh.h), in the form
// for a name and in that for a handle.
type PDH_BROWSE_DLG_CONFIG struct {
	Flags              uint32
	_                  [unsafe.Sizeof(uintptr(0)) - 4]byte
	HWndOwner          uintptr
	DataSource         uintptr // a text or a handle
	ReturnPathBuffer   *uint16
	ReturnPathLength   uint32
	_                  [unsafe.Sizeof(uintptr(0)) - 4]byte
	CallBack           uintptr
	CallBackArg        uintptr
	CallBackStatus     PdhStatus
	DefaultDetailLevel uint32
	DialogBoxCaption   *uint16
}

// TimeInfos returns what PdhGetDataSourceTimeRange wrote. It is part of the memory.
func (m Memory) TimeInfos(count uint32) ([]PDH_TIME_INFO, error) {
	return items[PDH_TIME_INFO](m, count)
}

// LogRecord is a record of a log: the row of a text, bytes of a binary log.
type LogRecord struct {
	Type uint32 // PDH_LOG_TYPE_*
	Data []byte
}

// LogRecord returns what PdhReadRawLogRecord wrote in size bytes. The data are part
// of the memory.
func (m Memory) LogRecord(size uint32) (LogRecord, error) {
	all, err := items[PDH_RAW_LOG_RECORD](m, 1)
	if err != nil {
		return LogRecord{}, err
	}
	raw := &all[0]
	begin := uint64(unsafe.Offsetof(raw.RawBytes))
	end := begin + uint64(raw.Items)
	if uint64(size) > uint64(m.Bytes()) || raw.StructureSize > size || end > uint64(raw.StructureSize) {
		return LogRecord{}, fmt.Errorf("a record of %d bytes, %d of them data, is claimed in %d of %d bytes: %w",
			raw.StructureSize, raw.Items, size, m.Bytes(), winperf.ErrBadData)
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), m.Bytes())
	return LogRecord{raw.RecordType, bytes[begin:end:end]}, nil
}
