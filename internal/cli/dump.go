package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/source"
)

// dumper is the dump command.
type dumper struct {
	app     *app
	source  sourceFlags
	output  outputFlags
	objects []string
	names   []string
}

var dumpFormats = []sink.Format{
	{Name: "text", Extensions: []string{".txt"}, Description: "every field"},
	{Name: "json", Extensions: []string{".json"}, Description: "definitions, instances and raw values"},
	{Name: "bin", Extensions: []string{".bin", ".perfdata"}, Description: "the bytes"},
}

func (a *app) dumpCommand() *cobra.Command {
	d := &dumper{app: a}
	cmd := &cobra.Command{
		Use:   "dump [FILE]",
		Short: "Show a raw performance data block as text or JSON",
		Long: `Dump shows one sample as it is, raw values and all: the performance data block
in FILE, or a sample of the source taken now.

  -o text    every field, in a form that package perfdata reads back
  -o json    objects, definitions, instances and raw values
  -o bin     the bytes themselves, for perfdata:FILE; with --object a block of
             these objects only

Exit status: 0 done, 1 nothing could be shown, 3 some of the data was damaged
or an object is not in it.`,
		Example: `  winperf dump --object Memory
  winperf dump block.bin --names names.tsv
  winperf dump block.bin --object 230 -o json
  winperf dump --object Process -o now.bin`,
		Args: atMostOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("source") {
				return errors.New("--source and FILE name two sources: leave out one")
			}
			return d.run(cmd.Context(), args)
		},
	}
	d.source.add(cmd)
	d.output.add(cmd, dumpFormats)
	cmd.Flags().StringArrayVar(&d.objects, "object", nil, "only the object of this `NAME` or title index; may be given several times")
	cmd.Flags().StringArrayVar(&d.names, "names", nil, "`FILE` with the names of FILE's objects and counters")
	complete(cmd, "object", completeObject(&d.source))
	return cmd
}

func (d *dumper) run(ctx context.Context, args []string) (err error) {
	format, file, err := d.output.resolve()
	if err != nil {
		return err
	}
	if _, terminal := isTerminal(d.app.stdout); terminal && format == "bin" && file == "" {
		return errors.New("bytes are not shown on a terminal: name a file, -o block.bin")
	}
	defer spareMemory()()
	src, err := d.open(ctx, args)
	if err != nil {
		return err
	}
	defer src.Close()
	debug.FreeOSMemory() // opening has read the first sample once already
	if _, cooked, err := logSeries(ctx, src); err != nil {
		return err
	} else if cooked {
		return fmt.Errorf("the log holds displayable values and no raw ones, so there is nothing to dump: %w", winperf.ErrNotSupported)
	}
	wanted, err := d.wanted(ctx, src)
	if err != nil {
		return err
	}
	sel := winperf.Selection{Global: len(wanted) == 0, Objects: slices.Concat(wanted...)}
	m := measure.New(src, sel, measure.Options{FramesOnly: true, Language: string(d.source.language)})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if errors.Is(err, io.EOF) {
		return errors.New("there is no sample that can be read; winperf info tells what is wrong with a log")
	}
	if err != nil {
		return err
	}
	if err := d.check(cycle.Frame, wanted); err != nil {
		d.app.damaged(cycle.Damage)
		return err
	}
	block, err := parseBlock(cycle, format, sel.Objects)
	if err != nil {
		return err
	}
	out, err := d.app.create(ctx, &d.output)
	if err != nil {
		return err
	}
	err = errors.Join(writeDump(out, cycle, block, sel.Objects), out.Close())
	d.app.damaged(cycle.Damage)
	return err
}

// open opens FILE or the source.
func (d *dumper) open(ctx context.Context, args []string) (winperf.Source, error) {
	switch {
	case len(args) == 1 && len(d.names) == 0:
		return source.OpenLog(ctx, args[0], source.LogOptions{})
	case len(args) == 1:
		return source.OpenPerfdata(ctx, args, d.names)
	}
	if len(d.names) > 0 {
		return nil, errors.New("--names goes with a FILE")
	}
	return source.Open(ctx, d.source.source)
}

