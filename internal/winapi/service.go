package winapi

import (
	"context"
	"time"
)

// ServiceConfig is what a service is installed with.
type ServiceConfig struct {
	Name, DisplayName, Description string
	Program                        string // whole path
	Args                           []string
	// Account it runs under; "" is NT AUTHORITY\LocalService.
	Account string
	// Restarts are the waits before the service is started again after its first, second
	// and all later failures. They count anew after a day without one.
	Restarts []time.Duration
	// Privileges are all that its process keeps, such as SeChangeNotifyPrivilege.
	Privileges []string
}

// ServiceStatus is what the service manager says of a service.
type ServiceStatus struct {
	State     string // in words: "running", "stopped", "start pending", …
	ProcessID uint32 // 0 where it does not run
	Program   string // the command line that it is started with
	Account   string
	ExitCode  uint32 // of the last run, where it is stopped
}

// ServiceRun is a service's work. It calls ready when it serves, ends when ctx
// does, and gets a value from reload when the service manager is told to have its
// parameters read again (sc control NAME paramchange).
type ServiceRun func(ctx context.Context, ready func(), reload <-chan struct{}) error

// EventKind says how an entry of the event log is marked.
type EventKind uint8

// The kinds.
const (
	EventInfo EventKind = iota
	EventWarning
	EventError
)
