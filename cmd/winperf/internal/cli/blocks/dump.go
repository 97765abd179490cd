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
		Long: `Dump shows one unprocessed sample with raw values: the performance data block in FILE, or
a new sample of the source. From a log it shows the first sample, or the first one at or
after --begin.

  -o text    every field, in a form that every command reads as a log. For counter sets
             it has definitions, instances and raw values
  -o json    objects, definitions, instances and raw values
  -o bin     the raw bytes, for perfdata:FILE; with --object a block with only these
             objects

From a log of several machines it shows one block for each machine, or with --machine only
the block of that machine.

Exit status: 0 done, 1 nothing could be shown, 3 some data was damaged or an object was
not found.`,
		Example: `  winperf dump --object Memory
  winperf dump block.bin --names names.tsv
  winperf dump block.bin --object 230 -o json
  winperf dump --object Process -o now.bin`,
		Args: console.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("source") {
				return errors.New("--source and FILE name two sources: omit one")
			}
			return d.run(cmd.Context(), args)
		},
	}

	d.source.Add(cmd)
	d.log.Add(cmd)
	d.within.Add(cmd)
	d.output.Add(cmd, output.DumpFormats)
	const object = "show only the object with this `NAME` or title index; may be repeated"
	cmd.Flags().StringArrayVar(&d.objects, "object", nil, object)
	const machine = "show only the machine with this `NAME` in a log of several machines"
	cmd.Flags().StringVar(&d.machine, "machine", "", machine)
	cmd.Flags().StringArrayVar(&d.names, "names", nil,
		"`FILE` with names for the title indices, from winperf list --names")
	console.Complete(cmd, "object", input.CompleteObject(&d.source))
	return cmd
}

