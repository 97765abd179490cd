package winapi

// Rights and selections for the list of services (winsvc.h, winnt.h).
const (
	SC_MANAGER_CONNECT           = 1
	SC_MANAGER_ENUMERATE_SERVICE = 4
	SC_ENUM_PROCESS_INFO         = 0
	SERVICE_WIN32                = 0x30
	SERVICE_STATE_ALL            = 3
)

// SERVICE_STATUS_PROCESS (winsvc.h) is the state of a service.
type SERVICE_STATUS_PROCESS struct {
	DwServiceType, DwCurrentState, DwControlsAccepted     uint32
	DwWin32ExitCode, DwServiceSpecificExitCode            uint32
	DwCheckPoint, DwWaitHint, DwProcessId, DwServiceFlags uint32
}

// ENUM_SERVICE_STATUS_PROCESSW (winsvc.h) is a service in a list.
type ENUM_SERVICE_STATUS_PROCESSW struct {
	LpServiceName        uintptr
	LpDisplayName        uintptr
	ServiceStatusProcess SERVICE_STATUS_PROCESS
}

// ServiceState is the state of a service: 1 stopped, 2 start pending, 3 stop pending, 4 running, 5 continue
// pending, 6 pause pending, 7 paused.
type ServiceState struct {
	Name  string
	State uint32
}

// ServiceStates reads an array of ENUM_SERVICE_STATUS_PROCESSW.
func (m Memory) ServiceStates(count uint32) (all []ServiceState, err error) {
	list, err := items[ENUM_SERVICE_STATUS_PROCESSW](m, count)
	if err != nil {
		return nil, err
	}

	for _, s := range list {
		name, err := m.text(s.LpServiceName)
		if err != nil {
			return nil, err
		}
		all = append(all, ServiceState{name, s.ServiceStatusProcess.DwCurrentState})
	}
	return all, nil
}
