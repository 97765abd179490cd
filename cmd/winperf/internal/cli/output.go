package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/sink"
)

// outputFlags say where output goes and in which form.
type outputFlags struct {
	output    string
	format    string
	overwrite bool
	exact     bool          // tables on a terminal show all digits
	formats   []sink.Format // that the command can write; the first is the one without options
	reads     []string      // URLs of the sources that are read while the file is written
}

func (f *outputFlags) add(cmd *cobra.Command, formats []sink.Format) {
	f.formats = formats
	cmd.Flags().StringVarP(&f.output, "output", "o", "",
		"`WHERE`: a format ("+formatNames(formats)+") for standard output, or a file name")
	const format = "`FORMAT`, if the file's extension does not name it"
	cmd.Flags().StringVarP(&f.format, "format", "f", "", format)
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace an existing file")
	names := formatCompletions(formats)
	complete(cmd, "format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveDefault))
}

// addExact adds --exact.
func (f *outputFlags) addExact(cmd *cobra.Command) {
	const help = "show all digits in tables on a terminal, not 145.7 MiB, 10.5 MB/s or 1.2 M/s"
	cmd.Flags().BoolVar(&f.exact, "exact", false, help)
}

// human reports whether numbers are shown with prefixes.
func (f *outputFlags) human(out *output) bool { return out.terminal() && !f.exact }

// resolve reads -o and -f. A format's bare name behind -o asks for that format
// on standard output, and so does "-" for what -f says; anything else is a file,
// and -f or its extension names the format.
func (f *outputFlags) resolve() (format, file string, err error) {
	if f.format != "" {
		i := slices.IndexFunc(f.formats, named(f.format))
		if i < 0 {
			return "", "", fmt.Errorf("-f %s: expected one of %s", f.format, formatNames(f.formats))
		}
		format = f.formats[i].Name
	}

	switch i := slices.IndexFunc(f.formats, named(f.output)); {
	case (f.output == "" || f.output == "-") && format == "":
		return f.formats[0].Name, "", nil
	case f.output == "" || f.output == "-":
		return format, "", nil
	case i >= 0 && format != "" && format != f.formats[i].Name:
		const form = "-o %s and -f %s ask for different formats; a file of that name is ./%[1]s"
		return "", "", fmt.Errorf(form, f.output, f.format)
	case i >= 0:
		return f.formats[i].Name, "", nil
	case logs.IsPacked(f.output) && !f.packs(format):
		const form = "-o %s: it would not be compressed; record and convert compress JSON lines, in a file whose name ends in .jsonl.zst"
		return "", "", fmt.Errorf(form, f.output)
	case format != "":
		return format, f.output, nil
	case slices.ContainsFunc(everyFormat(), named(f.output)):
		const form = "-o %s: this command writes %s; a file of that name is ./%[1]s"
		return "", "", fmt.Errorf(form, f.output, formatNames(f.formats))
	}

	ends := func(extension string) bool { return strings.HasSuffix(strings.ToLower(f.output), extension) }
	for _, k := range f.formats {
		if slices.ContainsFunc(k.Extensions, ends) {
			return k.Name, f.output, nil
		}
	}
	form := "-o %s: the file's extension names no format; say which with -f: %s"
	if !strings.ContainsAny(f.output, `./\`) {
		form = "-o %s: neither a format (%s) nor a file whose extension names one; -f names it for any file"
	}
	return "", "", fmt.Errorf(form, f.output, formatNames(f.formats))
}

// packs reports whether the command compresses a format; "" is any.
func (f *outputFlags) packs(format string) bool {
	return slices.ContainsFunc(f.formats, func(k sink.Format) bool {
		return (format == "" || format == k.Name) && slices.Contains(k.Extensions, packedExtension)
	})
}

// packedExtension is that of JSON lines that are compressed.
const packedExtension = ".jsonl.zst"

// target is the file of a name, and what is to be done where it is there already.
func (f *outputFlags) target(file string) target {
	t := target{name: file, reads: f.reads}
	if f.overwrite {
		t.mode = openOverwrite
	}
	return t
}

// settle is resolve for commands that write one file, and refuses one that is not to be
// written before anything is opened. reads are the URLs of the sources that are read
// while it is written.
func (f *outputFlags) settle(reads ...string) (format, file string, err error) {
	f.reads = reads
	if format, file, err = f.resolve(); err != nil || file == "" {
		return format, file, err
	}
	t := f.target(file)
	_, err = t.look()
	return format, file, err
}

// withPacked adds the extension of JSON lines that are compressed.
func withPacked(formats []sink.Format) []sink.Format {
	i := slices.IndexFunc(formats, named("jsonl"))
	formats[i].Extensions = append(slices.Clone(formats[i].Extensions), packedExtension)
	formats[i].Description += "; compressed if the file's name ends in .jsonl.zst"
	return formats
}

// everyFormat are the formats of all commands.
func everyFormat() []sink.Format {
	return slices.Concat(sink.Formats(), listFormats, namesFormats, dumpFormats, convertFormats())
}

func named(name string) func(sink.Format) bool {
	return func(k sink.Format) bool { return strings.EqualFold(k.Name, name) }
}

// formatNames lists formats for messages and help texts.
func formatNames(formats []sink.Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func formatCompletions(formats []sink.Format) []cobra.Completion {
	var names []cobra.Completion
	for _, f := range formats {
		names = append(names, cobra.CompletionWithDesc(f.Name, f.Description))
	}
	return names
}

// output is where a command writes: standard output or a file.
type output struct {
	*bufio.Writer
	format string
	file   *os.File // nil for standard output
	kept   keptFile // the same, where it is to be replaced
	isNew  bool     // the file was not there before
	size   func() (width, height int)
}

// create opens what -o and -f ask for.
func (a *app) create(ctx context.Context, f *outputFlags) (*output, error) {
	format, file, err := f.resolve()
	if err != nil {
		return nil, err
	}

	out := &output{format: format}
	w := a.stdout
	if file != "" {
		t := f.target(file)
		if out.file, err = t.open(ctx, nil); err != nil {
			return nil, err
		}
		regular := logs.IsRegular(out.file)
		out.isNew = t.mode == openNew && regular
		w = out.file
		if t.mode == openOverwrite && regular {
			out.kept.file = out.file
			w = &out.kept
		}
	} else {
		out.size, _ = isTerminal(a.stdout)
	}

	if out.terminal() && format != "table" { // which escapes by itself, and draws
		w = safetext.NewTerminal(w)
	}
	out.Writer = bufio.NewWriter(w)
	return out, nil
}

// keptFile writes a file that is to be replaced. What it holds stays until something is
// written or the output complete, and while what is written waits for something to show.
type keptFile struct {
	file  *os.File // nil where there is nothing to replace
	cut   bool     // what it held is gone
	waits bool
	early []byte // what waits
}

// maxEarly is how much may wait, in bytes.
const maxEarly = 1 << 20

// Write implements io.Writer.
func (k *keptFile) Write(b []byte) (int, error) {
	if k.waits && len(k.early)+len(b) <= maxEarly {
		k.early = append(k.early, b...)
		return len(b), nil
	}
	if err := k.replace(); err != nil {
		return 0, err
	}
	return k.file.Write(b)
}

// wait lets what is written wait, until release. Of an empty file nothing would be lost.
func (k *keptFile) wait() {
	if k.file == nil {
		return
	}
	info, err := k.file.Stat()
	k.waits = err == nil && info.Size() > 0
}

// release tells that there is something to show.
func (k *keptFile) release() { k.waits = false }

// replace writes what waited in place of what the file held.
func (k *keptFile) replace() error {
	k.waits = false
	if k.file == nil || k.cut {
		return nil
	}

	k.cut = true
	if err := k.file.Truncate(0); err != nil {
		return err
	}
	_, err := k.file.Write(k.early)
	k.early = nil
	return err
}

// newJSON returns an encoder of JSON in which every character is escaped that is
// not to be shown.
func newJSON(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(safetext.NewJSON(w))
	enc.SetEscapeHTML(false)
	return enc
}

// Close completes the output. A new file in which there is nothing goes again, so
// that it is not in the way of another try.
func (o *output) Close() error {
	err := o.Flush()
	if o.file == nil {
		return err
	}
	if !o.kept.waits {
		err = errors.Join(err, o.kept.replace())
	}

	info, statErr := o.file.Stat()
	err = errors.Join(err, o.file.Close())
	if o.isNew && statErr == nil && info.Size() == 0 {
		err = errors.Join(err, os.Remove(o.file.Name()))
	}
	return err
}

// terminal tells whether people see the output while it is written.
func (o *output) terminal() bool { return o.size != nil }

// width is the number of columns of a line: the terminal's, or what is read
// well elsewhere.
func (o *output) width() int {
	const readable = 100
	if o.size != nil {
		if w, _ := o.size(); w > 0 {
			return min(w, readable)
		}
	}
	return readable
}

// destination is where readings go: a sink over an output.
type destination struct {
	sink.Sink
	out     *output
	inPlace bool     // a picture on a terminal; other text would spoil it
	picture *picture // where it is inPlace
}

// open opens a sink. single tells that there will be one moment only.
func (a *app) open(ctx context.Context, f *outputFlags, zone shownZone, single bool) (*destination, error) {
	out, err := a.create(ctx, f)
	if err != nil {
		return nil, err
	}

	inPlace := out.terminal() && !single && out.format == "table" && os.Getenv("TERM") != "dumb"
	opt := zone.sinkOptions(out.file != nil)
	opt.Single, opt.Size, opt.Terminal = single, out.size, inPlace
	opt.Human = f.human(out)
	if !inPlace {
		s, err := sink.New(out.format, out, opt)
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		return &destination{Sink: s, out: out}, nil
	}

	// Pictures are drawn at any time, each in one write, past the output's buffer.
	if _, keys := isTerminal(a.stdin.stream); keys {
		opt.Hint = scrollHint
	}
	table, err := sink.New("table", a.stdout, opt)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	p := a.newPicture(table)
	return &destination{p, out, true, p}, nil
}

// Close completes the output.
func (d *destination) Close() error {
	return errors.Join(d.Sink.Close(), d.out.Close())
}

// reportLate says how many series came too late to get a column.
func (d *destination) reportLate(w io.Writer) {
	if l, ok := d.Sink.(sink.LateCounter); ok && l.Late() > 0 {
		const form = "winperf: %d series came after the first row and have no column in the %s output%s;" +
			" -o jsonl keeps them\n"
		fmt.Fprintf(w, form, l.Late(), d.out.format, someNames(lateNames(d.Sink), l.Late()))
	}
}