func (d *dumper) run(ctx context.Context, args []string) (err error) {
	format, file, err := d.output.Settle(append(args, d.source.Source)...)
	if err != nil {
		return err
	}
	if _, terminal := console.IsTerminal(d.app.Stdout); terminal && format == "bin" && file == "" {
		return errors.New("binary output is not written to a terminal: name a file, -o block.bin")
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

	debug.FreeOSMemory() // opening the source has read the first sample
	is := src.Describe()
	switch {
	case is.Cooked && is.Log.Raw:
		return rawline.RawLinesError(append(args, d.source.Source)[0], "dump")
	case is.Cooked:
		return fmt.Errorf("%s holds displayable values, not raw ones, and cannot be dumped",
			append(args, d.source.Source)[0])
	}
	return d.show(ctx, src, d.log.ShownZone(is, opt), format)
}

func (d *dumper) show(ctx context.Context, src winperf.Source, zone output.ShownZone, format string) error {
	requested, err := d.requested(ctx, src)
	if err != nil {
		return err
	}

	sel := winperf.Selection{Global: len(requested) == 0, Objects: slices.Concat(requested...)}
	if !sel.Global && len(sel.Objects) == 0 {
		return d.check(ctx, src, &dump{}, requested)
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
	err = d.write(ctx, src, &shown, requested, format)
	d.app.Damaged(cycle.Damage)
	return err
}

func (d *dumper) write(
	ctx context.Context, src winperf.Source, shown *dump, requested [][]winperf.ObjectID, format string,
) error {
	of := winperf.Path{Machine: strings.TrimPrefix(d.machine, `\\`)}
	of = thismachine.Paths([]winperf.Path{of}, src.Describe())[0]
	if err := shown.choose(of.Machine); err != nil {
		return err
	}

	if err := d.check(ctx, src, shown, requested); err != nil {
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
		return nil, errors.New("--names needs a FILE")
	}
	return input.OpenSource(ctx, d.app, d.source.Source, opt)
}

func (d *dumper) requested(ctx context.Context, src winperf.Source) ([][]winperf.ObjectID, error) {
	if len(d.objects) == 0 {
		return nil, nil
	}
	schema, err := src.Schema(ctx)
	if err != nil {
		return nil, err
	}

	names, _ := nametable.FromSchema(schema) // damage is reported with the sample
	var requested [][]winperf.ObjectID
	for _, name := range d.objects {
		var ids []winperf.ObjectID
		for _, title := range input.TitlesOf(names, name) {
			ids = append(ids, winperf.ObjectID{Index: title})
		}
		requested = append(requested, ids)
	}
	return requested, nil
}

// check reports requested objects that the sample lacks. It returns an error if it lacks all.
func (d *dumper) check(
	ctx context.Context, src winperf.Source, shown *dump, requested [][]winperf.ObjectID,
) error {
	var missing []error
	var c *catalogue.Catalogue
	for i, ids := range requested {
		if len(ids) > 0 && shown.has(ids) {
			continue
		}
		if c == nil {
			c = catalogue.ReadCatalogue(ctx, src, false)
			defer c.Close()
		}

		form := "--object %q: %w in the sample%s"
		if len(ids) == 0 {
			form = "--object %q: %w with that name%s; a title index is accepted, too"
		}
		name := d.objects[i]
		hint := console.DidYouMean(name, c.ObjectNames())
		missing = append(missing, fmt.Errorf(form, name, winperf.ErrNoObject, hint))
	}
	if len(missing) == len(requested) {
		return errors.Join(missing...)
	}
	d.app.Damaged(missing)
	return nil
}

type dump struct {
	cycle    *measure.Cycle
	machines []string
	only     []winperf.ObjectID // nil means all
}

func (d *dump) includes(o frame.Object) bool {
	return slices.Contains(d.machines, o.Machine()) &&
		(len(d.only) == 0 || slices.ContainsFunc(d.only, o.ID().Is))
}

func (d *dump) has(ids []winperf.ObjectID) bool {
	for o := range d.cycle.Frame.Objects() {
		if d.includes(o) && slices.ContainsFunc(ids, o.ID().Is) {
			return true
		}
	}
	return false
}

func (d *dump) choose(machine string) error {
	d.machines = catalogue.MachinesOf(d.cycle.Frame)
	if machine == "" {
		return nil
	}

	other := func(s string) bool { return !strings.EqualFold(s, machine) }
	of := slices.DeleteFunc(slices.Clone(d.machines), other)
	if len(of) == 0 {
		return fmt.Errorf("--machine %s: %w in the sample, which has %s",
			machine, winperf.ErrNoMachine, strings.Join(d.machines, ", "))
	}
	d.machines = of
	return nil
}

func (d *dump) blocks() ([]*winperf.Block, error) {
	_, err := d.cycle.Sample.Raw()
	if err == nil {
		return []*winperf.Block{d.cycle.Sample.Parts[0].Block}, nil
	}

	var blocks []*winperf.Block
	for o := range d.cycle.Frame.Objects() {
		if d.includes(o) && !slices.Contains(blocks, o.Block()) {
			blocks = append(blocks, o.Block())
		}
	}
	if len(blocks) == 0 {
		return nil, err
	}
	return blocks, nil
}

// parse decodes a performance data block and keeps the selected objects. For a damaged block it returns
// the readable part; the damage is reported with the sample.
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

// bytes returns the output of -o bin: the only block, or a block of the selected objects.
func (d *dump) bytes() ([]byte, error) {
	blocks, err := d.blocks()
	switch {
	case err != nil:
		return nil, err
	case len(blocks) > 1 && len(d.machines) > 1:
		return nil, fmt.Errorf(
			"bin holds one block, but the sample has %d machines: select one with --machine: %s",
			len(d.machines), strings.Join(d.machines, ", "))
	case len(blocks) > 1:
		_, err := d.cycle.Sample.Raw()
		return nil, err
	case len(d.only) == 0:
		return blocks[0].Bytes, nil
	case blocks[0].Format != winperf.FormatV1:
		return nil, errors.New(
			"the sample is not a performance data block of version 1, as bin requires; -o json shows any sample")
	}

	block, err := d.parse(&blocks[0].Raw)
	if err != nil {
		return nil, err
	}
	return block.Encode()
}

// writer returns a function that writes the sample, or an error before anything is written.
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
