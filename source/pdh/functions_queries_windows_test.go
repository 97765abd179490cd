package pdh

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

func queryCases() []functionCase {
	closing := func(r *rig, query uintptr, err error) error {
		if err == nil {
			err = r.CloseQuery(query)
		}
		return err
	}
	openFile := func(about string, content []byte, want error) functionCase {
		return functionCase{"PdhOpenQueryW", about, "", want, func(r *rig) func(api) error {
			if err := os.WriteFile(r.file("x.blg"), content, 0o666); err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error { _, err := a.OpenQueryOf(r.file("x.blg")); return err }
		}}
	}
	openName := func(about, name string, want error) functionCase {
		return functionCase{"PdhOpenQueryW", about, "", want, func(r *rig) func(api) error {
			return func(a api) error { _, err := a.OpenQueryOf(r.file(name)); return err }
		}}
	}
	openH := func(about string, source uintptr, want error) functionCase {
		return functionCase{"PdhOpenQueryH", about, "", want, func(r *rig) func(api) error {
			return func(a api) error { q, err := a.OpenQueryH(source); return closing(r, q, err) }
		}}
	}
	// The three ways to collect have the same errors.
	collects := map[string]func(a api, query uintptr) error{
		"PdhCollectQueryData":         func(a api, query uintptr) error { return a.Collect(query) },
		"PdhCollectQueryDataWithTime": func(a api, query uintptr) error { _, err := a.CollectWithTime(query); return err },
	}
	var all []functionCase
	for function, collect := range collects {
		on := func(about string, want error, prepare func(r *rig) uintptr) {
			all = append(all, functionCase{function, about, "", want, func(r *rig) func(api) error {
				query := prepare(r)
				return func(a api) error { return collect(a, query) }
			}})
		}
		on("live", nil, func(r *rig) uintptr { q, _ := r.query(`\Speicher\Bytes`); return q })
		on("no counters", winapi.PDH_NO_DATA, func(r *rig) uintptr { q, _ := r.query(); return q })
		on("the only instance is missing", winapi.PDH_NO_DATA, func(r *rig) uintptr { q, _ := r.query(`\Prozess(x)\Handles`); return q })
		on("unknown query", winapi.PDH_INVALID_HANDLE, func(*rig) uintptr { return 1 })
		on("end of the log", winapi.PDH_NO_MORE_DATA, func(r *rig) uintptr {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			q, _ := r.of(file, `\Speicher\Bytes`)
			if err := r.Collect(q); err != nil {
				r.t.Fatal(err)
			}
			return q
		})
		on("end of the range", winapi.PDH_NO_MORE_DATA, func(r *rig) uintptr {
			file, begin := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 3)
			q, _ := r.of(file, `\Speicher\Bytes`)
			if err := errors.Join(r.SetTimeRange(q, begin, begin+second), r.Collect(q), r.Collect(q)); err != nil {
				r.t.Fatal(err)
			}
			return q
		})
	}
	return append(all, []functionCase{
		{"PdhOpenQueryW", "live", "", nil, func(r *rig) func(api) error {
			return func(a api) error { q, err := a.OpenQuery(); return closing(r, q, err) }
		}},
		{"PdhOpenQueryW", "log", "", nil, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			return func(a api) error { q, err := a.OpenQueryOf(file); return closing(r, q, err) }
		}},
		openFile("file of another kind", make([]byte, 10_000), winapi.PDH_UNKNOWN_LOG_FORMAT),
		openFile("file without a head", []byte("FAKE"), winapi.PDH_UNABLE_READ_LOG_HEADER),
		openName("no such file", "none.blg", fs.ErrNotExist),
		openName("no such directory", `none\none.blg`, winapi.PDH_FILE_NOT_FOUND),
		openName("directory", "", winapi.PDH_ACCESS_DENIED),
		openName("impossible name", "a?b", winapi.PDH_LOG_FILE_OPEN_ERROR),
		openName("NUL in the name", "a\x00b", winapi.PDH_INVALID_ARGUMENT),
		{"PdhOpenQueryW", "log that ends in a record", "", winapi.PDH_BINARY_LOG_CORRUPT, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 2)
			info, err := os.Stat(file)
			if err == nil {
				err = os.Truncate(file, info.Size()-1)
			}
			if err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error { _, err := a.OpenQueryOf(file); return err }
		}},
		openH("live", 0, nil),
		openH("unknown source", 1, winapi.PDH_INVALID_HANDLE),
		openH("WMI", winapi.H_WBEM_DATASOURCE, winapi.PDH_CANNOT_CONNECT_WMI_SERVER),
		{"PdhOpenQueryH", "logs", "", nil, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			source := r.source(file)
			return func(a api) error { q, err := a.OpenQueryH(source); return closing(r, q, err) }
		}},
		{"PdhCloseQuery", "frees the counters", "", nil, func(r *rig) func(api) error {
			query, counters := r.query(`\Speicher\Bytes`, `\Prozess(*)\Handles`)
			return func(a api) error {
				if err := a.CloseQuery(query); err != nil {
					return err
				}
				return same(r.RemoveCounter(counters[1]), nil, error(winapi.PDH_INVALID_HANDLE))
			}
		}},
		{"PdhCloseQuery", "twice", "", winapi.PDH_INVALID_HANDLE, func(r *rig) func(api) error {
			query, _ := r.query()
			return func(a api) error {
				if err := a.CloseQuery(query); err != nil {
					r.t.Error(err)
				}
				return a.CloseQuery(query)
			}
		}},
		{"PdhCollectQueryData", "takes too long", "PdhCollectQueryData=C0000BFE", winapi.PDH_QUERY_PERF_DATA_TIMEOUT, func(r *rig) func(api) error {
			query, _ := r.query(`\Speicher\Bytes`)
			return func(a api) error { return a.Collect(query) }
		}},
		{"PdhCollectQueryDataWithTime", "times of a log", "", nil, func(r *rig) func(api) error {
			file, begin := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 2)
			query, _ := r.of(file, `\Speicher\Bytes`)
			return func(a api) error {
				one, err1 := a.CollectWithTime(query)
				two, err2 := a.CollectWithTime(query)
				return same([]int64{one, two}, errors.Join(err1, err2), []int64{begin, begin + second})
			}
		}},
		{"PdhCollectQueryDataEx", "sets the event", "", nil, func(r *rig) func(api) error {
			query, _ := r.query(`\Speicher\Bytes`)
			event := newEvent(r)
			return func(a api) error {
				for _, seconds := range []uint32{1000, 1} { // the second call replaces the first
					if err := a.CollectEx(query, seconds, uintptr(event)); err != nil {
						return err
					}
				}
				got, err := syscall.WaitForSingleObject(event, 20_000)
				return same(got, err, syscall.WAIT_OBJECT_0)
			}
		}},
		{"PdhCollectQueryDataEx", "every 0 seconds", "", winapi.PDH_INVALID_ARGUMENT, func(r *rig) func(api) error {
			query, _ := r.query(`\Speicher\Bytes`)
			return func(a api) error { return a.CollectEx(query, 0, 4) }
		}},
		{"PdhCollectQueryDataEx", "unknown query", "", winapi.PDH_INVALID_HANDLE, func(*rig) func(api) error {
			return func(a api) error { return a.CollectEx(1, 1, 4) }
		}},
		{"PdhIsRealTimeQuery", "live, log, unknown", "", nil, func(r *rig) func(api) error {
			live, _ := r.query()
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			log, _ := r.of(file)
			return func(a api) error {
				var got []bool
				for _, query := range []uintptr{live, log, 1} {
					is, err := a.IsRealTime(query)
					if err != nil {
						return err
					}
					got = append(got, is)
				}
				return same(got, nil, []bool{true, false, false})
			}
		}},
		{"PdhSetQueryTimeRange", "two of four samples", "", nil, func(r *rig) func(api) error {
			file, begin := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 4)
			query, _ := r.of(file, `\Speicher\Bytes`)
			return func(a api) error {
				if err := a.SetTimeRange(query, begin+second, begin+2*second); err != nil {
					return err
				}
				var got []int64
				for {
					time, err := r.CollectWithTime(query)
					if errors.Is(err, winapi.PDH_NO_MORE_DATA) {
						return same(got, nil, []int64{begin + second, begin + 2*second})
					}
					if err != nil {
						return err
					}
					got = append(got, time)
				}
			}
		}},
		{"PdhSetQueryTimeRange", "live", "", winapi.PDH_DATA_SOURCE_IS_REAL_TIME, func(r *rig) func(api) error {
			query, _ := r.query()
			return func(a api) error { return a.SetTimeRange(query, 1, 2) }
		}},
		{"PdhSetQueryTimeRange", "end before the start", "", winapi.PDH_INVALID_ARGUMENT, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			query, _ := r.of(file)
			return func(a api) error { return a.SetTimeRange(query, 2, 1) }
		}},
		{"PdhSetQueryTimeRange", "unknown query", "", winapi.PDH_INVALID_HANDLE, func(*rig) func(api) error {
			return func(a api) error { return a.SetTimeRange(1, 1, 2) }
		}},
	}...)
}

