package winapi

import (
	"syscall"
	"unsafe"
)

// PdhCompute are the functions of pdh.dll that compute values and take paths
// apart, and the rarer ones of queries. winperf computes and parses by itself;
// they are there to compare with.
type PdhCompute struct {
	openQueryH, collectWithTime, collectEx, isRealTime *Proc
	calculate, format, statistics                      *Proc
	makePath, parsePath, parseInstance, validateEx     *Proc
	setDefaultSource                                   *Proc
}

// NewPdhCompute returns the functions of a library, pdh.dll for the system's own.
func NewPdhCompute(dll *DLL) *PdhCompute {
	return &PdhCompute{
		openQueryH:       dll.Proc("PdhOpenQueryH"),
		collectWithTime:  dll.Proc("PdhCollectQueryDataWithTime"),
		collectEx:        dll.Proc("PdhCollectQueryDataEx"),
		isRealTime:       dll.Proc("PdhIsRealTimeQuery"),
		calculate:        dll.Proc("PdhCalculateCounterFromRawValue"),
		format:           dll.Proc("PdhFormatFromRawValue"),
		statistics:       dll.Proc("PdhComputeCounterStatistics"),
		makePath:         dll.Proc("PdhMakeCounterPathW"),
		parsePath:        dll.Proc("PdhParseCounterPathW"),
		parseInstance:    dll.Proc("PdhParseInstanceNameW"),
		validateEx:       dll.Proc("PdhValidatePathExW"),
		setDefaultSource: dll.Proc("PdhSetDefaultRealTimeDataSource"),
	}
}

// OpenQueryH opens a query of a data source: 0 is live counters.
//
// sys	PdhOpenQueryH(source Handle, userData uintptr, query *Handle) (status PdhStatus) = pdh.PdhOpenQueryH
func (p *PdhCompute) OpenQueryH(source uintptr) (query uintptr, err error) {
	err = callPdh(p.openQueryH, source, 0, uintptr(unsafe.Pointer(&query)))
	return query, err
}

// CollectWithTime takes a sample and returns its time, a FILETIME.
//
// sys	PdhCollectQueryDataWithTime(query Handle, time *int64) (status PdhStatus) = pdh.PdhCollectQueryDataWithTime
func (p *PdhCompute) CollectWithTime(query uintptr) (filetime int64, err error) {
	err = callPdh(p.collectWithTime, query, uintptr(unsafe.Pointer(&filetime)))
	return filetime, err
}

// CollectEx lets PDH take a sample every so many seconds and set an event.
//
// sys	PdhCollectQueryDataEx(query Handle, seconds uint32, event Handle) (status PdhStatus) = pdh.PdhCollectQueryDataEx
func (p *PdhCompute) CollectEx(query uintptr, seconds uint32, event uintptr) error {
	return callPdh(p.collectEx, query, uintptr(seconds), event)
}

// IsRealTime tells whether a query is of live counters.
//
// sys	PdhIsRealTimeQuery(query Handle) (live bool) = pdh.PdhIsRealTimeQuery
func (p *PdhCompute) IsRealTime(query uintptr) (bool, error) {
	addr, err := p.isRealTime.Addr()
	if err != nil {
		return false, err
	}
	live, _, _ := syscall.SyscallN(addr, query)
	return live != 0, nil
}

// Calculate computes the displayable value of a counter from two raw values, the
// newer one first. older is nil where one is enough.
//
// sys	PdhCalculateCounterFromRawValue(counter Handle, format uint32, newer *PDH_RAW_COUNTER, older *PDH_RAW_COUNTER, value *PDH_FMT_COUNTERVALUE) (status PdhStatus) = pdh.PdhCalculateCounterFromRawValue
func (p *PdhCompute) Calculate(counter uintptr, format uint32, newer, older *PDH_RAW_COUNTER, value *PDH_FMT_COUNTERVALUE) error {
	return callPdh(p.calculate, counter, uintptr(format), uintptr(unsafe.Pointer(newer)), uintptr(unsafe.Pointer(older)), uintptr(unsafe.Pointer(value)))
}

// Format is Calculate without a counter: typ is its type and base the ticks per
// second of its clock.
//
// sys	PdhFormatFromRawValue(typ uint32, format uint32, base *int64, newer *PDH_RAW_COUNTER, older *PDH_RAW_COUNTER, value *PDH_FMT_COUNTERVALUE) (status PdhStatus) = pdh.PdhFormatFromRawValue
func (p *PdhCompute) Format(typ, format uint32, base int64, newer, older *PDH_RAW_COUNTER, value *PDH_FMT_COUNTERVALUE) error {
	return callPdh(p.format, uintptr(typ), uintptr(format), uintptr(unsafe.Pointer(&base)),
		uintptr(unsafe.Pointer(newer)), uintptr(unsafe.Pointer(older)), uintptr(unsafe.Pointer(value)))
}

