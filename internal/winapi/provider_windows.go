package winapi

import (
	"syscall"
	"unsafe"
)

// PerflibProvider are the PerfLib provider functions of advapi32.dll (perflib.h).
type PerflibProvider struct{ dll, kernel *DLL }

// NewPerflibProvider returns the functions of a library: advapi32.dll or a fake.
func NewPerflibProvider(dll *DLL) *PerflibProvider {
	return &PerflibProvider{dll, NewDLL("kernel32.dll")}
}

type providerContext struct {
	size, _             uint32
	control             uintptr // PERFLIBREQUEST
	alloc, free, memory uintptr
}

// collectStart is the request PERF_COLLECT_START, before values are read.
const collectStart = 5

// StartProvider registers a provider. collect, if not nil, is called before values are
// read. Callbacks are never released, and a process can have some hundred.
//
// sys PerfStartProviderEx(provider *GUID, context *providerContext, handle *Handle)
// (status Errno) = advapi32.PerfStartProviderEx
func (p *PerflibProvider) StartProvider(id *[16]byte, collect func()) (handle uintptr, err error) {
	if _, err := p.dll.Proc("PerfStartProviderEx").Addr(); err != nil {
		return 0, err // before a callback is used up
	}

	context := providerContext{}
	context.size = uint32(unsafe.Sizeof(context))
	if collect != nil {
		context.control = syscall.NewCallback(func(code, _, _ uintptr) uintptr {
			if code == collectStart {
				collect()
			}
			return 0
		})
	}

	err = callStatus(p.dll, "PerfStartProviderEx", uintptr(unsafe.Pointer(id)),
		uintptr(unsafe.Pointer(&context)), uintptr(unsafe.Pointer(&handle)))
	return handle, err
}

// SetCounterSetInfo declares a counter set: a PERF_COUNTERSET_INFO with its
// PERF_COUNTER_INFO structures.
//
// sys PerfSetCounterSetInfo(provider Handle, template *byte, size uint32) (status Errno)
// = advapi32.PerfSetCounterSetInfo
func (p *PerflibProvider) SetCounterSetInfo(provider uintptr, template []byte) error {
	return callStatus(p.dll, "PerfSetCounterSetInfo", provider,
		uintptr(unsafe.Pointer(unsafe.SliceData(template))), uintptr(len(template)))
}

// CreateInstance creates an instance and returns the address of its
// PERF_COUNTERSET_INSTANCE.
//
// sys PerfCreateInstance(provider Handle, set *GUID, name *uint16, id uint32) (instance
// uintptr, err error) = advapi32.PerfCreateInstance
func (p *PerflibProvider) CreateInstance(provider uintptr, set *[16]byte, name string,
	id uint32) (uintptr, error) {
	text, err := text16(name)
	if err != nil {
		return 0, err
	}

	instance, errno, err := call(p.dll, "PerfCreateInstance", provider, uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(text)), uintptr(id))
	switch {
	case err != nil || instance != 0:
		return instance, err
	case errno != 0:
		return 0, errno
	}
	return 0, ERROR_INVALID_PARAMETER // it failed without a reason
}

// SetCounterRefValue sets the address of an instance's counter value. The garbage collector
// must not free this memory before the instance is deleted.
//
// sys PerfSetCounterRefValue(provider Handle, instance uintptr, counter uint32, address
// uintptr) (status Errno) = advapi32.PerfSetCounterRefValue
func (p *PerflibProvider) SetCounterRefValue(provider, instance uintptr, counter uint32,
	address unsafe.Pointer) error {
	return callStatus(p.dll, "PerfSetCounterRefValue", provider, instance, uintptr(counter),
		uintptr(address))
}

// DeleteInstance deletes an instance.
//
// sys	PerfDeleteInstance(provider Handle, instance uintptr) (status Errno) = advapi32.PerfDeleteInstance
func (p *PerflibProvider) DeleteInstance(provider, instance uintptr) error {
	return callStatus(p.dll, "PerfDeleteInstance", provider, instance)
}

// StopProvider ends a provider and its instances.
//
// sys	PerfStopProvider(provider Handle) (status Errno) = advapi32.PerfStopProvider
func (p *PerflibProvider) StopProvider(provider uintptr) error {
	return callStatus(p.dll, "PerfStopProvider", provider)
}

// PerformanceCounter returns the high-resolution clock and its ticks per second.
//
// sys	QueryPerformanceCounter(ticks *int64) (err error) = kernel32.QueryPerformanceCounter
// sys	QueryPerformanceFrequency(perSecond *int64) (err error) = kernel32.QueryPerformanceFrequency
func (p *PerflibProvider) PerformanceCounter() (ticks, perSecond int64) {
	// Every Windows has them.
	_, _, _ = call(p.kernel, "QueryPerformanceCounter", uintptr(unsafe.Pointer(&ticks)))
	_, _, _ = call(p.kernel, "QueryPerformanceFrequency", uintptr(unsafe.Pointer(&perSecond)))
	return ticks, perSecond
}
