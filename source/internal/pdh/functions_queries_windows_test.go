package pdh

import (
	"errors"
	"fmt"
	"math"
	"strings"

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
	collect := func(about, fake string, want error, prepare func(r *rig) uintptr) functionCase {
		return functionCase{"PdhCollectQueryData", about, fake, want, func(r *rig) func(api) error {
			query := prepare(r)
			return func(a api) error { return a.Collect(query) }
		}}
	}
	with := func(paths ...string) func(r *rig) uintptr {
		return func(r *rig) uintptr { q, _ := r.query(paths...); return q }
	}
	return []functionCase{
		collect("live", "", nil, with(`\Speicher\Bytes`)),
		collect("no counters", "", winapi.PDH_NO_DATA, with()),
		collect("the only instance is missing", "", winapi.PDH_NO_DATA, with(`\Prozess(x)\Handles`)),
		collect("unknown query", "", winapi.PDH_INVALID_HANDLE, func(*rig) uintptr { return 1 }),
		collect("takes too long", "PdhCollectQueryData=C0000BFE", winapi.PDH_QUERY_PERF_DATA_TIMEOUT,
			with(`\Speicher\Bytes`)),
		{"PdhOpenQueryW", "live", "", nil, func(r *rig) func(api) error {
			return func(a api) error { q, err := a.OpenQuery(); return closing(r, q, err) }
		}},
		{"PdhOpenQueryW", "no memory", "PdhOpenQueryW=C0000BBB", winapi.PDH_MEMORY_ALLOCATION_FAILURE,
			func(r *rig) func(api) error {
				return func(a api) error { _, err := a.OpenQuery(); return err }
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
	}
}

func counterCases() (all []functionCase) {
	adds := []struct {
		function      string
		add           func(a api, query uintptr, path string) (uintptr, error)
		object, bytes string
	}{
		{"PdhAddCounterW", func(a api, query uintptr, path string) (uintptr,
			error) {
			return a.AddCounter(query, path)
		}, "Prozess", `\Speicher\Bytes`},
		{"PdhAddEnglishCounterW", func(a api, query uintptr, path string) (uintptr,
			error) {
			return a.AddEnglishCounter(query, path)
		}, "Process", `\Memory\Bytes`},
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
		all = append(all, functionCase{f.function, "unknown query", "", winapi.PDH_INVALID_HANDLE,
			func(*rig) func(api) error {
				return func(a api) error { _, err := f.add(a, 1, f.bytes); return err }
			}}, functionCase{f.function, "no memory", f.function + "=C0000BBB",
			winapi.PDH_MEMORY_ALLOCATION_FAILURE, func(r *rig) func(api) error {
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
	on := func(function, about, fake string, want error, path string,
		call func(r *rig, a api, counter uintptr) error) functionCase {
		return functionCase{function, about, fake, want, func(r *rig) func(api) error {
			_, counters := r.query(path)
			return func(a api) error { return call(r, a, counters[0]) }
		}}
	}
	readInfo := func(_ *rig, a api, counter uintptr) error { _, err := info(a, counter); return err }
	removed := func(function string, call func(a api, counter uintptr) error) functionCase {
		return on(function, "removed", "", winapi.PDH_INVALID_HANDLE, `\Speicher\Bytes`,
			func(r *rig, a api, counter uintptr) error {
				if err := r.RemoveCounter(counter); err != nil {
					r.t.Error(err)
				}
				return call(a, counter)
			})
	}
	base := func(_ *rig, a api, counter uintptr) error {
		got, err := a.TimeBase(counter)
		return same(got, err, 1000)
	}
	return append(all,
		on("PdhRemoveCounter", "once", "", nil, `\Speicher\Bytes`,
			func(_ *rig, a api, counter uintptr) error { return a.RemoveCounter(counter) }),
		removed("PdhRemoveCounter", func(a api, counter uintptr) error { return a.RemoveCounter(counter) }),
		on("PdhGetCounterInfoW", "of an instance", "", nil, `\Prozess(svchost)\E/A pro s`,
			func(_ *rig, a api, counter uintptr) error {
				got, err := info(a, counter)
				return same(got, err, winapi.CounterInfo{Type: 0x10410500, DefaultScale: -2,
					FullPath: `\\HOST\Prozess(svchost)\E/A pro s`, Object: "Prozess",
					Instance: "svchost", HasInstance: true, Index: math.MaxUint32, Counter: "E/A pro s",
					Explain: "Hilfe"})
			}),
		on("PdhGetCounterInfoW", "without a buffer", "", winapi.PDH_MORE_DATA, `\Speicher\Bytes`,
			func(_ *rig, a api, counter uintptr) error {
				_, err := a.CounterInfo(counter, nil)
				return err
			}),
		on("PdhGetCounterInfoW", "texts elsewhere", "pointer", winperf.ErrBadData,
			`\Speicher\Bytes`, readInfo),
		on("PdhGetCounterInfoW", "wrong size", "size", winperf.ErrBadData, `\Speicher\Bytes`, readInfo),
		on("PdhGetCounterInfoW", "never enough", "endless", winperf.ErrBadData, `\Speicher\Bytes`, readInfo),
		removed("PdhGetCounterInfoW", func(a api, counter uintptr) error {
			_,
				err := info(a, counter)
			return err
		}),
		on("PdhGetCounterTimeBase", "of a rate", "", nil, `\Prozess(*)\E/A pro s`, base),
		on("PdhGetCounterTimeBase", "of a number", "", winapi.PDH_INVALID_ARGUMENT, `\Speicher\Bytes`, base),
		removed("PdhGetCounterTimeBase", func(a api, counter uintptr) error {
			_,
				err := a.TimeBase(counter)
			return err
		}),
	)
}

func valueCases() []functionCase {
	formatted := func(about, path string, samples int, format uint32, wantStatus winapi.PdhStatus,
		want error) functionCase {
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
		buf, count, err := array(nil, func(buf winapi.Memory) (uint32, uint32,
			error) {
			return a.RawArray(counter, buf)
		})
		if err != nil {
			return nil, err
		}
		values, err := buf.RawItems(count)
		for i := range values {
			name, err := buf.Name(values[i].Name)
			if err != nil {
				return nil, err
			}
			got = append(got, fmt.Sprint(name, " ",
				values[i].RawValue.FirstValue-values[0].RawValue.FirstValue))
		}
		return got, err
	}
	on := func(function, about, fake string, want error, path string, samples int,
		call func(a api, counter uintptr) error) functionCase {
		return functionCase{function, about, fake, want, func(r *rig) func(api) error {
			counter := r.counter(path, samples)
			return func(a api) error { return call(a, counter) }
		}}
	}
	unknown := func(function string, call func(a api) error) functionCase {
		return functionCase{function, "unknown counter", "", winapi.PDH_INVALID_HANDLE,
			func(*rig) func(api) error { return call }}
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
		formatted("rate of two samples", `\Prozess(idle)\E/A pro s`, 2, winapi.PDH_FMT_DOUBLE,
			winapi.PDH_CSTATUS_NEW_DATA, nil),
		formatted("number", `\Speicher\Bytes`, 1, winapi.PDH_FMT_LARGE, winapi.PDH_CSTATUS_NEW_DATA, nil),
		formatted("rate of one sample", `\Prozess(idle)\E/A pro s`, 1, winapi.PDH_FMT_DOUBLE,
			winapi.PDH_CSTATUS_INVALID_DATA, winapi.PDH_INVALID_DATA),
		formatted("nothing collected", `\Speicher\Bytes`, 0, winapi.PDH_FMT_DOUBLE,
			winapi.PDH_CSTATUS_INVALID_DATA, winapi.PDH_INVALID_DATA),
		formatted("no such instance", `\Prozess(x)\Handles`, 0, winapi.PDH_FMT_DOUBLE,
			winapi.PDH_CSTATUS_NO_INSTANCE, winapi.PDH_INVALID_DATA),
		formatted("no format", `\Speicher\Bytes`, 1, 0, winapi.PDH_CSTATUS_NEW_DATA,
			winapi.PDH_INVALID_ARGUMENT),
		unknown("PdhGetFormattedCounterValue",
			func(a api) error {
				return a.Formatted(1, winapi.PDH_FMT_DOUBLE,
					&winapi.PDH_FMT_COUNTERVALUE{})
			}),
		on("PdhGetFormattedCounterArrayW", "rates of two samples", "", nil, rate, 2,
			func(a api, counter uintptr) error {
				got, err := rates(a, counter)
				return same(got, err, []string{"idle 10", "svchost 20", "svchost#1 30"})
			}),
		on("PdhGetFormattedCounterArrayW", "rates of one sample", "", nil, `\Prozess(idle)\E/A pro s`, 1,
			func(a api, counter uintptr) error {
				got, err := rates(a, counter)
				return same(got, err, []string{"idle PDH_CSTATUS_INVALID_DATA (0xc0000bba)"})
			}),
		on("PdhGetFormattedCounterArrayW", "without a buffer", "", winapi.PDH_MORE_DATA, rate, 2,
			func(a api, counter uintptr) error {
				_, _, err := a.FormattedArray(counter, winapi.PDH_FMT_DOUBLE, nil)
				return err
			}),
		unknown("PdhGetFormattedCounterArrayW", func(a api) error { return readRates(a, 1) }),
		on("PdhGetRawCounterValue", "number", "", nil, `\Prozess(svchost)\Handles`, 1,
			func(a api, counter uintptr) error {
				v, err := raw(a, counter)
				if err == nil && (v.CStatus != 0 || v.FirstValue <= 100 || v.TimeStamp == [2]uint32{}) {
					return fmt.Errorf("%+v", v)
				}
				return err
			}),
		on("PdhGetRawCounterValue", "no such instance", "", nil, `\Prozess(x)\Handles`, 0,
			func(a api, counter uintptr) error {
				v, err := raw(a, counter)
				return same(v.CStatus, err, winapi.PDH_CSTATUS_NO_INSTANCE)
			}),
		unknown("PdhGetRawCounterValue", func(a api) error { _, err := raw(a, 1); return err }),
		on("PdhGetRawCounterArrayW", "numbers", "", nil, `\Prozess(*)\Handles`, 1,
			func(a api, counter uintptr) error {
				got, err := raws(a, counter)
				return same(got, err, []string{"idle 0", "svchost 100", "svchost#1 200"})
			}),
		on("PdhGetRawCounterArrayW", "without a buffer", "", winapi.PDH_MORE_DATA, rate, 1,
			func(a api, counter uintptr) error {
				_, _, err := a.RawArray(counter, nil)
				return err
			}),
		unknown("PdhGetRawCounterArrayW", func(a api) error { return readRaws(a, 1) }),
	}
	for _, lie := range []string{"pointer", "count", "size", "endless"} {
		all = append(all,
			on("PdhGetFormattedCounterArrayW", "lie: "+lie, lie, winperf.ErrBadData, rate, 2, readRates),
			on("PdhGetRawCounterArrayW", "lie: "+lie, lie, winperf.ErrBadData, rate, 1, readRaws))
	}
	return all
}