// wanted returns, for each name of --object, the objects that it may stand for.
func (d *dumper) wanted(ctx context.Context, src winperf.Source) ([][]winperf.ObjectID, error) {
	if len(d.objects) == 0 {
		return nil, nil
	}
	schema, err := src.Schema(ctx)
	if err != nil {
		return nil, err
	}
	names, _ := nametable.FromSchema(schema) // its damage is told with the sample
	var wanted [][]winperf.ObjectID
	for _, name := range d.objects {
		var ids []winperf.ObjectID
		for _, title := range titlesOf(names, name) {
			ids = append(ids, winperf.ObjectID{Index: title})
		}
		if len(ids) == 0 {
			return nil, fmt.Errorf("--object %q: %w by that name; a title index does as well", name, winperf.ErrNoObject)
		}
		wanted = append(wanted, ids)
	}
	return wanted, nil
}

// check tells which of the wanted objects are not in the sample. It is an error
// when none is there.
func (d *dumper) check(f frame.Frame, wanted [][]winperf.ObjectID) error {
	var missing []error
	for i, ids := range wanted {
		there := slices.ContainsFunc(ids, func(id winperf.ObjectID) bool {
			_, found := f.Find(id)
			return found
		})
		if !there {
			missing = append(missing, fmt.Errorf("--object %q: %w in the sample", d.objects[i], winperf.ErrNoObject))
		}
	}
	if len(missing) == len(wanted) {
		return errors.Join(missing...)
	}
	d.app.damaged(missing)
	return nil
}

// blockOf returns the block of a sample; of a log of several machines that of the first
// one.
func blockOf(c *measure.Cycle) (*winperf.Raw, error) {
	raw, err := c.Sample.Raw()
	if err == nil || c.Frame.NumObjects() == 0 {
		return raw, err
	}
	first := c.Frame.Object(0)
	for o := range c.Frame.Objects() {
		if o.Machine() == first.Machine() && o.Block() != first.Block() {
			return nil, err
		}
	}
	return &first.Block().Raw, nil
}

// parseBlock makes the block to be written, with the objects in only, or all
// without any; nil where the format does without.
func parseBlock(c *measure.Cycle, format string, only []winperf.ObjectID) (*perfdata.Block, error) {
	if format == "json" {
		return nil, nil
	}
	raw, err := blockOf(c)
	if err != nil || format == "bin" && len(only) == 0 {
		return nil, err
	}
	if raw.Format != winperf.FormatV1 {
		return nil, fmt.Errorf("the sample is no performance data block of version 1, as %s needs: %w; -o json shows every sample", format, winperf.ErrNotSupported)
	}
	block, err := perfdata.Parse(raw.Bytes, perfdata.Options{Quirks: raw.Quirks})
	if err != nil {
		return nil, err
	}
	if len(only) > 0 {
		block.Objects = slices.DeleteFunc(block.Objects, func(o perfdata.Object) bool {
			return !slices.Contains(only, winperf.ObjectID{Index: o.Title})
		})
	}
	return block, nil
}

func writeDump(out *output, c *measure.Cycle, block *perfdata.Block, only []winperf.ObjectID) error {
	switch {
	case out.format == "json":
		return writeDumpJSON(out.Writer, c, only)
	case out.format == "text":
		return perfdata.WriteText(out, block, func(title uint32) string {
			name, _ := c.Names.Name(title)
			return name
		})
	case block == nil:
		raw, err := blockOf(c)
		if err == nil {
			_, err = out.Write(raw.Bytes)
		}
		return err
	}
	bytes, err := block.Encode()
	if err != nil {
		return err
	}
	_, err = out.Write(bytes)
	return err
}
