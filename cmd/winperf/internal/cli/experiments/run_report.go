package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/sorted"
)

const shownProcesses = 10

func (r *runner) report(all []*trial.Result) string {
	groups, failed := trial.Variants(all)
	var b strings.Builder
	if failed > 0 {
		r.app.Partial = true
		fmt.Fprintf(&b, "%d of %d runs failed%s\n", failed, len(all), stopped(all))
	}
	if n := trial.FailedWarmups(all); n > 0 {
		r.app.Partial = true
		fmt.Fprintf(&b, "%d warm-up runs failed\n", n)
	}
	counted := slices.DeleteFunc(slices.Clone(all), func(x *trial.Result) bool { return x.Warmup })
	if len(counted) == 1 {
		writeRun(&b, counted[0])
		return b.String()
	}
	writeComparison(&b, groups)
	writeUnseen(&b, all)
	return b.String()
}

func writeUnseen(b *strings.Builder, all []*trial.Result) {
	missed, failed, reason := 0, 0, ""
	for _, x := range all {
		missed += x.Missed
		if x.Err != "" {
			failed, reason = failed+1, cmp.Or(reason, x.Err)
		}
	}
	if missed > 0 {
		fmt.Fprintf(b, "\nmissed samples of the processes: %d\n", missed)
	}
	if failed > 0 {
		fmt.Fprintf(b, "\nthe processes of %d runs could not be sampled: %s\n", failed, safetext.Line(reason))
	}
}

func stopped(all []*trial.Result) string {
	if len(all) == 0 || !all[len(all)-1].Exit.Stopped {
		return ""
	}
	return "; the last one was stopped"
}

func writeRun(b *strings.Builder, x *trial.Result) {
	command, elapsed := safetext.Line(commandLine(x.Args)), seconds(x.Exit.Time.Seconds())
	fmt.Fprintf(b, "\n%s: %s after %s\n\n", command, ending(&x.Exit), elapsed)
	if x.Err != "" {
		fmt.Fprintf(b, "its processes could not be sampled: %s\n\n", safetext.Line(x.Err))
	}

	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	tree, system := &x.Tree, &x.Exit
	of := "PROCESSES"
	if len(tree.Processes) == 1 {
		of = "PROCESS"
	}
	fmt.Fprintf(t, "\tSYSTEM\tSEEN IN %d %s\n", len(tree.Processes), of)
	row := func(name, system, tree string) { fmt.Fprintf(t, "%s\t%s\t%s\n", name, system, tree) }
	seen := len(tree.Processes) > 0 // false if no source has this machine's processes
	row("user time", seconds(system.User.Seconds()), known(seen, seconds(tree.User.Seconds())))
	row("system time", seconds(system.System.Seconds()), known(seen, seconds(tree.System.Seconds())))
	row("peak memory", known(system.PeakMemory > 0, bytesText(float64(system.PeakMemory))+" (largest process)"),
		known(tree.PeakMemory > 0, bytesText(float64(tree.PeakMemory))+" (all at one time)"))
	row("read", "-", known(tree.IOKnown, bytesText(float64(tree.Read))))
	row("written", "-", known(tree.IOKnown, bytesText(float64(tree.Written))))
	row("context switches", known(system.Known, fmt.Sprintf("%d voluntary, %d involuntary",
		system.Voluntary, system.Involuntary)), "-")
	_ = t.Flush() // writes to memory
	writeProcesses(b, tree.Processes)
	if x.Missed > 0 {
		fmt.Fprintf(b, "\nmissed samples of the processes: %d\n", x.Missed)
	}
}

