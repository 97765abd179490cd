package winapi

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/winperf/winperf"
)

// PdhLogs are the functions of pdh.dll for logs, for data sources by their handle
// (0 is live counters) and for dialogs. winperf reads and writes logs by itself;
// they are there to compare with. Times are FILETIMEs in local time.
type PdhLogs struct {
	openQuery, setRange                                       *Proc
	openLog, updateLog, updateCatalog, closeLog, size, record *Proc
	bind, timeRange, timeRangeH, logSets                      *Proc
	enumMachines, enumObjects, enumItems, expand              *Proc
	defaultObject, defaultCounter                             *Proc
	selectSource, browse, browseH                             *Proc
}

// NewPdhLogs returns the functions of a library, pdh.dll for the system's own.
func NewPdhLogs(dll *DLL) *PdhLogs {
	return &PdhLogs{
		openQuery:      dll.Proc("PdhOpenQueryW"),
		setRange:       dll.Proc("PdhSetQueryTimeRange"),
		openLog:        dll.Proc("PdhOpenLogW"),
		updateLog:      dll.Proc("PdhUpdateLogW"),
		updateCatalog:  dll.Proc("PdhUpdateLogFileCatalog"),
		closeLog:       dll.Proc("PdhCloseLog"),
		size:           dll.Proc("PdhGetLogFileSize"),
		record:         dll.Proc("PdhReadRawLogRecord"),
		bind:           dll.Proc("PdhBindInputDataSourceW"),
		timeRange:      dll.Proc("PdhGetDataSourceTimeRangeW"),
		timeRangeH:     dll.Proc("PdhGetDataSourceTimeRangeH"),
		logSets:        dll.Proc("PdhEnumLogSetNamesW"),
		enumMachines:   dll.Proc("PdhEnumMachinesHW"),
		enumObjects:    dll.Proc("PdhEnumObjectsHW"),
		enumItems:      dll.Proc("PdhEnumObjectItemsHW"),
		expand:         dll.Proc("PdhExpandWildCardPathHW"),
		defaultObject:  dll.Proc("PdhGetDefaultPerfObjectHW"),
		defaultCounter: dll.Proc("PdhGetDefaultPerfCounterHW"),
		selectSource:   dll.Proc("PdhSelectDataSourceW"),
		browse:         dll.Proc("PdhBrowseCountersW"),
		browseH:        dll.Proc("PdhBrowseCountersHW"),
	}
}

// OpenQueryOf opens a query of a log, by the name of its file.
//
// sys	PdhOpenQuery(source *uint16, userData uintptr, query *Handle) (status PdhStatus) = pdh.PdhOpenQueryW
func (p *PdhLogs) OpenQueryOf(source string) (query uintptr, err error) {
	text, err := text16(source)
	if err != nil {
		return 0, err
	}
	err = callPdh(p.openQuery, uintptr(unsafe.Pointer(text)), 0, uintptr(unsafe.Pointer(&query)))
	return query, err
}

// SetTimeRange limits what a query of a log collects. The samples are not counted.
// Live counters have no range: PDH_DATA_SOURCE_IS_REAL_TIME.
//
// sys	PdhSetQueryTimeRange(query Handle, info *PDH_TIME_INFO) (status PdhStatus) = pdh.PdhSetQueryTimeRange
func (p *PdhLogs) SetTimeRange(query uintptr, start, end int64) error {
	info := PDH_TIME_INFO{StartTime: start, EndTime: end}
	return callPdh(p.setRange, query, uintptr(unsafe.Pointer(&info)))
}

// OpenLog opens a log to read it, or to write what a query collects. access is one
// of each PDH_LOG_*_ACCESS and PDH_LOG_CREATE_* or PDH_LOG_OPEN_*, with options. typ
// is one of PDH_LOG_TYPE_*; is tells which it was. maxSize is 0 for no limit.
//
// sys	PdhOpenLog(file *uint16, access uint32, typ *uint32, query Handle, maxSize uint32, caption *uint16, log *Handle) (status PdhStatus) = pdh.PdhOpenLogW
func (p *PdhLogs) OpenLog(file string, access, typ uint32, query uintptr, maxSize uint32, caption string) (log uintptr, is uint32, err error) {
	name, err := text16(file)
	if err != nil {
		return 0, 0, err
	}
	text, err := text16(caption)
	if err != nil {
		return 0, 0, err
	}
	is = typ
	err = callPdh(p.openLog, uintptr(unsafe.Pointer(name)), uintptr(access), uintptr(unsafe.Pointer(&is)),
		query, uintptr(maxSize), uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(&log)))
	return log, is, err
}

