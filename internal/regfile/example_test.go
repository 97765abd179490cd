package regfile_test

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/provider/registration"
)

func ExampleCheckINI() {
	header, found := regfile.ParseHeader("app.h", []byte("#define JOBS 0\n#define JOBS_DONE 2\n"))
	ini, more := regfile.ParseINI("app.ini", []byte(`[info]
drivername=App
symbolfile=app.h
[objects]
JOBS_009_NAME=
[languages]
009=English
[text]
JOBS_009_NAME=Jobs
JOBS_DUNE_009_NAME=Jobs Done
`))
	for _, f := range append(append(found, more...), regfile.CheckINI(ini, header)...) {
		fmt.Println(f)
	}
	// Output:
	// app.ini:7:1: language 009 has no JOBS_DONE_009_NAME
	// app.ini:10:1: JOBS_DUNE is not defined in app.h: did you mean JOBS_DONE?
}

func ExampleWriteHeader() {
	schema, err := registration.ParseDeclaration("app.json", []byte(`{"driver": "App", "objects": [
		{"symbol": "JOBS", "name": "Jobs", "counters": [
			{"symbol": "JOBS_DONE", "name": "Jobs Done", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, numbers, _ := strings.Cut(string(regfile.WriteHeader(schema)), "\r\n\r\n")
	fmt.Print(strings.ReplaceAll(numbers, "\r\n", "\n"))
	// Output:
	// #define JOBS 0
	// #define JOBS_DONE 2
}

func ExampleInstall_Steps() {
	in := regfile.Install{INI: `C:\app\app.ini`, Driver: "App", Library: `C:\app\app.dll`}
	for _, step := range in.Steps() {
		fmt.Println(step)
	}

	// Output:
	// make the directory of published counters
	// create key HKLM\SYSTEM\CurrentControlSet\Services\App\Performance
	// set HKLM\SYSTEM\CurrentControlSet\Services\App\Performance : Library = "C:\\app\\app.dll"
	// set HKLM\SYSTEM\CurrentControlSet\Services\App\Performance : Open = "WinperfOpen"
	// set HKLM\SYSTEM\CurrentControlSet\Services\App\Performance : Collect = "WinperfCollect"
	// set HKLM\SYSTEM\CurrentControlSet\Services\App\Performance : Close = "WinperfClose"
	// create key HKLM\SYSTEM\CurrentControlSet\Services\App\Linkage
	// set HKLM\SYSTEM\CurrentControlSet\Services\App\Linkage : Export = multi_sz:App
	// run lodctr C:\app\app.ini
	// check that HKLM\SYSTEM\CurrentControlSet\Services\App\Performance : First Counter exists
}
