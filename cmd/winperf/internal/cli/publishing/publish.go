package publishing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/settings"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
	"golang.org/x/time/rate"
)

type publishOptions struct {
	settings settings.Flags
	schema   string
	input    string // "" is standard input
	keep     bool
	publish.Options
}

// PublishCommand returns the command publish.
func PublishCommand(a *console.App, sections settings.Commands) *cobra.Command {
	var opt publishOptions
	cmd := &cobra.Command{
		Use:   "publish --schema FILE",
		Short: "Publish counters from lines on standard input",
		Long: `Publish publishes the objects of a schema on this machine, with values from standard
input. Other programs see them at once: on Linux with winperf, on Windows if the provider
is installed. The objects disappear when the input ends, or with --keep or --input when the
command is interrupted (Ctrl-C, SIGTERM, SIGHUP).

--input FILE reads a file instead, from its first line, and waits for lines that other
programs append. It waits for a missing file. A file that was replaced or truncated is read
again from its first line; the counters keep their values. A restart reads the whole file.
If FILE is a named pipe, programs can open, write and close it one after the other.

FILE is a JSON schema as for winperf provider init; init --example prints one. Here its
driver and symbols are optional, and derived from the names of its objects and counters.

Each line is a path, a space, and the operation on the raw value:
  \Transfer\Bytes Sent 5                 set it to 5
  \Peer(Peer 1)\Bytes Served +15         add 15; -15 subtracts, but not below 0
  \Transfer\Available Bandwidth 20/50    set it and its base, +20/+50 adds
  \Peer(Peer 1)\* remove                 remove the instance
PERF_DOUBLE_RAW takes decimals, such as 21.5, and can be negative. The raw value of
PERF_ELAPSED_TIME is the start time on the clock of the samples: on Linux the seconds in
/proc/uptime times 10,000,000; on Windows QueryPerformanceCounter.

The first line with a new instance creates it, with zeros. \Part(Peer 1/a)\Bytes names the
child a of Peer 1 if an instance Peer 1 exists, otherwise the instance Peer 1/a.
Empty lines and lines that begin with # are ignored. Lines that cannot be read are
skipped; the first 20 are reported, then at most one a second.

The file of --config (YAML) is shared with winperf serve. Its section publish: has the keys
schema, dir, group and so on: these flags. Flags given here override it; a change of the
file needs a restart. --check publishes nothing: it ends with status 0, or with status 1
and all errors of the file by line and column.

Exit status: 0 done, 1 nothing could be published, 3 a line could not be read.`,
		Example: `  winperf provider init --example > shop.json
  while sleep 1; do echo '\Transfer\Bytes Sent +100'; done | winperf publish --schema shop.json
  winperf watch '\Transfer\Bytes Sent'`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opt.settings.Apply(cmd); err != nil {
				return err
			}
			return publishInput(cmd.Context(), a, opt)
		},
	}

	f := cmd.Flags()
	f.StringVar(&opt.schema, "schema", "", "`FILE` that declares the objects and counters (required)")
	const lines = "read lines from `FILE`, to which other programs append, or a named pipe, until interrupted"
	f.StringVar(&opt.input, "input", "", lines)
	f.BoolVar(&opt.keep, "keep", false, "continue after the input has ended, until interrupted")
	const dir = "publish in `DIRECTORY` (default: the first one in " + publish.Environment +
		", otherwise a directory of the system)"
	f.StringVar(&opt.Dir, "dir", "", dir)
	const group = "on Linux: members of `GROUP` may read (default: the directory's group)"
	f.StringVar(&opt.Group, "group", "", group)
	opt.settings.Add(cmd, sections)
	return cmd
}

func publishInput(ctx context.Context, a *console.App, opt publishOptions) (err error) {
	if opt.input == "" && !a.HasInput() {
		return errors.New("publish needs --input FILE here, because a service has no standard input")
	}
	if opt.schema == "" {
		return errors.New("publish needs --schema FILE, which declares the counters;" +
			" winperf provider init --example prints an example")
	}
	data, err := input.ReadRegistrationFile(ctx, opt.schema)
	if err != nil {
		return err
	}

	s, err := registration.ParseDeclaration(opt.schema, data)
	if err != nil || opt.settings.Check {
		if _, missing := os.Stat(opt.input); opt.input != "" && missing != nil {
			a.Complain(fmt.Errorf("warning: %w", missing))
		}
		return err
	}

	missing := missingDirs(opt.Dir)
	p, err := publish.New(s, opt.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	made := ""
	if slices.Contains(missing, filepath.Dir(p.Path())) {
		made = "; the directory was created"
	}
	// Not an error.
	a.Complain(fmt.Errorf("publishing in %s, visible to %s%s", p.Path(), p.Audience(), made))
	end := a.Supervised(ctx, func(context.Context) error { return nil })
	defer end()
	in, name, err := opt.lines(ctx, a)
	if err != nil {
		return err
	}
	if err := publishLines(a, name, in, newPublishing(p, s)); err != nil {
		return err
	}

	if opt.keep {
		<-ctx.Done()
	}
	return nil
}

func missingDirs(chosen string) (dirs []string) {
	list := []string{chosen}
	if chosen == "" {
		list = filepath.SplitList(os.Getenv(publish.Environment))
	}
	for _, dir := range list {
		if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}

func publishLines(a *console.App, name string, in *console.LineReader, p *publishing) error {
	faults := lineFaults{app: a, source: name, times: rate.Sometimes{First: maxFaults, Interval: time.Second}}
	defer faults.end()
	for number := 1; ; number++ {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return in.Failed
		}

		var fault *winperf.DataError
		if err != nil {
			fault = &winperf.DataError{Column: 1, Msg: "the line is " + err.Error()}
		} else {
			fault = p.line(string(line))
		}

		if fault != nil {
			fault.Source, fault.Line = name, number
			faults.add(fault)
		}
	}
}

const (
	maxFaults    = 20  // reported lines; then one a second
	maxFaultText = 300 // characters in a report
)

type lineFaults struct {
	app    *console.App
	source string
	times  rate.Sometimes
	hidden int // number of lines not reported
}

func (l *lineFaults) add(fault *winperf.DataError) {
	l.app.Partial = true
	l.hidden++
	l.times.Do(func() {
		l.hidden--
		l.end()
		fault.Msg = console.Shorten(fault.Msg, maxFaultText)
		l.app.Complain(fault)
	})
}

func (l *lineFaults) end() {
	if l.hidden > 0 {
		l.app.Complain(fmt.Errorf("%s: %d more lines could not be read", l.source, l.hidden))
	}
	l.hidden = 0
}
