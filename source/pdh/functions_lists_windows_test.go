package pdh

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

// direct is a case that needs nothing prepared.
func direct(function, about, fake string, want error, f func(a api) error) functionCase {
	return functionCase{function, about, fake, want, func(*rig) func(api) error { return f }}
}

// lies are what the fake does with lists, which all functions find.
var lies = []string{"size", "endless", "unending"}

// onLogs is a case of a data source of two logs with the same counters.
func onLogs(function string, f func(a api, source uintptr) error) functionCase {
	return functionCase{function, "logs", "", nil, func(r *rig) func(api) error {
		one, _ := r.log("a.blg", winapi.PDH_LOG_TYPE_BINARY, 2)
		two, _ := r.log("b.blg", winapi.PDH_LOG_TYPE_BINARY, 1)
		source := r.source(one, two)
		return func(a api) error { return f(a, source) }
	}}
}

// wrongSources are the errors of every function that takes a data source.
func wrongSources(function string, f func(a api, source uintptr) error) []functionCase {
	return []functionCase{
		direct(function, "unknown source", "", winapi.PDH_INVALID_HANDLE, func(a api) error { return f(a, 1) }),
		direct(function, "WMI", "", winapi.PDH_CANNOT_CONNECT_WMI_SERVER, func(a api) error { return f(a, winapi.H_WBEM_DATASOURCE) }),
	}
}

