package winapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
	"golang.org/x/sys/windows/svc/mgr"
)

// localService is the account with the least rights that can read performance counters.
const localService = `NT AUTHORITY\LocalService`

// stopTime limits the wait for a service to stop.
const stopTime = 20 * time.Second

// ServiceDirectory returns the working directory of services.
func ServiceDirectory() (string, error) { return windows.GetSystemDirectory() }

// InstallService creates a service that starts with the system, and its source in the event
// log. After an error both are removed again. Settings unknown to the system, such as Wine,
// are skipped and returned.
func InstallService(c ServiceConfig) (unknown []string, err error) {
	m, err := mgr.Connect()
	if err != nil {
		return nil, fmt.Errorf("service manager: %w", err)
	}
	defer func() { _ = m.Disconnect() }()

	account := c.Account
	if account == "" {
		account = localService
	}
	s, err := m.CreateService(c.Name, c.Program, mgr.Config{
		StartType: mgr.StartAutomatic, ErrorControl: mgr.ErrorNormal,
		DisplayName: c.DisplayName, Description: c.Description, ServiceStartName: account,
	}, c.Args...)
	if err != nil {
		return nil, fmt.Errorf("create service %s: %w", c.Name, err)
	}
	defer s.Close()

	unknown, err = configure(s, c)
	if err == nil {
		const kinds = eventlog.Info | eventlog.Warning | eventlog.Error
		err = eventlog.InstallAsEventCreate(c.Name, kinds)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set up service %s: %w", c.Name, err), s.Delete())
	}
	return unknown, nil
}

// configure sets the settings that the creation of a service cannot.
func configure(s *mgr.Service, c ServiceConfig) (unknown []string, err error) {
	var actions []mgr.RecoveryAction
	for _, wait := range c.Restarts {
		actions = append(actions, mgr.RecoveryAction{Type: mgr.ServiceRestart, Delay: wait})
	}
	const day = 24 * 60 * 60

	for _, setting := range []struct {
		name string
		set  func() error
	}{
		{"restarts", func() error { return s.SetRecoveryActions(actions, day) }},
		// An end with an error is a failure, not only a crash.
		{"restarts after errors", func() error { return s.SetRecoveryActionsOnNonCrashFailures(true) }},
		{"delayed start", func() error { return setFlag(s, windows.SERVICE_CONFIG_DELAYED_AUTO_START_INFO, 1) }},
		{"service SID", func() error {
			return setFlag(s, windows.SERVICE_CONFIG_SERVICE_SID_INFO, windows.SERVICE_SID_TYPE_UNRESTRICTED)
		}},
		{"privileges", func() error { return keepPrivileges(s, c.Privileges) }},
	} {
		err := setting.set()
		switch {
		case errors.Is(err, windows.ERROR_INVALID_LEVEL):
			unknown = append(unknown, setting.name)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", setting.name, err)
		}
	}
	return unknown, nil
}

// setFlag sets a setting of winsvc.h whose structure is a DWORD.
func setFlag(s *mgr.Service, level, value uint32) error {
	return windows.ChangeServiceConfig2(s.Handle, level, (*byte)(unsafe.Pointer(&value)))
}

// requiredPrivileges is SERVICE_REQUIRED_PRIVILEGES_INFO of winsvc.h.
type requiredPrivileges struct{ names *uint16 }

// keepPrivileges removes all other privileges from the service's process.
func keepPrivileges(s *mgr.Service, names []string) error {
	var list []uint16
	for _, name := range names {
		text, err := windows.UTF16FromString(name)
		if err != nil {
			return err
		}
		list = append(list, text...)
	}
	list = append(list, 0)

	info := requiredPrivileges{&list[0]}
	return windows.ChangeServiceConfig2(s.Handle, windows.SERVICE_CONFIG_REQUIRED_PRIVILEGES_INFO,
		(*byte)(unsafe.Pointer(&info)))
}

// withService calls f with an installed service.
func withService(name string, f func(*mgr.Service) error) error {
	m, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("service manager: %w", err)
	}
	defer func() { _ = m.Disconnect() }()

	s, err := m.OpenService(name)
	if err != nil {
		return fmt.Errorf("service %s: %w", name, err)
	}
	defer s.Close()
	return f(s)
}

// StartService starts a service.
func StartService(name string) error {
	return withService(name, func(s *mgr.Service) error { return s.Start() })
}

// StopService stops a service and waits for its end. A service that is not running is no error.
func StopService(ctx context.Context, name string) error {
	return withService(name, func(s *mgr.Service) error {
		if err := stop(ctx, s); err != nil {
			return fmt.Errorf("stop service %s: %w", name, err)
		}
		return nil
	})
}

