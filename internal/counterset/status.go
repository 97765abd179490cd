package counterset

import (
	"fmt"
	"io/fs"

	"github.com/winperf/winperf"
)

// Status is a Win32 error code of the PerfLib functions and blocks; 0 is success. It
// supports errors.Is for the errors of packages winperf and fs.
type Status uint32

// The codes named by [MS-PCQ] and perflib.h.
const (
	Success            Status = 0
	PathNotFound       Status = 3
	AccessDenied       Status = 5
	NotEnoughMemory    Status = 8
	InvalidData        Status = 13
	OutOfMemory        Status = 14
	InvalidParameter   Status = 87
	AlreadyExists      Status = 183
	noSystemResources  Status = 1450
	GUIDNotFound       Status = 4200
	InstanceNotFound   Status = 4201
	ItemNotFound       Status = 4202
	InvalidRegInfo     Status = 4211
	callNotImplemented Status = 120
	notSupported       Status = 50
	procNotFound       Status = 127
)

var statuses = map[Status]struct {
	name, text string
	is         error
}{
	Success:           {"ERROR_SUCCESS", "no error", nil},
	PathNotFound:      {"ERROR_PATH_NOT_FOUND", "no instance of that name", winperf.ErrNoInstance},
	AccessDenied:      {"ERROR_ACCESS_DENIED", "access denied", fs.ErrPermission},
	NotEnoughMemory:   {"ERROR_NOT_ENOUGH_MEMORY", "the buffer is too small", nil},
	InvalidData:       {"ERROR_INVALID_DATA", "the data is invalid", winperf.ErrBadData},
	OutOfMemory:       {"ERROR_OUTOFMEMORY", "out of memory", nil},
	InvalidParameter:  {"ERROR_INVALID_PARAMETER", "a parameter or block is invalid", nil},
	AlreadyExists:     {"ERROR_ALREADY_EXISTS", "the query has it already", nil},
	noSystemResources: {"ERROR_NO_SYSTEM_RESOURCES", "the system lacks resources", nil},
	GUIDNotFound: {"ERROR_WMI_GUID_NOT_FOUND", "no such counter set, or no running provider of it",
		winperf.ErrNoObject},
	InstanceNotFound: {"ERROR_WMI_INSTANCE_NOT_FOUND", "the counter set has no active instance",
		winperf.ErrNoInstance},
	ItemNotFound: {"ERROR_WMI_ITEMID_NOT_FOUND", "no such counter", winperf.ErrNoCounter},
	InvalidRegInfo: {"ERROR_WMI_INVALID_REGINFO", "the provider contradicts its registration",
		winperf.ErrBadData},
	callNotImplemented: {"ERROR_CALL_NOT_IMPLEMENTED", "the function is not implemented",
		winperf.ErrNotSupported},
	notSupported: {"ERROR_NOT_SUPPORTED", "not supported", winperf.ErrNotSupported},
	procNotFound: {"ERROR_PROC_NOT_FOUND", "the system lacks the function", winperf.ErrNotSupported},
}

// Error returns the code's meaning, its name and its number.
func (s Status) Error() string {
	if k, ok := statuses[s]; ok {
		return fmt.Sprintf("%s (%s, %d)", k.text, k.name, uint32(s))
	}
	return fmt.Sprintf("Win32 error %d", uint32(s))
}

// Is reports whether the code means target: ErrNoObject, ErrNoCounter, ErrNoInstance,
// ErrBadData or ErrNotSupported of package winperf, or fs.ErrPermission.
func (s Status) Is(target error) bool {
	is := statuses[s].is
	return is != nil && is == target
}

// absent reports whether the code means that there is currently nothing to count, as for
// every counter set whose provider is not running.
func (s Status) absent() bool {
	return s == PathNotFound || s == GUIDNotFound || s == InstanceNotFound
}

// AnswerError is the status of one answer, or of one identifier not added to its query.
type AnswerError struct {
	Set    winperf.GUID
	Status Status
}

// Error returns a line such as "counter set {…}: access denied (ERROR_ACCESS_DENIED, 5)".
func (e *AnswerError) Error() string { return fmt.Sprintf("counter set %v: %v", e.Set, e.Status) }

// Unwrap returns the status.
func (e *AnswerError) Unwrap() error { return e.Status }
