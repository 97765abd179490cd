package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/sink"
)

var formats = []sink.Format{
	{Name: "text", Extensions: []string{".txt"}, Description: "for people"},
	{Name: "json", Extensions: []string{".json"}, Description: "a JSON object with all findings"},
}

// Command returns the command doctor.
func Command(a *console.App) *cobra.Command {
	var flags output.Flags
	var probe string
	cmd := &cobra.Command{
		Use:   "doctor [FILE...]",
		Short: "Find faults of the performance counters on this machine, and their repair",
		Long: `Doctor examines the performance counters of this machine, Windows or Linux, and lists the
faults it finds: their consequences, the evidence, and the commands that repair them with
their risk. The last lines list the examined parts. Doctor changes nothing. docs/doctor.md
describes each finding.

On Windows it examines the name tables, the keys of all providers and who may read them,
the rights of this account, services, the time to read each object, and clocks. It also
calls each version 1 provider once, in a separate process. On Linux it examines hidden
processes, missing files, limits of control groups, the directories of published counters,
the time to read each object, and clocks.

A FILE .reg is a part of the registry of another machine, exported by regedit or reg
export. Doctor then examines only these files, on any system. It needs two keys, in one
file or several:

  reg export "HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib" perflib.reg
  reg export HKLM\SYSTEM\CurrentControlSet\Services services.reg

A FILE .man is the manifest of a version 2 provider; doctor compares it with the registry.

Exit status: 0 no findings, 1 findings, or nothing could be examined; 3 no findings, but a
part could not be examined.`,
		Example: `  winperf doctor
  winperf doctor -o json
  winperf doctor myapp.man
  winperf doctor perflib.reg services.reg`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if probe != "" {
				return writeProbe(a, probe)
			}
			return run(cmd.Context(), a, &flags, args)
		},
	}

	flags.Add(cmd, formats)
	cmd.Flags().StringVar(&probe, "probe", "", "call the provider `NAME` and print the result")
	_ = cmd.Flags().MarkHidden("probe") // for the processes that doctor starts
	return cmd
}

func run(ctx context.Context, a *console.App, flags *output.Flags, files []string) error {
	if _, _, err := flags.Settle(files...); err != nil {
		return err
	}

	m, err := examined(ctx, files)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}

	report := diagnosis.Examine(m)
	a.Nothing = len(report.Findings) > 0
	a.Partial = len(report.Unexamined) > 0
	out, err := output.Create(ctx, a, flags)
	if err != nil {
		return err
	}
	return errors.Join(write(out, report), out.Close())
}

// examined reads the files, and this machine if none of them is an exported registry.
func examined(ctx context.Context, files []string) (*diagnosis.Machine, error) {
	var exports, manifests []string
	for _, name := range files {
		if ext := strings.ToLower(filepath.Ext(name)); ext == ".man" {
			manifests = append(manifests, name)
			continue
		}
		exports = append(exports, name)
	}

	read := func() (*diagnosis.Machine, error) { return readExports(exports) }
	if len(exports) == 0 {
		read = func() (*diagnosis.Machine, error) { return readMachine(ctx) }
	}
	m, err := call.Once(ctx, read)
	if err != nil {
		return nil, err
	}
	if len(manifests) > 0 && m.Registry == nil {
		const form = "%s: a manifest is compared with the registry: name exported files, too: %w"
		return nil, fmt.Errorf(form, manifests[0], winperf.ErrNotSupported)
	}

	for _, name := range manifests {
		data, err := input.ReadRegistrationFile(ctx, name)
		if err != nil {
			return nil, err
		}
		manifest, faults := regfile.ParseManifest(name, data)
		m.Manifests = append(m.Manifests, manifest)
		if len(faults) > 0 {
			const form = "%d faults: winperf provider check shows them"
			unread(m, "manifest "+name, fmt.Errorf(form, len(faults)))
		}
	}
	return m, nil
}

// readExports reads files of regedit.
func readExports(files []string) (*diagnosis.Machine, error) {
	export := &diagnosis.Export{}
	m := &diagnosis.Machine{Registry: export}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}

		err = export.Read(name, f)
		_ = f.Close() // only read
		if err != nil {
			return nil, err
		}
		for _, err := range export.Damage() {
			unread(m, "file", err)
		}
	}
	return m, nil
}

func write(out *output.Output, r diagnosis.Report) error {
	if out.Format == "json" {
		enc := output.NewJSON(out)
		enc.SetIndent("", " ")
		return enc.Encode(r)
	}

	for _, f := range r.Findings {
		writeFinding(out.Writer, f)
	}
	if len(r.Examined) > 0 {
		console.WriteWrapped(out.Writer, "examined: ", "  ", strings.Join(r.Examined, ", "), width)
	}
	for _, u := range r.Unexamined {
		fmt.Fprintf(out, "not examined: %s: %s\n", safetext.Line(u.Part), safetext.Line(u.Reason))
	}
	switch {
	case len(r.Findings) > 0:
	case len(r.Unexamined) > 0:
		out.WriteString("no findings in the examined parts\n")
	default:
		out.WriteString("no findings\n")
	}
	return nil
}

const (
	indent = "            "
	width  = 100
)

// writeFinding wraps the sentences. Evidence and commands remain single lines, so that they can be copied.
func writeFinding(w *bufio.Writer, f diagnosis.Finding) {
	fmt.Fprintf(w, "%s: %s: %s\n", f.Severity, f.Code, safetext.Line(f.What))
	console.WriteWrapped(w, "  breaks    ", indent, f.Breaks, width)
	writeLines(w, "  evidence  ", f.Evidence)
	writeLines(w, "  fix       ", f.Fix)
	console.WriteWrapped(w, "  risk      ", indent, f.Risk, width)
	w.WriteByte('\n')
}

func writeLines(w *bufio.Writer, label string, lines []string) {
	for _, line := range lines {
		w.WriteString(label + safetext.Line(line) + "\n")
		label = indent
	}
}

// unread notes a part that could not be read.
func unread(m *diagnosis.Machine, part string, err error) {
	if err != nil {
		m.Unexamined = append(m.Unexamined, diagnosis.Unexamined{Part: part, Reason: err.Error()})
	}
}
