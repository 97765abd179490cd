package verifying

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/verify"
	"github.com/winperf/winperf/internal/regfile"
	"github.com/winperf/winperf/internal/safetext"
)

type verifier struct {
	app    *console.App
	system func() (regfile.System, error) // that registers providers
	time   input.Interval
	all    bool

	sources []string
	bundle  string
	names   bool
	install verify.Install
	long    bool
	replace bool
	yes     bool
}

// defaultTime leaves half a minute of three for the checks.
const defaultTime = 150 * time.Second

// liveFlags are the flags that make no sense for a bundle.
var liveFlags = []string{"for", "source", "long", "install", "library", "output", "names", "overwrite", "yes"}

// Command returns the command verify. system returns the system that registers providers.
func Command(a *console.App, system func() (regfile.System, error)) *cobra.Command {
	v := &verifier{app: a, system: system, time: input.Interval(defaultTime)}
	cmd := &cobra.Command{
		Use:   "verify [BUNDLE]",
		Short: "Check that all ways to read counters agree",
		Long: `Verify reads each counter of this machine in all available ways and shows whether they agree.
On Windows the ways are the registry, the counter sets, and PDH with raw and with displayed
values. On Linux winperf's values are compared with vmstat, iostat, free, df, ss, ip, nstat
and ps, and rates over two seconds with vmstat, iostat, mpstat, pidstat and sar, if they are
installed. On Windows relog must open a binary log (.blg) that verify writes. Verify changes
nothing, unless --install is given, and takes at most three minutes.

A way is read between two looks at another one. A state, such as free memory (gauge), and a
count (total) must be between both looks. A rate is computed over the reader's own clock and
must be possible for some moments between the looks. A total or a rate differs if it is outside
once. A state can change and change back between two looks: it differs only if none of at least
3 values is in the range of all looks at the other way. The same holds for a rate over seconds
that a program chose (interval).

The table shows the share of values outside of each counter, by default only of counters with
such values. The list below it shows the parts that could not be tried, with the reasons.

With --install, in an elevated prompt on Windows, it saves the name tables with lodctr /S,
registers a version 1 and a version 2 provider, reads their counters back with the system's
interfaces and typeperf, and removes both. If it is killed, the next verify removes them. Name
tables that differ afterwards are reported with the command that restores them.

With -o it writes a bundle, a zip file with all samples, results and versions, and first shows
the list of contents. At a terminal it then asks, unless --yes is given. Attach the bundle to a
report of a difference. In it, random pseudonyms of the same length replace the names of the
machine, its user and all instances, such as processes, disks and network interfaces; --names
keeps the names. Verify with the name of a bundle compares its samples again, on any system.

Exit status: 0 all compared values agree, 1 nothing could be compared, 3 a counter differs or
a check failed.`,
		Example: `  winperf verify
  winperf verify --all
  winperf verify -o verify.zip
  winperf verify verify.zip`,
		Args: console.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return v.run(cmd.Context())
			}
			for _, flag := range liveFlags {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s is for this machine, not for a bundle", flag)
				}
			}
			return v.replay(cmd.Context(), args[0])
		},
	}

	const sources = "compare only these sources, the base first; repeat it; the `URL` is for example registry:"
	cmd.Flags().StringArrayVar(&v.sources, "source", nil, sources)
	console.Complete(cmd, "source", input.CompleteSource)
	cmd.Flags().Var(&v.time, "for", "longest time for comparisons")
	const long = "also check handles and memory over 10,000 queries of each source"
	cmd.Flags().BoolVar(&v.long, "long", false, long)
	const install = "register test providers, read them back and remove them"
	cmd.Flags().BoolVar(&v.install.Wanted, "install", false, install)
	cmd.Flags().StringVar(&v.install.Library, "library", "",
		"provider `DLL` for --install (default winperf-provider.dll next to this program)")
	const bundle = "write a bundle of all samples and results to this `FILE`"
	cmd.Flags().StringVarP(&v.bundle, "output", "o", "", bundle)
	cmd.Flags().BoolVar(&v.names, "names", false, "keep the names of machine, user and instances in the bundle")
	cmd.Flags().BoolVar(&v.replace, "overwrite", false, "replace an existing bundle")
	cmd.Flags().BoolVar(&v.yes, "yes", false, "write the bundle without a question")
	cmd.Flags().BoolVar(&v.all, "all", false, "show all counters, also those without a value outside")
	return cmd
}

