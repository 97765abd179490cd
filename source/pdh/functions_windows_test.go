package pdh

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

// named are the functions of pdh.h in their families: queries, counters, formatted,
// raw, calculation, enumeration, paths, names, logs, and the version and dialogs.
// Those that set up SQL databases are not among them. Where a function has forms
// for ANSI and UTF-16 it is the latter.
var named = strings.Fields(`
	PdhOpenQueryW PdhOpenQueryH PdhCloseQuery PdhCollectQueryData PdhCollectQueryDataWithTime PdhCollectQueryDataEx
	PdhIsRealTimeQuery PdhSetQueryTimeRange
	PdhAddCounterW PdhAddEnglishCounterW PdhRemoveCounter PdhGetCounterInfoW PdhSetCounterScaleFactor PdhGetCounterTimeBase
	PdhGetFormattedCounterValue PdhGetFormattedCounterArrayW
	PdhGetRawCounterValue PdhGetRawCounterArrayW
	PdhCalculateCounterFromRawValue PdhFormatFromRawValue PdhComputeCounterStatistics
	PdhEnumMachinesW PdhEnumMachinesHW PdhEnumObjectsW PdhEnumObjectsHW PdhEnumObjectItemsW PdhEnumObjectItemsHW
	PdhExpandWildCardPathW PdhExpandWildCardPathHW PdhExpandCounterPathW PdhConnectMachineW
	PdhGetDefaultPerfObjectW PdhGetDefaultPerfObjectHW PdhGetDefaultPerfCounterW PdhGetDefaultPerfCounterHW
	PdhMakeCounterPathW PdhParseCounterPathW PdhParseInstanceNameW PdhValidatePathW PdhValidatePathExW PdhSetDefaultRealTimeDataSource
	PdhLookupPerfNameByIndexW PdhLookupPerfIndexByNameW
	PdhOpenLogW PdhUpdateLogW PdhUpdateLogFileCatalog PdhCloseLog PdhGetLogFileSize PdhReadRawLogRecord PdhBindInputDataSourceW
	PdhGetDataSourceTimeRangeW PdhGetDataSourceTimeRangeH PdhSelectDataSourceW PdhEnumLogSetNamesW
	PdhGetDllVersion PdhBrowseCountersW PdhBrowseCountersHW`)

// api are all functions of a library.
type api struct {
	*winapi.Pdh
	*winapi.PdhCompute
	*winapi.PdhLogs
}

func newAPI(library string) api {
	dll := winapi.NewDLL(library)
	return api{winapi.NewPdh(dll), winapi.NewPdhCompute(dll), winapi.NewPdhLogs(dll)}
}

// rig is where a case runs: the fake, and a directory for its logs.
type rig struct {
	t *testing.T
	api
	dir   string
	close []func() error
}

// later closes what a case has opened. A handle that the case closed itself is
// no error; one that stays open is found by its count.
func (r *rig) later(f func() error) { r.close = append(r.close, f) }

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// query opens a query of live counters.
func (r *rig) query(paths ...string) (query uintptr, counters []uintptr) {
	return r.with(must[uintptr](r.t)(r.OpenQuery()), paths...)
}

// of opens a query of a log.
func (r *rig) of(log string, paths ...string) (query uintptr, counters []uintptr) {
	return r.with(must[uintptr](r.t)(r.OpenQueryOf(log)), paths...)
}

func (r *rig) with(query uintptr, paths ...string) (uintptr, []uintptr) {
	r.later(func() error { return r.CloseQuery(query) })
	var counters []uintptr
	for _, p := range paths {
		counters = append(counters, must[uintptr](r.t)(r.AddCounter(query, p)))
	}
	return query, counters
}

// counter opens a query with one counter and collects n samples.
func (r *rig) counter(path string, n int) uintptr {
	query, counters := r.query(path)
	for range n {
		if err := r.Collect(query); err != nil {
			r.t.Fatal(err)
		}
	}
	return counters[0]
}

// open opens a log.
func (r *rig) open(name string, access, typ uint32, query uintptr) uintptr {
	log, _, err := r.OpenLog(r.file(name), access, typ, query, 0, "")
	if err != nil {
		r.t.Fatal(err)
	}
	r.later(func() error { return r.CloseLog(log, 0) })
	return log
}

func (r *rig) file(name string) string { return filepath.Join(r.dir, name) }

// What logs hold: the paths that are collected, and the columns they become.
var (
	logged  = []string{`\Speicher\Bytes`, `\Prozess(svc*)\E/A pro s`}
	columns = []string{`\\HOST\Speicher\Bytes`, `\\HOST\Prozess(svchost)\E/A pro s`, `\\HOST\Prozess(svchost#1)\E/A pro s`}
)

const (
	writeNew = winapi.PDH_LOG_WRITE_ACCESS | winapi.PDH_LOG_CREATE_ALWAYS
	readIt   = winapi.PDH_LOG_READ_ACCESS | winapi.PDH_LOG_OPEN_EXISTING
	second   = 10_000_000 // between two samples of the fake
)

