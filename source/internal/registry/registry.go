// Package registry is the source of a Windows machine's performance data by its
// registry: HKEY_PERFORMANCE_DATA, of this machine or of another one whose Remote
// Registry service answers (Microsoft Learn, "Using the Registry Functions to
// Consume Counter Data").
//
// Names and help texts come in every installed language. Samples hold what the
// system gives: objects that it brings along with those asked for stay in them.
// Closing the source closes the key, and the system releases the providers that
// it loaded into this process.
package registry

import (
	"context"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/v1"
)

// Options for [Open]. The zero Options read this machine.
type Options struct {
	// Machine is another machine's name, with or without backslashes.
	Machine string
	// Foreign is a foreign machine, not of Windows, that the machine serves as
	// the query "Foreign" has it. That is obsolete.
	Foreign string
	// Language is the one that names are shown in, as nametable.ParseLanguage
	// takes it; the default is the user's.
	Language string
	// MaxBytes is the largest sample; the default is 64 MiB.
	MaxBytes int
	// Library is the file of the library with the registry calls; the default is
	// the system's advapi32.dll. Tests load another one.
	Library string
}

// Open opens the registry of a machine as a source. The error wraps
// winperf.ErrNotSupported on other systems than Windows or where a function is
// missing, winperf.ErrNoMachine where the machine does not answer, and
// fs.ErrPermission where the user may not read; members of the group
// Performance Monitor Users may.
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