// Statistics computes minimum, maximum and mean of a ring of raw values, of which
// first is the oldest.
//
// sys	PdhComputeCounterStatistics(counter Handle, format uint32, first uint32, count uint32, raw *PDH_RAW_COUNTER, data *PDH_STATISTICS) (status PdhStatus) = pdh.PdhComputeCounterStatistics
func (p *PdhCompute) Statistics(counter uintptr, format, first uint32, raw []PDH_RAW_COUNTER, data *PDH_STATISTICS) error {
	return callPdh(p.statistics, counter, uintptr(format), uintptr(first), uintptr(len(raw)), uintptr(pointer(raw)), uintptr(unsafe.Pointer(data)))
}

// MakePath writes the path of the elements.
//
// sys	PdhMakeCounterPath(elements *PDH_COUNTER_PATH_ELEMENTS, path *uint16, size *uint32, flags uint32) (status PdhStatus) = pdh.PdhMakeCounterPathW
func (p *PdhCompute) MakePath(machine, object, instance, parent string, index uint32, counter string, buf []uint16) (size uint32, err error) {
	e := struct {
		machine, object, instance, parent *uint16
		index                             uintptr
		counter                           *uint16
	}{index: uintptr(index)}
	for _, t := range []struct {
		to   **uint16
		from string
	}{{&e.machine, machine}, {&e.object, object}, {&e.instance, instance}, {&e.parent, parent}, {&e.counter, counter}} {
		if *t.to, err = text16(t.from); err != nil {
			return 0, err
		}
	}
	size = uint32(len(buf))
	err = callPdh(p.makePath, uintptr(unsafe.Pointer(&e)), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)), 0)
	return size, err
}

// ParsePath takes a path apart; see [Memory.PathElements].
//
// sys	PdhParseCounterPath(path *uint16, elements *PDH_COUNTER_PATH_ELEMENTS, size *uint32, flags uint32) (status PdhStatus) = pdh.PdhParseCounterPathW
func (p *PdhCompute) ParsePath(path string, buf Memory) (size uint32, err error) {
	text, err := text16(path)
	if err != nil {
		return 0, err
	}
	size = uint32(buf.Bytes())
	err = callPdh(p.parsePath, uintptr(unsafe.Pointer(text)), uintptr(pointer(buf)), uintptr(unsafe.Pointer(&size)), 0)
	return size, err
}

// ParseInstance takes an instance text apart: parent/name#index.
//
// sys	PdhParseInstanceName(text *uint16, name *uint16, nameSize *uint32, parent *uint16, parentSize *uint32, index *uint32) (status PdhStatus) = pdh.PdhParseInstanceNameW
func (p *PdhCompute) ParseInstance(instance string) (name, parent string, index uint32, err error) {
	text, err := text16(instance)
	if err != nil {
		return "", "", 0, err
	}
	var nameBuf, parentBuf [1024 + 1]uint16 // PDH_MAX_INSTANCE_NAME
	nameSize, parentSize := uint32(len(nameBuf)), uint32(len(parentBuf))
	err = callPdh(p.parseInstance, uintptr(unsafe.Pointer(text)),
		uintptr(unsafe.Pointer(&nameBuf)), uintptr(unsafe.Pointer(&nameSize)),
		uintptr(unsafe.Pointer(&parentBuf)), uintptr(unsafe.Pointer(&parentSize)), uintptr(unsafe.Pointer(&index)))
	return syscall.UTF16ToString(nameBuf[:]), syscall.UTF16ToString(parentBuf[:]), index, err
}

// ValidatePathEx is Pdh.ValidatePath for a data source: 0 is live counters.
//
// sys	PdhValidatePathEx(source Handle, path *uint16) (status PdhStatus) = pdh.PdhValidatePathExW
func (p *PdhCompute) ValidatePathEx(source uintptr, path string) error {
	text, err := text16(path)
	if err != nil {
		return err
	}
	return callPdh(p.validateEx, source, uintptr(unsafe.Pointer(text)))
}

// SetDefaultSource chooses where live counters come from: 1 is the registry, 4
// WMI. It fails once a query was opened.
//
// sys	PdhSetDefaultRealTimeDataSource(source uint32) (status PdhStatus) = pdh.PdhSetDefaultRealTimeDataSource
func (p *PdhCompute) SetDefaultSource(source uint32) error {
	return callPdh(p.setDefaultSource, uintptr(source))
}
