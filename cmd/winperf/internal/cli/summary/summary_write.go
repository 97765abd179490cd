package summary

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/sink"
)

type summaryRow struct {
	series  *winperf.Series
	path    string
	figures stats.Figures
}

func unlistedRows(u *input.Unlisted, percents percentiles) (rows []summaryRow) {
	for _, row := range u.Rows {
		series := row.Series.Clone()
		series.Path.Instance = strings.Trim(input.UnlistedName, "()") // the path adds parentheses
		if f := row.Values.Figures(percents...); f.Count > 0 {
			rows = append(rows, summaryRow{series, series.Path.String(), f})
		}
	}
	return rows
}

func (s *summarizer) write(out *output.Output) error {
	figures := s.gathered.Figures(s.percents...)
	rows := make([]summaryRow, 0, len(figures))
	for i, g := range s.gathered.Rows() {
		if s.shows(g) {
			rows = append(rows, summaryRow{g.Series, g.Series.String(), figures[i]})
		}
	}

	if s.most > 0 {
		rows = s.order.top(rows, int(s.most))
	} else {
		s.order.sort(rows, s.percents)
	}

	switch out.Format {
	case "jsonl":
		return s.writeJSON(out, rows)
	case "csv":
		return s.writeCSV(out, rows)
	}
	return s.writeTable(out, append(rows, unlistedRows(&s.unlisted, s.percents)...))
}

