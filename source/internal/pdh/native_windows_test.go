package pdh

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// native is the fake of internal/wintest.
type native struct {
	file    string
	handles func() int
}

func newNative(t *testing.T) native {
	t.Helper()
	file := wintest.DLL(t, "fakepdh")
	addr, err := winapi.NewDLL(file).Proc("FakeHandles").Addr()
	if err != nil {
		t.Fatal(err)
	}
	return native{file, func() int {
		n, _, _ := syscall.SyscallN(addr)
		return int(int32(n))
	}}
}

// TestNativeClient calls every function that lists, and fails each.
func TestNativeClient(t *testing.T) {
	n := newNative(t)
	c := &client{mustCalls(t, n.file)}
	for function, f := range map[string]struct {
		call func() ([]string, error)
		want string
	}{
		"PdhEnumObjects": {func() ([]string, error) { return c.Objects(`\\other`, true, true) },
			"Prozess Speicher"},
		"PdhEnumObjectItems": {func() ([]string, error) {
			counters, instances, _, err := c.items("", "Prozess")
			return append(counters, instances...), err
		}, "Handles E/A pro s idle svchost"},
	} {
		if got, err := f.call(); err != nil || strings.Join(got, " ") != f.want {
			t.Errorf("%s: %q, %v", function, got, err)
		}
		t.Setenv("WINPERF_FAKE", function+"W")
		if _, err := f.call(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s that fails: %v", function, err)
		}
		t.Setenv("WINPERF_FAKE", "")
	}
	if _, err := c.Objects("a\x00", false, false); !errors.Is(err, winapi.PDH_INVALID_ARGUMENT) {
		t.Error(err)
	}
}

// TestNativeSource reads raw values, which are computed here, and those that PDH
// computes.
func TestNativeSource(t *testing.T) {
	n := newNative(t)
	src, err := open(mustCalls(t, n.file), Options{})
	if err != nil {
		t.Fatal(err)
	}
	src.machine = "HOST"
	q, err := src.Compile(t.Context(), paths(t, `\Prozess(*)\*`, `\Memory\Bytes`, `\Prozess(x)\Handles`))
	if err != nil {
		t.Fatal(err)
	}
	var raw winperf.Raw
	got := cooked(t, q)
	var a, b, c, d int // they count from when the library was loaded
	const form = "Prozess idle=%d=10 svchost=%d=20 svchost#1=%d=30\nSpeicher =%d"
	if _, err := fmt.Sscanf(got, form, &a, &b, &c, &d); err != nil ||
		fmt.Sprintf(form, a, a+100, a+200, a) != got || a < 2 {
		t.Errorf("got %s, %v", got, err)
	}
	wintest.Repeat(t, func() {
		if err := perftest.Take(t.Context(), q, &raw); err != nil {
			t.Fatal(err)
		}
	})
	for _, mode := range []string{"pointer", "count", "endless"} {
		t.Setenv("WINPERF_FAKE", mode)
		for i := range q.(*query).columns {
			q.(*query).columns[i].buf = nil
		}
		if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	for _, function := range []string{"PdhCollectQueryData", "PdhGetRawCounterValue",
		"PdhGetRawCounterArrayW"} {
		t.Setenv("WINPERF_FAKE", function)
		if err := perftest.Take(t.Context(), q, &raw); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", function, err)
		}
	}
	for _, function := range []string{"PdhOpenQueryW", "PdhAddCounterW", "PdhGetCounterInfoW"} {
		t.Setenv("WINPERF_FAKE", function)
		if _, err := src.Compile(t.Context(),
			paths(t, `\Speicher\Bytes`)); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", function, err)
		}
	}
	t.Setenv("WINPERF_FAKE", "PdhAddEnglishCounterW") // then no English name is found
	if other, err := src.Compile(t.Context(), paths(t, `\Memory\Bytes`)); err != nil ||
		len(other.(*query).columns) != 0 {
		t.Error(err)
	}
	t.Setenv("WINPERF_FAKE", "PdhRemoveCounter")
	if _, err := src.Compile(t.Context(), paths(t, `\Speicher\Bytes`, `\Speicher\Bytes`)); !errors.Is(
		err, fs.ErrPermission) {
		t.Error(err)
	}
	t.Setenv("WINPERF_FAKE", "PdhGetCounterTimeBase") // costs what needs it
	other, err := src.Compile(t.Context(), paths(t, `\Prozess(idle)\E/A pro s`))
	if err != nil {
		t.Fatal(err)
	}
	if got := cooked(t, other); got != "Prozess idle=negative_timebase" {
		t.Error(got)
	}
	t.Setenv("WINPERF_FAKE", "PdhCloseQuery")
	if err := other.Close(); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	t.Setenv("WINPERF_FAKE", "")
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

// TestNativeFormatted gives PDH's own values.
func TestNativeFormatted(t *testing.T) {
	n := newNative(t)
	src, err := open(mustCalls(t, n.file), Options{Formatted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\Prozess(*)\E/A pro s`, `\Speicher\Bytes`))
	if err != nil {
		t.Fatal(err)
	}
	var all []winperf.Reading
	for range 2 {
		if all, err = perftest.Readings(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) != 4 || all[2].Value != counter.Float(30) || all[2].Path.Index != 1 ||
		all[3].Value.Kind() != counter.KindInt {
		t.Errorf("%+v", all)
	}
	for _, function := range []string{"PdhGetFormattedCounterArrayW"} {
		t.Setenv("WINPERF_FAKE", function)
		if _, err := perftest.Readings(t.Context(), q); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", function, err)
		}
	}
	t.Setenv("WINPERF_FAKE", "PdhGetFormattedCounterValue") // a value that says why it is none
	if all, err = perftest.Readings(t.Context(), q); err != nil || all[3].Status != counter.NotPermitted {
		t.Error(all, err)
	}
}

// TestNativeHandles counts what stays open.
func TestNativeHandles(t *testing.T) {
	n := newNative(t)
	before := n.handles()
	src, err := open(mustCalls(t, n.file), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wintest.Repeat(t, func() {
		q, err := src.Compile(t.Context(), paths(t, `\x\y`))
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if err := src.Close(); err != nil || n.handles() != before {
		t.Error(err, n.handles(), before)
	}
}

func mustCalls(t *testing.T, file string) *calls {
	t.Helper()
	c, err := systemCalls(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSystem reads what Wine's own PDH has: two counters, and functions that are
// not implemented.
func TestSystem(t *testing.T) {
	if !wintest.Wine() {
		t.Skip("skipped: it is about Wine")
	}
	src, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), paths(t, `\System\System Up Time`))
	if err != nil {
		t.Fatal(err)
	}
	var raw winperf.Raw
	if err := perftest.Take(t.Context(), q, &raw); err != nil || len(q.(*query).columns) != 1 ||
		q.(*query).columns[0].info.Counter != "System Up Time" {
		t.Errorf("%v, %+v", err, q.(*query).columns)
	}
	c := &client{mustCalls(t, "")}
	if _, _, _, err := c.items("", "System"); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
	missing := &client{mustCalls(t, "kernel32.dll")}
	if _, err := missing.Objects("", false, false); !errors.Is(err, winperf.ErrNotSupported) ||
		!strings.Contains(err.Error(), "PdhEnumObjectsW") {
		t.Error(err)
	}
}
