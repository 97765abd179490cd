package v1

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// read asks a machine for a binary value.
func read(m *machine, max int, q *request, buf []byte) ([]byte, error) {
	r := reader{keys: m.keys(), max: max}
	q.name, q.typ = wire.Units("x"), winapi.REG_BINARY
	return r.read(context.Background(), q, buf)
}

func TestGrow(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  int // of the answer
		start int
		calls int
		last  int // size of the buffer that was enough
	}{
		{"fits", 100, 4096, 1, 4096},
		{"one more", 4097, 4096, 2, 8192},
		{"fills to the last byte", 4096, 4096, 2, 8192},
		{"much more", 100_000, 4096, 6, 131072},
	} {
		want := bytes.Repeat([]byte{7}, c.size)
		m := &machine{values: map[string][]answer{"x": data(want)}}
		q := request{size: c.start}
		got, err := read(m, 1<<20, &q, nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, error %v", c.name, len(got), err)
		}
		if calls := strings.Count(m.asked(), "x"); calls != c.calls || q.size != c.last {
			t.Errorf("%s: %d calls, buffer %d; want %d and %d", c.name, calls, q.size, c.calls, c.last)
		}
		again, err := read(m, 1<<20, &q, got)
		if err != nil || !bytes.Equal(again, want) || &again[0] != &got[0] || m.asked() != "x" {
			t.Errorf("%s: the buffer was not kept, error %v", c.name, err)
		}
	}
}

// TestCleared gets an answer that is longer than what was written.
func TestCleared(t *testing.T) {
	m := &machine{values: map[string][]answer{"x": {{do: func(buf []byte, v *Value) error {
		*v = Value{winapi.REG_BINARY, 100}
		buf[0] = 1
		return nil
	}}}}}
	old := bytes.Repeat([]byte{9}, 4096+guardBytes)
	got, err := read(m, 1<<20, &request{size: 4096}, old)
	if want := append([]byte{1}, make([]byte, 99)...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, error %v", got, err)
	}
}

func TestGrowNoFurther(t *testing.T) {
	m := &machine{values: map[string][]answer{"x": failing(winapi.ERROR_MORE_DATA)}}
	_, err := read(m, 10_000, &request{size: 1000}, nil)
	if !errors.Is(err, winperf.ErrBadData) || !errors.Is(err, winapi.ERROR_MORE_DATA) ||
		!strings.Contains(err.Error(), "more than 10000 bytes") {
		t.Errorf("error %v", err)
	}
	if n := strings.Count(m.asked(), "x"); n != 5 {
		t.Errorf("%d calls, want 5: 1000, 2000, 4000, 8000, 10000", n)
	}
}

// TestBadAnswers gets what a broken key may give.
func TestBadAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		a    answer
		want string
	}{
		{"another type", answer{typ: winapi.REG_SZ, b: []byte("text")}, "type 1, expected 3"},
		{"longer than the buffer", answer{do: func(_ []byte, v *Value) error {
			*v = Value{winapi.REG_BINARY, 0xffffffff}
			return nil
		}}, "4294967295 bytes in a buffer of 4096"},
	} {
		m := &machine{values: map[string][]answer{"x": {c.a}}}
		_, err := read(m, 1<<20, &request{size: 4096}, nil)
		if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), `HKEY_PERFORMANCE_DATA, value "x"`) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if m.asked() != "x" {
			t.Errorf("%s: asked again", c.name)
		}
	}
}

// TestOverrun meets a provider that does not look at the size it is told.
func TestOverrun(t *testing.T) {
	r := reader{max: 1 << 20}
	var memory []byte
	r.keys.Query = func(_ context.Context, _ Key, _ []uint16, buf []byte, v *Value) error {
		const n = 5000
		*v = Value{winapi.REG_BINARY, uint32(min(n, len(buf)-1))}
		if len(buf) < n {
			memory[len(buf)+guardBytes-1] = 1
		}
		return nil
	}
	memory = make([]byte, 4096+guardBytes)
	q := request{name: wire.Units("x"), typ: winapi.REG_BINARY, size: 4096}
	got, err := r.read(t.Context(), &q, memory)
	if err != nil || len(got) != 5000 || q.size != 8192 {
		t.Errorf("%d bytes in a buffer of %d, error %v", len(got), q.size, err)
	}
	r.max = 4096
	memory = make([]byte, 4096+guardBytes)
	q.size = 4096
	if _, err := r.read(t.Context(), &q, memory); !errors.Is(err, winperf.ErrBadData) ||
		!strings.Contains(err.Error(), "beyond the end of its buffer") {
		t.Errorf("error %v", err)
	}
}

