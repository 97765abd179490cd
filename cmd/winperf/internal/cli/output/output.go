package output

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/sink"
)

// Flags are the options for output files and formats.
type Flags struct {
	Output    string
	Format    string
	Overwrite bool
	Exact     bool          // no rounding in tables on a terminal
	Formats   []sink.Format // formats of the command; the first one is the default
	reads     []string      // URLs of sources read while the file is written
}

// Add adds the flags for these formats.
func (f *Flags) Add(cmd *cobra.Command, formats []sink.Format) {
	f.Formats = formats
	cmd.Flags().StringVarP(&f.Output, "output", "o", "",
		"write to this `FILE`, or to standard output in one of these formats: "+formatNames(formats)+
			" (./"+formats[0].Name+" is a file)")
	cmd.Flags().StringVarP(&f.Format, "format", "f", "",
		"output `FORMAT`, if the extension of -o does not name it: "+formatNames(formats))
	cmd.Flags().BoolVar(&f.Overwrite, "overwrite", false, "replace an existing file")
	names := formatCompletions(formats)
	console.Complete(cmd, "format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	console.Complete(cmd, "output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveDefault))
}

// AddExact adds --exact.
func (f *Flags) AddExact(cmd *cobra.Command) {
	const help = "show all digits on a terminal, not 145.7 MiB or 1.2 M/s"
	cmd.Flags().BoolVar(&f.Exact, "exact", false, help)
}

// Human reports whether numbers are rounded and have prefixes.
func (f *Flags) Human(out *Output) bool { return out.Terminal() && !f.Exact }

// Resolve evaluates -o and -f. -o with the name of a format, or - with -f, means standard output.
// Otherwise -o is a file, and -f or its extension names the format.
func (f *Flags) Resolve() (format, file string, err error) {
	if f.Format != "" {
		i := slices.IndexFunc(f.Formats, named(f.Format))
		if i < 0 {
			return "", "", fmt.Errorf("-f %s: expected one of %s", f.Format, formatNames(f.Formats))
		}
		format = f.Formats[i].Name
	}

	switch i := slices.IndexFunc(f.Formats, named(f.Output)); {
	case (f.Output == "" || f.Output == "-") && format == "":
		return f.Formats[0].Name, "", nil
	case f.Output == "" || f.Output == "-":
		return format, "", nil
	case i >= 0 && format != "" && format != f.Formats[i].Name:
		const form = "-o %s and -f %s name different formats; to write a file of that name use ./%[1]s"
		return "", "", fmt.Errorf(form, f.Output, f.Format)
	case i >= 0:
		return f.Formats[i].Name, "", nil
	case logs.IsPacked(f.Output) && !f.packs(format):
		const form = "-o %s: only record and convert compress JSON lines, in a file whose name ends in .jsonl.zst"
		return "", "", fmt.Errorf(form, f.Output)
	case format != "":
		return format, f.Output, nil
	case slices.ContainsFunc(everyFormat(), named(f.Output)):
		const form = "-o %s: this command writes %s; to write a file of that name use ./%[1]s"
		return "", "", fmt.Errorf(form, f.Output, formatNames(f.Formats))
	}

	ends := func(extension string) bool { return strings.HasSuffix(strings.ToLower(f.Output), extension) }
	for _, k := range f.Formats {
		if slices.ContainsFunc(k.Extensions, ends) {
			return k.Name, f.Output, nil
		}
	}
	form := "-o %s: the file's extension names no format; name it with -f: %s"
	if !strings.ContainsAny(f.Output, `./\`) {
		form = "-o %s: neither a format (%s) nor a file whose extension names one; name the format with -f"
	}
	return "", "", fmt.Errorf(form, f.Output, formatNames(f.Formats))
}

// packs reports whether the command compresses the format; "" means any.
func (f *Flags) packs(format string) bool {
	return slices.ContainsFunc(f.Formats, func(k sink.Format) bool {
		return (format == "" || format == k.Name) && slices.Contains(k.Extensions, packedExtension)
	})
}

// Target returns the target for a file name. Its mode depends on --overwrite.
func (f *Flags) Target(file string) Target {
	t := Target{Name: file, Reads: f.reads}
	if f.Overwrite {
		t.Mode = Overwrite
	}
	return t
}

// Settle is Resolve for commands that write one file. It also rejects a file that must not be written.
// reads are the URLs of sources read at the same time.
func (f *Flags) Settle(reads ...string) (format, file string, err error) {
	f.reads = reads
	if format, file, err = f.Resolve(); err != nil || file == "" {
		return format, file, err
	}
	_, err = f.Target(file).Look()
	return format, file, err
}

// Output is standard output or a file.
type Output struct {
	*bufio.Writer
	Format string
	File   *File // nil for standard output
	Size   func() (width, height int)
	waits  bool
}

// maxEarly bounds the bytes kept in memory while the output waits.
const maxEarly = 1 << 20

// Create opens the output for -o and -f.
func Create(ctx context.Context, a *console.App, f *Flags) (*Output, error) {
	format, file, err := f.Resolve()
	if err != nil {
		return nil, err
	}

	out := &Output{Format: format}
	w, buffer := a.Stdout, 0
	if file != "" {
		if out.File, err = f.Target(file).Open(ctx); err != nil {
			return nil, err
		}
		w = out.File
		if out.File.old {
			buffer = maxEarly
		}
	} else {
		out.Size, _ = console.IsTerminal(a.Stdout)
	}

	if out.Terminal() && format != "table" { // a table escapes and draws by itself
		w = safetext.NewTerminal(w)
	}
	out.Writer = bufio.NewWriterSize(w, buffer)
	return out, nil
}

// Wait keeps the old content of a replaced file until Release, so that a command without results replaces
// nothing.
func (o *Output) Wait() { o.waits = true }

// Release ends Wait.
func (o *Output) Release() { o.waits = false }

func (o *Output) waiting() bool { return o.waits && o.File != nil && o.File.old }

// Flush writes the buffer, unless the output waits.
func (o *Output) Flush() error {
	if o.waiting() {
		return nil
	}
	return o.Writer.Flush()
}

// NewJSON returns an encoder that escapes characters unsafe for terminals.
func NewJSON(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(safetext.NewJSON(w))
	enc.SetEscapeHTML(false)
	return enc
}

// Close completes the output. A file whose output still waits stays unchanged.
func (o *Output) Close() error {
	err := o.Flush()
	switch {
	case o.File == nil:
		return err
	case o.waiting():
		return errors.Join(err, o.File.Abandon())
	}
	return errors.Join(err, o.File.Close())
}

// Terminal reports whether the output is a terminal.
func (o *Output) Terminal() bool { return o.Size != nil }

// Width returns the width of lines: the terminal's, or a readable default.
func (o *Output) Width() int {
	const readable = 100
	if o.Size != nil {
		if w, _ := o.Size(); w > 0 {
			return min(w, readable)
		}
	}
	return readable
}
