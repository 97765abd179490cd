package consumer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/winapi"
)

// Limits for the result of one call, in bytes; [MS-PCQ] defines limits for other machines.
const (
	maxSets        = 1 << 16   // GUIDs
	maxIdentifiers = 64 << 20  // bytes of identifiers
	maxInfo        = 128 << 20 // bytes of registration information or of instances
	maxData        = counterset.MaxBytes
)

// maxGrowth limits how often in a row a buffer may be too small. The data may grow between two
// calls.
const maxGrowth = 16

// consumer calls the PerfLib functions. It grows buffers, checks answers, and returns errors that
// name the request. All of its methods may be used from several goroutines. They return only when
// the Windows call returns.
type consumer struct {
	calls   *calls
	machine string
}

// callError names the call that failed. It wraps the system's error, usually a counterset.Status.
type callError struct {
	function string
	set      winperf.GUID // zero if the call has none
	err      error
}

// Error names the function and the counter set.
func (e *callError) Error() string {
	if e.set.IsZero() {
		return fmt.Sprintf("%s: %v", e.function, e.err)
	}
	return fmt.Sprintf("%s of counter set %v: %v", e.function, e.set, e.err)
}

// Unwrap returns the system's error.
func (e *callError) Unwrap() error { return e.err }

// status turns an error number of Windows into a counterset.Status.
func status(err error) error {
	if err == nil {
		return nil // the variable below would allocate
	}
	var missing *winapi.MissingError
	var e winapi.Errno
	if !errors.As(err, &missing) && errors.As(err, &e) {
		return counterset.Status(e)
	}
	return err
}

// grown calls f with buf, and with larger buffers of up to max elements while f reports that it
// needs more. f returns the number of elements.
func grown[T any](buf []T, max int, f func([]T) (int, error)) ([]T, error) {
	need := 0
	for range maxGrowth {
		n, err := f(buf)
		err = status(err)
		switch {
		case errors.Is(err, counterset.NotEnoughMemory):
			// Grow by at least half, whatever n is.
			if need = n; need <= len(buf) {
				need = len(buf) + len(buf)/2 + 64
			}
			if need > max {
				return buf, fmt.Errorf("%d are needed, at most %d are accepted: %w", need, max,
					winperf.ErrBadData)
			}
			buf = slices.Grow(buf[:0], need)
			buf = buf[:cap(buf)]

		case err != nil:
			return buf, err
		case n < 0 || n > len(buf):
			return buf, fmt.Errorf("%d were written to a buffer of %d: %w", n, len(buf), winperf.ErrBadData)
		default:
			return buf[:n], nil
		}
	}
	return buf, fmt.Errorf("the buffer was too small %d times in a row, last for %d: %w", maxGrowth, need,
		winperf.ErrBadData)
}

// sets returns the registered counter sets.
func (c *consumer) sets() ([]winperf.GUID, error) {
	ids, err := grown(make([]winperf.GUID, 512), maxSets, func(buf []winperf.GUID) (int, error) {
		return c.calls.enumerateSets(c.machine, buf)
	})
	if err != nil {
		return nil, &callError{function: "PerfEnumerateCounterSet", err: err}
	}
	return ids, nil
}

// instances returns the current instances of a counter set.
func (c *consumer) instances(set winperf.GUID) ([]counterset.InstanceName, error) {
	b, err := grown(make([]byte, 4096), maxInfo, func(buf []byte) (int, error) {
		return c.calls.enumerateInstances(c.machine, &set, buf)
	})
	var all []counterset.InstanceName
	if err == nil {
		all, err = counterset.ParseInstances(b)
	}
	if err != nil {
		return nil, &callError{function: "PerfEnumerateCounterSetInstances", set: set, err: err}
	}
	return all, nil
}

// registration reads registration information of a counter set in the system's form. code is one of
// the Reg constants of package counterset. lang is a language identifier, 0 for English; for
// counterset.RegCounter it is the counter's id.
func (c *consumer) registration(set winperf.GUID, code, lang uint32) ([]byte, error) {
	b, err := grown(make([]byte, 4096), maxInfo, func(buf []byte) (int, error) {
		return c.calls.registrationInfo(c.machine, &set, code, lang, buf)
	})
	if err != nil {
		return nil, c.aboutSet(code, set, err)
	}
	return slices.Clone(b), nil
}

// aboutSet returns the error of a call for registration information.
func (c *consumer) aboutSet(code uint32, set winperf.GUID, err error) error {
	return &callError{function: fmt.Sprintf("PerfQueryCounterSetRegistrationInfo (%d)", code),
		set: set, err: err}
}

// info reads the registration of a counter set and of all its counters. If it is damaged, info
// returns the readable part and an error.
func (c *consumer) info(set winperf.GUID) (*counterset.Info, []byte, error) {
	b, err := c.registration(set, counterset.RegCounterSet, 0)
	if err != nil {
		return nil, nil, err
	}

	info, err := counterset.ParseInfo(b)
	switch {
	case err != nil:
		err = c.aboutSet(counterset.RegCounterSet, set, err)
	case info.GUID != set:
		err = c.aboutSet(counterset.RegCounterSet, set,
			fmt.Errorf("the answer is about %v: %w", info.GUID, winperf.ErrBadData))
		info = nil
	}
	return info, b, err
}

// text reads one text: code is RegName, RegHelp, RegProviderName or
// RegEnglishName of package counterset.
func (c *consumer) text(set winperf.GUID, code, lang uint32) (string, error) {
	b, err := c.registration(set, code, lang)
	if err != nil {
		return "", err
	}
	s, err := counterset.ParseString(b)
	if err != nil {
		return "", c.aboutSet(code, set, err)
	}
	return s, nil
}

// texts reads the texts of all counters. code is RegCounterNames, RegCounterHelps or
// RegEnglishCounter of package counterset. Unreadable texts are omitted, with an error for each.
func (c *consumer) texts(set winperf.GUID, code, lang uint32) ([]counterset.CounterString, []error) {
	b, err := c.registration(set, code, lang)
	if err != nil {
		return nil, []error{err}
	}
	all, errs := counterset.ParseStrings(b)
	for i, err := range errs {
		errs[i] = c.aboutSet(code, set, err)
	}
	return all, errs
}
