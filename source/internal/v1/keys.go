package v1

import (
	"context"
	"fmt"

	"github.com/winperf/winperf/internal/wire"
)

// Root is a registry root that has values.
type Root uint8

// The roots.
const (
	Data    Root = iota // HKEY_PERFORMANCE_DATA
	Text                // HKEY_PERFORMANCE_TEXT: names and help texts in English
	NLSText             // HKEY_PERFORMANCE_NLSTEXT: in the user's language
	Perflib             // HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib
)

// Key is a root, or a language's key below Perflib.
type Key struct {
	Root     Root
	Language string // only for Perflib, spelled as in the key: "009"
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

// Value describes a value: its type and size.
type Value struct {
	Type uint32 // winnt.h: REG_BINARY and so on
	Size uint32 // in bytes
}

// Keys are the keys of one machine. Only one goroutine calls them at a time. Errors that this
// package handles wrap a winapi.Errno.
type Keys struct {
	// Open opens the keys, and reopens them after an error of the connection.
	Open func(ctx context.Context) error
	// Query reads a value into buf and its type and size into v. name ends with a NUL. The error
	// winapi.ERROR_MORE_DATA means that buf is too small; v is then undefined. A call that ignores
	// ctx is abandoned when ctx ends.
	Query func(ctx context.Context, key Key, name []uint16, buf []byte, v *Value) error
	// Languages returns the names of all subkeys of Perflib.
	Languages func(ctx context.Context) ([]string, error)
	// Close closes the keys.
	Close func() error
}

// maxValueName is the longest name of a registry value in UTF-16 units
// (Microsoft Learn, "Registry Element Size Limits").
const maxValueName = 16383

// valueError adds the name of the requested value to an error.
func valueError(key Key, name []uint16, err error) error {
	const most = 100 // of a long list of title indices
	text := wire.UnitsText(name[:len(name)-1])
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Errorf("%v, value %q: %w", key, text, err)
}