func listCases() (all []functionCase) {
	const detail = winapi.PERF_DETAIL_WIZARD
	// Of each function its form for live counters and that for data sources.
	type form struct {
		function string
		machines func(a api, source uintptr, buf []uint16) (uint32, error)
		objects  func(a api, source uintptr, machine string, buf []uint16, detail uint32) (uint32, error)
		items    func(a api, source uintptr, object, machine string, c, i []uint16, detail uint32) (uint32, uint32, error)
		expand   func(a api, source uintptr, path string, buf []uint16, flags uint32) (uint32, error)
		object   func(a api, source uintptr, machine string, buf []uint16) (uint32, error)
		counter  func(a api, source uintptr, machine, object string, buf []uint16) (uint32, error)
	}
	forms := []form{{
		"W",
		func(a api, _ uintptr, buf []uint16) (uint32, error) { return a.EnumMachines(buf) },
		func(a api, _ uintptr, machine string, buf []uint16, detail uint32) (uint32, error) {
			return a.EnumObjects(machine, buf, detail, true)
		},
		func(a api, _ uintptr, object, machine string, c, i []uint16, detail uint32) (uint32, uint32, error) {
			return a.EnumObjectItems(machine, object, c, i, detail)
		},
		func(a api, _ uintptr, path string, buf []uint16, flags uint32) (uint32, error) {
			return a.ExpandWildCardPath(path, buf, flags)
		},
		func(a api, _ uintptr, machine string, buf []uint16) (uint32, error) {
			return a.DefaultObject(machine, buf)
		},
		func(a api, _ uintptr, machine, object string, buf []uint16) (uint32, error) {
			return a.DefaultCounter(machine, object, buf)
		},
	}, {
		"HW",
		func(a api, source uintptr, buf []uint16) (uint32, error) { return a.EnumMachinesH(source, buf) },
		func(a api, source uintptr, machine string, buf []uint16, detail uint32) (uint32, error) {
			return a.EnumObjectsH(source, machine, buf, detail, true)
		},
		func(a api, source uintptr, object, machine string, c, i []uint16, detail uint32) (uint32, uint32, error) {
			return a.EnumObjectItemsH(source, machine, object, c, i, detail)
		},
		func(a api, source uintptr, path string, buf []uint16, flags uint32) (uint32, error) {
			return a.ExpandWildCardPathH(source, path, buf, flags)
		},
		func(a api, source uintptr, machine string, buf []uint16) (uint32, error) {
			return a.DefaultObjectH(source, machine, buf)
		},
		func(a api, source uintptr, machine, object string, buf []uint16) (uint32, error) {
			return a.DefaultCounterH(source, machine, object, buf)
		},
	}}
	for _, f := range forms {
		machines := func(a api, source uintptr) ([]string, error) {
			return texts(func(buf []uint16) (uint32, error) { return f.machines(a, source, buf) })
		}
		objects := func(a api, source uintptr, machine string) ([]string, error) {
			return texts(func(buf []uint16) (uint32, error) { return f.objects(a, source, machine, buf, detail) })
		}
		contents := func(a api, source uintptr, object string) (string, error) {
			c, instances, err := items(func(c, i []uint16) (uint32, uint32, error) { return f.items(a, source, object, "", c, i, detail) })
			return fmt.Sprint(strings.Join(c, " "), " ", instances), err
		}
		expand := func(a api, source uintptr, path string, flags uint32) ([]string, error) {
			return texts(func(buf []uint16) (uint32, error) { return f.expand(a, source, path, buf, flags) })
		}
		object := func(a api, source uintptr, machine string) (string, error) {
			return word(func(buf []uint16) (uint32, error) { return f.object(a, source, machine, buf) })
		}
		counter := func(a api, source uintptr, object string) (string, error) {
			return word(func(buf []uint16) (uint32, error) { return f.counter(a, source, "", object, buf) })
		}

		function := "PdhEnumMachines" + f.function
		all = append(all,
			direct(function, "live", "", nil, func(a api) error { got, err := machines(a, 0); return same(got, err, []string{`\\HOST`}) }),
			direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := f.machines(a, 0, nil); return err }))
		for _, lie := range lies {
			all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData, func(a api) error { _, err := machines(a, 0); return err }))
		}

		function = "PdhEnumObjects" + f.function
		all = append(all,
			direct(function, "live", "", nil, func(a api) error {
				got, err := objects(a, 0, `\\other`)
				return same(got, err, []string{"Prozess", "Speicher"})
			}),
			direct(function, "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, func(a api) error { _, err := objects(a, 0, `\\nowhere`); return err }),
			direct(function, "no detail", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, err := f.objects(a, 0, "", nil, 0); return err }),
			direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := f.objects(a, 0, "", nil, detail); return err }))
		for _, lie := range lies {
			all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData, func(a api) error { _, err := objects(a, 0, ""); return err }))
		}

		function = "PdhEnumObjectItems" + f.function
		all = append(all,
			direct(function, "instances", "", nil, func(a api) error {
				got, err := contents(a, 0, "Prozess")
				return same(got, err, fmt.Sprint("Handles E/A pro s ", len("idle\x00svchost\x00\x00"))) // each once
			}),
			direct(function, "object without instances", "", nil, func(a api) error {
				got, err := contents(a, 0, "Speicher")
				return same(got, err, "Bytes Text 0")
			}),
			direct(function, "no instances at the moment", "empty", nil, func(a api) error {
				got, err := contents(a, 0, "Prozess")
				return same(got, err, "Handles E/A pro s 2")
			}),
			direct(function, "no such object", "", winapi.PDH_CSTATUS_NO_OBJECT, func(a api) error { _, err := contents(a, 0, "x"); return err }),
			direct(function, "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, func(a api) error {
				_, _, err := f.items(a, 0, "Prozess", `\\nowhere`, nil, nil, detail)
				return err
			}),
			direct(function, "no object", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, err := contents(a, 0, ""); return err }),
			direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error {
				_, _, err := f.items(a, 0, "Prozess", "", nil, nil, detail)
				return err
			}))
		for _, lie := range lies {
			all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData, func(a api) error { _, err := contents(a, 0, "Prozess"); return err }))
		}

		function = "PdhExpandWildCardPath" + f.function
		for about, c := range map[string]struct {
			path  string
			flags uint32
			want  any
		}{
			"instances":             {`\Prozess(svc*)\Handles`, 0, []string{`\\HOST\Prozess(svchost)\Handles`, `\\HOST\Prozess(svchost#1)\Handles`}},
			"counters":              {`\Speicher\*`, 0, []string{`\\HOST\Speicher\Bytes`, `\\HOST\Speicher\Text`}},
			"counters left":         {`\Prozess(idle)\*`, winapi.PDH_NOEXPANDCOUNTERS, []string{`\\HOST\Prozess(idle)\*`}},
			"no such object":        {`\x\*`, 0, winapi.PDH_CSTATUS_NO_OBJECT},
			"no such machine":       {`\\nowhere\Speicher\*`, 0, winapi.PDH_CSTATUS_NO_MACHINE},
			"has no instances":      {`\Speicher(*)\Bytes`, 0, winapi.PDH_INVALID_PATH},
			"has instances":         {`\Prozess\*`, 0, winapi.PDH_INVALID_PATH},
			"no path":               {"", 0, winapi.PDH_INVALID_ARGUMENT},
			"unknown flag":          {`\Speicher\*`, 8, winapi.PDH_INVALID_ARGUMENT},
			"nothing to be parsed ": {"x", 0, winapi.PDH_INVALID_PATH},
		} {
			want, _ := c.want.(error)
			all = append(all, direct(function, about, "", want, func(a api) error {
				got, err := expand(a, 0, c.path, c.flags)
				return same[any](got, err, c.want)
			}))
		}
		all = append(all, direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := f.expand(a, 0, `\Speicher\*`, nil, 0); return err }))
		for _, lie := range lies {
			all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData, func(a api) error { _, err := expand(a, 0, `\Speicher\*`, 0); return err }))
		}

		function = "PdhGetDefaultPerfObject" + f.function
		all = append(all,
			direct(function, "live", "", nil, func(a api) error { got, err := object(a, 0, ""); return same(got, err, "Prozess") }),
			direct(function, "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, func(a api) error { _, err := object(a, 0, `\\nowhere`); return err }),
			direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := f.object(a, 0, "", nil); return err }))
		for _, lie := range lies {
			all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData, func(a api) error { _, err := object(a, 0, ""); return err }))
		}

		function = "PdhGetDefaultPerfCounter" + f.function
		all = append(all,
			direct(function, "live", "", nil, func(a api) error { got, err := counter(a, 0, "Speicher"); return same(got, err, "Bytes") }),
			direct(function, "no such object", "", winapi.PDH_CSTATUS_NO_OBJECT, func(a api) error { _, err := counter(a, 0, "x"); return err }),
			direct(function, "no object", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, err := counter(a, 0, ""); return err }),
			direct(function, "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, func(a api) error {
				_, err := f.counter(a, 0, `\\nowhere`, "Speicher", nil)
				return err
			}),
			direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := f.counter(a, 0, "", "Speicher", nil); return err }))
		for _, lie := range lies {
			all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData, func(a api) error { _, err := counter(a, 0, "Speicher"); return err }))
		}
		if f.function == "W" {
			continue
		}
		for function, list := range map[string]struct {
			call func(a api, source uintptr) (any, error)
			want any
		}{
			"PdhEnumMachinesHW":    {func(a api, source uintptr) (any, error) { return machines(a, source) }, []string{`\\HOST`}},
			"PdhEnumObjectsHW":     {func(a api, source uintptr) (any, error) { return objects(a, source, "") }, []string{"Speicher", "Prozess"}},
			"PdhEnumObjectItemsHW": {func(a api, source uintptr) (any, error) { return contents(a, source, "Prozess") }, "E/A pro s 9"},
			"PdhExpandWildCardPathHW": {func(a api, source uintptr) (any, error) { return expand(a, source, `\Prozess(*)\*`, 0) },
				columns[1:]},
			"PdhGetDefaultPerfObjectHW":  {func(a api, source uintptr) (any, error) { return object(a, source, "") }, "Speicher"},
			"PdhGetDefaultPerfCounterHW": {func(a api, source uintptr) (any, error) { return counter(a, source, "Prozess") }, "E/A pro s"},
		} {
			all = append(all, onLogs(function, func(a api, source uintptr) error {
				got, err := list.call(a, source)
				return same(got, err, list.want)
			}))
			all = append(all, wrongSources(function, func(a api, source uintptr) error { _, err := list.call(a, source); return err })...)
		}
	}
	old := func(a api, path string) ([]string, error) {
		return texts(func(buf []uint16) (uint32, error) { return a.ExpandCounterPath(path, buf) })
	}
	return append(all,
		direct("PdhExpandCounterPathW", "instances", "", nil, func(a api) error {
			got, err := old(a, `\Prozess(i*)\*`)
			return same(got, err, []string{`\\HOST\Prozess(idle)\Handles`, `\\HOST\Prozess(idle)\E/A pro s`})
		}),
		direct("PdhExpandCounterPathW", "no path", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, err := old(a, ""); return err }),
		direct("PdhExpandCounterPathW", "no such object", "", winapi.PDH_CSTATUS_NO_OBJECT, func(a api) error { _, err := old(a, `\x\*`); return err }),
		direct("PdhExpandCounterPathW", "has no instances", "", winapi.PDH_INVALID_PATH, func(a api) error { _, err := old(a, `\Speicher(*)\*`); return err }),
		direct("PdhExpandCounterPathW", "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := a.ExpandCounterPath(`\Speicher\*`, nil); return err }),
		direct("PdhConnectMachineW", "other", "", nil, func(a api) error { return a.ConnectMachine(`\\other`) }),
		direct("PdhConnectMachineW", "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, func(a api) error { return a.ConnectMachine(`\\nowhere`) }),
		direct("PdhConnectMachineW", "not reached", "PdhConnectMachineW=C0000BC3", winapi.PDH_CANNOT_CONNECT_MACHINE, func(a api) error { return a.ConnectMachine(`\\other`) }),
		direct("PdhGetDllVersion", "5.3", "", nil, func(a api) error { got, err := a.Version(); return same(got, err, 0x503) }),
		direct("PdhGetDllVersion", "fails", "PdhGetDllVersion=C0000BBD", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, err := a.Version(); return err }),
	)
}

