package perflib_test

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/provider/perflib"
)

// fake is the library of internal/wintest.
type fake struct{ dll *winapi.DLL }

func (f fake) call(t *testing.T, name string, args ...uintptr) int {
	t.Helper()
	addr, err := f.dll.Proc(name).Addr()
	if err != nil {
		t.Fatal(err)
	}
	n, _, _ := syscall.SyscallN(addr, args...)
	return int(int32(n))
}

// value reads a counter of an instance as the system would.
func (f fake) value(t *testing.T, instance string, id, counter, size uint32) (v uint64) {
	t.Helper()
	name, err := syscall.UTF16PtrFromString(instance)
	if err != nil {
		t.Fatal(err)
	}
	if f.call(t, "FakeValue", uintptr(unsafe.Pointer(name)), uintptr(id), uintptr(counter), uintptr(size),
		uintptr(unsafe.Pointer(&v))) == 0 {
		t.Errorf("no counter %d of %q", counter, instance)
	}
	return v
}

// TestLibrary calls the fake library through the bindings.
func TestLibrary(t *testing.T) {
	path := wintest.DLL(t, "perfprov")
	f := fake{winapi.NewDLL(path)}
	s := schema(t)
	p := publisher(t, s)
	v, err := perflib.StartOn(perflib.LibraryOf(path), s, p)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := p.Counter("Transfer", "Bytes Sent")
	if err != nil {
		t.Fatal(err)
	}
	sent.Set(5)
	if got := f.value(t, "_Default", 0, 1, 4); got != 5 {
		t.Errorf("Bytes Sent is %d", got)
	}
	before := f.value(t, "_Default", 0, 5, 8)
	if after := f.value(t, "_Default", 0, 5, 8); after < before || before == 0 ||
		f.value(t, "_Default", 0, 6, 8) == 0 {
		t.Errorf("the clock is %d, then %d", before, after)
	}
	values := instance(t, p, "Müller")
	in, err := v.Instance("Peer", "Müller", values)
	if err != nil {
		t.Fatal(err)
	}
	count(t, values, "Bytes Served").Add(1 << 40)
	if got := f.value(t, "Müller", 0, 1, 8); got != 1<<40 {
		t.Errorf("Bytes Served is %d", got)
	}
	if n, sets := f.call(t, "FakeInstances"), f.call(t, "FakeSets"); n != 2 || sets != 2 {
		t.Errorf("%d instances, %d sets", n, sets)
	}
	if err := errors.Join(in.Remove(), v.Close()); err != nil {
		t.Error(err)
	}
	if n, providers := f.call(t, "FakeInstances"), f.call(t, "FakeProviders"); n != 0 || providers != 0 {
		t.Errorf("at the end %d instances, %d providers", n, providers)
	}
}

func TestLibraryFails(t *testing.T) {
	path := wintest.DLL(t, "perfprov")
	f := fake{winapi.NewDLL(path)}
	s := schema(t)
	p := publisher(t, s)
	for _, function := range []string{"PerfStartProviderEx", "PerfSetCounterSetInfo", "PerfCreateInstance",
		"PerfSetCounterRefValue"} {
		t.Setenv("WINPERF_FAKE", function)
		if _, err := perflib.StartOn(perflib.LibraryOf(path), s,
			p); !errors.Is(err, winapi.ERROR_ACCESS_DENIED) {
			t.Errorf("%s: error %v", function, err)
		}
		if n := f.call(t, "FakeInstances") + f.call(t, "FakeProviders"); n != 0 {
			t.Errorf("%s: %d instances and providers are left", function, n)
		}
	}
	var missing *winapi.MissingError
	if _, err := perflib.StartOn(perflib.LibraryOf("kernel32.dll"), s, p); !errors.As(err, &missing) {
		t.Errorf("a library without the functions: error %v", err)
	}
}

// TestSystem starts and stops with the system's own library. On Windows itself that
// takes a provider that lodctr has registered, so only Wine is asked.
func TestSystem(t *testing.T) {
	if !wintest.Wine() {
		t.Skip("skipped: Windows wants a registered provider")
	}
	s := schema(t)
	p := publisher(t, s)
	v, err := perflib.Start(s, p)
	if err != nil {
		t.Fatal(err)
	}
	in, err := v.Instance("Peer", "a", instance(t, p, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(in.Remove(), v.Close()); err != nil {
		t.Error(err)
	}
}
