package pdh

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

// named are the functions of pdh.h that live counters are read with. Where a
// function has forms for ANSI and UTF-16 it is the latter.
var named = strings.Fields(`
	PdhOpenQueryW PdhCloseQuery PdhCollectQueryData
	PdhAddCounterW PdhAddEnglishCounterW PdhRemoveCounter PdhGetCounterInfoW PdhGetCounterTimeBase
	PdhGetFormattedCounterValue PdhGetFormattedCounterArrayW PdhGetRawCounterValue PdhGetRawCounterArrayW
	PdhEnumObjectsW PdhEnumObjectItemsW`)

// api are all functions of a library.
type api struct{ *winapi.Pdh }

func newAPI(library string) api { return api{winapi.NewPdh(winapi.NewDLL(library))} }

// rig is where a case runs: the fake.
type rig struct {
	t *testing.T
	api
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
	query = must[uintptr](r.t)(r.OpenQuery())
	r.later(func() error { return r.CloseQuery(query) })
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

// items lists the counters of an object. instances tells how long the list of
// instances is, in UTF-16 units.
func items(f func(counters, instances []uint16) (uint32, uint32, error)) (counters []string, instances uint32,
	err error) {
	b, err := text(func(buf []uint16) (size uint32, err error) {
		size, instances, err = f(buf, make([]uint16, len(buf)))
		return size, err
	})
	if err != nil {
		return nil, 0, err
	}
	counters, err = list(b)
	return counters, instances, err
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
		r := &rig{t: t, api: good}
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
			if err := run(t, c, "", missing); !errors.As(err, &m) || m.Function != c.function ||
				!errors.Is(err, winperf.ErrNotSupported) {
				t.Errorf("missing: %v", err)
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
	succeeds, fails := map[string]int{}, map[string]int{}
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
			t.Errorf("%s has %d cases that succeed and %d that fail", function, succeeds[function],
				fails[function])
		}
	}
}

func functionCases() []functionCase {
	return slices.Concat(queryCases(), counterCases(), valueCases(), listCases())
}