// UpdateLog collects a sample of a log's query and writes it, with a comment.
//
// sys	PdhUpdateLog(log Handle, comment *uint16) (status PdhStatus) = pdh.PdhUpdateLogW
func (p *PdhLogs) UpdateLog(log uintptr, comment string) error {
	text, err := text16(comment)
	if err != nil {
		return err
	}
	return callPdh(p.updateLog, log, uintptr(unsafe.Pointer(text)))
}

// UpdateLogFileCatalog writes the index of a log. CSV and TSV have none:
// PDH_NOT_IMPLEMENTED.
//
// sys	PdhUpdateLogFileCatalog(log Handle) (status PdhStatus) = pdh.PdhUpdateLogFileCatalog
func (p *PdhLogs) UpdateLogFileCatalog(log uintptr) error { return callPdh(p.updateCatalog, log) }

// LogFileSize returns the size of a log in bytes.
//
// sys	PdhGetLogFileSize(log Handle, size *int64) (status PdhStatus) = pdh.PdhGetLogFileSize
func (p *PdhLogs) LogFileSize(log uintptr) (size int64, err error) {
	err = callPdh(p.size, log, uintptr(unsafe.Pointer(&size)))
	return size, err
}

// CloseLog closes a log, with PDH_FLAGS_CLOSE_QUERY also its query, or a data source.
//
// sys	PdhCloseLog(log Handle, flags uint32) (status PdhStatus) = pdh.PdhCloseLog
func (p *PdhLogs) CloseLog(log uintptr, flags uint32) error {
	return callPdh(p.closeLog, log, uintptr(flags))
}

// ReadRawLogRecord reads the record of a time; see [Memory.LogRecord]. Where there
// is none the error is PDH_ENTRY_NOT_IN_LOG_FILE.
//
// sys	PdhReadRawLogRecord(log Handle, time FILETIME, record *PDH_RAW_LOG_RECORD, size *uint32) (status PdhStatus) = pdh.PdhReadRawLogRecord
func (p *PdhLogs) ReadRawLogRecord(log uintptr, time int64, buf Memory) (size uint32, err error) {
	size = uint32(buf.Bytes())
	if unsafe.Sizeof(uintptr(0)) == 4 { // a FILETIME by value is two arguments there
		err = callPdh(p.record, log, uintptr(uint32(time)), uintptr(uint32(time>>32)), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)))
	} else {
		err = callPdh(p.record, log, uintptr(time), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)))
	}
	return size, err
}

// BindInputDataSource opens logs of one type, at most 32 binary ones or one CSV or
// TSV, as one data source. Without files it is live counters.
//
// sys	PdhBindInputDataSource(source *Handle, files *uint16) (status PdhStatus) = pdh.PdhBindInputDataSourceW
func (p *PdhLogs) BindInputDataSource(files ...string) (source uintptr, err error) {
	var list []uint16 // MULTI_SZ
	for _, f := range files {
		text, err := syscall.UTF16FromString(f)
		if err != nil || f == "" { // an empty one would end the list
			return 0, PDH_INVALID_ARGUMENT
		}
		list = append(list, text...)
	}
	if list != nil {
		list = append(list, 0)
	}
	err = callPdh(p.bind, uintptr(unsafe.Pointer(&source)), uintptr(pointer(list)))
	return source, err
}

// TimeRange reads the time that a log covers; see [Memory.TimeInfos]. Live counters
// have none: PDH_DATA_SOURCE_IS_REAL_TIME.
//
// sys	PdhGetDataSourceTimeRange(source *uint16, count *uint32, info *PDH_TIME_INFO, size *uint32) (status PdhStatus) = pdh.PdhGetDataSourceTimeRangeW
func (p *PdhLogs) TimeRange(source string, buf Memory) (size, count uint32, err error) {
	text, err := text16(source)
	if err != nil {
		return 0, 0, err
	}
	size = uint32(buf.Bytes())
	err = callPdh(p.timeRange, uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(&count)), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)))
	return size, count, err
}

