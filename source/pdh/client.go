package pdh

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
)

// maxUnits bounds a list, in UTF-16 units, and maxGrowth how often a buffer may
// turn out to be too small in a row: what is listed may grow between two calls,
// but not for ever.
const (
	maxUnits  = 64 << 20
	maxBytes  = 256 << 20
	maxGrowth = 16
)

// Client calls the functions of PDH that list and look up. Its methods may be
// used from several goroutines. They do not return before Windows does.
type Client struct{ calls *calls }

// NewClient returns a client of a library, "" for pdh.dll. On other systems than
// Windows the error wraps winperf.ErrNotSupported.
func NewClient(library string) (*Client, error) {
	c, err := systemCalls(library)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// CallError tells which call failed. It wraps what the system said: a PDH status,
// which in turn is ErrNoObject, ErrNoCounter, ErrNoInstance, ErrNoMachine, ErrPath
// or ErrNotSupported of package winperf where it says so.
type CallError struct {
	Function string
	About    string // a path or a name, "" where the call is about none
	Err      error
}

// Error names the function and what it was about.
func (e *CallError) Error() string {
	if e.About == "" {
		return fmt.Sprintf("%s: %v", e.Function, e.Err)
	}
	return fmt.Sprintf("%s of %s: %v", e.Function, e.About, e.Err)
}

// Unwrap returns what the system said.
func (e *CallError) Unwrap() error { return e.Err }

// failed is a CallError, or nil.
func failed(function, about string, err error) error {
	if err == nil {
		return nil
	}
	return &CallError{function, about, err}
}

// tooSmall tells whether a buffer has to grow. Windows XP gave the second code.
func tooSmall(err error) bool {
	return errors.Is(err, winapi.PDH_MORE_DATA) || errors.Is(err, winapi.PDH_INSUFFICIENT_BUFFER)
}

// text calls f with a buffer that is large enough and returns what it wrote. The
// size is asked for without a buffer each time, because what a call says that
// was given one too small cannot be relied on.
func text(f func(buf []uint16) (uint32, error)) ([]uint16, error) {
	for range maxGrowth {
		size, err := f(nil)
		if !tooSmall(err) {
			if err == nil && size > 1 { // it holds nothing, whatever the size says
				err = fmt.Errorf("%d characters are claimed and no buffer was asked for: %w", size, winperf.ErrBadData)
			}
			return nil, err
		}
		if size > maxUnits {
			return nil, fmt.Errorf("%d characters are needed, at most %d are accepted: %w", size, maxUnits, winperf.ErrBadData)
		}
		buf := make([]uint16, max(size, 2))
		size, err = f(buf)
		switch {
		case tooSmall(err):
		case err != nil:
			return nil, err
		case int64(size) > int64(len(buf)):
			return nil, fmt.Errorf("%d characters were written to a buffer of %d: %w", size, len(buf), winperf.ErrBadData)
		default:
			return buf[:size], nil
		}
	}
	return nil, fmt.Errorf("more was needed %d times in a row: %w", maxGrowth, winperf.ErrBadData)
}

// name is text for what is short: no size is asked for, which not all functions
// allow.
func name(f func(buf []uint16) (uint32, error)) ([]uint16, error) {
	const maxName = 1024 // pdh.h: PDH_MAX_COUNTER_NAME
	buf := make([]uint16, maxName)
	size, err := f(buf)
	switch {
	case tooSmall(err):
		return text(f)
	case err != nil:
		return nil, err
	case int64(size) > int64(len(buf)):
		return nil, fmt.Errorf("%d characters were written to a buffer of %d: %w", size, len(buf), winperf.ErrBadData)
	}
	return buf[:size], nil
}

// list takes a MULTI_SZ apart: texts with a NUL each, and an empty one at the end,
// which some functions leave out.
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

// one takes a single text.
func one(b []uint16) (string, error) {
	n := slices.Index(b, 0)
	if n < 0 {
		return "", fmt.Errorf("the text has no end: %w", winperf.ErrBadData)
	}
	return wire.UnitsText(b[:n]), nil
}

func (c *Client) texts(function, about string, f func(buf []uint16) (uint32, error)) ([]string, error) {
	b, err := text(f)
	if err != nil {
		return nil, failed(function, about, err)
	}
	all, err := list(b)
	return all, failed(function, about, err)
}

func (c *Client) single(function, about string, f func(buf []uint16) (uint32, error)) (string, error) {
	b, err := name(f)
	if err != nil {
		return "", failed(function, about, err)
	}
	s, err := one(b)
	return s, failed(function, about, err)
}

// Version is the version of PDH, such as 0x503 for 5.3.
func (c *Client) Version() (uint32, error) {
	v, err := c.calls.version()
	return v, failed("PdhGetDllVersion", "", err)
}

// Machines lists the machines that PDH is connected to, with two backslashes.
func (c *Client) Machines() ([]string, error) {
	return c.texts("PdhEnumMachines", "", c.calls.enumMachines)
}

// Connect connects to a machine, given with two backslashes.
func (c *Client) Connect(machine string) error {
	return failed("PdhConnectMachine", machine, c.calls.connect(machine))
}

// Objects lists the objects of a machine, "" for this one, in its language. costly
// adds the costly ones; refresh reads the list anew.
func (c *Client) Objects(machine string, costly, refresh bool) ([]string, error) {
	detail := uint32(winapi.PERF_DETAIL_WIZARD)
	if costly {
		detail |= winapi.PERF_DETAIL_COSTLY
	}
	return c.texts("PdhEnumObjects", machine, func(buf []uint16) (uint32, error) {
		size, err := c.calls.enumObjects(machine, buf, detail, refresh)
		refresh = false // once is enough
		return size, err
	})
}

// Items lists the counters and instances of an object, each name once. multiple
// tells whether the object may have instances, also where it has none now.
func (c *Client) Items(machine, object string) (counters, instances []string, multiple bool, err error) {
	const function = "PdhEnumObjectItems"
	for range maxGrowth {
		nc, ni, err := c.calls.enumItems(machine, object, nil, nil, winapi.PERF_DETAIL_WIZARD)
		if err != nil && !tooSmall(err) {
			return nil, nil, false, failed(function, object, err)
		}
		if nc > maxUnits || ni > maxUnits {
			return nil, nil, false, failed(function, object, fmt.Errorf("%d and %d characters are needed: %w", nc, ni, winperf.ErrBadData))
		}
		cb, ib := make([]uint16, nc), make([]uint16, ni)
		nc, ni, err = c.calls.enumItems(machine, object, cb, ib, winapi.PERF_DETAIL_WIZARD)
		if tooSmall(err) {
			continue
		}
		if err == nil && (int64(nc) > int64(len(cb)) || int64(ni) > int64(len(ib))) {
			err = fmt.Errorf("%d and %d characters were written to buffers of %d and %d: %w", nc, ni, len(cb), len(ib), winperf.ErrBadData)
		}
		if err != nil {
			return nil, nil, false, failed(function, object, err)
		}
		counters, err1 := list(cb[:nc])
		instances, err2 := list(ib[:ni])
		return counters, instances, len(ib) > 0, failed(function, object, errors.Join(err1, err2))
	}
	return nil, nil, false, failed(function, object, fmt.Errorf("more was needed %d times in a row: %w", maxGrowth, winperf.ErrBadData))
}

// Expand lists the paths that a path with wildcards stands for, in the system's
// language and with machine.
func (c *Client) Expand(path string) ([]string, error) {
	all, err := c.texts("PdhExpandWildCardPath", path, func(buf []uint16) (uint32, error) { return c.calls.expand(path, buf, 0) })
	if errors.Is(err, winapi.PDH_NOT_IMPLEMENTED) || errors.Is(err, winperf.ErrNotSupported) {
		older, olderErr := c.texts("PdhExpandCounterPath", path, func(buf []uint16) (uint32, error) { return c.calls.expandOld(path, buf) })
		if olderErr == nil {
			return older, nil
		}
	}
	return all, err
}

// Validate tells whether a path names a counter that is there.
func (c *Client) Validate(path string) error {
	return failed("PdhValidatePath", path, c.calls.validate(path))
}

// Name returns the name that a title index has in the language of a machine.
func (c *Client) Name(machine string, index uint32) (string, error) {
	return c.single("PdhLookupPerfNameByIndex", fmt.Sprint(index), func(buf []uint16) (uint32, error) {
		return c.calls.nameByIndex(machine, index, buf)
	})
}

// Index returns a title index that has the name in the language of a machine;
// others may have it too.
func (c *Client) Index(machine, name string) (uint32, error) {
	index, err := c.calls.indexByName(machine, name)
	return index, failed("PdhLookupPerfIndexByName", name, err)
}

// DefaultObject is the object to show first.
func (c *Client) DefaultObject(machine string) (string, error) {
	return c.single("PdhGetDefaultPerfObject", machine, func(buf []uint16) (uint32, error) { return c.calls.defaultObject(machine, buf) })
}

// DefaultCounter is the counter of an object to show first.
func (c *Client) DefaultCounter(machine, object string) (string, error) {
	return c.single("PdhGetDefaultPerfCounter", object, func(buf []uint16) (uint32, error) {
		return c.calls.defaultCounter(machine, object, buf)
	})
}
