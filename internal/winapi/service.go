package winapi

import (
	"context"
	"time"
)

// ServiceConfig are the settings of a new service.
type ServiceConfig struct {
	Name, DisplayName, Description string
	Program                        string // full path
	Args                           []string
	// Account of the service; "" is NT AUTHORITY\LocalService.
	Account string
	// Restarts are the waits before a restart after the first, second and later failures.
	// The count is reset after a day without failure.
	Restarts []time.Duration
	// Privileges are all privileges of its process, such as SeChangeNotifyPrivilege.
	Privileges []string
}

// ServiceStatus is the state of a service.
type ServiceStatus struct {
	State     string // such as "running", "stopped", "start pending"
	ProcessID uint32 // 0 if it is not running
	Program   string // its command line
	Account   string
	ExitCode  uint32 // of the last run, if stopped
}

// ServiceRun is the work of a service. It calls ready when it serves, ends when ctx does,
// and gets a value from reload for sc control NAME paramchange.
type ServiceRun func(ctx context.Context, ready func(), reload <-chan struct{}) error

// EventKind is the level of an entry in the event log.
type EventKind uint8

// The levels.
const (
	EventInfo EventKind = iota
	EventWarning
	EventError
)