// newEvent makes an event of the system.
func newEvent(r *rig) syscall.Handle {
	create, err := winapi.NewDLL("kernel32.dll").Proc("CreateEventW").Addr()
	if err != nil {
		r.t.Fatal(err)
	}
	event, _, errno := syscall.SyscallN(create, 0, 0, 0, 0)
	if event == 0 {
		r.t.Fatal(errno)
	}
	r.t.Cleanup(func() {
		if err := syscall.CloseHandle(syscall.Handle(event)); err != nil {
			r.t.Error(err)
		}
	})
	return syscall.Handle(event)
}

func counterCases() (all []functionCase) {
	adds := []struct {
		function      string
		add           func(a api, query uintptr, path string) (uintptr, error)
		object, bytes string
	}{
		{"PdhAddCounterW", func(a api, query uintptr, path string) (uintptr, error) { return a.AddCounter(query, path) }, "Prozess", `\Speicher\Bytes`},
		{"PdhAddEnglishCounterW", func(a api, query uintptr, path string) (uintptr, error) { return a.AddEnglishCounter(query, path) }, "Process", `\Memory\Bytes`},
	}
	for _, f := range adds {
		object := func(rest string) string { return `\` + f.object + rest }
		memory := strings.TrimSuffix(f.bytes, "Bytes")
		for about, c := range map[string]struct {
			path string
			want error
		}{
			"plain":                        {f.bytes, nil},
			"machine":                      {`\\HOST` + f.bytes, nil},
			"empty":                        {"", winapi.PDH_CSTATUS_NO_COUNTERNAME},
			"no counter in the path":       {memory, winapi.PDH_CSTATUS_NO_COUNTERNAME},
			"unparsable":                   {"Bytes", winapi.PDH_CSTATUS_BAD_COUNTERNAME},
			"no such machine":              {`\\nowhere` + f.bytes, winapi.PDH_CSTATUS_NO_MACHINE},
			"no such object":               {`\x\y`, winapi.PDH_CSTATUS_NO_OBJECT},
			"no such counter":              {memory + "x", winapi.PDH_CSTATUS_NO_COUNTER},
			"instance missing in the path": {object(`\Handles`), winapi.PDH_INVALID_PATH},
			"nothing can be computed":      {memory + "Text", winapi.PDH_FUNCTION_NOT_FOUND},
			"NUL in the path":              {"\\a\x00\\b", winapi.PDH_INVALID_ARGUMENT},
		} {
			all = append(all, functionCase{f.function, about, "", c.want, func(r *rig) func(api) error {
				query, _ := r.query()
				return func(a api) error { _, err := f.add(a, query, c.path); return err }
			}})
		}
		all = append(all, functionCase{f.function, "unknown query", "", winapi.PDH_INVALID_HANDLE, func(*rig) func(api) error {
			return func(a api) error { _, err := f.add(a, 1, f.bytes); return err }
		}}, functionCase{f.function, "no memory", f.function + "=C0000BBB", winapi.PDH_MEMORY_ALLOCATION_FAILURE, func(r *rig) func(api) error {
			query, _ := r.query()
			return func(a api) error { _, err := f.add(a, query, f.bytes); return err }
		}})
	}
	info := func(a api, counter uintptr) (winapi.CounterInfo, error) {
		buf, _, err := array(nil, func(buf winapi.Memory) (uint32, uint32, error) {
			size, err := a.CounterInfo(counter, buf)
			return size, 1, err
		})
		if err != nil {
			return winapi.CounterInfo{}, err
		}
		return buf.CounterInfo()
	}
	on := func(function, about, fake string, want error, path string, call func(r *rig, a api, counter uintptr) error) functionCase {
		return functionCase{function, about, fake, want, func(r *rig) func(api) error {
			_, counters := r.query(path)
			return func(a api) error { return call(r, a, counters[0]) }
		}}
	}
	readInfo := func(_ *rig, a api, counter uintptr) error { _, err := info(a, counter); return err }
	removed := func(function string, call func(a api, counter uintptr) error) functionCase {
		return on(function, "removed", "", winapi.PDH_INVALID_HANDLE, `\Speicher\Bytes`, func(r *rig, a api, counter uintptr) error {
			if err := r.RemoveCounter(counter); err != nil {
				r.t.Error(err)
			}
			return call(a, counter)
		})
	}
	scale := func(about string, factor int32, want error) functionCase {
		return on("PdhSetCounterScaleFactor", about, "", want, `\Speicher\Bytes`, func(_ *rig, a api, counter uintptr) error { return a.SetScaleFactor(counter, factor) })
	}
	base := func(_ *rig, a api, counter uintptr) error {
		got, err := a.TimeBase(counter)
		return same(got, err, 1000)
	}
	return append(all,
		functionCase{"PdhAddCounterW", "not in the log", "", winapi.PDH_CSTATUS_NO_COUNTER, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
			query, _ := r.of(file)
			return func(a api) error { _, err := a.AddCounter(query, `\Prozess(svchost)\Handles`); return err }
		}},
		on("PdhRemoveCounter", "once", "", nil, `\Speicher\Bytes`, func(_ *rig, a api, counter uintptr) error { return a.RemoveCounter(counter) }),
		removed("PdhRemoveCounter", func(a api, counter uintptr) error { return a.RemoveCounter(counter) }),
		on("PdhGetCounterInfoW", "of an instance", "", nil, `\Prozess(svchost)\E/A pro s`, func(_ *rig, a api, counter uintptr) error {
			got, err := info(a, counter)
			return same(got, err, winapi.CounterInfo{Type: 0x10410500, DefaultScale: -2, FullPath: `\\HOST\Prozess(svchost)\E/A pro s`, Object: "Prozess",
				Instance: "svchost", HasInstance: true, Index: math.MaxUint32, Counter: "E/A pro s", Explain: "Hilfe"})
		}),
		on("PdhGetCounterInfoW", "without a buffer", "", winapi.PDH_MORE_DATA, `\Speicher\Bytes`, func(_ *rig, a api, counter uintptr) error {
			_, err := a.CounterInfo(counter, nil)
			return err
		}),
		on("PdhGetCounterInfoW", "texts elsewhere", "pointer", winperf.ErrBadData, `\Speicher\Bytes`, readInfo),
		on("PdhGetCounterInfoW", "wrong size", "size", winperf.ErrBadData, `\Speicher\Bytes`, readInfo),
		on("PdhGetCounterInfoW", "never enough", "endless", winperf.ErrBadData, `\Speicher\Bytes`, readInfo),
		removed("PdhGetCounterInfoW", func(a api, counter uintptr) error { _, err := info(a, counter); return err }),
		on("PdhSetCounterScaleFactor", "moves the value", "", nil, `\Speicher\Bytes`, func(r *rig, a api, counter uintptr) error {
			query, counters := r.query(`\Speicher\Bytes`)
			if err := r.Collect(query); err != nil {
				return err
			}
			var raw winapi.PDH_RAW_COUNTER
			var value winapi.PDH_FMT_COUNTERVALUE
			err := errors.Join(a.SetScaleFactor(counters[0], 2), r.RawValue(counters[0], &raw), r.Formatted(counters[0], winapi.PDH_FMT_DOUBLE, &value))
			return same(math.Float64frombits(value.Bits), err, 100*float64(raw.FirstValue))
		}),
		scale("lowest", -7, nil), scale("highest", 7, nil),
		scale("too low", -8, winapi.PDH_INVALID_ARGUMENT), scale("too high", 8, winapi.PDH_INVALID_ARGUMENT),
		removed("PdhSetCounterScaleFactor", func(a api, counter uintptr) error { return a.SetScaleFactor(counter, 1) }),
		on("PdhGetCounterTimeBase", "of a rate", "", nil, `\Prozess(*)\E/A pro s`, base),
		on("PdhGetCounterTimeBase", "of a number", "", winapi.PDH_INVALID_ARGUMENT, `\Speicher\Bytes`, base),
		removed("PdhGetCounterTimeBase", func(a api, counter uintptr) error { _, err := a.TimeBase(counter); return err }),
	)
}

func valueCases() []functionCase {
	formatted := func(about, path string, samples int, format uint32, wantStatus winapi.PdhStatus, want error) functionCase {
		return functionCase{"PdhGetFormattedCounterValue", about, "", want, func(r *rig) func(api) error {
			counter := r.counter(path, samples)
			return func(a api) error {
				var v winapi.PDH_FMT_COUNTERVALUE
				err := a.Formatted(counter, format, &v)
				if !errors.Is(err, want) {
					return err
				}
				return errors.Join(err, same(v.CStatus, nil, wantStatus))
			}
		}}
	}
	rates := func(a api, counter uintptr) (got []string, err error) {
		buf, count, err := array(nil, func(buf winapi.Memory) (uint32, uint32, error) {
			return a.FormattedArray(counter, winapi.PDH_FMT_DOUBLE, buf)
		})
		if err != nil {
			return nil, err
		}
		values, err := buf.FormattedItems(count)
		for i := range values {
			name, err := buf.Name(values[i].Name)
			if err != nil {
				return nil, err
			}
			text := fmt.Sprint(name, " ", math.Float64frombits(values[i].FmtValue.Bits))
			if err := values[i].FmtValue.CStatus.Err(); err != nil {
				text = fmt.Sprint(name, " ", err)
			}
			got = append(got, text)
		}
		return got, err
	}
	raws := func(a api, counter uintptr) (got []string, err error) {
		buf, count, err := array(nil, func(buf winapi.Memory) (uint32, uint32, error) { return a.RawArray(counter, buf) })
		if err != nil {
			return nil, err
		}
		values, err := buf.RawItems(count)
		for i := range values {
			name, err := buf.Name(values[i].Name)
			if err != nil {
				return nil, err
			}
			got = append(got, fmt.Sprint(name, " ", values[i].RawValue.FirstValue-values[0].RawValue.FirstValue))
		}
		return got, err
	}
	on := func(function, about, fake string, want error, path string, samples int, call func(a api, counter uintptr) error) functionCase {
		return functionCase{function, about, fake, want, func(r *rig) func(api) error {
			counter := r.counter(path, samples)
			return func(a api) error { return call(a, counter) }
		}}
	}
	unknown := func(function string, call func(a api) error) functionCase {
		return functionCase{function, "unknown counter", "", winapi.PDH_INVALID_HANDLE, func(*rig) func(api) error { return call }}
	}
	raw := func(a api, counter uintptr) (winapi.PDH_RAW_COUNTER, error) {
		var v winapi.PDH_RAW_COUNTER
		err := a.RawValue(counter, &v)
		return v, err
	}
	const rate = `\Prozess(*)\E/A pro s`
	readRates := func(a api, counter uintptr) error { _, err := rates(a, counter); return err }
	readRaws := func(a api, counter uintptr) error { _, err := raws(a, counter); return err }
	all := []functionCase{
		formatted("rate of two samples", `\Prozess(idle)\E/A pro s`, 2, winapi.PDH_FMT_DOUBLE, winapi.PDH_CSTATUS_NEW_DATA, nil),
		formatted("number", `\Speicher\Bytes`, 1, winapi.PDH_FMT_LARGE, winapi.PDH_CSTATUS_NEW_DATA, nil),
		formatted("rate of one sample", `\Prozess(idle)\E/A pro s`, 1, winapi.PDH_FMT_DOUBLE, winapi.PDH_CSTATUS_INVALID_DATA, winapi.PDH_INVALID_DATA),
		formatted("nothing collected", `\Speicher\Bytes`, 0, winapi.PDH_FMT_DOUBLE, winapi.PDH_CSTATUS_INVALID_DATA, winapi.PDH_INVALID_DATA),
		formatted("no such instance", `\Prozess(x)\Handles`, 0, winapi.PDH_FMT_DOUBLE, winapi.PDH_CSTATUS_NO_INSTANCE, winapi.PDH_INVALID_DATA),
		formatted("no format", `\Speicher\Bytes`, 1, 0, winapi.PDH_CSTATUS_NEW_DATA, winapi.PDH_INVALID_ARGUMENT),
		unknown("PdhGetFormattedCounterValue", func(a api) error { return a.Formatted(1, winapi.PDH_FMT_DOUBLE, &winapi.PDH_FMT_COUNTERVALUE{}) }),
		on("PdhGetFormattedCounterArrayW", "rates of two samples", "", nil, rate, 2, func(a api, counter uintptr) error {
			got, err := rates(a, counter)
			return same(got, err, []string{"idle 10", "svchost 20", "svchost#1 30"})
		}),
		on("PdhGetFormattedCounterArrayW", "rates of one sample", "", nil, `\Prozess(idle)\E/A pro s`, 1, func(a api, counter uintptr) error {
			got, err := rates(a, counter)
			return same(got, err, []string{"idle PDH_CSTATUS_INVALID_DATA (0xc0000bba)"})
		}),
		on("PdhGetFormattedCounterArrayW", "without a buffer", "", winapi.PDH_MORE_DATA, rate, 2, func(a api, counter uintptr) error {
			_, _, err := a.FormattedArray(counter, winapi.PDH_FMT_DOUBLE, nil)
			return err
		}),
		unknown("PdhGetFormattedCounterArrayW", func(a api) error { return readRates(a, 1) }),
		on("PdhGetRawCounterValue", "number", "", nil, `\Prozess(svchost)\Handles`, 1, func(a api, counter uintptr) error {
			v, err := raw(a, counter)
			if err == nil && (v.CStatus != 0 || v.FirstValue <= 100 || v.TimeStamp == [2]uint32{}) {
				return fmt.Errorf("%+v", v)
			}
			return err
		}),
		on("PdhGetRawCounterValue", "no such instance", "", nil, `\Prozess(x)\Handles`, 0, func(a api, counter uintptr) error {
			v, err := raw(a, counter)
			return same(v.CStatus, err, winapi.PDH_CSTATUS_NO_INSTANCE)
		}),
		unknown("PdhGetRawCounterValue", func(a api) error { _, err := raw(a, 1); return err }),
		on("PdhGetRawCounterArrayW", "numbers", "", nil, `\Prozess(*)\Handles`, 1, func(a api, counter uintptr) error {
			got, err := raws(a, counter)
			return same(got, err, []string{"idle 0", "svchost 100", "svchost#1 200"})
		}),
		on("PdhGetRawCounterArrayW", "without a buffer", "", winapi.PDH_MORE_DATA, rate, 1, func(a api, counter uintptr) error {
			_, _, err := a.RawArray(counter, nil)
			return err
		}),
		unknown("PdhGetRawCounterArrayW", func(a api) error { return readRaws(a, 1) }),
		{"PdhGetRawCounterArrayW", "of a log", "", nil, func(r *rig) func(api) error {
			file, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 2)
			query, counters := r.of(file, rate)
			if err := errors.Join(r.Collect(query), r.Collect(query)); err != nil {
				r.t.Fatal(err)
			}
			return func(a api) error {
				got, err := raws(a, counters[0])
				if err == nil && (len(got) != 2 || got[0] != "svchost 0" || !strings.HasPrefix(got[1], "svchost#1 ")) {
					return fmt.Errorf("got %q", got)
				}
				return err
			}
		}},
	}
	for _, lie := range []string{"pointer", "count", "size", "endless"} {
		all = append(all,
			on("PdhGetFormattedCounterArrayW", "lie: "+lie, lie, winperf.ErrBadData, rate, 2, readRates),
			on("PdhGetRawCounterArrayW", "lie: "+lie, lie, winperf.ErrBadData, rate, 1, readRaws))
	}
	return all
}

func computeCases() (all []functionCase) {
	raw := func(status winapi.PdhStatus, first, clock int64) *winapi.PDH_RAW_COUNTER {
		return &winapi.PDH_RAW_COUNTER{CStatus: status, FirstValue: first, SecondValue: clock}
	}
	const double = winapi.PDH_FMT_DOUBLE
	ways := []struct {
		function string
		compute  func(a api, rate uintptr, format uint32, newer, older *winapi.PDH_RAW_COUNTER, v *winapi.PDH_FMT_COUNTERVALUE) error
		want     float64
	}{
		{"PdhCalculateCounterFromRawValue", func(a api, rate uintptr, format uint32, newer, older *winapi.PDH_RAW_COUNTER, v *winapi.PDH_FMT_COUNTERVALUE) error {
			return a.Calculate(rate, format, newer, older, v)
		}, 150},
		{"PdhFormatFromRawValue", func(a api, _ uintptr, format uint32, newer, older *winapi.PDH_RAW_COUNTER, v *winapi.PDH_FMT_COUNTERVALUE) error {
			return a.Format(0x10410500, format, 100, newer, older, v)
		}, 15},
	}
	for _, w := range ways {
		for about, c := range map[string]struct {
			format       uint32
			newer, older *winapi.PDH_RAW_COUNTER
			want         error
		}{
			"rate":              {double, raw(0, 400, 3000), raw(0, 100, 1000), nil},
			"clock stood still": {double, raw(0, 400, 1000), raw(0, 100, 1000), winapi.PDH_CALC_NEGATIVE_DENOMINATOR},
			"counter fell":      {double, raw(0, 100, 3000), raw(0, 400, 1000), winapi.PDH_CALC_NEGATIVE_VALUE},
			"no older value":    {double, raw(0, 400, 3000), nil, winapi.PDH_INVALID_ARGUMENT},
			"no format":         {0, raw(0, 400, 3000), raw(0, 100, 1000), winapi.PDH_INVALID_ARGUMENT},
			"no data":           {double, raw(0, 400, 3000), raw(winapi.PDH_CSTATUS_NO_INSTANCE, 0, 0), winapi.PDH_INVALID_DATA},
		} {
			all = append(all, functionCase{w.function, about, "", c.want, func(r *rig) func(api) error {
				_, counters := r.query(`\Prozess(idle)\E/A pro s`)
				return func(a api) error {
					var v winapi.PDH_FMT_COUNTERVALUE
					err := w.compute(a, counters[0], c.format, c.newer, c.older, &v)
					return same([]any{math.Float64frombits(v.Bits), v.CStatus}, err, []any{w.want, winapi.PDH_CSTATUS_NEW_DATA})
				}
			}})
		}
	}
	statistics := func(about, path string, first uint32, want error) functionCase {
		return functionCase{"PdhComputeCounterStatistics", about, "", want, func(r *rig) func(api) error {
			_, counters := r.query(path)
			return func(a api) error {
				var s winapi.PDH_STATISTICS
				err := a.Statistics(counters[0], winapi.PDH_FMT_LARGE, first, []winapi.PDH_RAW_COUNTER{*raw(0, 400, 3000), *raw(0, 100, 3000)}, &s)
				return same([]uint64{uint64(s.Count), s.Min.Bits, s.Max.Bits, s.Mean.Bits}, err, []uint64{2, 100, 400, 250})
			}
		}}
	}
	return append(all,
		functionCase{"PdhCalculateCounterFromRawValue", "unknown counter", "", winapi.PDH_INVALID_HANDLE, func(*rig) func(api) error {
			return func(a api) error {
				return a.Calculate(1, double, raw(0, 2, 2), raw(0, 1, 1), &winapi.PDH_FMT_COUNTERVALUE{})
			}
		}},
		functionCase{"PdhFormatFromRawValue", "negative time base", "", winapi.PDH_CALC_NEGATIVE_TIMEBASE, func(*rig) func(api) error {
			return func(a api) error {
				return a.Format(0x10410500, double, -1, raw(0, 2, 2), raw(0, 1, 1), &winapi.PDH_FMT_COUNTERVALUE{})
			}
		}},
		statistics("of a ring", `\Speicher\Bytes`, 1, nil),
		statistics("begins behind the ring", `\Speicher\Bytes`, 2, winapi.PDH_INVALID_ARGUMENT),
		statistics("no value", `\Prozess(idle)\E/A pro s`, 0, winapi.PDH_INVALID_DATA),
		functionCase{"PdhComputeCounterStatistics", "unknown counter", "", winapi.PDH_INVALID_HANDLE, func(*rig) func(api) error {
			return func(a api) error {
				return a.Statistics(1, winapi.PDH_FMT_LARGE, 0, []winapi.PDH_RAW_COUNTER{*raw(0, 1, 1)}, &winapi.PDH_STATISTICS{})
			}
		}},
	)
}
