package winapi

import (
	"runtime"
	"strings"
	"unsafe"

	"github.com/winperf/winperf/internal/wire"
	"golang.org/x/sys/windows"
)

// Extension calls a version 1 provider (Microsoft Learn, "Creating a Performance Extension
// DLL"), with WinperfTroubles and WinperfOwner of winperf-provider.dll.
type Extension struct{ dll *DLL }

// NewExtension returns the functions of winperf-provider.dll or of a copy of it.
func NewExtension(dll *DLL) *Extension { return &Extension{dll} }

// Open passes the names of its drivers to the provider.
//
// sys	WinperfOpen(drivers *uint16) (status Errno)
func (e *Extension) Open(drivers []string) error {
	text := wire.Units(strings.Join(drivers, "\x00") + "\x00")
	return callStatus(e.dll, "WinperfOpen", uintptr(unsafe.Pointer(&text[0])))
}

// Collect returns the objects that answer a query. The error wraps ERROR_MORE_DATA if they
// exceed most bytes.
//
// sys	WinperfCollect(query *uint16, data **byte, size *uint32, objects *uint32) (status Errno)
func (e *Extension) Collect(query string, most int) ([]byte, error) {
	text, err := text16(query)
	if err != nil {
		return nil, err
	}

	// The provider moves the pointer behind its data, where Go may have other memory. So at
	// is a number, which the garbage collector does not follow, and KeepAlive keeps the
	// memory.
	data := make([]byte, most)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	size := uint32(most)
	objects := uint32(0) // their number, which is also in data
	err = callStatus(e.dll, "WinperfCollect", uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(&at)),
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&objects)))
	runtime.KeepAlive(data)
	if err != nil {
		return nil, err
	}
	return data[:min(int(size), most)], nil // a faulty provider may return more than most
}

// Close ends the session of Open.
//
// sys	WinperfClose() (status Errno)
func (e *Extension) Close() error { return callStatus(e.dll, "WinperfClose") }

// Troubles returns the errors of the provider since it was loaded.
//
// sys	WinperfTroubles(text *uint16, room uint32) (units uint32)
func (e *Extension) Troubles() ([]string, error) {
	text := make([]uint16, 1<<14)
	n, _, err := call(e.dll, "WinperfTroubles", uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
	if err != nil {
		return nil, err
	}
	lines := strings.TrimSuffix(wire.UnitsText(text[:min(int(n), len(text))]), "\n")
	if lines == "" {
		return nil, nil
	}
	return strings.Split(lines, "\n"), nil
}

// Owner returns the owner of a title index's object at its last collection: a SID, or
// Publishers, the registry value that names the accounts; "" for none.
//
// sys	WinperfOwner(title uint32, text *uint16, room uint32) (units uint32)
func (e *Extension) Owner(title uint32) (string, error) {
	text := make([]uint16, 256) // a SID has at most 184 characters
	n, _, err := call(e.dll, "WinperfOwner", uintptr(title), uintptr(unsafe.Pointer(&text[0])),
		uintptr(len(text)))
	return wire.UnitsText(text[:min(int(n), len(text))]), err
}

// AccountName returns the name of a SID's account, DOMAIN\NAME, or the SID if it has none.
//
// sys LookupAccountSid(system *uint16, sid *SID, name *uint16, nameLen *uint32, domain
// *uint16, domainLen *uint32, use *uint32) (err error) = advapi32.LookupAccountSidW
func AccountName(sid string) string {
	s, err := windows.StringToSid(sid)
	if err != nil {
		return sid
	}

	name, domain, _, err := s.LookupAccount("")
	switch {
	case err != nil:
		return sid
	case domain == "":
		return name
	}
	return domain + `\` + name
}