// TimeRangeH is TimeRange for a handle.
//
// sys	PdhGetDataSourceTimeRangeH(source Handle, count *uint32, info *PDH_TIME_INFO, size *uint32) (status PdhStatus) = pdh.PdhGetDataSourceTimeRangeH
func (p *PdhLogs) TimeRangeH(source uintptr, buf Memory) (size, count uint32, err error) {
	size = uint32(buf.Bytes())
	err = callPdh(p.timeRangeH, source, uintptr(unsafe.Pointer(&count)), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)))
	return size, count, err
}

// EnumLogSetNames lists the log sets of a database, SQL: and its data source's name,
// as MULTI_SZ.
//
// sys	PdhEnumLogSetNames(source *uint16, list *uint16, size *uint32) (status PdhStatus) = pdh.PdhEnumLogSetNamesW
func (p *PdhLogs) EnumLogSetNames(source string, buf []uint16) (size uint32, err error) {
	text, err := text16(source)
	if err != nil {
		return 0, err
	}
	size = uint32(len(buf))
	err = callPdh(p.logSets, uintptr(unsafe.Pointer(text)), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)))
	return size, err
}

// EnumMachinesH is Pdh.EnumMachines for a data source.
//
// sys	PdhEnumMachinesH(source Handle, list *uint16, size *uint32) (status PdhStatus) = pdh.PdhEnumMachinesHW
func (p *PdhLogs) EnumMachinesH(source uintptr, buf []uint16) (size uint32, err error) {
	return enumMachines(p.enumMachines, source, buf)
}

// EnumObjectsH is Pdh.EnumObjects for a data source.
//
// sys	PdhEnumObjectsH(source Handle, machine *uint16, list *uint16, size *uint32, detail uint32, refresh bool) (status PdhStatus) = pdh.PdhEnumObjectsHW
func (p *PdhLogs) EnumObjectsH(source uintptr, machine string, buf []uint16, detail uint32, refresh bool) (size uint32, err error) {
	return enumObjects(p.enumObjects, source, machine, buf, detail, refresh)
}

// EnumObjectItemsH is Pdh.EnumObjectItems for a data source.
//
// sys	PdhEnumObjectItemsH(source Handle, machine *uint16, object *uint16, counters *uint16, counterSize *uint32, instances *uint16, instanceSize *uint32, detail uint32, flags uint32) (status PdhStatus) = pdh.PdhEnumObjectItemsHW
func (p *PdhLogs) EnumObjectItemsH(source uintptr, machine, object string, counters, instances []uint16, detail uint32) (counterSize, instanceSize uint32, err error) {
	return enumItems(p.enumItems, source, machine, object, counters, instances, detail)
}

// ExpandWildCardPathH is Pdh.ExpandWildCardPath for a data source.
//
// sys	PdhExpandWildCardPathH(source Handle, path *uint16, list *uint16, size *uint32, flags uint32) (status PdhStatus) = pdh.PdhExpandWildCardPathHW
func (p *PdhLogs) ExpandWildCardPathH(source uintptr, path string, buf []uint16, flags uint32) (size uint32, err error) {
	return expandPath(p.expand, source, path, buf, flags)
}

// DefaultObjectH is Pdh.DefaultObject for a data source.
//
// sys	PdhGetDefaultPerfObjectH(source Handle, machine *uint16, name *uint16, size *uint32) (status PdhStatus) = pdh.PdhGetDefaultPerfObjectHW
func (p *PdhLogs) DefaultObjectH(source uintptr, machine string, buf []uint16) (size uint32, err error) {
	return defaultObject(p.defaultObject, source, machine, buf)
}

// DefaultCounterH is Pdh.DefaultCounter for a data source.
//
// sys	PdhGetDefaultPerfCounterH(source Handle, machine *uint16, object *uint16, name *uint16, size *uint32) (status PdhStatus) = pdh.PdhGetDefaultPerfCounterHW
func (p *PdhLogs) DefaultCounterH(source uintptr, machine, object string, buf []uint16) (size uint32, err error) {
	return defaultCounter(p.defaultCounter, source, machine, object, buf)
}

// SelectDataSource lets the user choose a log, or live counters, whose name is "",
// unless flags is PDH_FLAGS_FILE_BROWSER_ONLY. A user who does not is
// PDH_DIALOG_CANCELLED.
//
// sys	PdhSelectDataSource(owner Handle, flags uint32, source *uint16, size *uint32) (status PdhStatus) = pdh.PdhSelectDataSourceW
func (p *PdhLogs) SelectDataSource(owner uintptr, flags uint32, buf []uint16) (size uint32, err error) {
	size = uint32(len(buf))
	err = callPdh(p.selectSource, owner, uintptr(flags), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)))
	return size, err
}

