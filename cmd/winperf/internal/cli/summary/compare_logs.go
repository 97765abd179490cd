package summary

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/measure"
)

func (c *comparer) ofLogs() bool {
	other := func(name string) bool { return !isLog(name) }
	return len(c.sources) > 1 && !c.counted && !slices.ContainsFunc(c.sources, other)
}

func isLog(name string) bool {
	return !input.IsURL(name) || strings.HasPrefix(strings.ToLower(name), "capture:")
}

// comparedPercentiles are the shown percentiles; the first one is the median.
var comparedPercentiles = defaultPercentiles

type loggedSide struct {
	name     string
	gathered logs.Gatherer
	tally    input.Tally
	hints    []string // suggestion for each path, or ""
}

func (c *comparer) compareLogs(ctx context.Context, opt measure.Options) error {
	if c.intervalSet {
		return errors.New("-i is the time between samples of live sources; " +
			"use winperf convert -i to select samples of a log")
	}
	sides, err := c.readLogs(ctx, opt)
	if err != nil {
		return err
	}

	var gathered []*logs.Gatherer
	for _, side := range sides {
		gathered = append(gathered, &side.gathered)
	}
	all := logs.Compare(gathered, float64(c.tolerance), comparedPercentiles)
	total := len(all)
	same := func(d logs.Distributions) bool { return !d.Differs }
	differing := slices.DeleteFunc(slices.Clone(all), same)
	differ := len(differing)
	c.app.Partial = c.app.Partial || differ > 0
	if c.differing {
		all = differing
	}

	out, err := output.Create(ctx, c.app, &c.output)
	if err != nil {
		return err
	}

	if out.Format == "jsonl" {
		err = writeLogsJSON(out, sides, all)
	} else {
		err = writeLogsTable(out, sides, all, c.output.Human(out))
		const form = "\n%d of %d counters differ (tolerance %s %%).\n"
		fmt.Fprintf(out, form, differ, total, c.tolerance.String())
	}
	return errors.Join(err, out.Close())
}

func (c *comparer) readLogs(ctx context.Context, opt measure.Options) (sides []*loggedSide, err error) {
	var errs []error
	for _, name := range c.sources {
		side, err := c.readLog(ctx, name, opt)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			errs = append(errs, err)
		default:
			sides = append(sides, side)
		}
	}

	if err := c.enough(len(sides), errs); err != nil {
		return nil, err
	}
	return sides, c.reportUnserved(sides)
}