func pathCases() (all []functionCase) {
	make16 := func(a api, instance, parent, object string) (string, error) {
		return word(func(buf []uint16) (uint32, error) { return a.MakePath(`\\M`, object, instance, parent, 3, "Ctr", buf) })
	}
	parse := func(a api, path string) (winapi.CounterInfo, error) {
		buf, _, err := array(nil, func(buf winapi.Memory) (uint32, uint32, error) {
			size, err := a.ParsePath(path, buf)
			return size, 1, err
		})
		if err != nil {
			return winapi.CounterInfo{}, err
		}
		return buf.PathElements()
	}
	parsed := func(about, path, fake string, want error, elements winapi.CounterInfo) functionCase {
		return direct("PdhParseCounterPathW", about, fake, want, func(a api) error {
			got, err := parse(a, path)
			return same(got, err, elements)
		})
	}
	instance := func(about, text string, want error, elements ...any) functionCase {
		return direct("PdhParseInstanceNameW", about, "", want, func(a api) error {
			name, parent, index, err := a.ParseInstance(text)
			return same([]any{name, parent, index}, err, elements)
		})
	}
	for about, c := range map[string]struct {
		path string
		want error
	}{
		"there":                    {`\Speicher\Bytes`, nil},
		"no such instance":         {`\Prozess(x)\Handles`, winapi.PDH_CSTATUS_NO_INSTANCE},
		"no such counter":          {`\Speicher\x`, winapi.PDH_CSTATUS_NO_COUNTER},
		"no such object":           {`\x\y`, winapi.PDH_CSTATUS_NO_OBJECT},
		"no such machine":          {`\\nowhere\Speicher\Bytes`, winapi.PDH_CSTATUS_NO_MACHINE},
		"nothing to be parsed":     {"x", winapi.PDH_CSTATUS_BAD_COUNTERNAME},
		"no counter in the path":   {`\Speicher\`, winapi.PDH_CSTATUS_NO_COUNTERNAME},
		"no path":                  {"", winapi.PDH_INVALID_ARGUMENT},
		"instance missing in path": {`\Prozess\Handles`, winapi.PDH_INVALID_PATH},
	} {
		all = append(all,
			direct("PdhValidatePathW", about, "", c.want, func(a api) error { return a.ValidatePath(c.path) }),
			direct("PdhValidatePathExW", about, "", c.want, func(a api) error { return a.ValidatePathEx(0, c.path) }))
	}
	all = append(all, onLogs("PdhValidatePathExW", func(a api, source uintptr) error { return a.ValidatePathEx(source, columns[1]) }))
	all = append(all, wrongSources("PdhValidatePathExW", func(a api, source uintptr) error { return a.ValidatePathEx(source, columns[1]) })...)
	setSource := func(about string, source uint32, want error) functionCase {
		return direct("PdhSetDefaultRealTimeDataSource", about, "", want, func(a api) error { return a.SetDefaultSource(source) })
	}
	title := func(a api, machine string, index uint32) (string, error) {
		return word(func(buf []uint16) (uint32, error) { return a.NameByIndex(machine, index, buf) })
	}
	names := func(about, fake string, want error, machine string, index uint32) functionCase {
		return direct("PdhLookupPerfNameByIndexW", about, fake, want, func(a api) error {
			got, err := title(a, machine, index)
			return same(got, err, "Prozess")
		})
	}
	indexes := func(about string, want error, machine, name string) functionCase {
		return direct("PdhLookupPerfIndexByNameW", about, "", want, func(a api) error {
			got, err := a.IndexByName(machine, name)
			return same(got, err, 230)
		})
	}
	return append(all,
		direct("PdhMakeCounterPathW", "whole", "", nil, func(a api) error {
			got, err := make16(a, "I", "P", "Obj")
			return same(got, err, `\\M\Obj(P/I#3)\Ctr`)
		}),
		direct("PdhMakeCounterPathW", "no instance, so no parent", "", nil, func(a api) error {
			got, err := make16(a, "", "P", "Obj")
			return same(got, err, `\\M\Obj\Ctr`)
		}),
		direct("PdhMakeCounterPathW", "no object", "", winapi.PDH_INVALID_ARGUMENT, func(a api) error { _, err := make16(a, "I", "P", ""); return err }),
		direct("PdhMakeCounterPathW", "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error {
			_, err := a.MakePath("", "Obj", "", "", 0, "Ctr", nil)
			return err
		}),
		parsed("whole", `\\M\Obj(P/I#3)\Ctr`, "", nil,
			winapi.CounterInfo{Machine: `\\M`, Object: "Obj", Instance: "I", HasInstance: true, Parent: "P", Index: 3, Counter: "Ctr"}),
		parsed("object and counter", `\Obj\Ctr`, "", nil, winapi.CounterInfo{Object: "Obj", Counter: "Ctr"}),
		parsed("nothing to be parsed", "Obj", "", winapi.PDH_INVALID_PATH, winapi.CounterInfo{}),
		parsed("no name of the instance", `\Obj(P/)\Ctr`, "", winapi.PDH_INVALID_PATH, winapi.CounterInfo{}),
		parsed("no path", "", "", winapi.PDH_INVALID_ARGUMENT, winapi.CounterInfo{}),
		parsed("texts elsewhere", `\Obj\Ctr`, "pointer", winperf.ErrBadData, winapi.CounterInfo{}),
		parsed("wrong size", `\Obj\Ctr`, "size", winperf.ErrBadData, winapi.CounterInfo{}),
		direct("PdhParseCounterPathW", "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := a.ParsePath(`\Obj\Ctr`, nil); return err }),
		instance("whole", "P/I#3", nil, "I", "P", uint32(3)),
		instance("name", "I", nil, "I", "", uint32(0)),
		instance("no name", "P/", winapi.PDH_INVALID_INSTANCE),
		instance("too long", strings.Repeat("x", syscall.MAX_PATH), winapi.PDH_INVALID_INSTANCE),
		instance("no text", "", winapi.PDH_INVALID_ARGUMENT),
		setSource("registry", 1, nil), setSource("WMI", 4, nil),
		setSource("logs", 2, winapi.PDH_INVALID_ARGUMENT),
		functionCase{"PdhSetDefaultRealTimeDataSource", "after use", "", winapi.PDH_CANNOT_SET_DEFAULT_REALTIME_DATASOURCE, func(r *rig) func(api) error {
			r.query()
			return func(a api) error { return a.SetDefaultSource(1) }
		}},
		names("there", "", nil, "", 230),
		names("not there", "", winapi.PDH_STRING_NOT_FOUND, "", 231),
		names("no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, `\\nowhere`, 230),
		names("Windows XP", "PdhLookupPerfNameByIndexW=C0000BC2", winperf.ErrBadData, "", 230), // for ever
		names("no names", "PdhLookupPerfNameByIndexW=C0000BC8", winapi.PDH_CANNOT_READ_NAME_STRINGS, "", 230),
		names("wrong size", "size", winperf.ErrBadData, "", 230),
		names("never enough", "endless", winperf.ErrBadData, "", 230),
		direct("PdhLookupPerfNameByIndexW", "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error { _, err := a.NameByIndex("", 230, nil); return err }),
		indexes("there", nil, "", "Prozess"),
		indexes("not there", winapi.PDH_STRING_NOT_FOUND, "", "x"),
		indexes("no such machine", winapi.PDH_CSTATUS_NO_MACHINE, `\\nowhere`, "Prozess"),
		indexes("no name", winapi.PDH_INVALID_ARGUMENT, "", ""),
	)
}