// RemoveService stops a service, waits for its end, and deletes it and its source in the event
// log.
func RemoveService(ctx context.Context, name string) error {
	return withService(name, func(s *mgr.Service) error {
		if err := stop(ctx, s); err != nil {
			return fmt.Errorf("stop service %s: %w", name, err)
		}
		if err := s.Delete(); err != nil {
			return fmt.Errorf("delete service %s: %w", name, err)
		}
		return eventlog.Remove(name)
	})
}

func stop(ctx context.Context, s *mgr.Service) error {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	_, err := s.Control(svc.Stop)
	if errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) {
		return nil
	}
	if err != nil {
		return err
	}

	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		status, err := s.Query()
		if err != nil || status.State == svc.Stopped {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var serviceStates = map[svc.State]string{
	svc.Stopped: "stopped", svc.StartPending: "start pending", svc.StopPending: "stop pending",
	svc.Running: "running", svc.ContinuePending: "continue pending", svc.PausePending: "pause pending",
	svc.Paused: "paused",
}

// QueryService returns the state of a service.
func QueryService(name string) (status ServiceStatus, err error) {
	return status, withService(name, func(s *mgr.Service) error {
		now, err := s.Query()
		if err != nil {
			return err
		}
		status.State, status.ProcessID = serviceStates[now.State], now.ProcessId
		status.ExitCode = now.Win32ExitCode
		if now.Win32ExitCode == uint32(windows.ERROR_SERVICE_SPECIFIC_ERROR) {
			status.ExitCode = now.ServiceSpecificExitCode
		}
		status.Program, status.Account, err = configuration(s)
		return err
	})
}

// configuration returns the command line and account of a service. Service.Config also
// requests settings that Wine does not know.
func configuration(s *mgr.Service) (program, account string, err error) {
	const most = 8 << 10 // limit of QueryServiceConfig
	buf := make([]byte, most)
	config := (*windows.QUERY_SERVICE_CONFIG)(unsafe.Pointer(&buf[0]))
	var need uint32
	if err := windows.QueryServiceConfig(s.Handle, config, most, &need); err != nil {
		return "", "", err
	}
	program = windows.UTF16PtrToString(config.BinaryPathName)
	account = windows.UTF16PtrToString(config.ServiceStartName)
	return program, account, nil
}

// ErrNoService means that the service manager did not start this process.
var ErrNoService = errors.New("not started by the service manager")

// RunService runs a service under the control of the service manager until it ends. The
// error wraps ErrNoService if the service manager did not start this process.
func RunService(name string, run ServiceRun) error {
	err := svc.Run(name, serviceHandler{run})
	if errors.Is(err, windows.ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
		return ErrNoService
	}
	return err
}

type serviceHandler struct{ run ServiceRun }

// Execute implements svc.Handler.
func (h serviceHandler) Execute(
	_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status,
) (bool, uint32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready, ended, reload := make(chan struct{}), make(chan error, 1), make(chan struct{}, 1)
	status <- svc.Status{State: svc.StartPending}
	go func() { ended <- h.run(ctx, sync.OnceFunc(func() { close(ready) }), reload) }()

	const accepts = svc.AcceptStop | svc.AcceptShutdown | svc.AcceptParamChange
	running := svc.Status{State: svc.Running, Accepts: accepts}
	for {
		select {
		case <-ready:
			status <- running
			ready = nil
		case err := <-ended:
			status <- svc.Status{State: svc.StopPending}
			if err != nil {
				return true, 1
			}
			return false, 0
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				status <- r.CurrentStatus
			case svc.Stop, svc.Shutdown:
				status <- svc.Status{State: svc.StopPending}
				cancel()
			case svc.ParamChange:
				status <- running
				select {
				case reload <- struct{}{}:
				default: // one is pending
				}
			}
		}
	}
}

// eventID is the id of all entries: EventCreate.exe, which has their texts, knows 1 to
// 1000.
const eventID = 1

// EventLog is a source in the event log.
type EventLog struct{ log *eventlog.Log }

// OpenEventLog opens the source made by InstallService.
func OpenEventLog(name string) (*EventLog, error) {
	log, err := eventlog.Open(name)
	if err != nil {
		return nil, err
	}
	return &EventLog{log}, nil
}

// Write adds an entry.
func (l *EventLog) Write(kind EventKind, text string) error {
	switch kind {
	case EventError:
		return l.log.Error(eventID, text)
	case EventWarning:
		return l.log.Warning(eventID, text)
	default:
		return l.log.Info(eventID, text)
	}
}

// Close releases the source.
func (l *EventLog) Close() error { return l.log.Close() }
