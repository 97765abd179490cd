package perflib

import (
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

func advapi() (system, error) { return libraryOf("advapi32.dll"), nil }

// libraryOf are the functions of a library.
func libraryOf(name string) system {
	return library{winapi.NewPerflibProvider(winapi.NewDLL(name))}
}

type library struct{ p *winapi.PerflibProvider }

func (a library) StartProvider(id winperf.GUID, collect func()) (uintptr, error) {
	return a.p.StartProvider((*[16]byte)(&id), collect)
}

func (a library) SetCounterSetInfo(provider uintptr, template []byte) error {
	return a.p.SetCounterSetInfo(provider, template)
}

func (a library) CreateInstance(provider uintptr, set winperf.GUID, name string, id uint32) (uintptr, error) {
	return a.p.CreateInstance(provider, (*[16]byte)(&set), name, id)
}

func (a library) SetCounterRefValue(provider, instance uintptr, counter uint32,
	address unsafe.Pointer) error {
	return a.p.SetCounterRefValue(provider, instance, counter, address)
}

func (a library) DeleteInstance(provider, instance uintptr) error {
	return a.p.DeleteInstance(provider, instance)
}

func (a library) StopProvider(provider uintptr) error { return a.p.StopProvider(provider) }

func (a library) PerformanceCounter() (ticks, perSecond int64) { return a.p.PerformanceCounter() }
