package consumer

import (
	"time"

	"github.com/winperf/winperf"
)

// calls are the system functions of a consumer: the functions of perflib.h with Go types. Tests
// supply others. Errors are a winapi.Errno, or report that the system lacks the function; see
// status.
type calls struct {
	enumerateSets      func(machine string, ids []winperf.GUID) (n int, err error)
	registrationInfo   func(machine string, set *winperf.GUID, code, lang uint32, buf []byte) (n int, err error)
	enumerateInstances func(machine string, set *winperf.GUID, buf []byte) (n int, err error)
	openQuery          func(machine string) (query uintptr, err error)
	closeQuery         func(query uintptr) error
	addCounters        func(query uintptr, ids []byte) error
	queryInfo          func(query uintptr, buf []byte) (n int, err error)
	queryData          func(query uintptr, buf []byte, n *uint32) error

	computerName func() (string, error)
	uiLanguage   func() (uint16, error)
	now          func() time.Time
}
