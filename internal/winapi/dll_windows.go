package winapi

import (
	"errors"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// DLL is a library that is loaded when one of its functions is first needed, and stays
// loaded. It may be used from several goroutines.
type DLL struct {
	name string
	load func() (windows.Handle, error)

	mu    sync.RWMutex
	procs map[string]*Proc
}

// NewDLL names a library. A bare name is searched in the system's directory only, so that
// no other file is loaded. A path is loaded as it is; its imports are searched in its own
// directory first. Tests use that for fakes.
func NewDLL(name string) *DLL {
	load := func() (windows.Handle, error) {
		flags := uintptr(windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
		if filepath.Base(name) != name {
			flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
		}
		return windows.LoadLibraryEx(name, 0, flags)
	}
	return &DLL{name: name, procs: map[string]*Proc{}, load: sync.OnceValues(load)}
}

// Proc returns a function of the library, always the same for a name. It loads nothing.
func (d *DLL) Proc(name string) *Proc {
	d.mu.RLock()
	p := d.procs[name]
	d.mu.RUnlock()
	if p != nil {
		return p
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.procs[name] == nil {
		d.procs[name] = &Proc{find: sync.OnceValues(func() (uintptr, error) { return d.find(name) })}
	}
	return d.procs[name]
}

func (d *DLL) find(name string) (uintptr, error) {
	h, err := d.load()
	if err != nil {
		return 0, &MissingError{Library: d.name, Err: asErrno(err)}
	}
	addr, err := windows.GetProcAddress(h, name)
	if err != nil {
		return 0, &MissingError{Library: d.name, Function: name, Err: asErrno(err)}
	}
	return addr, nil
}

// Proc is a function of a library.
type Proc struct{ find func() (uintptr, error) }

// Addr returns the address of the function for syscall.SyscallN. The error is a
// *MissingError.
func (p *Proc) Addr() (uintptr, error) { return p.find() }

// call calls a function. Pointers among the arguments are kept alive. errno is the last
// error; err means that the function is missing. Each call allocates.
//
//go:uintptrescapes
func call(d *DLL, function string, args ...uintptr) (result uintptr, errno Errno, err error) {
	addr, err := d.Proc(function).Addr()
	if err != nil {
		return 0, 0, err
	}
	result, _, last := syscall.SyscallN(addr, args...)
	return result, Errno(last), nil
}

// callStatus calls a function that returns an error number; see call.
//
//go:uintptrescapes
func callStatus(d *DLL, function string, args ...uintptr) error {
	status, _, err := call(d, function, args...)
	if err != nil {
		return err
	}
	return Errno(status).Err()
}

// text16 converts a text for functions.
func text16(s string) (*uint16, error) {
	p, err := syscall.UTF16PtrFromString(s)
	if err != nil {
		return nil, ERROR_INVALID_PARAMETER
	}
	return p, nil
}

// textOrNull is text16, with NULL for "".
func textOrNull(s string) (*uint16, error) {
	if s == "" {
		return nil, nil
	}
	return text16(s)
}

// pointer returns the address of a buffer, NULL if empty.
func pointer[T any](buf []T) unsafe.Pointer {
	if len(buf) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(buf))
}

// asErrno converts the error numbers of other packages.
func asErrno(err error) error {
	var e windows.Errno
	if errors.As(err, &e) {
		return Errno(e)
	}
	var status windows.NTStatus
	if errors.As(err, &status) {
		return asErrno(status.Errno())
	}
	return err
}