// log writes a log of n samples and returns its name and the time of the first.
func (r *rig) log(name string, typ uint32, n int) (file string, begin int64) {
	query, _ := r.query(logged...)
	log := r.open(name, writeNew, typ, query)
	for i := range n {
		if err := r.UpdateLog(log, fmt.Sprintf("no. %d", i)); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := r.CloseLog(log, winapi.PDH_FLAGS_CLOSE_QUERY); err != nil {
		r.t.Fatal(err)
	}
	return r.file(name), ranges(r.t, r.api, r.file(name)).StartTime
}

func ranges(t *testing.T, a api, file string) winapi.PDH_TIME_INFO {
	t.Helper()
	got, err := timeInfo(func(buf winapi.Memory) (uint32, uint32, error) { return a.TimeRange(file, buf) })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func timeInfo(f func(buf winapi.Memory) (size, count uint32, err error)) (info winapi.PDH_TIME_INFO, err error) {
	buf, count, err := array(nil, f)
	if err != nil {
		return info, err
	}
	all, err := buf.TimeInfos(count)
	if err != nil || len(all) != 1 {
		return info, errors.Join(err, fmt.Errorf("%d ranges", count))
	}
	return all[0], nil
}

// source binds logs.
func (r *rig) source(files ...string) uintptr {
	source := must[uintptr](r.t)(r.BindInputDataSource(files...))
	r.later(func() error { return r.CloseLog(source, 0) })
	return source
}

// same is an error if something else came out than is wanted.
func same[T any](got T, err error, want T) error {
	if err == nil && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return err
}

// texts reads a MULTI_SZ.
func texts(f func(buf []uint16) (uint32, error)) ([]string, error) {
	b, err := text(f)
	if err != nil {
		return nil, err
	}
	return list(b)
}

// word reads a text.
func word(f func(buf []uint16) (uint32, error)) (string, error) {
	b, err := name(f)
	if err != nil {
		return "", err
	}
	return one(b)
}

// items lists the counters of an object. instances tells how long the list of
// instances is, in UTF-16 units.
func items(f func(counters, instances []uint16) (uint32, uint32, error)) (counters []string, instances uint32, err error) {
	var b []uint16
	b, err = name(func(buf []uint16) (size uint32, err error) {
		size, instances, err = f(buf, make([]uint16, len(buf)))
		return size, err
	})
	if err != nil {
		return nil, 0, err
	}
	counters, err = list(b)
	return counters, instances, err
}

// browse runs a dialog and returns all that was chosen in it.
func browse(f func(d winapi.BrowseDialog) error, flags uint32) (all []string, err error) {
	err = f(winapi.BrowseDialog{Flags: flags, Detail: winapi.PERF_DETAIL_WIZARD, Caption: "Counters", Chosen: func(paths []uint16) error {
		runtime.GC() // what PDH was given outlives it
		chosen, err := list(paths)
		all = append(all, strings.Join(chosen, " "))
		return err
	}})
	return all, err
}

// record reads a record of a log.
func record(a api, log uintptr, time int64) (winapi.LogRecord, error) {
	var size uint32
	buf, _, err := array(nil, func(buf winapi.Memory) (uint32, uint32, error) {
		var err error
		size, err = a.ReadRawLogRecord(log, time, buf)
		return size, 0, err
	})
	if err != nil {
		return winapi.LogRecord{}, err
	}
	return buf.LogRecord(size)
}

// functionCase is a call of a function: what it is about, what the fake does meanwhile, and how it
// ends. prepare opens what the call needs, with functions that do not fail.
type functionCase struct {
	function string
	about    string
	fake     string
	want     error
	prepare  func(r *rig) func(a api) error
}

// TestNativeFunctions calls every function of PDH that is named, with every error
// that is documented for it. Each is also denied, and missing.
func TestNativeFunctions(t *testing.T) {
	n := newNative(t)
	good, missing := newAPI(n.file), newAPI("kernel32.dll")
	run := func(t *testing.T, c functionCase, fake string, a api) error {
		t.Helper()
		before := n.handles()
		r := &rig{t: t, api: good, dir: t.TempDir()}
		call := c.prepare(r)
		t.Setenv("WINPERF_FAKE", fake)
		err := call(a)
		t.Setenv("WINPERF_FAKE", "")
		for _, f := range slices.Backward(r.close) {
			if err := f(); err != nil && !errors.Is(err, winapi.PDH_INVALID_HANDLE) {
				t.Error(err)
			}
		}
		if now := n.handles(); now != before {
			t.Errorf("%d handles are open, %d were before", now, before)
		}
		return err
	}
	for _, c := range functionCases() {
		t.Run(c.function+"/"+c.about, func(t *testing.T) {
			if err := run(t, c, c.fake, good); c.want == nil && err != nil || !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if c.want != nil || c.fake != "" {
				return
			}
			var m *winapi.MissingError
			if err := run(t, c, "", missing); !errors.As(err, &m) || m.Function != c.function || !errors.Is(err, winperf.ErrNotSupported) {
				t.Errorf("missing: %v", err)
			}
			if c.function == "PdhIsRealTimeQuery" {
				return // it has no status to fail with
			}
			if err := run(t, c, c.function, good); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("denied: %v", err)
			}
		})
	}
}

// TestNativeFunctionsComplete finds functions without a case of success or without
// one of failure, and cases of functions that are not named.
func TestNativeFunctionsComplete(t *testing.T) {
	succeeds, fails := map[string]int{}, map[string]int{"PdhIsRealTimeQuery": 1} // which cannot
	for _, c := range functionCases() {
		if !slices.Contains(named, c.function) {
			t.Errorf("%s is not among the functions named", c.function)
		}
		if c.want == nil {
			succeeds[c.function]++
		} else {
			fails[c.function]++
		}
	}
	for _, function := range named {
		if succeeds[function] == 0 || fails[function] == 0 {
			t.Errorf("%s has %d cases that succeed and %d that fail", function, succeeds[function], fails[function])
		}
	}
}

func functionCases() []functionCase {
	return slices.Concat(queryCases(), counterCases(), valueCases(), computeCases(), listCases(), pathCases(), logCases(), sourceCases(), dialogCases())
}
