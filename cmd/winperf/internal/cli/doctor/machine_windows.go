package doctor

import (
	"context"
	"debug/pe"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/source"
)

func readMachine(ctx context.Context) (*diagnosis.Machine, error) {
	dll := winapi.NewDLL("advapi32.dll")
	r := registry{winapi.NewRegistry(dll)}
	m := &diagnosis.Machine{
		Registry: r, Rights: r.rights, Library: libraryProcessor,
		Processor: map[string]uint16{
			"386": pe.IMAGE_FILE_MACHINE_I386, "amd64": pe.IMAGE_FILE_MACHINE_AMD64,
			"arm64": pe.IMAGE_FILE_MACHINE_ARM64,
		}[runtime.GOARCH],
		Events: sync.OnceValues(func() ([]diagnosis.Event, error) {
			return readEvents(winapi.NewEvents(winapi.NewDLL("wevtapi.dll")))
		}),
		Published: publish.Check(), Examined: []string{published},
	}

	var err error
	m.Groups, err = groups()
	unread(m, "groups of the account", err)
	m.Sets, err = counterSets(winapi.NewPerflib(dll))
	unread(m, "counter sets of version 2", err)
	m.Probes = probeAll(ctx, m)
	readCosts(ctx, m)

	src, err := source.Open(ctx, "local:")
	if err != nil {
		unread(m, "clocks", err)
		return m, nil
	}
	defer src.Close()
	readClocks(ctx, m, src)
	return m, nil
}

// groups returns the groups for performance counters that contain this account.
func groups() ([]string, error) {
	found := []string{}
	for _, g := range []struct{ sid, name string }{
		{"S-1-5-32-544", "Administrators"},
		{"S-1-5-32-558", "Performance Monitor Users"},
		{"S-1-5-32-559", "Performance Log Users"},
	} {
		member, err := winapi.IsMember(g.sid)
		if err != nil {
			return nil, err
		}
		if member {
			found = append(found, g.name)
		}
	}
	return found, nil
}

func counterSets(api *winapi.Perflib) ([]winperf.GUID, error) {
	const most = 1 << 16
	sets := make([]winperf.GUID, 256)
	for {
		n, err := api.EnumerateCounterSet("", sets)
		switch {
		case errors.Is(err, winapi.ERROR_NOT_ENOUGH_MEMORY) && n > len(sets) && n <= most:
			sets = make([]winperf.GUID, n)
		case err != nil:
			return nil, err
		default:
			return sets[:min(n, len(sets))], nil
		}
	}
}

var variable = regexp.MustCompile(`%[^%]+%`)

// findLibrary returns the path of a DLL as named in a key. Names without a directory are in the system
// directory or in PATH.
func findLibrary(name string) (string, error) {
	name = variable.ReplaceAllStringFunc(name, func(s string) string {
		if text, found := os.LookupEnv(strings.Trim(s, "%")); found {
			return text
		}
		return s
	})
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) { // such as \SystemRoot\System32
			return "", fmt.Errorf("%s: %w", name, winapi.ERROR_NOT_SUPPORTED)
		}
		_, err := os.Stat(name)
		return name, err
	}

	system, err := winapi.SystemDirectory()
	if err != nil {
		return "", err
	}
	dirs := []string{system, filepath.Join(system, "drivers")} // drivers have counter sets
	for _, dir := range append(dirs, filepath.SplitList(os.Getenv("PATH"))...) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", &fs.PathError{Op: "find", Path: name, Err: fs.ErrNotExist}
}

func libraryProcessor(name string) (uint16, error) {
	path, err := findLibrary(name)
	if err != nil {
		return 0, err
	}
	f, err := pe.Open(path)
	if err != nil {
		return 0, err
	}
	return f.Machine, f.Close()
}
