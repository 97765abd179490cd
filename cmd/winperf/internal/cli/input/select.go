package input

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// maxPaths bounds the paths of a run, because each is compared with every object.
const maxPaths = 10_000

// Paths parses the paths of the command line and of --counters.
func Paths(ctx context.Context, a *console.App, args []string, f *SelectFlags) ([]winperf.Path, error) {
	paths, err := ParsePaths(args)
	if err != nil {
		return nil, err
	}

	if f.Counters != "" {
		more, err := pathFile(ctx, a, f.Counters)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}

	if len(paths) > maxPaths {
		const form = "%d paths, expected at most %d; use wildcards"
		return nil, fmt.Errorf(form, len(paths), maxPaths)
	}
	return paths, nil
}

// ParsePaths parses paths. The error names the invalid path.
func ParsePaths(args []string) ([]winperf.Path, error) {
	var paths []winperf.Path
	var errs []error
	for _, arg := range args {
		p, err := parsePath(arg)
		paths = append(paths, p)
		errs = append(errs, err)
	}
	return paths, errors.Join(errs...)
}

func pathFile(ctx context.Context, a *console.App, name string) (paths []winperf.Path, err error) {
	var r io.Reader
	if name == "-" {
		name = StandardInput
		if r, err = a.Input("paths"); err != nil {
			return nil, err
		}
	} else {
		f, err := call.Once(ctx, func() (*os.File, error) { return os.Open(name) })
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = &console.Interruptible{Context: ctx, Stream: f}
	}

	paths, err = readPaths(r)
	if err == nil && len(paths) == 0 {
		err = errors.New("it contains no path")
	}

	var named *fs.PathError
	if err != nil && !errors.As(err, &named) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return paths, err
}

// parsePath parses a path or a sensor name of a Windows or Linux source. For a path without its beginning
// or end, the error suggests the complete path.
func parsePath(text string) (winperf.Path, error) {
	if name, err := sensor.ParseName(text); err == nil && sensor.UsualSource(name.Source) {
		p := name.Path()
		return p, p.Validate()
	}
	p, err := winperf.ParsePath(text)
	if err == nil {
		return p, nil
	}
	for _, whole := range []string{backslashed(text), `\` + text, text + `\*`, `\` + text + `\*`} {
		if _, wrong := winperf.ParsePath(whole); wrong == nil && text != "" {
			return p, fmt.Errorf("%w (did you mean '%s'?)", err, whole)
		}
	}
	return p, err
}

func backslashed(text string) string {
	parent, rest := `\`, strings.TrimPrefix(text, "/")
	if whole, two := strings.CutPrefix(rest, "/"); two {
		machine, path, _ := strings.Cut(whole, "/")
		parent, rest = `\\`+machine+`\`, path
	}

	end := strings.LastIndex(rest, ")/") + 1
	if end == 0 {
		end = strings.Index(rest, "/")
	}
	if end < 0 || !strings.HasPrefix(text, "/") {
		return text
	}
	return parent + rest[:end] + `\` + rest[end+1:]
}

// readPaths reads one path a line, in UTF-8 or UTF-16 (PowerShell). It skips empty lines and lines that
// begin with # or ;, and removes quotes of spreadsheets.
func readPaths(r io.Reader) ([]winperf.Path, error) {
	text, _, err := wire.NewReader(r)
	if err != nil {
		return nil, err
	}

	var paths []winperf.Path
	lines := bufio.NewScanner(text)
	n := 1
	for ; lines.Scan(); n++ {
		text := unquoted(strings.TrimSpace(lines.Text()))
		if text == "" || text[0] == '#' || text[0] == ';' {
			continue
		}
		p, err := parsePath(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if paths = append(paths, p); len(paths) > maxPaths {
			return nil, fmt.Errorf("line %d: more than %d paths; use wildcards", n, maxPaths)
		}
	}

	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: longer than %d bytes", n, bufio.MaxScanTokenSize)
	}
	return paths, lines.Err()
}

func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// Options returns the measurement options for the flags.
func (f *SelectFlags) Options(language Language) (measure.Options, error) {
	exclude, err := ParsePaths(f.Exclude)
	return measure.Options{
		Language: string(language),
		Exclude:  exclude,
		Cook: counter.Options{
			Clamp: true, Cap100: f.Cap100, NeedPrevious: f.pdhExact && !f.fromStart,
		},
	}, err
}

// TitlesOf returns the title indices of a name or number.
func TitlesOf(names *nametable.Names, s string) []uint32 {
	if n, err := strconv.ParseUint(s, 10, 32); err == nil {
		return []uint32{uint32(n)}
	}
	return names.Lookup(s)
}
