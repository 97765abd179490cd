package perflib

import "github.com/winperf/winperf/internal/winapi"

func advapi() (system, error) { return libraryOf("advapi32.dll"), nil }

func libraryOf(name string) system { return winapi.NewPerflibProvider(winapi.NewDLL(name)) }
