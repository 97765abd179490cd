package registry

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// number calls a function of the fake that returns a number.
func number(t *testing.T, function string) int {
	t.Helper()
	addr, err := winapi.NewDLL(wintest.DLL(t, "registry")).Proc(function).Addr()
	if err != nil {
		t.Fatal(err)
	}
	n, _, _ := syscall.SyscallN(addr)
	return int(int32(n))
}

// open opens the fake in a mode.
func open(t *testing.T, mode string, opt Options) winperf.Source {
	t.Helper()
	t.Setenv("WINPERF_FAKE", mode)
	opt.Library = wintest.DLL(t, "registry")
	src, err := Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		if n := number(t, "FakeHandles"); n != 0 {
			t.Errorf("%d handles are open at the end", n)
		}
	})
	return src
}

// value reads one counter, and returns the first reading.
func value(t *testing.T, src winperf.Source, path string) (winperf.Reading, error) {
	t.Helper()
	p, err := winperf.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	c := measure.New(src, winperf.Selection{Paths: []winperf.Path{p}}, measure.Options{})
	defer c.Close()
	cycle, err := c.Cycle(t.Context())
	if err != nil {
		return winperf.Reading{}, err
	}
	return cycle.Readings()[0], nil
}

// TestMachine reads another machine, through a connection that is lost again
// and again, too.
func TestMachine(t *testing.T) {
	for _, mode := range []string{"", "lost"} {
		t.Run(mode, func(t *testing.T) {
			before := number(t, "FakeConnects")
			src := open(t, mode, Options{Machine: `\\FAKE`, Language: "7"})
			r, err := value(t, src, `\\FAKE\Speicher\Available Bytes`)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := r.Value.Uint64(); r.Status != counter.OK || n != 1234 ||
				r.Series.String() != `\\FAKE\Speicher\Available Bytes` || src.Describe().Machine != "FAKE" {
				t.Errorf("%s = %v, %v", r, r.Value, r.Status)
			}
			if n := number(t, "FakeConnects") - before; (n > 2) != (mode == "lost") || n < 2 {
				t.Errorf("connected %d times", n)
			}
		})
	}
}

func TestMachineFails(t *testing.T) {
	t.Setenv("WINPERF_FAKE", "")
	for machine, want := range map[string]error{"GONE": winperf.ErrNoMachine, "SHUT": fs.ErrPermission} {
		src, err := Open(t.Context(), Options{Machine: machine, Library: wintest.DLL(t, "registry")})
		if !errors.Is(err, want) || src != nil || !strings.Contains(err.Error(), `\\`+machine) {
			t.Errorf("%s: error %v", machine, err)
		}
	}
	if n := number(t, "FakeHandles"); n != 0 {
		t.Errorf("%d handles are open", n)
	}
}

// TestUserLanguage gets English from the data key, and German from the user's
// key, because the data key refuses it.
func TestUserLanguage(t *testing.T) {
	src := open(t, "", Options{Language: "407"})
	schema, err := src.Schema(t.Context())
	if err != nil || len(schema.Damage) > 0 || len(schema.Names) != 2 {
		t.Fatalf("%d languages, damage %v, error %v", len(schema.Names), schema.Damage, err)
	}
	names, _ := nametable.FromSchema(schema)
	if names.Title(4) != "Speicher" || names.Title(24) != "Available Bytes" {
		t.Errorf("4 is %s, 24 is %s", names.Title(4), names.Title(24))
	}
}

func TestForeign(t *testing.T) {
	src := open(t, "", Options{Foreign: "UNIX"})
	if r, err := value(t, src, `\Memory\Available Bytes`); err != nil || r.Status != counter.OK {
		t.Errorf("%v, error %v", r, err)
	}
}

// TestFakeFails has the library do what it should not.
func TestFakeFails(t *testing.T) {
	for _, c := range []struct {
		mode string
		want error
		text string
	}{
		{"size", winperf.ErrBadData, "bytes in a buffer of"},
		{"type", winperf.ErrBadData, "type 1, expected 3"},
		{"refused", fs.ErrPermission, "error 5"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			src := open(t, c.mode, Options{})
			q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := perftest.Take(t.Context(), q, new(winperf.Raw)); !errors.Is(err, c.want) ||
				!strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v", err)
			}
			t.Setenv("WINPERF_FAKE", "") // it works again, so the source does
			if err := perftest.Take(t.Context(), q, new(winperf.Raw)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEndless has subkeys without end.
func TestEndless(t *testing.T) {
	src := open(t, "endless", Options{})
	if _, err := src.Schema(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHang leaves the call behind, and reads on when it has returned.
func TestHang(t *testing.T) {
	src := open(t, "hang", Options{})
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}

	// On a slow machine the time may be over before the call begins.
	raw := new(winperf.Raw)
	for err = nil; !errors.Is(err, provider.ErrBusy); {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err = perftest.Take(ctx, q, raw)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, provider.ErrBusy) || raw.Bytes != nil {
			t.Fatalf("error %v", err)
		}
	}

	t.Setenv("WINPERF_FAKE", "")
	if err := perftest.Take(t.Context(), q, raw); err != nil {
		t.Error(err)
	}
}

// TestMissing loads a library that has none of the functions.
func TestMissing(t *testing.T) {
	src, err := Open(t.Context(), Options{Library: "ntdll.dll"})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := perftest.Take(t.Context(), q, new(winperf.Raw)); !errors.Is(err, winperf.ErrNotSupported) ||
		!strings.Contains(err.Error(), "RegQueryValueExW") {
		t.Errorf("error %v", err)
	}
	if _, err := Open(t.Context(), Options{Library: "ntdll.dll", Machine: "HOST"}); !errors.Is(
		err, winperf.ErrNotSupported) || !strings.Contains(err.Error(), "RegConnectRegistryW") {
		t.Errorf("error %v", err)
	}
}
