package winapi

import (
	"syscall"
	"unsafe"
)

// Perflib are the PerfLib consumer functions of advapi32.dll (perflib.h). Their
// sizes are in bytes, but for EnumerateCounterSet. Where a buffer is too small
// the error is ERROR_NOT_ENOUGH_MEMORY and the size that of now.
type Perflib struct {
	enumerateSets, registrationInfo        *Proc
	openQuery, closeQuery, add, info, data *Proc
}

// NewPerflib returns the functions of a library, advapi32.dll for the system's
// own.
func NewPerflib(dll *DLL) *Perflib {
	return &Perflib{
		enumerateSets:    dll.Proc("PerfEnumerateCounterSet"),
		registrationInfo: dll.Proc("PerfQueryCounterSetRegistrationInfo"),
		openQuery:        dll.Proc("PerfOpenQueryHandle"),
		closeQuery:       dll.Proc("PerfCloseQueryHandle"),
		add:              dll.Proc("PerfAddCounters"),
		info:             dll.Proc("PerfQueryCounterInfo"),
		data:             dll.Proc("PerfQueryCounterData"),
	}
}

// machine16 is a machine's name as the functions take it: NULL for this one.
func machine16(name string) (*uint16, error) {
	if name == "" {
		return nil, nil
	}
	p, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, ERROR_INVALID_PARAMETER
	}
	return p, nil
}

// EnumerateCounterSet writes the GUIDs of the registered counter sets into ids
// and returns how many there are.
//
// sys PerfEnumerateCounterSet(machine *uint16, ids *GUID, count uint32, actual *uint32)
// (status Errno) = advapi32.PerfEnumerateCounterSet
func (p *Perflib) EnumerateCounterSet(machine string, ids [][16]byte) (int, error) {
	addr, err := p.enumerateSets.Addr()
	if err != nil {
		return 0, err
	}

	name, err := machine16(machine)
	if err != nil {
		return 0, err
	}

	var actual uint32
	status, _, _ := syscall.SyscallN(addr, uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(unsafe.SliceData(ids))),
		uintptr(len(ids)), uintptr(unsafe.Pointer(&actual)))
	return int(actual), Errno(status).Err()
}

// RegistrationInfo reads what is registered about a counter set: code is one of
// the PERF_REG_* values, lang a language identifier or, for one counter, its id.
//
// sys PerfQueryCounterSetRegistrationInfo(machine *uint16, id *GUID, code uint32, lang
// uint32, info *byte, size uint32, actual *uint32) (status Errno) =
// advapi32.PerfQueryCounterSetRegistrationInfo
func (p *Perflib) RegistrationInfo(machine string, set *[16]byte, code, lang uint32,
	buf []byte) (int, error) {
	addr, err := p.registrationInfo.Addr()
	if err != nil {
		return 0, err
	}

	name, err := machine16(machine)
	if err != nil {
		return 0, err
	}

	var actual uint32
	status, _, _ := syscall.SyscallN(addr, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(set)),
		uintptr(code), uintptr(lang),
		uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)), uintptr(unsafe.Pointer(&actual)))
	return int(actual), Errno(status).Err()
}

// OpenQuery opens a query.
//
// sys	PerfOpenQueryHandle(machine *uint16, query *Handle) (status Errno) = advapi32.PerfOpenQueryHandle
func (p *Perflib) OpenQuery(machine string) (uintptr, error) {
	addr, err := p.openQuery.Addr()
	if err != nil {
		return 0, err
	}
	name, err := machine16(machine)
	if err != nil {
		return 0, err
	}
	var query uintptr
	status, _, _ := syscall.SyscallN(addr, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&query)))
	return query, Errno(status).Err()
}

// CloseQuery closes a query.
//
// sys	PerfCloseQueryHandle(query Handle) (status Errno) = advapi32.PerfCloseQueryHandle
func (p *Perflib) CloseQuery(query uintptr) error {
	addr, err := p.closeQuery.Addr()
	if err != nil {
		return err
	}
	status, _, _ := syscall.SyscallN(addr, query)
	return Errno(status).Err()
}

// AddCounters adds PERF_COUNTER_IDENTIFIER blocks to a query and writes into
// each what became of it.
//
// sys	PerfAddCounters(query Handle, counters *byte, size uint32) (status Errno) = advapi32.PerfAddCounters
func (p *Perflib) AddCounters(query uintptr, ids []byte) error {
	addr, err := p.add.Addr()
	if err != nil {
		return err
	}
	status, _, _ := syscall.SyscallN(addr, query, uintptr(unsafe.Pointer(unsafe.SliceData(ids))),
		uintptr(len(ids)))
	return Errno(status).Err()
}

// QueryInfo reads the PERF_COUNTER_IDENTIFIER blocks of a query.
//
// sys PerfQueryCounterInfo(query Handle, counters *byte, size uint32, actual *uint32)
// (status Errno) = advapi32.PerfQueryCounterInfo
func (p *Perflib) QueryInfo(query uintptr, buf []byte) (int, error) {
	var actual uint32
	err := readQuery(p.info, query, buf, &actual)
	return int(actual), err
}

// QueryData takes a sample, a PERF_DATA_HEADER block, and says in actual, which is
// part of the caller's own memory so that a call allocates nothing, how long it is.
//
// sys PerfQueryCounterData(query Handle, data *byte, size uint32, actual *uint32) (status
// Errno) = advapi32.PerfQueryCounterData
func (p *Perflib) QueryData(query uintptr, buf []byte, actual *uint32) error {
	return readQuery(p.data, query, buf, actual)
}

func readQuery(proc *Proc, query uintptr, buf []byte, actual *uint32) error {
	addr, err := proc.Addr()
	if err != nil {
		return err
	}
	*actual = 0
	status, _, _ := syscall.SyscallN(addr, query, uintptr(unsafe.Pointer(unsafe.SliceData(buf))),
		uintptr(len(buf)), uintptr(unsafe.Pointer(actual)))
	return Errno(status).Err()
}
