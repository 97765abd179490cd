package winapi

import (
	"errors"
	"path/filepath"
	"sync"

	"golang.org/x/sys/windows"
)

// DLL is a library that is loaded when one of its functions is first needed,
// and stays loaded. It may be used from several goroutines.
type DLL struct {
	name string
	load func() (windows.Handle, error)
}

// NewDLL names a library. A bare name is looked for in the system's directory
// only, so that nobody can put another one in its way; a path is loaded as it
// is, which tests use for fakes.
func NewDLL(name string) *DLL {
	return &DLL{name: name, load: sync.OnceValues(func() (windows.Handle, error) {
		flags := uintptr(windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
		if filepath.Base(name) != name {
			flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
		}
		return windows.LoadLibraryEx(name, 0, flags)
	})}
}

// Proc names a function of the library. Nothing is loaded yet.
func (d *DLL) Proc(name string) *Proc {
	return &Proc{find: sync.OnceValues(func() (uintptr, error) {
		h, err := d.load()
		if err != nil {
			return 0, &MissingError{Library: d.name, Err: asErrno(err)}
		}
		addr, err := windows.GetProcAddress(h, name)
		if err != nil {
			return 0, &MissingError{Library: d.name, Function: name, Err: asErrno(err)}
		}
		return addr, nil
	})}
}

// Proc is a function of a library.
type Proc struct{ find func() (uintptr, error) }

// Addr returns where the function is, for syscall.SyscallN. The error is a
// *MissingError.
func (p *Proc) Addr() (uintptr, error) { return p.find() }

// asErrno turns the error numbers of other packages into ours.
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
