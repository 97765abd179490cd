package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

type lister struct {
	app       *console.App
	source    input.SourceFlags
	log       input.LogFlags
	within    input.RangeFlags
	output    output.Flags
	index     bool
	names     bool
	instances bool
	sensors   bool // the output is sensor names
	search    *search

	sel     winperf.Selection
	several bool            // the sample has several machines
	written map[string]bool // sensor names already written: they do not contain the machine
	schema  *winperf.Schema
	table   *nametable.Names
	english *nametable.Names
	w       *bufio.Writer
	width   int
}

// ListCommand returns the command list.
func ListCommand(a *console.App) *cobra.Command {
	l := &lister{app: a}
	cmd := &cobra.Command{
		Use:   "list [WHAT]",
		Short: "List objects, counters and instances",
		Long: `List shows the objects of the source. WHAT selects some of them:

  NAME        the object with that name or number, with help texts and instances
  PATH        the counters that match a path, such as '\Process(*)\*'
  PATTERN     objects and counters whose whole name matches (* and ? are wildcards);
              with a leading backslash only objects
  WORDS       counters with all these words in the name or help text of the counter
              or its object

  -o paths    one reusable path for each counter, with (*) for its instances;
              with --instances one path for each counter of each instance
  -o sensors  sensor names instead of paths: source/object/counter#instance; the
              characters / # and % in names become %2F, %23 and %25
  -o jsonl    one JSON line for each counter, with index, help, type and instances
  --names     the whole name table, including unused names: an index, a tab and a
              name in each line

Spellings of typeperf: -q is -o paths, -qx is -o paths --instances.

Exit status: 0 done, 1 nothing could be shown, 3 some data was damaged.`,
		Example: `  winperf list
  winperf list Process
  winperf list 'disk read'
  winperf list '*read*' -o paths
  winperf list -o jsonl
  winperf list --names > names.tsv       (for ?names=names.tsv)
  winperf list -q -o counters.txt        (as typeperf spells it)
  winperf list -qx Processor`,
		Args: console.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args) },
	}

	l.source.Add(cmd)
	l.log.Add(cmd)
	l.within.Add(cmd)
	l.output.Add(cmd, output.ListFormats)
	cmd.Flags().BoolVar(&l.index, "index", false, "show title indices in the table")
	cmd.Flags().BoolVar(&l.names, "names", false, "show the whole name table: index, tab, text")
	const instances = "with -o paths: one path for each instance of each counter"
	cmd.Flags().BoolVar(&l.instances, "instances", false, instances)
	cmd.ValidArgsFunction = input.CompleteObjectOrPath(&l.source)
	return cmd
}

func (l *lister) run(ctx context.Context, args []string) error {
	if err := l.settle(args); err != nil {
		return err
	}
	src, zone, err := l.log.Open(ctx, l.app, l.source.Source)
	if err != nil {
		return err
	}
	defer src.Close()

	l.sel = winperf.Selection{Global: true, Costly: true}
	if err := l.within.Choose(ctx, &l.sel, zone, src); err != nil {
		return err
	}

	if l.schema, err = src.Schema(ctx); err != nil {
		return err
	}
	out, err := output.Create(ctx, l.app, &l.output)
	if err != nil {
		return err
	}

	out.Wait()
	l.w, l.width, l.sensors = out.Writer, out.Width(), out.Format == "sensors"
	l.search = newSearch(strings.Join(append(args, "*")[:1], ""), src.Describe())
	l.written = map[string]bool{}
	if l.names {
		err = l.writeNames()
	} else {
		err = l.list(ctx, src, zone, out.Format)
	}
	if err == nil {
		out.Release()
	}
	return errors.Join(err, out.Close())
}

