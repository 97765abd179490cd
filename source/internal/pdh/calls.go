package pdh

import (
	"time"

	"github.com/winperf/winperf/internal/winapi"
)

// calls are the system functions of a source: the functions of pdh.h with Go types. Tests supply
// others. Errors are of type winapi.PdhStatus, or report that the system lacks the function.
type calls struct {
	openQuery      func() (query uintptr, err error)
	closeQuery     func(query uintptr) error
	collect        func(query uintptr) error
	addCounter     func(query uintptr, path string) (counter uintptr, err error)
	addEnglish     func(query uintptr, path string) (counter uintptr, err error)
	removeCounter  func(counter uintptr) error
	counterInfo    func(counter uintptr, buf winapi.Memory) (size uint32, err error)
	timeBase       func(counter uintptr) (int64, error)
	rawValue       func(counter uintptr, value *winapi.PDH_RAW_COUNTER) error
	rawArray       func(counter uintptr, buf winapi.Memory) (size, count uint32, err error)
	formatted      func(counter uintptr, format uint32, value *winapi.PDH_FMT_COUNTERVALUE) error
	formattedArray func(counter uintptr, format uint32, buf winapi.Memory) (size, count uint32, err error)

	enumObjects func(machine string, buf []uint16, detail uint32, refresh bool) (size uint32, err error)
	enumItems   func(machine, object string, counters, instances []uint16, detail uint32) (counterSize,
		instanceSize uint32, err error)

	computerName func() (string, error)
	now          func() time.Time
}
