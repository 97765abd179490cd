package consumer

import (
	"time"

	"github.com/winperf/winperf/internal/winapi"
)

// systemCalls returns the functions of a library.
func systemCalls(library string) (*calls, error) {
	if library == "" {
		library = "advapi32.dll"
	}
	p := winapi.NewPerflib(winapi.NewDLL(library))
	k := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	return &calls{
		enumerateSets: p.EnumerateCounterSet, registrationInfo: p.RegistrationInfo,
		enumerateInstances: p.EnumerateInstances,
		openQuery:          p.OpenQuery, closeQuery: p.CloseQuery, addCounters: p.AddCounters,
		queryInfo: p.QueryInfo, queryData: p.QueryData,
		computerName: k.ComputerName, uiLanguage: k.UILanguage, now: time.Now,
	}, nil
}
