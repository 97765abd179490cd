package hostfacts

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/winapi"
)

// Names of accounts may be on a domain controller that does not answer: at most lookupTime in each lookupPeriod
// is spent on them.
const (
	lookupTime   = 2 * time.Second
	lookupPeriod = time.Minute
)

// maxOwners is the largest number of accounts whose names are kept.
const maxOwners = 1000

// owners returns a function that returns the owner of a process of this machine.
func owners() func(id uint64) string {
	kernel, security := winapi.NewDLL("kernel32.dll"), winapi.NewDLL("advapi32.dll")
	return newAccounts(winapi.NewAccounts(kernel, security)).owner
}

// accounts finds the owners of processes.
type accounts struct {
	calls *winapi.Accounts

	mu    sync.Mutex
	names map[winapi.SID]string // "" if an account has no name
	line  *call.Line
	left  time.Duration // for lookups
	until time.Time     // end of the period
}

func newAccounts(calls *winapi.Accounts) *accounts {
	return &accounts{calls: calls, names: map[winapi.SID]string{}, line: call.NewLine()}
}

// owner returns the owner of a process as DOMAIN\name, or "".
func (a *accounts) owner(id uint64) string {
	if id > math.MaxUint32 {
		return ""
	}
	sid, err := a.calls.ProcessUser(uint32(id))
	if err != nil {
		return ""
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	if name, known := a.names[sid]; known {
		return name
	}
	name, err := a.lookUp(sid)
	if err != nil && !errors.Is(err, winapi.ERROR_NONE_MAPPED) {
		return ""
	}

	if len(a.names) == maxOwners {
		clear(a.names)
	}
	a.names[sid] = name
	return name
}

// lookUp returns the name of an account if it is found in the time that is left. The caller has the lock.
func (a *accounts) lookUp(sid winapi.SID) (string, error) {
	now := time.Now()
	if now.After(a.until) {
		a.left, a.until = lookupTime, now.Add(lookupPeriod)
	}
	if a.left <= 0 || a.line.Busy() {
		return "", call.ErrBusy
	}

	var domain, name string // not to be read if the call has not returned
	var failed error
	err := a.line.Do(context.Background(), a.left, func(context.Context) {
		domain, name, failed = a.calls.AccountName(sid)
	})
	a.left -= time.Since(now)
	if err != nil {
		return "", err
	}
	a.line.Rest()

	if failed != nil {
		return "", failed
	}
	if domain != "" {
		name = domain + `\` + name
	}
	return clip(name), nil
}
