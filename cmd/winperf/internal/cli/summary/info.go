package summary

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

type informer struct {
	app      *console.App
	output   output.Flags
	log      input.LogFlags
	within   input.RangeFlags
	language input.Language
	quiet    bool
}

var infoFormats = []sink.Format{
	{Name: "text", Extensions: []string{".txt"}, Description: "for people"},
	{Name: "json", Extensions: []string{".json"}, Description: "a JSON array with an object for each log"},
}

// InfoCommand returns the command info.
func InfoCommand(a *console.App) *cobra.Command {
	i := &informer{app: a}
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Show the contents of a log or of published counters",
		Long: `Info shows the contents of logs and captures: the kind of file, the machine and its time
zone, the time of the first and last sample, the number of samples, their interval, gaps,
objects, and damage. Times are in the time zone of the log (UTC if it names none).

For published counters (a .winperf file, or the directory that winperf publish reports) it
shows the publisher's process, its start time, and its objects.

Exit status: 0 done, 1 nothing could be shown, 3 a file could not be read, or some data was
damaged.`,
		Example: `  winperf info load.blg
  winperf info *.csv -o json
  winperf info /run/winperf
  winperf info old.csv --code-page 1251 --zone Europe/Moscow`,
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args) },
	}

	i.output.Add(cmd, infoFormats)
	i.log.Add(cmd)
	i.within.Add(cmd)
	cmd.Flags().Var(&i.language, "language", input.LanguageHelp)
	cmd.Flags().BoolVar(&i.quiet, "quiet", false, "show no progress")
	return cmd
}

func (i *informer) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("no log given; for example winperf info load.blg")
	}
	if _, _, err := i.output.Settle(args...); err != nil {
		return err
	}

	var all []infoSummary
	var errs []error
	for _, name := range args {
		found, err := i.summaries(ctx, name)
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			errs = append(errs, err)
		}
		all = append(all, found...)
	}

	if len(all) == 0 {
		return errors.Join(errs...)
	}
	for _, err := range errs {
		i.app.Complain(err)
		i.app.Partial = true
	}

	out, err := output.Create(ctx, i.app, &i.output)
	if err != nil {
		return err
	}
	return errors.Join(i.write(out, all), out.Close())
}

type infoSummary interface {
	title() string
	// rows returns lines of a label and texts.
	rows() [][]string
}

func (i *informer) summaries(ctx context.Context, name string) (found []infoSummary, err error) {
	files, err := publishedFiles(name)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		s, err := i.read(ctx, name)
		if err != nil {
			return nil, err
		}
		return []infoSummary{s}, nil
	}

	opt, err := i.log.Options()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, file := range files {
		s, err := readPublished(file, i.log.ShownZone(winperf.Description{}, opt))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found = append(found, s)
	}
	return found, errors.Join(errs...)
}

func (i *informer) read(ctx context.Context, name string) (s *logSummary, err error) {
	sel := winperf.Selection{Global: true, Costly: true}
	all, zone, err := input.OpenLogs(ctx, i.app, []string{name}, &i.log, &i.within, &sel)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, input.CloseLogs(all)) }()

	log := all[0]
	s = newSummary(log, zone)
	if file, err := os.Stat(name); err == nil {
		s.Size = file.Size()
	}
	s.addNames(ctx, log.Source)

	p := output.NewProgress(i.app, i.quiet)
	defer p.Clear()
	opt := measure.Options{FramesOnly: true, KeepFirst: true, Language: string(i.language)}
	for m, err := range logs.Read(ctx, all, sel, opt) {
		if err != nil {
			return nil, err
		}
		i.app.Notice(m.Damage)
		s.addDamage(m.Damage)
		for _, cycle := range m.Cycles {
			s.add(cycle)
		}
		p.Show(m, s.Samples)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	if s.Samples == 0 && s.Damage == 0 && i.within.IsSet() {
		err := i.within.Empty(ctx, "there are no samples", zone, log.Source)
		return nil, fmt.Errorf("%s: %w", name, err)
	}

	s.finish()
	if s.Damage > 0 {
		i.app.Partial = true
	}
	return s, nil
}

func (i *informer) write(out *output.Output, all []infoSummary) error {
	if out.Format == "json" {
		enc := output.NewJSON(out)
		enc.SetIndent("", " ")
		return enc.Encode(all)
	}

	for n, s := range all {
		if n > 0 {
			out.WriteByte('\n')
		}
		writeSummary(out.Writer, s)
	}
	return nil
}

func writeSummary(w *bufio.Writer, s infoSummary) {
	w.WriteString(safetext.Line(s.title()) + "\n")
	for _, row := range s.rows() {
		for n, line := range row[1:] {
			label := row[0]
			if n > 0 {
				label = ""
			}
			w.WriteString("  " + label + "           "[len(label):] + safetext.Line(line) + "\n")
		}
	}
}
