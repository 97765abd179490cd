package blocks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/rawline"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source"
)

// dumper is the dump command.
type dumper struct {
	app     *console.App
	source  input.SourceFlags
	log     input.LogFlags
	within  input.RangeFlags
	output  output.Flags
	objects []string
	names   []string
	machine string
}

// DumpCommand returns the command dump.
func DumpCommand(a *console.App) *cobra.Command {
	d := &dumper{app: a}
	cmd := &cobra.Command{
		Use:   "dump [FILE]",
		Short: "Show a raw performance data block as text or JSON",
		Long: `Dump shows one sample unprocessed, with raw values: the performance data block in
FILE, or a new sample of the source. From a log it shows the first sample, or the
first one at or after --begin.

  -o text    every field, in a form that every command reads as a log
             (package perfdata documents it); for counter sets definitions,
             instances and raw values
  -o json    objects, definitions, instances and raw values
  -o bin     the raw bytes, for perfdata:FILE; with --object a block with
             only these objects

From a log of several machines it shows one block for each machine, or with
--machine only the block of that machine.

Exit status: 0 done, 1 nothing could be shown, 3 some data was damaged
or an object was not found.`,
		Example: `  winperf dump --object Memory
  winperf dump block.bin --names names.tsv
  winperf dump block.bin --object 230 -o json
  winperf dump --object Process -o now.bin`,
		Args: console.AtMostOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("source") {
				return errors.New("--source and FILE name two sources: leave out one")
			}
			return d.run(cmd.Context(), args)
		},
	}

	d.source.Add(cmd)
	d.log.Add(cmd)
	d.within.Add(cmd)
	d.output.Add(cmd, output.DumpFormats)
	const object = "only the object of this `NAME` or title index; may be given several times"
	cmd.Flags().StringArrayVar(&d.objects, "object", nil, object)
	const machine = "in a log of several machines, only the machine with this `NAME`"
	cmd.Flags().StringVar(&d.machine, "machine", "", machine)
	cmd.Flags().StringArrayVar(&d.names, "names", nil, "`FILE` with the names of FILE's objects and counters")
	console.Complete(cmd, "object", input.CompleteObject(&d.source))
	return cmd
}

func (d *dumper) run(ctx context.Context, args []string) (err error) {
	format, file, err := d.output.Settle(append(args, d.source.Source)...)
	if err != nil {
		return err
	}
	if _, terminal := console.IsTerminal(d.app.Stdout); terminal && format == "bin" && file == "" {
		return errors.New("bytes are not shown on a terminal: name a file, -o block.bin")
	}
	defer console.SpareMemory()()

	opt, err := d.log.Options()
	if err != nil {
		return err
	}
	src, err := d.open(ctx, args, opt)
	if err != nil {
		return err
	}
	defer src.Close()

	debug.FreeOSMemory() // opening has read the first sample once already
	is := src.Describe()
	switch {
	case is.Cooked && is.Log.Raw:
		return rawline.RawLinesError(append(args, d.source.Source)[0], "dump")
	case is.Cooked:
		const form = "the log holds displayable values and no raw ones, so there is nothing to dump: %w"
		return fmt.Errorf(form, winperf.ErrNotSupported)
	}
	return d.show(ctx, src, d.log.ShownZone(is, opt), format)
}

// show takes a sample and writes what is wanted of it.
func (d *dumper) show(ctx context.Context, src winperf.Source, zone output.ShownZone, format string) error {
	wanted, err := d.wanted(ctx, src)
	if err != nil {
		return err
	}

	sel := winperf.Selection{Global: len(wanted) == 0, Objects: slices.Concat(wanted...)}
	if !sel.Global && len(sel.Objects) == 0 {
		return d.check(ctx, src, &dump{}, wanted)
	}
	if err := d.within.Choose(ctx, &sel, zone, src); err != nil {
		return err
	}
	m := measure.New(src, sel, measure.Options{FramesOnly: true, Language: string(d.source.Language)})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if errors.Is(err, io.EOF) {
		return d.within.Empty(ctx, catalogue.NoSample, zone, src)
	}
	if err != nil {
		return err
	}

	shown := dump{cycle: cycle, only: sel.Objects}
	err = d.write(ctx, src, &shown, wanted, format)
	d.app.Damaged(cycle.Damage)
	return err
}

// write writes the objects of a sample that are wanted, of the machine that is.
func (d *dumper) write(
	ctx context.Context, src winperf.Source, shown *dump, wanted [][]winperf.ObjectID, format string,
) error {
	of := winperf.Path{Machine: strings.TrimPrefix(d.machine, `\\`)}
	of = thismachine.Paths([]winperf.Path{of}, src.Describe())[0]
	if err := shown.choose(of.Machine); err != nil {
		return err
	}

	if err := d.check(ctx, src, shown, wanted); err != nil {
		return err
	}
	write, err := shown.writer(format)
	if err != nil {
		return err
	}

	out, err := output.Create(ctx, d.app, &d.output)
	if err != nil {
		return err
	}
	return errors.Join(write(out.Writer), out.Close())
}

// open opens FILE or the source.
func (d *dumper) open(ctx context.Context, args []string, opt source.Options) (winperf.Source, error) {
	switch {
	case len(args) == 1 && args[0] == "-" && len(d.names) == 0:
		return input.ReadLog(ctx, d.app, opt)
	case len(args) == 1 && len(d.names) == 0:
		return source.OpenLog(ctx, args[0], opt)
	case len(args) == 1:
		return source.OpenPerfdata(ctx, args, d.names)
	}
	if len(d.names) > 0 {
		return nil, errors.New("--names goes with a FILE")
	}
	return input.OpenSource(ctx, d.app, d.source.Source, opt)
}

