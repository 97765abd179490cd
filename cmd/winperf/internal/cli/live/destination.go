package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/picture"
	"github.com/winperf/winperf/sink"
)

type destination struct {
	sink.Sink
	out     *output.Output
	inPlace bool             // redrawn on a terminal, where other text would damage it
	picture *picture.Picture // set if inPlace
}

// open opens a sink. single means that only one moment follows.
func open(
	ctx context.Context, a *console.App, f *output.Flags, zone output.ShownZone, single bool,
) (*destination, error) {
	out, err := output.Create(ctx, a, f)
	if err != nil {
		return nil, err
	}

	inPlace := out.Terminal() && !single && out.Format == "table" && os.Getenv("TERM") != "dumb"
	opt := zone.SinkOptions(out.File != nil)
	opt.Single, opt.Size, opt.Terminal = single, out.Size, inPlace
	opt.Human = f.Human(out)
	if !inPlace {
		s, err := sink.New(out.Format, out, opt)
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		return &destination{Sink: s, out: out}, nil
	}

	// Pictures are drawn at any time, each in one write, bypassing the output's buffer.
	if _, keys := console.IsTerminal(a.Stdin.Stream); keys {
		opt.Hint = picture.ScrollHint
	}
	table, err := sink.New("table", a.Stdout, opt)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	p := picture.New(a, table)
	return &destination{p, out, true, p}, nil
}

func (d *destination) Close() error {
	return errors.Join(d.Sink.Close(), d.out.Close())
}

func (d *destination) reportLate(w io.Writer) {
	if l, ok := d.Sink.(sink.LateCounter); ok && l.Late() > 0 {
		const form = "winperf: %d series began after the first row and have no column in the %s output%s;" +
			" use -o jsonl to keep them\n"
		fmt.Fprintf(w, form, l.Late(), d.out.Format, console.SomeNames(console.LateNames(d.Sink), l.Late()))
	}
}
