package consumer

import (
	"errors"
	"time"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/winapi"
)

// systemCalls are the functions of a library.
func systemCalls(library string) (*calls, error) {
	if library == "" {
		library = "advapi32.dll"
	}
	p := winapi.NewPerflib(winapi.NewDLL(library))
	k := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	return &calls{
		enumerateSets: func(machine string, ids []winperf.GUID) (int, error) {
			// the same bytes under another name
			raw := unsafe.Slice((*[16]byte)(unsafe.SliceData(ids)), len(ids))
			n, err := p.EnumerateCounterSet(machine, raw)
			return n, status(err)
		},
		registrationInfo: func(machine string, set *winperf.GUID, code, lang uint32,
			buf []byte) (int, error) {
			n, err := p.RegistrationInfo(machine, (*[16]byte)(set), code, lang, buf)
			return n, status(err)
		},
		openQuery: func(machine string) (uintptr, error) {
			query, err := p.OpenQuery(machine)
			return query, status(err)
		},
		closeQuery:  func(query uintptr) error { return status(p.CloseQuery(query)) },
		addCounters: func(query uintptr, ids []byte) error { return status(p.AddCounters(query, ids)) },
		queryInfo: func(query uintptr, buf []byte) (int, error) {
			n, err := p.QueryInfo(query, buf)
			return n, status(err)
		},
		queryData: func(query uintptr, buf []byte, n *uint32) error {
			return status(p.QueryData(query, buf, n))
		},
		computerName: k.ComputerName,
		uiLanguage:   k.UILanguage,
		now:          time.Now,
	}, nil
}

// status turns an error number of Windows into what the blocks call a status.
func status(err error) error {
	var missing *winapi.MissingError
	var e winapi.Errno
	if err != nil && !errors.As(err, &missing) && errors.As(err, &e) {
		return counterset.Status(e)
	}
	return err
}
