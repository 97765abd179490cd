package winperf

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentinel errors for errors.Is. Functions wrap them in errors that describe the failure.
var (
	// ErrNotSupported: this system, source or format cannot do the requested operation.
	ErrNotSupported = errors.New("not supported")
	// ErrPath: a counter path does not parse, or names cannot be written as a path.
	ErrPath = errors.New("bad counter path")
	// ErrNoMachine: a path names a machine that the source does not read, or a machine does not
	// answer.
	ErrNoMachine = errors.New("no such machine")
	// ErrNoObject: the source has no such object.
	ErrNoObject = errors.New("no such object")
	// ErrNoCounter: the object has no such counter.
	ErrNoCounter = errors.New("no such counter")
	// ErrNoInstance: the object has no such instance.
	ErrNoInstance = errors.New("no such instance")
	// ErrBadData: bytes read from a system, a peer or a file are damaged.
	ErrBadData = errors.New("bad data")
	// ErrState: the operation is not possible in the present state: after Close, in the wrong
	// order of steps, or with a frame that is no longer valid. The same applies to an instance
	// of an object without instances, and to single values of an object with instances.
	ErrState = errors.New("wrong order of operations")
)

// printable returns s for one line on a terminal: unprintable characters replaced, cut at 200
// bytes.
func printable(s string) string {
	const limit = 200
	cut := ""
	if len(s) > limit {
		s, cut = s[:limit], "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s) + cut
}
