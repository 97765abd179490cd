package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/measure"
)

// ofLogs tells whether distributions are compared: of logs, unless single values are
// asked for.
func (c *comparer) ofLogs() bool {
	other := func(name string) bool { return !isLog(name) }
	return len(c.sources) > 1 && !c.counted && !slices.ContainsFunc(c.sources, other)
}

// isLog tells whether the name of a source is that of a log or capture.
func isLog(name string) bool {
	return !isURL(name) || strings.HasPrefix(strings.ToLower(name), "capture:")
}

// comparedPercentiles are those that are shown. The first is the median.
var comparedPercentiles = percentiles{50, 95, 99}

// loggedSide is one of the logs that are compared.
type loggedSide struct {
	name     string
	gathered *gatherer
	tally    tally
	rows     map[string]*stats.Series // by path without machine, in lower case
}

// loggedComparison is a counter in all logs.
type loggedComparison struct {
	path    string          // without machine
	series  *winperf.Series // of the first log that has it
	sides   []loggedFigures // by log
	differs bool
}

// loggedFigures are those of one log; the zero value where it has no such counter.
type loggedFigures struct {
	stats.Figures
	values     *stats.Series
	comparison stats.Comparison // with the first log
	compared   bool             // there is one
	difference string           // as benchstat shows it
	matters    bool             // it is significant, and larger than is tolerated
}

// compareLogs compares distributions.
func (c *comparer) compareLogs(ctx context.Context, opt measure.Options) error {
	logs, err := c.readLogs(ctx, opt)
	if err != nil {
		return err
	}

	all := matchLogs(logs)
	differ := 0
	for i := range all {
		all[i].judge(float64(c.tolerance))
		if all[i].differs {
			differ++
		}
	}

	c.app.partial = c.app.partial || differ > 0
	total := len(all)
	if c.differing {
		all = slices.DeleteFunc(all, func(m loggedComparison) bool { return !m.differs })
	}

	out, err := c.app.create(ctx, &c.output)
	if err != nil {
		return err
	}

	if out.format == "jsonl" {
		err = writeLogsJSON(out, logs, all)
	} else {
		err = writeLogsTable(out, logs, all)
		fmt.Fprintf(out, "\n%d of %d counters differ (tolerance %s %%).\n", differ, total, c.tolerance.String())
	}
	return errors.Join(err, out.Close())
}

// readLogs reads all logs, and tells of those that cannot be read.
func (c *comparer) readLogs(ctx context.Context, opt measure.Options) (logs []*loggedSide, err error) {
	var errs []error
	for _, name := range c.sources {
		log, err := c.readLog(ctx, name, opt)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			errs = append(errs, err)
		default:
			logs = append(logs, log)
		}
	}

	if err := c.enough(len(logs), errs); err != nil {
		return nil, err
	}
	return logs, c.tellUnserved(logs)
}

// readLog gathers the values of a log.
func (c *comparer) readLog(
	ctx context.Context, name string, opt measure.Options,
) (log *loggedSide, err error) {
	read, err := c.log.options()
	if err != nil {
		return nil, err
	}
	in, err := c.app.openInput(ctx, name, read)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()

	sel := winperf.Selection{Paths: c.paths}
	if len(c.paths) == 0 {
		sel = winperf.Selection{Global: true, Costly: true}
	}
	zone := c.log.shownZone(in.src.Describe(), read)
	if err := c.within.choose(ctx, &sel, zone, in.src.Source); err != nil {
		return nil, in.blame(err)
	}
	opt.KeepFirst = true

	log = &loggedSide{name: name, gathered: newGatherer(), tally: newTally(max(len(c.paths), 2))}
	log.gathered.byPath = true
	var damage damageCount
	add := func(cycle *measure.Cycle) {
		log.tally.count(cycle)
		log.gathered.add(cycle)
	}
	if err := in.walk(ctx, sel, opt, add, func(errs []error) { damage.add(in, errs) }); err != nil {
		return nil, err
	}

	damage.tell(c.app)
	if len(log.gathered.all()) == 0 {
		return log, nil
	}

	several := log.gathered.severalMachines()
	log.rows = map[string]*stats.Series{}
	for _, row := range log.gathered.all() {
		log.rows[strings.ToLower(comparedPath(row.series, several))] = row.values
	}
	return log, nil
}

// comparedPath is what counters are compared by: logs of the same name from several machines
// are told apart by them only where one log holds several.
func comparedPath(s *winperf.Series, several bool) string {
	p := s.Path
	if !several {
		p.Machine = ""
	}
	return p.String()
}

// tellUnserved says which paths no log has a value of.
func (c *comparer) tellUnserved(logs []*loggedSide) error {
	anything := false
	for _, log := range logs {
		anything = anything || len(log.rows) > 0
	}

	if !anything {
		return errors.New("no source has a value of what the paths name")
	}
	for i, p := range c.paths {
		if !slices.ContainsFunc(logs, func(log *loggedSide) bool { return log.tally.served[i] }) {
			c.app.complain(fmt.Errorf("%s: no log has a value", p))
			c.app.partial = true
		}
	}
	return nil
}