func (s *summarizer) writeTable(out *output.Output, rows []summaryRow) error {
	g := s.gathered
	samples := console.Plural(g.Samples, "sample")
	fmt.Fprintf(out, "%s from %s to %s\n\n", samples, s.zone.Text(g.First), s.zone.Text(g.Last))

	const behindMaximum = 5
	when := summaryColumn{"at", func(r *summaryRow) float64 { return r.figures.Max }, s.whenText()}
	total := summaryColumn{"total", (*summaryRow).total, totalText}
	columns := slices.Insert(s.columns(), behindMaximum, when, total)

	head := []string{"COUNTER"}
	for _, c := range columns {
		head = append(head, strings.ToUpper(c.name))
	}

	lines := [][]string{head}
	names, human := s.shownPaths(rows), s.output.Human(out)
	farthest := 0.0
	for i := range rows {
		r := &rows[i]
		farthest = max(farthest, r.figures.Error)
		line := []string{safetext.Line(names[i])}
		for _, c := range columns {
			text := "-"
			if v := c.value(r); !math.IsNaN(v) {
				text = c.text(r, v, human)
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}

	writeFitting(out, lines)
	if farthest > 0 {
		fmt.Fprintf(out, "\nApproximate percentiles are within %.2g %% of a value.\n", farthest*100)
	}
	return nil
}

// whenText returns a function for the time of a maximum, without the day if all samples are from one day.
func (s *summarizer) whenText() func(*summaryRow, float64, bool) string {
	g, form := s.gathered, "2006-01-02 15:04:05.000"
	day := func(t time.Time) string { return t.In(s.zone.Location).Format(time.DateOnly) }
	if day(g.First) == day(g.Last) {
		form = "15:04:05.000"
	}
	return func(r *summaryRow, _ float64, _ bool) string {
		return g.Time(r.figures.MaxAt).In(s.zone.Location).Format(form)
	}
}

// writeFitting writes a name and numbers on each line. If lines are too wide for the terminal, the numbers
// are written below the name on as many lines as needed.
func writeFitting(out *output.Output, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}

	const gap = 2
	width := 0 // unlimited
	if out.Terminal() {
		width, _ = out.Size()
	}

	all := widths[0]
	for _, w := range widths[1:] {
		all += gap + w
	}
	sameLine := width == 0 || all <= width

	for _, line := range lines {
		used := width // the first number starts a line
		if sameLine {
			fmt.Fprintf(out, "%-*s", widths[0], line[0])
			used = 0
		} else {
			fmt.Fprint(out, line[0])
		}

		for i, text := range line[1:] {
			w := gap + widths[i+1]
			if !sameLine && used+w > width {
				fmt.Fprintln(out)
				used = 0
			}
			fmt.Fprintf(out, "%*s", w, text)
			used += w
		}
		fmt.Fprintln(out)
	}
}

// total returns the sum of a rate or the seconds of a percentage of time; otherwise NaN.
func (r *summaryRow) total() float64 {
	switch r.series.Unit {
	case counter.PerSecond:
		return r.figures.Total
	case counter.Percent:
		return r.figures.Total / 100
	}
	return math.NaN()
}

// totalUnit returns the unit of total, or "".
func (r *summaryRow) totalUnit() string {
	switch {
	case math.IsNaN(r.total()):
		return ""
	case r.series.Unit == counter.Percent:
		return counter.Seconds.String()
	}
	return counter.Count.String()
}

type summaryColumn struct {
	name  string
	value func(r *summaryRow) float64
	text  func(r *summaryRow, v float64, human bool) string // for tables
}

func (s *summarizer) columns() []summaryColumn {
	columns := []summaryColumn{
		{"count", func(r *summaryRow) float64 { return float64(r.figures.Count) }, plainText},
		{"missing", func(r *summaryRow) float64 { return float64(r.figures.Missing) }, plainText},
		{"minimum", func(r *summaryRow) float64 { return r.figures.Min }, figureText},
		{"average", func(r *summaryRow) float64 { return r.figures.Average }, figureText},
		{"maximum", func(r *summaryRow) float64 { return r.figures.Max }, figureText},
		{"deviation", func(r *summaryRow) float64 { return r.figures.Deviation }, figureText},
	}

	for i, name := range s.percents.names() {
		value := func(r *summaryRow) float64 { return r.figures.Percentiles[i] }
		columns = append(columns, summaryColumn{name, value, figureText})
	}

	last := func(r *summaryRow) float64 { return r.figures.Last }
	columns = append(columns, summaryColumn{"last", last, figureText})
	if s.above.value != nil {
		above := func(r *summaryRow) float64 { return float64(r.figures.Above) }
		longest := func(r *summaryRow) float64 { return r.figures.LongestAbove.Seconds() }
		columns = append(columns,
			summaryColumn{"above", above, plainText}, summaryColumn{"longest", longest, longestText})
	}
	return columns
}

func plainText(_ *summaryRow, v float64, _ bool) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func figureText(r *summaryRow, v float64, human bool) string {
	return string(appendFigure(nil, v, r.series, human))
}

func longestText(r *summaryRow, _ float64, _ bool) string {
	if r.figures.Above == 0 {
		return "-"
	}
	return r.figures.LongestAbove.Round(time.Millisecond).String()
}

// totalText returns a total with its unit, unless it is a plain number.
func totalText(r *summaryRow, v float64, human bool) string {
	const longest = 1e9 // seconds that fit into a time.Duration
	if r.series.Unit == counter.Percent && math.Abs(v) < longest {
		return time.Duration(v * float64(time.Second)).Round(time.Millisecond).String()
	}
	amount := winperf.Reading{Series: new(winperf.Series), Value: counter.Float(math.Round(v))}
	*amount.Series = *r.series
	amount.Unit = counter.Count
	if v >= 0 && v < 1<<53 {
		amount.Value = counter.Int(uint64(math.Round(v)))
	}
	return string(appendNumber(nil, &amount, human))
}

// appendFigure appends a number as shown in tables, without decimals if it is whole and the series has
// whole numbers.
func appendFigure(dst []byte, v float64, s *winperf.Series, human bool) []byte {
	r := winperf.Reading{Series: s, Value: counter.Float(v)}
	info, _ := s.Type.Info()
	const exact = 1 << 53
	if info.Kind == counter.KindInt && v == math.Trunc(v) && v >= 0 && v < exact {
		r.Value = counter.Int(uint64(v))
	}
	return appendNumber(dst, &r, human)
}

// appendNumber appends the number of a reading, with a prefix if human.
func appendNumber(dst []byte, r *winperf.Reading, human bool) []byte {
	if human {
		return sink.AppendHuman(dst, r)
	}
	return sink.AppendNumber(dst, r.Value, r.Unit)
}

// shownPaths returns the displayed paths: with the machine if there are several, and with keys for
// instances of the same name.
func (s *summarizer) shownPaths(rows []summaryRow) []string {
	several := s.gathered.SeveralMachines()
	paths := make([]string, 0, len(rows))
	times := map[string]int{}
	for i := range rows {
		p := rows[i].series.Path
		if !several {
			p.Machine = ""
		}
		paths = append(paths, p.String())
		times[paths[i]]++
	}

	for i, path := range paths {
		if key := rows[i].series.Key; times[path] > 1 && key != "" {
			id, _, _ := strings.Cut(key, "@")
			paths[i] = path + " [" + id + "]"
		}
	}
	return paths
}

func (s *summarizer) writeCSV(out *output.Output, rows []summaryRow) error {
	columns := s.columns()
	line := []string{"counter", "key", "unit"}
	for _, c := range columns {
		line = append(line, c.name)
	}
	line = append(line, "maximum_time", "total", "total_unit", "present")

	w := csv.NewWriter(out)
	_ = w.Write(line) // Flush returns the error
	for i := range rows {
		r := &rows[i]
		line = append(line[:0], strings.Map(console.BreaksNoLine, r.path), r.series.Key, r.series.Unit.String())
		for _, c := range columns {
			line = append(line, csvNumber(c.value(r)))
		}

		when := ""
		if r.figures.Count > 0 {
			when = s.zone.Text(s.gathered.Time(r.figures.MaxAt))
		}
		line = append(line, when, csvNumber(r.total()), r.totalUnit(), csvNumber(r.figures.Present.Seconds()))
		_ = w.Write(line)
	}
	w.Flush()
	return w.Error()
}

// csvNumber formats a number with all digits; "" for NaN.
func csvNumber(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// summaryLine is the JSON form of a line of summary -o jsonl. It is a public format: fields may only be
// added. Missing numbers are null.
type summaryLine struct {
	Path        string           `json:"path"`
	Key         string           `json:"key,omitempty"` // identifies a process
	Unit        counter.Unit     `json:"unit"`
	Count       int              `json:"count"`
	Missing     int              `json:"missing"`
	Minimum     *float64         `json:"minimum"`
	Average     *float64         `json:"average"` // weighted by time if the counter type requires it
	Mean        *float64         `json:"mean"`    // of the values
	Maximum     *float64         `json:"maximum"`
	Deviation   *float64         `json:"deviation"`
	Percentiles []jsonPercentile `json:"percentiles"`
	Error       float64          `json:"percentile_error"` // largest relative error; 0 means exact
	Last        *float64         `json:"last"`
	MaximumTime *time.Time       `json:"maximum_time"` // first time of the maximum, in UTC
	Total       *float64         `json:"total"`        // of a rate or a percentage of time
	TotalUnit   string           `json:"total_unit,omitempty"`
	Present     float64          `json:"present_seconds"` // time covered by the values
	Above       *jsonAbove       `json:"above,omitempty"`
}

type jsonPercentile struct {
	Percent float64  `json:"percent"`
	Value   *float64 `json:"value"`
}

type jsonAbove struct {
	Bound   float64 `json:"bound"`
	Count   int     `json:"count"`
	Longest float64 `json:"longest_seconds"`
}

func (s *summarizer) writeJSON(out *output.Output, rows []summaryRow) error {
	enc := output.NewJSON(out)
	for i := range rows {
		r := &rows[i]
		f := &r.figures
		line := summaryLine{
			Path: r.path, Key: r.series.Key, Unit: r.series.Unit, Count: f.Count, Missing: f.Missing,
			Minimum: jsonNumber(f.Min), Average: jsonNumber(f.Average), Mean: jsonNumber(f.Mean),
			Maximum: jsonNumber(f.Max), Deviation: jsonNumber(f.Deviation), Last: jsonNumber(f.Last),
			Percentiles: jsonPercentiles(s.percents, f), Error: f.Error,
			Total: jsonNumber(r.total()), TotalUnit: r.totalUnit(), Present: f.Present.Seconds(),
		}
		if f.Count > 0 {
			when := s.gathered.Time(f.MaxAt).UTC()
			line.MaximumTime = &when
		}

		if s.above.value != nil {
			line.Above = &jsonAbove{*s.above.value, f.Above, f.LongestAbove.Seconds()}
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func jsonPercentiles(percents percentiles, f *stats.Figures) []jsonPercentile {
	var all []jsonPercentile
	for i, p := range percents {
		all = append(all, jsonPercentile{p, jsonNumber(f.Percentiles[i])})
	}
	return all
}

// jsonNumber returns nil for numbers that JSON cannot represent.
func jsonNumber(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