func (l *lister) settle(args []string) error {
	switch {
	case l.names && (len(args) > 0 || l.instances || l.index):
		return errors.New("--names shows the whole name table: omit WHAT, --index and --instances")
	case l.names:
		l.output.Formats = output.NamesFormats
	case l.instances:
		for _, format := range []string{l.output.Format, l.output.Output} {
			if strings.EqualFold(format, "jsonl") || strings.EqualFold(format, "table") {
				return errors.New("--instances works only with -o paths and -o sensors")
			}
		}
		l.output.Formats = output.InstanceFormats
	}

	format, _, err := l.output.Settle(l.source.Source)
	if err == nil && l.index && format != "table" {
		return fmt.Errorf("--index is for the table, not for %s", format)
	}
	return err
}

func (l *lister) list(ctx context.Context, src winperf.Source, zone output.ShownZone, format string) error {
	sel := l.sel
	sel.NamesOnly = true
	m := measure.New(src, sel, measure.Options{FramesOnly: true, Language: string(l.source.Language)})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if errors.Is(err, io.EOF) {
		return l.within.Empty(ctx, catalogue.NoSample, zone, src)
	}
	if err != nil {
		return err
	}

	if l.index && cycle.Sample.CheckRaw() != nil {
		return errors.New("a text log has no title indices: omit --index")
	}

	l.app.Damaged(cycle.Damage)
	l.table = cycle.Names
	if schema := cycle.Frame.Schema(); schema != nil {
		l.schema = schema // it may have more details, such as costly objects
	}

	l.several = len(catalogue.MachinesOf(cycle.Frame)) > 1
	objects, series := l.find(cycle.Frame)
	if len(objects)+len(series) == 0 {
		return l.nothing(src, cycle)
	}
	if l.instances {
		for _, s := range series {
			l.writePath(s.Path)
		}
		return l.writePaths(objects)
	}
	for _, o := range catalogue.SeriesObjects(series) {
		objects = append(objects, finding{KnownObject: o})
	}

	switch format {
	case "paths", "sensors":
		return l.writePaths(objects)
	case "jsonl":
		return l.writeJSON(objects)
	}
	if l.search.all() {
		return l.writeOverview(objects)
	}
	return l.writeObjects(objects)
}

func (l *lister) nothing(src winperf.Source, cycle *measure.Cycle) error {
	input.ReportElsewhere(l.app, src)
	c := catalogue.Catalogue{Cycle: cycle}
	c.AddSample()
	empty := "the source has no objects"
	if src.Describe().Recorded {
		empty = "the log has no counters"
	}
	return l.search.nothing(empty, &c)
}

// machine returns the object's machine if there are several, otherwise "".
func (l *lister) machine(o finding) string {
	if !l.several {
		return ""
	}
	return o.Machine
}

func (l *lister) label(o finding) string {
	name := o.Name
	if machine := l.machine(o); machine != "" {
		name = `\\` + machine + `\` + name
	}
	return safetext.Line(name)
}

func (l *lister) costly(o finding) bool { return slices.Contains(l.schema.Costly, o.ID.Index) }

func (l *lister) writePaths(objects []finding) error {
	for _, o := range objects {
		for _, c := range o.Counters {
			p := winperf.Path{Machine: l.machine(o), Object: o.Name, Counter: c.Name}
			switch {
			case !o.Multi:
				l.writePath(p)
			case !l.instances:
				p.HasInstance, p.Instance = true, "*"
				l.writePath(p)
			default:
				l.writeInstances(p, o)
			}
		}
	}
	return nil
}

func (l *lister) writeInstances(p winperf.Path, o finding) {
	for in := range o.shown() {
		p.HasInstance, p.Instance, p.Index = true, in.Name, in.Occurrence
		l.writePath(p)
	}
}

func (l *lister) writePath(p winperf.Path) {
	text := p.String()
	if l.sensors {
		text = sensor.NewName(sensor.SourceName(l.schema), p).String()
		if l.written[text] {
			return
		}
		if l.several {
			l.written[text] = true
		}
	}
	fmt.Fprintln(l.w, safetext.Line(text))
}