func commandLine(args []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		if arg == "" || strings.Trim(arg, plain) != "" {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func writeProcesses(b *strings.Builder, all []trial.Process) {
	if len(all) < 2 {
		return
	}
	used := func(p trial.Process) time.Duration { return p.User + p.System }
	all = slices.Clone(all)
	sorted.Func(all, func(x, y trial.Process) int { return cmp.Compare(used(y), used(x)) })

	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nPROCESS\tPID\tUSER\tSYSTEM\tPEAK\tREAD\tWRITTEN\n")
	for _, p := range all[:min(shownProcesses, len(all))] {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", safetext.Line(p.Name), p.PID, seconds(p.User.Seconds()),
			seconds(p.System.Seconds()), known(p.Peak > 0, bytesText(float64(p.Peak))),
			known(p.IOKnown, bytesText(float64(p.Read))), known(p.IOKnown, bytesText(float64(p.Written))))
	}
	_ = t.Flush() // writes to memory
	if more := len(all) - shownProcesses; more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
}

func ending(x *trial.Exit) string {
	if x.Signal != "" {
		return "ended by " + x.Signal
	}
	return fmt.Sprintf("status %d", x.Status)
}

func writeComparison(b *strings.Builder, groups []trial.Group) {
	if len(groups) == 0 {
		return
	}
	writeRows(b, runColumns(groups), trial.Report(groups))
}

func runColumns(groups []trial.Group) []column {
	columns := make([]column, len(groups))
	for i, g := range groups {
		columns[i] = column{fmt.Sprintf("%s (n=%d)", g.Name, len(g.Results)), len(g.Results)}
	}
	return columns
}

type column struct {
	name  string
	count int // number of runs, shown in cells with fewer; 0 if unknown
}

func writeRows(b *strings.Builder, columns []column, rows []trial.Row) {
	fmt.Fprintf(b, "\nMeans with their %.0f %% confidence intervals", trial.Confidence*100)
	if len(columns) > 1 {
		fmt.Fprintf(b, "; differences from the first column, and their probability without an effect")
	}
	b.WriteString("\n\n")

	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		fmt.Fprintf(t, "\t%s", safetext.Line(c.name))
	}
	fmt.Fprintln(t)
	for _, row := range rows {
		fmt.Fprint(t, safetext.Line(row.Name))
		for i, c := range row.Cells {
			fmt.Fprintf(t, "\t%s", cellText(row.Unit, c))
			if n := columns[i].count; n > 0 && c.Count > 0 && c.Count < n {
				fmt.Fprintf(t, " [n=%d]", c.Count)
			}
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // writes to memory
}

func cellText(unit string, c trial.Cell) string {
	if c.Count == 0 {
		return "-"
	}
	text := inUnit(unit, c.Mean)
	if !math.IsNaN(c.Half) {
		text += " ± " + inUnit(unit, c.Half)
	}
	if math.IsNaN(c.Difference) {
		return text
	}

	sign := "+"
	if c.Difference < 0 {
		sign = "-"
	}
	text += ", " + sign + inUnit(unit, math.Abs(c.Difference))
	if !math.IsNaN(c.DifferenceHalf) {
		text += " ± " + inUnit(unit, c.DifferenceHalf)
	}
	switch {
	case c.TooFew:
		return text + " (too few runs)"
	case !c.Significant():
		return text + fmt.Sprintf(" (noise: p=%.3f)", c.P)
	}
	return text + fmt.Sprintf(" (p=%.3f)", c.P)
}

func inUnit(unit string, v float64) string {
	switch unit {
	case "seconds":
		return seconds(v)
	case trial.Bytes:
		return bytesText(v)
	case trial.BytesPerSecond:
		return bytesText(v) + "/s"
	default:
		return fmt.Sprintf("%.4g", v)
	}
}

func known(is bool, text string) string {
	if !is {
		return "-"
	}
	return text
}

func seconds(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.1f s", v)
	case v >= 1:
		return fmt.Sprintf("%.3f s", v)
	default:
		return fmt.Sprintf("%.2f ms", v*1e3)
	}
}

func bytesText(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	at := 0
	for math.Abs(v) >= 1000 && at < len(units)-1 {
		v, at = v/1024, at+1
	}
	if at == 0 {
		return fmt.Sprintf("%.0f B", v)
	}
	return fmt.Sprintf("%.4g %s", v, units[at])
}

func (r *runner) progress(opt *trial.Options, done int) {
	of := opt.Runs()
	_, terminal := console.IsTerminal(r.app.Stderr)
	if !terminal || of < 2 || console.InBackground(r.app.Stderr) {
		return
	}
	fmt.Fprintf(r.app.Stderr, "\r\x1b[Krun %d of %d", done, of)
	if done == of {
		fmt.Fprint(r.app.Stderr, "\r\x1b[K")
	}
}
