// Package source opens sources of performance counters by URL.
//
//	local:[?kernel=fold][&groups=PATH[,PATH...]]  this machine
//	      [&root=DIR][&procfs=DIR][&sysfs=DIR]
//	registry:[//MACHINE][?foreign=HOST]           the registry of a Windows machine
//	perflib:[//MACHINE][?lang=ID]                 the counter sets (version 2) of a Windows machine
//	pdh:[//MACHINE][?formatted=1]                 the Performance Data Helper of a Windows machine
//	perfdata:FILE[,FILE...][?names=FILE]          performance data blocks, one sample a file
//	log:FILE[?zone=ZONE&codepage=N]               a log or capture
//
// Without //MACHINE the source reads this machine. The options are:
//
//   - kernel=fold: on Linux, one process in place of all kernel threads
//   - groups=PATH: on Linux, only these control groups and the groups above and below them
//   - root=DIR, procfs=DIR, sysfs=DIR: on Linux, the directories where /, /proc and /sys of the machine are
//     mounted in a container; by default procfs and sysfs are below root
//   - foreign=HOST: the counters of HOST, a machine without Windows, through the registry of MACHINE
//   - lang=ID: the language of the names, in a form that nametable.ParseLanguage accepts
//   - formatted=1: displayable values that PDH computes, instead of raw values
//   - names=FILE: the names of objects and counters, see [OpenPerfdata]; may be repeated
//   - zone=ZONE, codepage=N: see [ParseZone] and [ParseCodePage]
package source

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/consumer"
	"github.com/winperf/winperf/source/internal/local"
	"github.com/winperf/winperf/source/internal/pdh"
	"github.com/winperf/winperf/source/internal/registry"
	"github.com/winperf/winperf/source/internal/replay"
)

// Options for [OpenWith], [OpenLog] and [ReadLog]. The zero Options suit most sources.
type Options struct {
	// Providers supply further objects to each sample of the source local:, for this program's own
	// counters or for a device that only this program can read. The source closes their sessions
	// when it is closed. On Windows and for other sources the error of OpenWith wraps
	// winperf.ErrNotSupported.
	Providers []provider.Provider
	// CodePage is the Windows code page of a text log; 0 detects it.
	CodePage uint32
	// Location overrides the time zone of a log: the zone of the time stamps in a text log, and
	// LogInfo.Location of any log. nil keeps the log's own zone.
	Location *time.Location
}

// Scheme is one kind of source.
type Scheme struct {
	Name  string // the part before the colon
	Usage string // the form of the URL
	Brief string // the description, in one line
	open  opener
}

// opener opens a source by the part after the colon.
type opener func(ctx context.Context, rest string, opt Options) (winperf.Source, error)

// with returns an opener of a source that is not a log. It uses only the time zone of opt, which
// also applies to perfdata:.
func with(open func(ctx context.Context, rest string) (winperf.Source, error)) opener {
	return func(ctx context.Context, rest string, opt Options) (winperf.Source, error) {
		src, err := open(ctx, rest)
		if err != nil {
			return nil, err
		}
		return inZone(src, opt.Location), nil
	}
}

// Schemes returns the kinds of sources that [Open] knows, for help texts. The list is the same on
// every system and includes kinds that this system cannot read.
func Schemes() []Scheme {
	return []Scheme{
		{localScheme, localForm, "this machine", openLocal},

		{
			"registry", registry.Form,
			"the registry of this Windows machine or another", with(registry.OpenURL),
		},
		{
			"perflib", consumer.Form,
			"the counter sets (version 2) of this Windows machine or another", with(consumer.OpenURL),
		},
		{
			"pdh", pdh.Form,
			"the Performance Data Helper of this Windows machine or another", with(pdh.OpenURL),
		},

		{
			"perfdata", "perfdata:FILE[,FILE...][?names=FILE]",
			"recorded performance data blocks, one sample a file", with(openPerfdata),
		},
		{"log", logForm, "a log or capture; the file name is sufficient", openLogURL},
	}
}

// Open opens a source by URL, in one of the forms above. "" means "local:". The scheme may be in
// upper or lower case. An address without a known scheme is the file name of a log, if the file
// exists or has the extension of a log. The caller must close the source.
//
// The error wraps winperf.ErrNotSupported if this system cannot read the source or the URL has
// another form, fs.ErrNotExist for a missing file, and winperf.ErrBadData for a file that is too
// damaged. A source has further errors, such as fs.ErrPermission.
func Open(ctx context.Context, address string) (winperf.Source, error) {
	return OpenWith(ctx, address, Options{})
}

