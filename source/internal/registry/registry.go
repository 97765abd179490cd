// Package registry reads a Windows machine's performance data from its registry:
// HKEY_PERFORMANCE_DATA of this machine, or of another one that runs the Remote Registry service
// (Microsoft Learn, "Using the Registry Functions to Consume Counter Data").
//
// Names and help texts are available in every installed language. Samples contain everything that
// the system returns, including objects that it adds to the requested ones. Closing the source
// closes the key, and the system releases the providers that it loaded into this process.
package registry

import (
	"context"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/v1"
)

// Options configure [Open]. The zero Options read this machine.
type Options struct {
	// Machine is the name of another machine, with or without backslashes.
	Machine string
	// Foreign is a foreign machine, not of Windows, that Machine serves through the query "Foreign".
	// Obsolete.
	Foreign string
	// Language is the language of names, in the form of nametable.ParseLanguage. The default is the
	// user's language.
	Language string
	// MaxBytes is the largest size of a sample; the default is 64 MiB.
	MaxBytes int
	// Library is the file of the library with the registry calls. The default is the system's
	// advapi32.dll; tests use another one.
	Library string
}

// Open opens the registry of a machine as a source. The error wraps winperf.ErrNotSupported on
// systems other than Windows and if a function is missing, winperf.ErrNoMachine if the machine does
// not answer, and fs.ErrPermission if the user has no right to read it. Members of the group
// Performance Monitor Users have that right.
func Open(ctx context.Context, opt Options) (winperf.Source, error) {
	opt.Machine = strings.TrimLeft(opt.Machine, `\/`)
	keys, v1opt, err := openKeys(opt)
	if err != nil {
		return nil, err
	}

	v1opt.Interface = "registry"
	v1opt.Foreign = opt.Foreign
	v1opt.MaxBytes = opt.MaxBytes
	v1opt.Again = func() (v1.Keys, error) {
		keys, _, err := openKeys(opt)
		return keys, err
	}
	src, err := v1.Open(ctx, keys, v1opt)
	if err != nil {
		return nil, err
	}
	return src, nil
}
