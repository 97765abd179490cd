package consumer

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/nametable"
)

// native is the fake of internal/wintest.
type native struct {
	file    string
	handles func() int
}

func newNative(t *testing.T) native {
	t.Helper()
	file := wintest.DLL(t, "perflib")
	addr, err := winapi.NewDLL(file).Proc("FakeHandles").Addr()
	if err != nil {
		t.Fatal(err)
	}
	return native{file, func() int {
		n, _, _ := syscall.SyscallN(addr)
		return int(int32(n))
	}}
}

// newConsumer returns a consumer that calls a library, on a machine.
func newConsumer(machine, library string) (*consumer, error) {
	c, err := systemCalls(library)
	if err != nil {
		return nil, err
	}
	return &consumer{calls: c, machine: machine}, nil
}

// TestNative calls every function of a native library, as Windows has them.
func TestNative(t *testing.T) {
	n := newNative(t)
	for _, machine := range []string{"", "other"} {
		c, err := newConsumer(machine, n.file)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := c.sets()
		if diff := cmp.Diff([]winperf.GUID{{1}, {2}}, sets); diff != "" || err != nil {
			t.Error(diff, err)
		}
		info, _, err := c.info(winperf.GUID{1})
		if err != nil || len(info.Counters) != 1 || info.Single() ||
			info.Counters[0].Base != counterset.None {
			t.Errorf("%+v, %v", info, err)
		}
		if _, err := c.text(winperf.GUID{3}, counterset.RegName, 0); !errors.Is(err, winperf.ErrNoObject) {
			t.Error(err)
		}
		if s, err := c.text(winperf.GUID{1}, counterset.RegName, 0x407); err != nil || s != "Platte" {
			t.Error(s, err)
		}
		if all, errs := c.texts(winperf.GUID{1}, counterset.RegEnglishCounter, 0); len(errs) > 0 ||
			len(all) != 1 || all[0].Text != "Samples/sec" {
			t.Error(all, errs)
		}
		names, err := c.instances(winperf.GUID{1})
		want := []counterset.InstanceName{{Name: "C:", ID: 1}, {Name: "D:", ID: 2}}
		if diff := cmp.Diff(want, names); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if _, err := c.instances(winperf.GUID{3}); !errors.Is(err, counterset.GUIDNotFound) {
			t.Error(err)
		}
		h, err := c.Open()
		if err != nil || n.handles() != 1 {
			t.Fatal(err, n.handles())
		}
		all := []counterset.Identifier{
			{Set: winperf.GUID{1}, Counter: counterset.Any, InstanceID: counterset.Any, Instance: "*"},
			{Set: winperf.GUID{2}, Counter: counterset.Any, InstanceID: counterset.Any},
			{Set: winperf.GUID{3}, Counter: counterset.Any, InstanceID: counterset.Any},
		}
		added, err := h.add(all...)
		if err != nil || added[0].Status != 0 || added[1].Status != 0 ||
			added[2].Status != counterset.GUIDNotFound {
			t.Error(added, err)
		}
		if left, _, err := h.info(); err != nil || len(left) != 2 || left[1].Set != (winperf.GUID{2}) ||
			left[1].Index != 1 {
			t.Error(left, err)
		}
		b, err := h.sample(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d, damage, err := counterset.ParseData(b); err != nil || len(damage) > 0 || len(d.Answers) != 2 ||
			d.Clocks.PerfFreq != 1000 {
			t.Errorf("%+v, %v, %v", d, damage, err)
		}
		if err := h.Close(); err != nil || n.handles() != 0 {
			t.Error(err, n.handles())
		}
	}
	c, _ := newConsumer("nowhere", n.file)
	_, err1 := c.sets()
	_, _, err2 := c.info(winperf.GUID{1})
	_, err3 := c.Open()
	_, err4 := c.instances(winperf.GUID{1})
	for _, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, counterset.Status(winapi.ERROR_BAD_NETPATH)) {
			t.Error(err)
		}
	}
}

