package winapi

import (
	"syscall"
	"unsafe"

	"github.com/winperf/winperf"
)

// Perflib are the PerfLib consumer functions of advapi32.dll (perflib.h). Sizes are in
// bytes, except for EnumerateCounterSet. If a buffer is too small, the error is
// ERROR_NOT_ENOUGH_MEMORY and the size is the required one. The machine "" is the local
// one.
type Perflib struct{ dll *DLL }

// NewPerflib returns the functions of a library: advapi32.dll or a fake.
func NewPerflib(dll *DLL) *Perflib { return &Perflib{dll} }

// EnumerateCounterSet writes the GUIDs of the registered counter sets into ids and returns
// their number.
//
// sys PerfEnumerateCounterSet(machine *uint16, ids *GUID, count uint32, actual *uint32)
// (status Errno) = advapi32.PerfEnumerateCounterSet
func (p *Perflib) EnumerateCounterSet(machine string, ids []winperf.GUID) (int, error) {
	name, err := textOrNull(machine)
	if err != nil {
		return 0, err
	}
	var actual uint32
	err = callStatus(p.dll, "PerfEnumerateCounterSet", uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(unsafe.SliceData(ids))), uintptr(len(ids)), uintptr(unsafe.Pointer(&actual)))
	return int(actual), err
}

// RegistrationInfo reads the registration of a counter set: code is one of the PERF_REG_*
// values, lang a language identifier or, for one counter, its id.
//
// sys PerfQueryCounterSetRegistrationInfo(machine *uint16, id *GUID, code uint32, lang
// uint32, info *byte, size uint32, actual *uint32) (status Errno) =
// advapi32.PerfQueryCounterSetRegistrationInfo
func (p *Perflib) RegistrationInfo(machine string, set *winperf.GUID, code, lang uint32,
	buf []byte) (int, error) {
	name, err := textOrNull(machine)
	if err != nil {
		return 0, err
	}
	var actual uint32
	err = callStatus(p.dll, "PerfQueryCounterSetRegistrationInfo", uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(set)), uintptr(code), uintptr(lang),
		uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)), uintptr(unsafe.Pointer(&actual)))
	return int(actual), err
}

// EnumerateInstances writes a PERF_INSTANCE_HEADER block for each active instance of a
// counter set into buf.
//
// sys PerfEnumerateCounterSetInstances(machine *uint16, id *GUID, instances *byte, size
// uint32, actual *uint32) (status Errno) = advapi32.PerfEnumerateCounterSetInstances
func (p *Perflib) EnumerateInstances(machine string, set *winperf.GUID, buf []byte) (int, error) {
	name, err := textOrNull(machine)
	if err != nil {
		return 0, err
	}
	var actual uint32
	err = callStatus(p.dll, "PerfEnumerateCounterSetInstances", uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)),
		uintptr(unsafe.Pointer(&actual)))
	return int(actual), err
}

// OpenQuery opens a query.
//
// sys	PerfOpenQueryHandle(machine *uint16, query *Handle) (status Errno) = advapi32.PerfOpenQueryHandle
func (p *Perflib) OpenQuery(machine string) (query uintptr, err error) {
	name, err := textOrNull(machine)
	if err != nil {
		return 0, err
	}
	err = callStatus(p.dll, "PerfOpenQueryHandle", uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(&query)))
	return query, err
}

// CloseQuery closes a query.
//
// sys	PerfCloseQueryHandle(query Handle) (status Errno) = advapi32.PerfCloseQueryHandle
func (p *Perflib) CloseQuery(query uintptr) error {
	return callStatus(p.dll, "PerfCloseQueryHandle", query)
}

// AddCounters adds PERF_COUNTER_IDENTIFIER blocks to a query and writes the result into
// each.
//
// sys	PerfAddCounters(query Handle, counters *byte, size uint32) (status Errno) = advapi32.PerfAddCounters
func (p *Perflib) AddCounters(query uintptr, ids []byte) error {
	return callStatus(p.dll, "PerfAddCounters", query, uintptr(unsafe.Pointer(unsafe.SliceData(ids))),
		uintptr(len(ids)))
}

// QueryInfo reads the PERF_COUNTER_IDENTIFIER blocks of a query.
//
// sys PerfQueryCounterInfo(query Handle, counters *byte, size uint32, actual *uint32)
// (status Errno) = advapi32.PerfQueryCounterInfo
func (p *Perflib) QueryInfo(query uintptr, buf []byte) (int, error) {
	var actual uint32
	err := callStatus(p.dll, "PerfQueryCounterInfo", query, uintptr(unsafe.Pointer(unsafe.SliceData(buf))),
		uintptr(len(buf)), uintptr(unsafe.Pointer(&actual)))
	return int(actual), err
}

// QueryData takes a sample, a PERF_DATA_HEADER block, and sets actual to its length. It
// allocates nothing: it does not use callStatus, and actual points to memory of the caller.
//
// sys PerfQueryCounterData(query Handle, data *byte, size uint32, actual *uint32) (status
// Errno) = advapi32.PerfQueryCounterData
func (p *Perflib) QueryData(query uintptr, buf []byte, actual *uint32) error {
	addr, err := p.dll.Proc("PerfQueryCounterData").Addr()
	if err != nil {
		return err
	}
	*actual = 0
	status, _, _ := syscall.SyscallN(addr, query, uintptr(unsafe.Pointer(unsafe.SliceData(buf))),
		uintptr(len(buf)), uintptr(unsafe.Pointer(actual)))
	return Errno(status).Err()
}
