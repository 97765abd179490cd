package pdh

import (
	"time"

	"github.com/winperf/winperf/internal/winapi"
)

// calls are the functions of the system that a Client and a source use, those of
// pdh.h with Go's types. Tests give their own. Errors are of type
// winapi.PdhStatus, or say that the system lacks the function.
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

	enumMachines   func(buf []uint16) (size uint32, err error)
	enumObjects    func(machine string, buf []uint16, detail uint32, refresh bool) (size uint32, err error)
	enumItems      func(machine, object string, counters, instances []uint16, detail uint32) (counterSize, instanceSize uint32, err error)
	expand         func(path string, buf []uint16, flags uint32) (size uint32, err error)
	expandOld      func(path string, buf []uint16) (size uint32, err error)
	connect        func(machine string) error
	validate       func(path string) error
	nameByIndex    func(machine string, index uint32, buf []uint16) (size uint32, err error)
	indexByName    func(machine, name string) (index uint32, err error)
	defaultObject  func(machine string, buf []uint16) (size uint32, err error)
	defaultCounter func(machine, object string, buf []uint16) (size uint32, err error)
	version        func() (version uint32, err error)

	computerName func() (string, error)
	now          func() time.Time
}