// TestNativeSource reads the sets whole, with values that move.
func TestNativeSource(t *testing.T) {
	n := newNative(t)
	src, err := Open(Options{Library: n.file, Language: "407"})
	if err != nil {
		t.Fatal(err)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	schema, _ := src.Schema(t.Context())
	names, _ := nametable.FromSchema(schema)
	if len(schema.Damage) > 0 || names.Title(firstTitle) != "Platte" ||
		names.In("009").Title(firstTitle+2) != "Samples/sec" ||
		names.Help(firstTitle+3) != "Wie viele Proben" {
		t.Errorf("%v, %q", schema.Damage, names.Title(firstTitle))
	}
	values := func() (all []uint64) {
		var raw winperf.Raw
		if err := perftest.Take(t.Context(), q, &raw); err != nil {
			t.Fatal(err)
		}
		d, _, err := counterset.ParseData(raw.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range d.Answers {
			for _, in := range a.Instances {
				all = append(all, in.Values[0].Bits)
			}
		}
		return all
	}
	before, after := values(), values()
	for i := range before {
		before[i]++
	}
	if diff := cmp.Diff(before, after); diff != "" || len(after) != 3 {
		t.Error(diff)
	}
	wintest.Repeat(t, func() { values() })
	if err := errors.Join(q.Close(), src.Close()); err != nil || n.handles() != 0 {
		t.Error(err, n.handles())
	}
}

// TestNativeMisdeeds makes each function fail, and samples go wrong.
func TestNativeMisdeeds(t *testing.T) {
	n := newNative(t)
	id := counterset.Identifier{Set: winperf.GUID{2}, Counter: counterset.Any, InstanceID: counterset.Any}
	all := func() []error {
		c, err := newConsumer("", n.file)
		if err != nil {
			t.Fatal(err)
		}
		_, err1 := c.sets()
		_, _, err2 := c.info(winperf.GUID{1})
		_, err3 := c.instances(winperf.GUID{1})
		h, err4 := c.Open()
		if err4 != nil {
			return []error{err1, err2, err3, err4}
		}
		_, err5 := h.add(id)
		_, _, err6 := h.info()
		_, err7 := h.sample(nil, 0)
		return []error{err1, err2, err3, err4, err5, err6, err7, h.Close()}
	}
	for _, function := range []string{
		"PerfEnumerateCounterSet", "PerfQueryCounterSetRegistrationInfo",
		"PerfEnumerateCounterSetInstances", "PerfOpenQueryHandle", "PerfAddCounters",
		"PerfQueryCounterInfo", "PerfQueryCounterData", "PerfCloseQueryHandle",
	} {
		t.Setenv("WINPERF_FAKE", function)
		failed := 0
		for _, err := range all() {
			if err == nil {
				continue
			}
			if failed++; !errors.Is(err, counterset.AccessDenied) ||
				!strings.HasPrefix(err.Error(), function) {
				t.Errorf("%s: %v", function, err)
			}
		}
		if failed != 1 {
			t.Errorf("%s: %d errors", function, failed)
		}
	}
	for mode, want := range map[string]error{"grow": nil, "endless": winperf.ErrBadData,
		"long": winperf.ErrBadData, "empty": nil} {
		t.Setenv("WINPERF_FAKE", mode)
		if err := errors.Join(all()...); !errors.Is(err, want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	t.Setenv("WINPERF_FAKE", "hang")
	src, err := Open(Options{Library: n.file})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var raw winperf.Raw
	if err := perftest.Take(ctx, q, &raw); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	_ = q.Close() // it may still hang
}

// TestMissingFunctions names what the system lacks, as Wine does.
func TestMissingFunctions(t *testing.T) {
	c, err := newConsumer("", "kernel32.dll")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.sets(); !errors.Is(err, winperf.ErrNotSupported) ||
		!strings.Contains(err.Error(), "PerfEnumerateCounterSet") {
		t.Error(err)
	}
	src, err := Open(Options{Library: "kernel32.dll"})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, err := src.Schema(t.Context()); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
}
