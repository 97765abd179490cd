package winapi

import (
	"errors"
	"unsafe"
)

// Services calls functions of advapi32.dll that list services.
type Services struct{ dll *DLL }

// NewServices returns the calls of a library: advapi32.dll or a fake.
func NewServices(dll *DLL) *Services { return &Services{dll} }

// States returns the services of the machine with their states.
//
// sys OpenSCManager(machine *uint16, database *uint16, access uint32) (manager Handle, err
// error) = advapi32.OpenSCManagerW
// sys CloseServiceHandle(manager Handle) (err error) = advapi32.CloseServiceHandle
// sys EnumServicesStatusEx(manager Handle, level uint32, kind uint32, state uint32, services
// *byte, size uint32, needed *uint32, count *uint32, resume *uint32, group *uint16) (err
// error) = advapi32.EnumServicesStatusExW
func (s *Services) States() (all []ServiceState, err error) {
	manager, errno, err := call(s.dll, "OpenSCManagerW", 0, 0, SC_MANAGER_CONNECT|SC_MANAGER_ENUMERATE_SERVICE)
	switch {
	case err != nil:
		return nil, err
	case manager == 0:
		return nil, errno
	}
	defer func() { _, _, _ = call(s.dll, "CloseServiceHandle", manager) }()

	const size, largest = 256 << 10, 10_000 // the largest buffer that the function accepts; services
	m := make(Memory, size/8)
	var needed, count, resume uint32
	for {
		ok, errno, err := call(s.dll, "EnumServicesStatusExW", manager, SC_ENUM_PROCESS_INFO, SERVICE_WIN32,
			SERVICE_STATE_ALL, uintptr(pointer(m)), size, uintptr(unsafe.Pointer(&needed)),
			uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&resume)), 0)
		more := ok == 0 && errors.Is(errno, ERROR_MORE_DATA)
		switch {
		case err != nil:
			return nil, err
		case ok == 0 && !more, more && count == 0:
			return nil, errno
		}

		states, err := m.ServiceStates(count)
		if err != nil {
			return nil, err
		}
		all = append(all, states...)
		switch {
		case !more:
			return all, nil
		case len(all) > largest:
			return nil, errno
		}
	}
}
