package live

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/sink"
)

type destination struct {
	sink.Sink
	out      *output.Output
	terminal *terminal // set if the output is redrawn, so that other text would damage it
}

// open opens a sink. single means that only one moment follows. show is called if the output is drawn on a
// terminal.
func open(
	ctx context.Context, a *console.App, f *output.Flags, zone output.ShownZone, single bool,
	show func() *terminal,
) (*destination, error) {
	out, err := output.Create(ctx, a, f)
	if err != nil {
		return nil, err
	}
	if show != nil {
		t := show()
		return &destination{t, out, t}, nil
	}

	opt := zone.SinkOptions(out.File != nil)
	opt.Single, opt.Size = single, out.Size
	opt.Human = f.Human(out)
	s, err := sink.New(out.Format, out, opt)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &destination{Sink: s, out: out}, nil
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
