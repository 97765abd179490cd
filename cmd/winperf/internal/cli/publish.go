package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

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
the name of its child. Empty lines and lines that begin with # count for
nothing. A line that cannot be read costs itself.`,
		Example: `  winperf provider init --example > shop.json
  while sleep 1; do echo '\Transfer\Bytes Sent +100'; done | winperf publish --schema shop.json
  winperf watch '\Transfer\Bytes Sent'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.publish(cmd.Context(), opt) },
	}

	f := cmd.Flags()
	f.StringVar(&opt.schema, "schema", "", "the `FILE` that declares the objects and counters (required)")
	f.BoolVar(&opt.keep, "keep", false, "go on when the input has ended, until interrupted")
	f.StringVar(&opt.Dir, "dir", "", "publish in `DIRECTORY` instead of the system's or, if set, the first of "+publish.Environment)
	f.StringVar(&opt.Group, "group", "", "let the members of `GROUP` read, on Linux (default the directory's)")
	return cmd
}

func (a *app) publish(ctx context.Context, opt publishOptions) (err error) {
	if opt.schema == "" {
		return errors.New("publish needs --schema FILE, which declares the counters; winperf provider init --example prints one to begin with")
	}
	data, err := readRegistrationFile(ctx, opt.schema)
	if err != nil {
		return err
	}

	s, err := registration.ParseDeclaration(opt.schema, data)
	if err != nil {
		return err
	}

	p, err := publish.New(s, opt.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	a.complain(fmt.Errorf("publishing in %s; it can be seen by %s", p.Path(), p.Audience())) // which is no complaint
	a.await("lines to publish")
	if err := a.publishLines(newPublishing(p, s)); err != nil {
		return err
	}

	if opt.keep {
		<-ctx.Done()
	}
	return nil
}

// maxPublishLine is longer than any line that can be right.
const maxPublishLine = 64 << 10

// publishLines carries out every line that can be read.
func (a *app) publishLines(p *publishing) error {
	in := bufio.NewReaderSize(a.stdin, maxPublishLine)
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of it
			_, err = in.ReadSlice('\n')
		}

		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		text := string(bytes.TrimRight(line, "\r\n"))

		var fault *winperf.DataError
		if long {
			fault = &winperf.DataError{Column: 1, Msg: fmt.Sprintf("the line is longer than %d bytes", maxPublishLine)}
		} else {
			fault = p.line(text)
		}

		if fault != nil {
			a.partial = true
			fault.Source, fault.Line = "standard input", number
			a.complain(fault)
		}

		if err != nil {
			return nil
		}
	}
}