func (c *comparer) readLog(
	ctx context.Context, name string, opt measure.Options,
) (side *loggedSide, err error) {
	side = &loggedSide{name: name}
	var sel winperf.Selection
	sel, side.tally = input.SelectionOf(c.paths)
	all, zone, err := input.OpenLogs(ctx, c.app, []string{name}, &c.log, &c.within, &sel)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, input.CloseLogs(all)) }()

	opt.KeepFirst = true
	side.gathered.ByPath = true
	var damage console.DamageCount
	for m, err := range logs.Read(ctx, all, sel, opt) {
		if err != nil {
			return nil, err
		}
		c.app.Notice(m.Damage)
		damage.Add(m.Damage)
		for _, cycle := range m.Cycles {
			side.tally.Count(cycle)
			side.gathered.Add(cycle)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	damage.Report(c.app)
	if side.tally.Cycles == 0 && c.within.IsSet() {
		err := c.within.Empty(ctx, "there are no samples to compare", zone, input.SourcesOf(all)...)
		return nil, fmt.Errorf("%s: %w", name, err)
	}

	side.findHints(ctx, all[0].Source, sel.Paths)
	if err := side.tally.Denied.Err(all[0].Source); err != nil {
		input.Lacking(c.app, fmt.Errorf("%s: %w", name, err))
	}
	return side, nil
}

func (s *loggedSide) findHints(ctx context.Context, src winperf.Source, paths []winperf.Path) {
	s.hints = make([]string, len(paths))
	var known *catalogue.Catalogue
	for i := range paths {
		status := s.tally.Last[i]
		if s.tally.Served[i] || !status.NamesNothing() {
			continue
		}
		if known == nil {
			known = catalogue.ReadCatalogue(ctx, src, false, paths...)
			defer known.Close()
		}
		s.hints[i] = known.Hint(paths[i], status)
	}
}

func (c *comparer) reportUnserved(sides []*loggedSide) error {
	for i, p := range c.paths {
		reported := func(side *loggedSide) bool {
			return side.tally.Served[i] || side.tally.Last[i] == counter.NotPermitted
		}
		if !slices.ContainsFunc(sides, reported) {
			var hints []string
			for _, side := range sides {
				hints = append(hints, side.hints[i])
			}
			c.app.Complain(fmt.Errorf("%s: no log has a value%s", p, cmp.Or(hints...)))
			c.app.Partial = true
		}
	}

	if !slices.ContainsFunc(sides, func(side *loggedSide) bool { return len(side.gathered.Rows()) > 0 }) {
		return errors.New("no source has a value for the paths")
	}
	return nil
}

func writeLogsTable(out *output.Output, sides []*loggedSide, all []logs.Distributions, human bool) error {
	if len(all) == 0 {
		fmt.Fprintln(out, "No counter differs.")
		return nil
	}

	// Paths are not cells, because the first column would become as wide as the longest path.
	var lines bytes.Buffer
	t := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	percents := strings.ToUpper(strings.Join(comparedPercentiles.names(), "\t"))
	fmt.Fprintf(t, "COUNTER\tCOUNT\tMEAN\t%s\tDIFFERENCE\n", percents)

	var names []string
	for _, side := range sides {
		names = append(names, side.name)
	}
	names = shownSources(names)
	for i := range all {
		for n := range sides {
			figures := cells(&all[i].Logs[n], all[i].Series, human)
			fmt.Fprintf(t, "  %s\t%s\n", names[n], figures)
		}
	}

	if err := t.Flush(); err != nil {
		return err
	}

	// After the head, each counter has as many lines as there are logs, below its path.
	n := 0
	for line := range strings.Lines(lines.String()) {
		if n > 0 && (n-1)%len(sides) == 0 {
			fmt.Fprintln(out, safetext.Line(all[(n-1)/len(sides)].Path))
		}
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
		n++
	}
	return nil
}

// cells returns the cells of a log's row, separated by tabs: number of values, mean, percentiles, and the
// difference from the first log.
func cells(f *logs.Distribution, series *winperf.Series, human bool) string {
	if f.Count == 0 {
		return "-\t-" + strings.Repeat("\t-", len(comparedPercentiles))
	}

	text := strconv.AppendInt(nil, int64(f.Count), 10)
	for _, v := range append([]float64{f.Mean}, f.Percentiles...) {
		text = appendFigure(append(text, '\t'), v, series, human)
	}

	text = append(text, "\t"+f.Text...)
	if f.Matters {
		text = append(text, " differs"...)
	}
	return string(text)
}

// The JSON form of compare -o jsonl of logs. It is a public format: fields may only be added.
type (
	compareLogsLine struct {
		Path    string            `json:"path"` // without the machine
		Unit    counter.Unit      `json:"unit"`
		Logs    []compareLogsSide `json:"logs"`
		Differs bool              `json:"differs"`
	}
	compareLogsSide struct {
		Source      string           `json:"source"`
		Count       int              `json:"count"`
		Missing     int              `json:"missing"`
		Mean        *float64         `json:"mean"`
		Deviation   *float64         `json:"deviation"`
		Percentiles []jsonPercentile `json:"percentiles"`
		P           *float64         `json:"p"` // of the difference from the first log; null for the first log
		Significant bool             `json:"significant"`
		Differs     bool             `json:"differs"`
	}
)

func writeLogsJSON(out *output.Output, sides []*loggedSide, all []logs.Distributions) error {
	enc := output.NewJSON(out)
	for i := range all {
		m := &all[i]
		line := compareLogsLine{Path: m.Path, Unit: m.Series.Unit, Differs: m.Differs}
		for n := range m.Logs {
			s := &m.Logs[n]
			one := compareLogsSide{
				Source: sides[n].name, Count: s.Count, Missing: s.Missing, Differs: s.Matters,
			}
			if s.Count > 0 {
				one.Mean, one.Deviation = jsonNumber(s.Mean), jsonNumber(s.Deviation)
				one.Percentiles = jsonPercentiles(comparedPercentiles, &s.Figures)
			}
			if s.Compared {
				one.P, one.Significant = jsonNumber(s.With.P()), s.With.Significant()
			}
			line.Logs = append(line.Logs, one)
		}

		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