// matchLogs puts together what the logs have by the same path.
func matchLogs(logs []*loggedSide) []loggedComparison {
	var all []loggedComparison
	known := map[string]bool{}
	for _, log := range logs {
		several := log.gathered.severalMachines()
		for _, row := range log.gathered.all() {
			path := comparedPath(row.series, several)
			key := strings.ToLower(path)
			if known[key] {
				continue
			}

			known[key] = true
			m := loggedComparison{path: path, series: row.series, sides: make([]loggedFigures, len(logs))}
			for n, other := range logs {
				if values := other.rows[key]; values != nil {
					m.sides[n].values, m.sides[n].Figures = values, values.Figures(comparedPercentiles...)
				}
			}
			all = append(all, m)
		}
	}
	return all
}

// judge compares each log with the first. One that has no value of a counter differs from one
// that has.
func (m *loggedComparison) judge(limit float64) {
	first := &m.sides[0]
	for n := range m.sides[1:] {
		s := &m.sides[n+1]
		if first.Count == 0 || s.Count == 0 {
			m.differs = m.differs || first.Count != s.Count
			continue
		}

		s.comparison, s.compared = stats.Compare(first.values, s.values), true
		s.difference = s.comparison.Difference(first.Percentiles[0], s.Percentiles[0])
		percent := m.series.Unit == counter.Percent
		apart := max(
			spread(min(first.Percentiles[0], s.Percentiles[0]), max(first.Percentiles[0], s.Percentiles[0]), percent),
			spread(min(first.Mean, s.Mean), max(first.Mean, s.Mean), percent))
		s.matters = s.comparison.Significant() && (apart > limit || limit == 0)
		m.differs = m.differs || s.matters
	}
}

// writeLogsTable writes a line for each log of each counter, below the counter's path.
func writeLogsTable(out *output, logs []*loggedSide, all []loggedComparison) error {
	if len(all) == 0 {
		fmt.Fprintln(out, "No counter differs.")
		return nil
	}

	// Paths are no cells: they would make the first column as wide as the longest.
	var lines bytes.Buffer
	t := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	names := strings.ToUpper(strings.Join(comparedPercentiles.names(), "\t"))
	fmt.Fprintf(t, "COUNTER\tCOUNT\tMEAN\t%s\tDIFFERENCE\n", names)

	for i := range all {
		for n := range all[i].sides {
			fmt.Fprintf(t, "  %s\t%s\n", shownSource(logs[n].name), all[i].sides[n].cells(all[i].series))
		}
	}

	if err := t.Flush(); err != nil {
		return err
	}

	n := 0
	for line := range strings.Lines(lines.String()) {
		if n > 0 && (n-1)%len(logs) == 0 {
			fmt.Fprintln(out, safetext.Line(all[(n-1)/len(logs)].path))
		}
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
		n++
	}
	return nil
}

// cells are the figures of a log for people.
func (f *loggedFigures) cells(series *winperf.Series) string {
	if f.Count == 0 {
		return strings.TrimSuffix(strings.Repeat("-\t", 2+len(comparedPercentiles)), "\t")
	}
	text := strconv.AppendInt(nil, int64(f.Count), 10)
	for _, v := range append([]float64{f.Mean}, f.Percentiles...) {
		text = appendFigure(append(text, '\t'), v, series)
	}

	text = append(text, "\t"+f.difference...)
	if f.matters {
		text = append(text, " differs"...)
	}
	return string(text)
}

// The shape of the lines of compare -o jsonl of logs. Others may rely on it; fields may be
// added.
type (
	compareLogsLine struct {
		Path    string            `json:"path"` // without machine
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
		P           *float64         `json:"p"` // of a difference from the first log; null for the first
		Significant bool             `json:"significant"`
		Differs     bool             `json:"differs"`
	}
)

func writeLogsJSON(out *output, logs []*loggedSide, all []loggedComparison) error {
	enc := newJSON(out)
	for i := range all {
		m := &all[i]
		line := compareLogsLine{Path: m.path, Unit: m.series.Unit, Differs: m.differs}
		for n := range m.sides {
			s := &m.sides[n]
			one := compareLogsSide{Source: logs[n].name, Count: s.Count, Missing: s.Missing, Differs: s.matters}
			if s.Count > 0 {
				one.Mean, one.Deviation = jsonNumber(s.Mean), jsonNumber(s.Deviation)
				one.Percentiles = jsonPercentiles(comparedPercentiles, &s.Figures)
			}
			if s.compared {
				one.P, one.Significant = jsonNumber(s.comparison.P()), s.comparison.Significant()
			}
			line.Logs = append(line.Logs, one)
		}

		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
