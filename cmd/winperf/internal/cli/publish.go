package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

type publishOptions struct {
	schema string
	keep   bool
	publish.Options
}

func (a *app) publishCommand() *cobra.Command {
	var opt publishOptions
	cmd := &cobra.Command{
		Use:   "publish --schema FILE",
		Short: "Publish counters from lines on standard input",
		Long: `Publish makes the objects of a schema appear on this machine, with values from
standard input. Other programs see them at once, on Linux with winperf, on
Windows where the provider is installed. They vanish when the input ends, or
with --keep when the command is interrupted (Ctrl-C, SIGTERM, SIGHUP).

FILE is JSON, as for winperf provider init, whose --example prints one. Its
driver and symbols may be left out: they are then made from the names.

Each line is a path and, behind a blank, what is to be done with the raw value:
  \Transfer\Bytes Sent 5                 set it to 5
  \Peer(Peer 1)\Bytes Served +15         add 15; -15 subtracts
  \Transfer\Available Bandwidth 20/50    set it and its base, +20/+50 adds
  \Peer(Peer 1)\* remove                 take the instance away
An instance appears, with zeros, when it is first named. Where there is an
instance of the name before a slash, as in \Part(Peer 1/a)\Bytes, the rest is
the name of its child. Empty lines and lines that begin with # are ignored. A line
that cannot be read is reported and passed over.`,
		Example: `  winperf provider init --example > shop.json
  while sleep 1; do echo '\Transfer\Bytes Sent +100'; done | winperf publish --schema shop.json
  winperf watch '\Transfer\Bytes Sent'`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.publish(cmd.Context(), opt) },
	}

	f := cmd.Flags()
	f.StringVar(&opt.schema, "schema", "", "the `FILE` that declares the objects and counters (required)")
	f.BoolVar(&opt.keep, "keep", false, "go on when the input has ended, until interrupted")
	const dir = "publish in `DIRECTORY` instead of the system's, or of the first of " + publish.Environment
	f.StringVar(&opt.Dir, "dir", "", dir)
	const group = "let the members of `GROUP` read, on Linux (default the directory's)"
	f.StringVar(&opt.Group, "group", "", group)
	return cmd
}

func (a *app) publish(ctx context.Context, opt publishOptions) (err error) {
	if opt.schema == "" {
		return errors.New("publish needs --schema FILE, which declares the counters;" +
			" winperf provider init --example prints one to begin with")
	}
	data, err := readRegistrationFile(ctx, opt.schema)
	if err != nil {
		return err
	}

	s, err := registration.ParseDeclaration(opt.schema, data)
	if err != nil {
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
		made = "; the directory was made, as it was not there"
	}
	// This is no complaint.
	a.complain(fmt.Errorf("publishing in %s; it can be seen by %s%s", p.Path(), p.Audience(), made))
	r, err := a.input("lines to publish")
	if err != nil {
		return err
	}
	if err := a.publishLines(newLineReader(r), newPublishing(p, s)); err != nil {
		return err
	}

	if opt.keep {
		<-ctx.Done()
	}
	return nil
}

// missingDirs are the directories that somebody chose to publish in and that are not there.
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

// publishLines carries out every line that can be read.
func (a *app) publishLines(in *lineReader, p *publishing) error {
	for number := 1; ; number++ {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return in.failed
		}

		var fault *winperf.DataError
		if err != nil {
			fault = &winperf.DataError{Column: 1, Msg: "the line is " + err.Error()}
		} else {
			fault = p.line(string(line))
		}

		if fault != nil {
			a.partial = true
			fault.Source, fault.Line = standardInput, number
			a.complain(fault)
		}
	}
}
