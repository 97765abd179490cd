package pdh

import (
	"time"

	"github.com/winperf/winperf/internal/winapi"
)

// systemCalls returns the functions of a library.
func systemCalls(library string) (*calls, error) {
	if library == "" {
		library = "pdh.dll"
	}
	p := winapi.NewPdh(winapi.NewDLL(library))
	k := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	return &calls{
		openQuery: p.OpenQuery, closeQuery: p.CloseQuery, collect: p.Collect,
		addCounter: p.AddCounter, addEnglish: p.AddEnglishCounter, removeCounter: p.RemoveCounter,
		counterInfo: p.CounterInfo, timeBase: p.TimeBase,
		rawValue: p.RawValue, rawArray: p.RawArray, formatted: p.Formatted, formattedArray: p.FormattedArray,
		enumObjects: p.EnumObjects, enumItems: p.EnumObjectItems,
		computerName: k.ComputerName, now: time.Now,
	}, nil
}