// TestRetry meets every error that passes, three times.
func TestRetry(t *testing.T) {
	good := data([]byte("good"))
	for _, c := range []struct {
		err    error
		reopen bool
	}{
		{winapi.ERROR_BUSY, false}, {winapi.ERROR_NOT_READY, false}, {winapi.ERROR_LOCK_FAILED, false},
		{winapi.WAIT_TIMEOUT, false},
		{winapi.RPC_S_SERVER_UNAVAILABLE, true}, {winapi.RPC_S_CALL_FAILED, true},
		{winapi.ERROR_INVALID_HANDLE, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			m := &machine{values: map[string][]answer{"x": answers(failing(c.err), failing(c.err),
				failing(c.err), good)}}
			got, err := read(m, 1<<20, &request{size: 4096}, nil)
			if err != nil || string(got) != "good" {
				t.Errorf("%v: %q, error %v", c.err, got, err)
			}
			want := "x; x; x; x"
			if c.reopen {
				want = "x; open; x; open; x; open; x"
			}
			if log := m.asked(); log != want {
				t.Errorf("%v: %s, want %s", c.err, log, want)
			}
			if d := time.Since(begin); d != 70*time.Millisecond {
				t.Errorf("%v: pauses of %v, want 10, 20 and 40 ms", c.err, d)
			}
		})
	}
}

func TestRetryEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{values: map[string][]answer{"x": answers(data(nil), data([]byte("good")))}}
		if got, err := read(m, 1<<20, &request{size: 4096}, nil); err != nil || string(got) != "good" {
			t.Errorf("%q, error %v", got, err)
		}
		m = &machine{values: map[string][]answer{"x": data(nil)}}
		if _, err := read(m, 1<<20, &request{size: 4096}, nil); !errors.Is(err, winperf.ErrBadData) ||
			!strings.Contains(err.Error(), "empty") {
			t.Errorf("error %v", err)
		}
	})
}

func TestRetryReopenFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{
			values: map[string][]answer{"x": answers(failing(winapi.RPC_S_CALL_FAILED),
				data([]byte("good")))},
			openErrs: []error{winapi.RPC_S_SERVER_UNAVAILABLE, winapi.RPC_S_SERVER_UNAVAILABLE},
		}
		got, err := read(m, 1<<20, &request{size: 4096}, nil)
		if log := m.asked(); err != nil || string(got) != "good" || log != "x; open; open; open; x" {
			t.Errorf("%q, error %v, %s", got, err, log)
		}
		m = &machine{
			values:   map[string][]answer{"x": failing(winapi.RPC_S_CALL_FAILED)},
			openErrs: []error{winapi.ERROR_ACCESS_DENIED},
		}
		if _, err := read(m, 1<<20, &request{size: 4096}, nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v", err)
		}
	})
}

// TestRetryEnds asks again only so often.
func TestRetryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		m := &machine{values: map[string][]answer{"x": failing(winapi.ERROR_BUSY)}}
		_, err := read(m, 1<<20, &request{size: 4096}, nil)
		if !errors.Is(err, winapi.ERROR_BUSY) {
			t.Errorf("error %v", err)
		}
		if n := strings.Count(m.asked(), "x"); n != maxRetries+1 {
			t.Errorf("%d calls, want %d", n, maxRetries+1)
		}
		if d := time.Since(begin); d < 2*time.Second || d > 10*time.Second {
			t.Errorf("pauses of %v in all", d)
		}
	})
}

func TestFinal(t *testing.T) {
	for _, e := range []winapi.Errno{winapi.ERROR_ACCESS_DENIED, winapi.ERROR_WRITE_PROTECT,
		winapi.ERROR_FILE_NOT_FOUND, winapi.ERROR_INVALID_PARAMETER, 4_000_000} {
		m := &machine{values: map[string][]answer{"x": failing(e)}}
		_, err := read(m, 1<<20, &request{size: 4096}, nil)
		if log := m.asked(); !errors.Is(err, e) || log != "x" {
			t.Errorf("%v: error %v, %s", e, err, log)
		}
	}
}

func TestRetryContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond)
		defer cancel()
		m := &machine{values: map[string][]answer{"x": failing(winapi.ERROR_BUSY)}}
		r := reader{keys: m.keys(), max: 1 << 20}
		q := request{name: wire.Units("x"), size: 4096}
		_, err := r.read(ctx, &q, nil)
		if !errors.Is(err, winapi.ERROR_BUSY) || !errors.Is(err, context.DeadlineExceeded) ||
			m.asked() != "x; x" {
			t.Errorf("error %v", err)
		}
	})
}

func TestLongNames(t *testing.T) {
	err := valueError(Key{}, wire.Units(strings.Repeat("230 ", 1000)), fs.ErrNotExist)
	if len(err.Error()) > 200 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
