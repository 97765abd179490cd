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
type Extension struct {
	dll                  *DLL
	open, collect, close string
}

// NewExtension returns the functions of winperf-provider.dll or of a copy of it.
func NewExtension(dll *DLL) *Extension {
	return NewForeignExtension(dll, "WinperfOpen", "WinperfCollect", "WinperfClose")
}

// NewForeignExtension returns the functions of any provider, by their names in its key.
func NewForeignExtension(dll *DLL, open, collect, closing string) *Extension {
	return &Extension{dll, open, collect, closing}
}

// Load loads the DLL and finds the three functions.
func (e *Extension) Load() error {
	for _, name := range []string{e.open, e.collect, e.close} {
		if _, err := e.dll.Proc(name).Addr(); err != nil {
			return err
		}
	}
	return nil
}

// Open passes the names of its drivers to the provider, NULL without any.
//
// sys	WinperfOpen(drivers *uint16) (status Errno)
func (e *Extension) Open(drivers []string) error {
	if len(drivers) == 0 {
		return callStatus(e.dll, e.open, 0)
	}
	text := wire.Units(strings.Join(drivers, "\x00") + "\x00")
	return callStatus(e.dll, e.open, uintptr(unsafe.Pointer(&text[0])))
}

// Collect returns the objects that answer a query. The error wraps ERROR_MORE_DATA if they
// exceed most bytes.
func (e *Extension) Collect(query string, most int) ([]byte, error) {
	a, err := e.Query(query, most)
	return a.Data, err
}

// Answer is an unchecked answer of a provider.
type Answer struct {
	Data    []byte // the returned bytes, at most the buffer
	Bytes   uint32 // their number, as the provider returned it
	Moved   int    // bytes by which the provider moved the pointer into the buffer
	Objects uint32
	Overrun bool // memory within 4 KiB of the buffer was changed
}

// Query queries the provider with a buffer of most bytes, a multiple of 8. The error wraps
// ERROR_MORE_DATA if the objects exceed it.
//
// sys	WinperfCollect(query *uint16, data **byte, size *uint32, objects *uint32) (status Errno)
func (e *Extension) Query(query string, most int) (a Answer, err error) {
	text, err := text16(query)
	if err != nil {
		return a, err
	}

	const guard, mark = 4 << 10, 0xa5
	memory := make([]byte, guard+most+guard)
	for i := range guard {
		memory[i], memory[guard+most+i] = mark, mark
	}
	data := memory[guard : guard+most]

	// The provider moves the pointer behind its data, where Go may have other memory. So at
	// is a number, which the garbage collector does not follow, and KeepAlive keeps the
	// memory.
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	at := start
	a.Bytes = uint32(most)
	err = callStatus(e.dll, e.collect, uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(&at)),
		uintptr(unsafe.Pointer(&a.Bytes)), uintptr(unsafe.Pointer(&a.Objects)))
	runtime.KeepAlive(memory)

	a.Moved = int(at - start)
	for i := range guard {
		a.Overrun = a.Overrun || memory[i] != mark || memory[guard+most+i] != mark
	}
	if err == nil {
		a.Data = data[:min(int(a.Bytes), most)] // a faulty provider may return more than most
	}
	return a, err
}

// Close ends the session of Open.
//
// sys	WinperfClose() (status Errno)
func (e *Extension) Close() error { return callStatus(e.dll, e.close) }

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

// IsMember reports whether this account is a member of a group, such as S-1-5-32-544.
//
// sys CheckTokenMembership(token HANDLE, sid *SID, member *BOOL) (err error) =
// advapi32.CheckTokenMembership
func IsMember(group string) (bool, error) {
	sid, err := windows.StringToSid(group)
	if err != nil {
		return false, asErrno(err)
	}
	member, err := windows.Token(0).IsMember(sid)
	return member, asErrno(err)
}
