package perflib

import (
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

func systemAPI() (API, error) { return libraryAPI("advapi32.dll"), nil }

// libraryAPI are the functions of a library.
func libraryAPI(name string) API {
	return windowsAPI{winapi.NewPerflibProvider(winapi.NewDLL(name))}
}

type windowsAPI struct{ p *winapi.PerflibProvider }

func (a windowsAPI) StartProvider(id winperf.GUID, collect func()) (uintptr, error) {
	return a.p.StartProvider((*[16]byte)(&id), collect)
}

func (a windowsAPI) SetCounterSetInfo(provider uintptr, template []byte) error {
	return a.p.SetCounterSetInfo(provider, template)
}

func (a windowsAPI) CreateInstance(provider uintptr, set winperf.GUID, name string, id uint32) (uintptr, error) {
	return a.p.CreateInstance(provider, (*[16]byte)(&set), name, id)
}

func (a windowsAPI) SetCounterRefValue(provider, instance uintptr, counter uint32, address unsafe.Pointer) error {
	return a.p.SetCounterRefValue(provider, instance, counter, address)
}

func (a windowsAPI) DeleteInstance(provider, instance uintptr) error {
	return a.p.DeleteInstance(provider, instance)
}

func (a windowsAPI) StopProvider(provider uintptr) error { return a.p.StopProvider(provider) }

func (a windowsAPI) PerformanceCounter() (ticks, perSecond int64) { return a.p.PerformanceCounter() }