// OpenWith opens a source as [Open] does, with options. CodePage and Location override the options
// in the URL of a log; other sources ignore CodePage, and live sources ignore Location.
func OpenWith(ctx context.Context, address string, opt Options) (winperf.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if address == "" {
		address = "local:"
	}

	scheme, rest, found := strings.Cut(address, ":")
	if len(opt.Providers) > 0 && !strings.EqualFold(scheme, localScheme) {
		return nil, fmt.Errorf("source %q with providers of this program: %w; only %s: asks them",
			address, winperf.ErrNotSupported, localScheme)
	}

	for _, s := range Schemes() {
		if found && strings.EqualFold(s.Name, scheme) {
			src, err := s.open(ctx, rest, opt)
			if err != nil {
				return nil, withAddress(err, scheme, rest)
			}
			return src, nil
		}
	}

	if namesFile(address) {
		return OpenLog(ctx, address, opt)
	}
	hint := ""
	if near := suggest.Closest(scheme, names()); found && near != "" {
		hint = fmt.Sprintf(" (did you mean %s:?)", near)
	}
	return nil, fmt.Errorf("source %q: %w%s; known are %s", address, winperf.ErrNotSupported, hint, usages())
}

// names yields the names of all schemes.
func names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range Schemes() {
			if !yield(s.Name) {
				return
			}
		}
	}
}

// withAddress adds a source's address to the start of an error, unless the error begins with rest,
// such as the name of a file.
func withAddress(err error, scheme, rest string) error {
	behind, found := strings.CutPrefix(err.Error(), rest)
	switch {
	case rest == "":
		return fmt.Errorf("source %s: %w", scheme, err)
	case found && strings.IndexAny(behind, ": ") == 0:
		return fmt.Errorf("source %s:%w", scheme, err)
	}
	return fmt.Errorf("source %s:%s: %w", scheme, strings.TrimSuffix(rest, ":"), err)
}

func usages() string {
	var forms []string
	for _, s := range Schemes() {
		forms = append(forms, s.Usage)
	}
	return strings.Join(forms, ", ")
}

const localScheme = "local"

const localForm = "local:[?kernel=fold][&groups=PATH[,PATH...]][&root=DIR][&procfs=DIR][&sysfs=DIR]"

// openLocal opens this machine. kernel=fold shows one process instead of the kernel's threads;
// groups are the control groups to show, including the groups below them. root, procfs and sysfs are the
// directories where the files of the machine are mounted in a container.
func openLocal(_ context.Context, rest string, with Options) (winperf.Source, error) {
	query, found := strings.CutPrefix(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil || rest != "" && !found {
		return nil, fmt.Errorf("%q after the colon is %w, expected %s",
			rest, winperf.ErrNotSupported, localForm)
	}

	opt := local.Options{Providers: with.Providers}
	for name := range values {
		switch value := values.Get(name); {
		case name == "kernel" && value == "fold":
			opt.FoldKernelThreads = true
		case name == "groups" && value != "":
			opt.Groups = below(strings.Split(value, ","))
		case name == "root" && value != "":
			opt.Files.Root = value
		case name == "procfs" && value != "":
			opt.Files.Proc = value
		case name == "sysfs" && value != "":
			opt.Files.Sys = value
		default:
			return nil, fmt.Errorf("%s=%s is %w, expected %s", name, value, winperf.ErrNotSupported, localForm)
		}
	}
	return local.Open(opt)
}

// below returns a function that reports whether a control group is one of the names, or is below or
// above one.
func below(names []string) func(path string) bool {
	return func(path string) bool {
		for _, name := range names {
			name = "/" + strings.Trim(name, "/")
			if path == name || strings.HasPrefix(path, name+"/") || strings.HasPrefix(name, path+"/") {
				return true
			}
		}
		return false
	}
}

func openPerfdata(ctx context.Context, rest string) (winperf.Source, error) {
	return call.Once(ctx, func() (winperf.Source, error) { return replay.OpenPerfdata(rest) })
}

// OpenPerfdata opens recorded performance data blocks. Each file has one sample, as bytes or as
// text, and may have any name. The files in names have the names of objects and counters in the
// forms of nametable.ReadFile. A file may be a pipe: OpenPerfdata stops waiting for it when ctx
// ends. It reads names and the first sample. The error wraps fs.ErrNotExist for a missing file,
// winperf.ErrBadData for a file that is too damaged, and winperf.ErrNotSupported if files is empty.
func OpenPerfdata(ctx context.Context, files, names []string) (winperf.Source, error) {
	return call.Once(ctx, func() (winperf.Source, error) { return replay.OpenFiles(files, names) })
}
