package v1

import (
	"context"
	"fmt"

	"github.com/winperf/winperf/internal/wire"
)

// Root is where a value is.
type Root uint8

// The roots.
const (
	Data    Root = iota // HKEY_PERFORMANCE_DATA
	Text                // HKEY_PERFORMANCE_TEXT: names and help texts in English
	NLSText             // HKEY_PERFORMANCE_NLSTEXT: in the user's language
	Perflib             // HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib
)

// Key is what a value belongs to: a root, or a language's key below Perflib.
type Key struct {
	Root     Root
	Language string // of Perflib only, as the key is spelled: "009"
}

var rootNames = [...]string{"HKEY_PERFORMANCE_DATA", "HKEY_PERFORMANCE_TEXT",
	"HKEY_PERFORMANCE_NLSTEXT", "Perflib"}

// String returns the key's name for messages.
func (k Key) String() string {
	if k.Language != "" {
		return rootNames[k.Root] + `\` + k.Language
	}
	return rootNames[k.Root]
}

// Value is what a key told about a value.
type Value struct {
	Type uint32 // winnt.h: REG_BINARY and so on
	Size uint32 // in bytes
}

// Keys are the keys of one machine. They are called by one goroutine at a time.
// Errors that mean something to this package wrap a winapi.Errno.
type Keys struct {
	// Open opens what has to be, again if it is open already: that is what an
	// error of the connection asks for.
	Open func(ctx context.Context) error
	// Query reads a value into buf and says in v what it found. name ends with
	// a NUL. winapi.ERROR_MORE_DATA says that buf is too small; v then means
	// nothing. A call that ignores ctx is left behind when ctx ends.
	Query func(ctx context.Context, key Key, name []uint16, buf []byte, v *Value) error
	// Languages returns the names of Perflib's subkeys, whatever they are.
	Languages func(ctx context.Context) ([]string, error)
	// Close gives back what was opened.
	Close func() error
}

// maxValueName is the longest name of a registry value in UTF-16 units
// (Microsoft Learn, "Registry Element Size Limits").
const maxValueName = 16383

// valueError says which value was asked for.
func valueError(key Key, name []uint16, err error) error {
	const most = 100 // of a long list of title indices
	text := wire.UnitsText(name[:len(name)-1])
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Errorf("%v, value %q: %w", key, text, err)
}
