package pdh

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// maxUnits limits a list, in UTF-16 units. maxGrowth limits how often in a row a buffer may be too
// small: a list may grow between two calls.
const (
	maxUnits  = 64 << 20
	maxBytes  = 256 << 20
	maxGrowth = 16
)

// client calls the PDH functions that return lists. They return only when the Windows call returns.
type client struct{ calls *calls }

// callError names the call that failed. It wraps the system's error, a PDH status. The status wraps
// ErrNoObject, ErrNoCounter, ErrNoInstance, ErrNoMachine, ErrPath or ErrNotSupported of package
// winperf if it has that meaning.
type callError struct {
	function string
	about    string // a path or a name, or ""
	err      error
}

// Error returns the function, its path or name, and the error.
func (e *callError) Error() string {
	if e.about == "" {
		return fmt.Sprintf("%s: %v", e.function, e.err)
	}
	return fmt.Sprintf("%s of %s: %v", e.function, e.about, e.err)
}

// Unwrap returns the system's error.
func (e *callError) Unwrap() error { return e.err }

// failed returns a callError, or nil if err is nil.
func failed(function, about string, err error) error {
	if err == nil {
		return nil
	}
	return &callError{function, about, err}
}

// tooSmall reports whether a buffer must grow. Windows XP returned the second code.
func tooSmall(err error) bool {
	return errors.Is(err, winapi.PDH_MORE_DATA) || errors.Is(err, winapi.PDH_INSUFFICIENT_BUFFER)
}

// text calls f with a large enough buffer and returns the text. It always requests the size without
// a buffer, because the size that PDH reports for a small buffer is unreliable.
func text(f func(buf []uint16) (uint32, error)) ([]uint16, error) {
	for range maxGrowth {
		size, err := f(nil)
		if !tooSmall(err) {
			if err == nil && size > 1 { // the text is empty, whatever the size is
				err = fmt.Errorf("%d characters were reported without a buffer: %w", size,
					winperf.ErrBadData)
			}
			return nil, err
		}

		if size > maxUnits {
			return nil, fmt.Errorf("%d characters are needed, at most %d are accepted: %w", size, maxUnits,
				winperf.ErrBadData)
		}
		buf := make([]uint16, max(size, 2))
		size, err = f(buf)
		switch {
		case tooSmall(err):
		case err != nil:
			return nil, err
		case int64(size) > int64(len(buf)):
			return nil, fmt.Errorf("%d characters were written to a buffer of %d: %w", size, len(buf),
				winperf.ErrBadData)
		default:
			return buf[:size], nil
		}
	}
	return nil, fmt.Errorf("the buffer was too small %d times in a row: %w", maxGrowth, winperf.ErrBadData)
}

// list splits a MULTI_SZ: texts with a NUL each, and an empty text at the end, which some functions
// omit.
func list(b []uint16) ([]string, error) {
	var all []string
	for len(b) > 0 && b[0] != 0 {
		n := slices.Index(b, 0)
		if n < 0 {
			return all, fmt.Errorf("the last of %d texts has no end: %w", len(all)+1, winperf.ErrBadData)
		}
		all = append(all, wire.UnitsText(b[:n]))
		b = b[n+1:]
	}
	return all, nil
}

// Objects returns the objects of a machine, "" for this one, in its language. costly includes
// costly objects; refresh reads the list again.
func (c *client) Objects(machine string, costly, refresh bool) ([]string, error) {
	detail := uint32(winapi.PERF_DETAIL_WIZARD)
	if costly {
		detail |= winapi.PERF_DETAIL_COSTLY
	}

	b, err := text(func(buf []uint16) (uint32, error) {
		size, err := c.calls.enumObjects(machine, buf, detail, refresh)
		refresh = false // once is enough
		return size, err
	})

	var all []string
	if err == nil {
		all, err = list(b)
	}
	return all, failed("PdhEnumObjects", machine, err)
}

// items returns the counters and instances of an object, each name once. multiple reports whether
// the object can have instances, even if it has none now.
func (c *client) items(machine, object string) (counters, instances []string, multiple bool, err error) {
	const function = "PdhEnumObjectItems"
	for range maxGrowth {
		nc, ni, err := c.calls.enumItems(machine, object, nil, nil, winapi.PERF_DETAIL_WIZARD)
		if err != nil && !tooSmall(err) {
			return nil, nil, false, failed(function, object, err)
		}
		if nc > maxUnits || ni > maxUnits {
			return nil, nil, false, failed(function, object,
				fmt.Errorf("%d and %d characters are needed: %w", nc, ni, winperf.ErrBadData))
		}

		cb, ib := make([]uint16, nc), make([]uint16, ni)
		nc, ni, err = c.calls.enumItems(machine, object, cb, ib, winapi.PERF_DETAIL_WIZARD)
		if tooSmall(err) {
			continue
		}

		if err == nil && (int64(nc) > int64(len(cb)) || int64(ni) > int64(len(ib))) {
			err = fmt.Errorf("%d and %d characters were written to buffers of %d and %d: %w", nc, ni, len(cb),
				len(ib), winperf.ErrBadData)
		}
		if err != nil {
			return nil, nil, false, failed(function, object, err)
		}

		counters, err1 := list(cb[:nc])
		instances, err2 := list(ib[:ni])
		return counters, instances, len(ib) > 0, failed(function, object, errors.Join(err1, err2))
	}
	return nil, nil, false, failed(function, object,
		fmt.Errorf("the buffer was too small %d times in a row: %w", maxGrowth, winperf.ErrBadData))
}