// BrowseDialog is a dialog in which the user chooses counters.
type BrowseDialog struct {
	Owner   uintptr // a window, or 0
	Flags   uint32  // of Browse*
	Detail  uint32  // the level to begin with, such as PERF_DETAIL_WIZARD
	Caption string
	Chosen  func(paths []uint16) error // gets each choice, as MULTI_SZ; an error ends the dialog
}

// BrowseCounters lets the user choose counters of a log, "" for live ones, and
// returns when the dialog is closed. A user who cancels it is PDH_DIALOG_CANCELLED.
//
// sys	PdhBrowseCounters(config *PDH_BROWSE_DLG_CONFIG) (status PdhStatus) = pdh.PdhBrowseCountersW
func (p *PdhLogs) BrowseCounters(source string, d BrowseDialog) error {
	text, err := text16(source)
	if err != nil {
		return err
	}
	return browseCounters(p.browse, uintptr(unsafe.Pointer(text)), d)
}

// BrowseCountersH is BrowseCounters for a data source.
//
// sys	PdhBrowseCountersH(config *PDH_BROWSE_DLG_CONFIG) (status PdhStatus) = pdh.PdhBrowseCountersHW
func (p *PdhLogs) BrowseCountersH(source uintptr, d BrowseDialog) error {
	return browseCounters(p.browseH, source, d)
}

// browseCounters shows a dialog. The source may be a pointer, which is kept alive.
//
//go:uintptrescapes
func browseCounters(proc *Proc, source uintptr, d BrowseDialog) error {
	caption, err := text16(d.Caption)
	if err != nil {
		return err
	}
	b := &browsing{chosen: d.Chosen}
	b.config = PDH_BROWSE_DLG_CONFIG{
		Flags: d.Flags, HWndOwner: d.Owner, DataSource: source, DefaultDetailLevel: d.Detail, DialogBoxCaption: caption,
		CallBack: browseCallBack(), CallBackArg: lastBrowsing.Add(1),
	}
	b.grow(minBrowse)
	browsings.Store(b.config.CallBackArg, b)
	defer browsings.Delete(b.config.CallBackArg)
	err = callPdh(proc, uintptr(unsafe.Pointer(&b.config)))
	if b.err != nil { // what PDH makes of it says less
		return b.err
	}
	return err
}

// minBrowse and maxBrowse bound the buffer for what the user chooses, in UTF-16
// units.
const (
	minBrowse = 2048 // pdh.h: PDH_MAX_COUNTER_PATH
	maxBrowse = 16 << 20
)

// browsing is a dialog that is shown.
type browsing struct {
	config PDH_BROWSE_DLG_CONFIG
	buf    []uint16
	chosen func(paths []uint16) error
	err    error // why it ended
}

func (b *browsing) grow(units int) {
	b.buf = make([]uint16, units)
	b.config.ReturnPathBuffer, b.config.ReturnPathLength = unsafe.SliceData(b.buf), uint32(units)
}

// called is what PDH calls for each choice, and again when the buffer has grown.
func (b *browsing) called() PdhStatus {
	switch status := b.config.CallBackStatus; {
	case status == PDH_MORE_DATA && 2*len(b.buf) <= maxBrowse:
		b.grow(2 * len(b.buf))
		b.config.CallBackStatus = PDH_RETRY
		return PDH_RETRY
	case status == PDH_MORE_DATA:
		b.err = fmt.Errorf("more than %d characters are needed: %w", len(b.buf), winperf.ErrBadData)
		return PDH_INVALID_BUFFER
	case status.Err() != nil:
		return status
	}
	if b.err = b.chosen(b.buf); b.err != nil {
		return PDH_INVALID_DATA
	}
	return PDH_CSTATUS_VALID_DATA
}

// A callback is for good, so all dialogs share one. It knows them by a number:
// what a library hands over is not to be trusted as a pointer.
var (
	browsings      sync.Map // of *browsing
	lastBrowsing   atomic.Uintptr
	browseCallBack = sync.OnceValue(func() uintptr {
		return syscall.NewCallback(func(arg uintptr) uintptr {
			b, ok := browsings.Load(arg)
			if !ok {
				return uintptr(PDH_INVALID_ARGUMENT)
			}
			return uintptr(b.(*browsing).called())
		})
	})
)
