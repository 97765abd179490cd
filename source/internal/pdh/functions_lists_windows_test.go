package pdh

import (
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

// direct is a case that needs nothing prepared.
func direct(function, about, fake string, want error, f func(a api) error) functionCase {
	return functionCase{function, about, fake, want, func(*rig) func(api) error { return f }}
}

// lies are what the fake does with lists, which all functions find.
var lies = []string{"size", "endless", "unending"}

func listCases() (all []functionCase) {
	const detail = winapi.PERF_DETAIL_WIZARD
	objects := func(a api, machine string) ([]string, error) {
		return texts(func(buf []uint16) (uint32, error) { return a.EnumObjects(machine, buf, detail, true) })
	}
	contents := func(a api, object string) (string, error) {
		c, instances, err := items(func(c, i []uint16) (uint32, uint32,
			error) {
			return a.EnumObjectItems("", object, c, i, detail)
		})
		return fmt.Sprint(strings.Join(c, " "), " ", instances), err
	}

	function := "PdhEnumObjectsW"
	all = append(all,
		direct(function, "live", "", nil, func(a api) error {
			got, err := objects(a, `\\other`)
			return same(got, err, []string{"Prozess", "Speicher"})
		}),
		direct(function, "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE,
			func(a api) error { _, err := objects(a, `\\nowhere`); return err }),
		direct(function, "no detail", "", winapi.PDH_INVALID_ARGUMENT,
			func(a api) error { _, err := a.EnumObjects("", nil, 0, true); return err }),
		direct(function, "without a buffer", "", winapi.PDH_MORE_DATA,
			func(a api) error { _, err := a.EnumObjects("", nil, detail, true); return err }))
	for _, lie := range lies {
		all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData,
			func(a api) error { _, err := objects(a, ""); return err }))
	}

	function = "PdhEnumObjectItemsW"
	all = append(all,
		direct(function, "instances", "", nil, func(a api) error {
			got, err := contents(a, "Prozess")
			// each once
			return same(got, err, fmt.Sprint("Handles E/A pro s ", len("idle\x00svchost\x00\x00")))
		}),
		direct(function, "object without instances", "", nil, func(a api) error {
			got, err := contents(a, "Speicher")
			return same(got, err, "Bytes Text 0")
		}),
		direct(function, "no instances at the moment", "empty", nil, func(a api) error {
			got, err := contents(a, "Prozess")
			return same(got, err, "Handles E/A pro s 2")
		}),
		direct(function, "no such object", "", winapi.PDH_CSTATUS_NO_OBJECT,
			func(a api) error { _, err := contents(a, "x"); return err }),
		direct(function, "no such machine", "", winapi.PDH_CSTATUS_NO_MACHINE, func(a api) error {
			_, _, err := a.EnumObjectItems(`\\nowhere`, "Prozess", nil, nil, detail)
			return err
		}),
		direct(function, "no object", "", winapi.PDH_INVALID_ARGUMENT,
			func(a api) error { _, err := contents(a, ""); return err }),
		direct(function, "without a buffer", "", winapi.PDH_MORE_DATA, func(a api) error {
			_, _, err := a.EnumObjectItems("", "Prozess", nil, nil, detail)
			return err
		}))
	for _, lie := range lies {
		all = append(all, direct(function, "lie: "+lie, lie, winperf.ErrBadData,
			func(a api) error { _, err := contents(a, "Prozess"); return err }))
	}
	return all
}