func (v *verifier) run(ctx context.Context) error {
	target := output.Target{Name: v.bundle, Whole: true}
	if v.replace {
		target.Mode = output.Overwrite
	}
	if v.bundle != "" {
		if _, err := target.Look(); err != nil {
			return err
		}
	}

	system, err := v.system()
	if err != nil && v.install.Wanted {
		return err
	}
	v.install.System = system
	if v.install.Library == "" {
		program, _ := os.Executable() // without it, the library is missing
		v.install.Library = filepath.Join(filepath.Dir(program), "winperf-provider.dll")
	}

	progress := output.NewProgress(v.app, false)
	opt := verify.Options{
		Sources:  v.sources,
		For:      time.Duration(v.time),
		Long:     v.long,
		Install:  v.install,
		Keep:     v.bundle != "",
		Progress: func(text string) { progress.Line(func(time.Duration) string { return text }) },
	}
	report, err := verify.Run(ctx, opt)
	progress.Clear()
	if err != nil {
		return err
	}
	if err := v.report(report); err != nil || v.bundle == "" || ctx.Err() != nil {
		return err
	}
	return v.writeBundle(ctx, report, target)
}

// replay compares the samples of a bundle.
func (v *verifier) replay(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	report, err := verify.Replay(ctx, f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return v.report(report)
}

// report writes a report and sets the exit status.
func (v *verifier) report(r *verify.Report) error {
	if err := v.write(r); err != nil {
		return err
	}
	switch {
	case r.Compared() == 0 && len(r.Checks) == 0:
		return errors.New("nothing could be compared")
	case r.Differs():
		v.app.Partial = true
	}
	return nil
}

// writeBundle shows the contents of the bundle and writes it. At a terminal it asks first.
func (v *verifier) writeBundle(ctx context.Context, r *verify.Report, target output.Target) error {
	files, err := r.Bundle(verify.System(ctx, console.VersionLine()), v.names)
	if err != nil {
		return err
	}
	rows := [][]string{{"CONTENTS OF " + v.bundle, "BYTES", ""}}
	for _, f := range files {
		rows = append(rows, []string{f.Name, fmt.Sprint(len(f.Data)), f.Brief})
	}
	if err := v.table(rows); err != nil {
		return err
	}
	if _, terminal := console.IsTerminal(v.app.Stdin.Stream); terminal && !v.yes {
		fmt.Fprintf(v.app.Stderr, "Write %s? [y/N] ", v.bundle)
		answer, _ := bufio.NewReader(v.app.Stdin).ReadString('\n') // no answer means no
		if !strings.HasPrefix(strings.ToLower(answer), "y") {
			return errors.New("the bundle was not written")
		}
	}

	out, err := target.Open(ctx)
	if err != nil {
		return err
	}
	if err := verify.WriteBundle(out, files); err != nil {
		return errors.Join(err, out.Abandon())
	}
	return out.Close()
}

// write writes the tables of a report.
func (v *verifier) write(r *verify.Report) error {
	return errors.Join(v.writeResults(r), v.writeChecks(r), v.writeSkipped(r))
}

func (v *verifier) writeChecks(r *verify.Report) error {
	if len(r.Checks) == 0 {
		return nil
	}
	rows := [][]string{{"CHECK", "RESULT", ""}}
	for _, c := range r.Checks {
		result := "ok"
		if c.Failed {
			result = "failed"
		}
		rows = append(rows, []string{c.Name, result, c.Detail})
	}
	return v.table(rows)
}

func (v *verifier) writeSkipped(r *verify.Report) error {
	if len(r.Skipped) == 0 {
		return nil
	}
	rows := [][]string{{"NOT TRIED", "REASON"}}
	for _, s := range r.Skipped {
		rows = append(rows, []string{s.What, s.Reason})
	}
	return v.table(rows)
}

func (v *verifier) writeResults(r *verify.Report) error {
	if len(r.Results) == 0 && len(r.Checks) == 0 {
		return nil
	}
	rows := [][]string{{"COUNTER", "READER", "COMPARED WITH", "KIND", "VALUES", "OUTSIDE", "RESULT", ""}}
	differ := 0
	for i := range r.Results {
		c := &r.Results[i]
		result := "agrees"
		if c.Differs {
			result = "differs"
			differ++
		}
		if !v.all && c.Outside == 0 {
			continue
		}
		first := c.First
		if c.Instance != "" {
			first = "(" + c.Instance + ") " + first
		}
		rows = append(rows, []string{
			c.Name.String(), c.Reader, c.Base, string(c.Kind), fmt.Sprint(c.Compared),
			fmt.Sprintf("%.1f %%", c.Share()), result, first,
		})
	}

	if len(rows) > 1 {
		if err := v.table(rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(v.app.Stdout, "%d of %s differ; %s were compared.\n", differ,
		console.Plural(len(r.Results), "comparison"), console.Plural(r.Compared(), "value"))
	return err
}

// table writes rows in columns, and an empty line.
func (v *verifier) table(rows [][]string) error {
	t := tabwriter.NewWriter(v.app.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = safetext.Line(row[i])
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	fmt.Fprintln(t)
	return t.Flush()
}