// wanted returns, for each name of --object, the objects that it may stand for, if any.
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
		for _, title := range input.TitlesOf(names, name) {
			ids = append(ids, winperf.ObjectID{Index: title})
		}
		wanted = append(wanted, ids)
	}
	return wanted, nil
}

// check tells which of the wanted objects are not in the sample. It is an error
// when none is there.
func (d *dumper) check(
	ctx context.Context, src winperf.Source, shown *dump, wanted [][]winperf.ObjectID,
) error {
	var missing []error
	var c *catalogue.Catalogue
	for i, ids := range wanted {
		if len(ids) > 0 && shown.has(ids) {
			continue
		}
		if c == nil {
			c = catalogue.ReadCatalogue(ctx, src, false)
			defer c.Close()
		}

		form := "--object %q: %w in the sample%s"
		if len(ids) == 0 {
			form = "--object %q: %w by that name%s; a title index does as well"
		}
		name := d.objects[i]
		hint := console.DidYouMean(name, c.ObjectNames())
		missing = append(missing, fmt.Errorf(form, name, winperf.ErrNoObject, hint))
	}
	if len(missing) == len(wanted) {
		return errors.Join(missing...)
	}
	d.app.Damaged(missing)
	return nil
}

// dump is what is shown of a sample.
type dump struct {
	cycle    *measure.Cycle
	machines []string
	only     []winperf.ObjectID // nil: all
}

// wants tells whether an object is to be shown.
func (d *dump) wants(o frame.Object) bool {
	return slices.Contains(d.machines, o.Machine()) &&
		(len(d.only) == 0 || slices.ContainsFunc(d.only, o.ID().Is))
}

// has tells whether any of the objects is there and to be shown.
func (d *dump) has(ids []winperf.ObjectID) bool {
	for o := range d.cycle.Frame.Objects() {
		if d.wants(o) && slices.ContainsFunc(ids, o.ID().Is) {
			return true
		}
	}
	return false
}

// choose leaves out all machines but the one that is wanted, if there is one.
func (d *dump) choose(machine string) error {
	d.machines = catalogue.MachinesOf(d.cycle.Frame)
	if machine == "" {
		return nil
	}

	other := func(s string) bool { return !strings.EqualFold(s, machine) }
	of := slices.DeleteFunc(slices.Clone(d.machines), other)
	if len(of) == 0 {
		return fmt.Errorf("--machine %s: %w in the sample, which is of %s",
			machine, winperf.ErrNoMachine, strings.Join(d.machines, ", "))
	}
	d.machines = of
	return nil
}

// blocks are those of the sample whose objects are to be shown, of each machine and interface.
func (d *dump) blocks() ([]*winperf.Block, error) {
	_, err := d.cycle.Sample.Raw()
	if err == nil {
		return []*winperf.Block{d.cycle.Sample.Parts[0].Block}, nil
	}

	var blocks []*winperf.Block
	for o := range d.cycle.Frame.Objects() {
		if d.wants(o) && !slices.Contains(blocks, o.Block()) {
			blocks = append(blocks, o.Block())
		}
	}
	if len(blocks) == 0 {
		return nil, err
	}
	return blocks, nil
}

// parse takes a performance data block apart and leaves the wanted objects in it. Of a
// damaged block it returns what is whole; the damage is told with the sample.
func (d *dump) parse(raw *winperf.Raw) (*perfdata.Block, error) {
	block, err := perfdata.Parse(raw.Bytes, raw.Quirks)
	if block == nil {
		return nil, err
	}
	if len(d.only) > 0 {
		block.Objects = slices.DeleteFunc(block.Objects, func(o perfdata.Object) bool {
			return !slices.Contains(d.only, winperf.ObjectID{Index: o.Title})
		})
	}
	return block, err
}

// bytes are what -o bin writes: the sample's only block, or one of the wanted objects.
func (d *dump) bytes() ([]byte, error) {
	blocks, err := d.blocks()
	switch {
	case err != nil:
		return nil, err
	case len(blocks) > 1 && len(d.machines) > 1:
		return nil, fmt.Errorf(
			"blocks of %d machines are no single one, as bin needs: choose with --machine: %s",
			len(d.machines), strings.Join(d.machines, ", "))
	case len(blocks) > 1:
		_, err := d.cycle.Sample.Raw()
		return nil, err
	case len(d.only) == 0:
		return blocks[0].Bytes, nil
	case blocks[0].Format != winperf.FormatV1:
		return nil, fmt.Errorf(
			"the sample is no performance data block of version 1, as bin needs: %w; "+
				"-o json shows every sample",
			winperf.ErrNotSupported)
	}

	block, err := d.parse(&blocks[0].Raw)
	if err != nil {
		return nil, err
	}
	return block.Encode()
}

// writer returns what writes the sample in a format. Nothing is written where that cannot be.
func (d *dump) writer(format string) (func(w *bufio.Writer) error, error) {
	switch format {
	case "json":
		return d.writeJSON, nil
	case "text":
		return d.text()
	}
	bytes, err := d.bytes()
	return func(w *bufio.Writer) error {
		_, err := w.Write(bytes)
		return err
	}, err
}
