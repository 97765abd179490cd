package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/sink"
)

// summaryRow is what is shown of one counter of one instance.
type summaryRow struct {
	series  *winperf.Series
	path    string
	figures stats.Figures
}

// write writes the rows.
func (s *summarizer) write(out *output) error {
	figures := s.gathered.Figures(s.percents...)
	rows := make([]summaryRow, 0, len(figures))
	for i, g := range s.gathered.Rows() {
		rows = append(rows, summaryRow{g.Series, g.Series.String(), figures[i]})
	}

	s.order.sort(rows, s.percents)
	switch out.format {
	case "jsonl":
		return s.writeJSON(out, rows)
	case "csv":
		return s.writeCSV(out, rows)
	}
	return s.writeTable(out, rows)
}

// summaryColumn is a number that a row has.
type summaryColumn struct {
	name  string
	value func(f *stats.Figures) float64
	plain bool // it is a number of values or of seconds, not one of the counter's
}

// columns are the numbers in the order in which csv and the table show them.
func (s *summarizer) columns() []summaryColumn {
	columns := []summaryColumn{
		{"count", func(f *stats.Figures) float64 { return float64(f.Count) }, true},
		{"missing", func(f *stats.Figures) float64 { return float64(f.Missing) }, true},
		{"minimum", func(f *stats.Figures) float64 { return f.Min }, false},
		{"average", func(f *stats.Figures) float64 { return f.Average }, false},
		{"maximum", func(f *stats.Figures) float64 { return f.Max }, false},
		{"deviation", func(f *stats.Figures) float64 { return f.Deviation }, false},
	}

	for i, name := range s.percents.names() {
		value := func(f *stats.Figures) float64 { return f.Percentiles[i] }
		columns = append(columns, summaryColumn{name, value, false})
	}

	columns = append(columns, summaryColumn{"last", func(f *stats.Figures) float64 { return f.Last }, false})
	if s.above.value != nil {
		columns = append(columns,
			summaryColumn{"above", func(f *stats.Figures) float64 { return float64(f.Above) }, true},
			summaryColumn{
				"longest", func(f *stats.Figures) float64 { return f.LongestAbove.Seconds() }, true,
			})
	}
	return columns
}

// writeTable writes the rows for people.
func (s *summarizer) writeTable(out *output, rows []summaryRow) error {
	g := s.gathered
	samples := plural(g.Samples, "sample")
	fmt.Fprintf(out, "%s from %s to %s\n\n", samples, s.zone.text(g.First), s.zone.text(g.Last))

	columns := s.columns()
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range columns {
		fmt.Fprintf(t, "%s\t", strings.ToUpper(c.name))
	}

	fmt.Fprintln(t, "  COUNTER")
	names, human := s.shownPaths(rows), s.output.human(out)
	farthest := 0.0
	for i := range rows {
		r := &rows[i]
		farthest = max(farthest, r.figures.Error)
		for _, c := range columns {
			fmt.Fprintf(t, "%s\t", c.text(r, human))
		}
		fmt.Fprintf(t, "  %s\n", safetext.Line(names[i]))
	}

	if err := t.Flush(); err != nil {
		return err
	}
	if farthest > 0 {
		fmt.Fprintf(out, "\nPercentiles that are not exact are within %.2g %% of a value.\n", farthest*100)
	}
	return nil
}

// text is the number for people.
func (c *summaryColumn) text(r *summaryRow, human bool) string {
	switch v := c.value(&r.figures); {
	case math.IsNaN(v), c.name == "longest" && r.figures.Above == 0:
		return "-"
	case c.name == "longest":
		return r.figures.LongestAbove.Round(time.Millisecond).String()
	case c.plain:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return string(appendFigure(nil, v, r.series, human))
	}
}

// appendFigure appends a number of a series as the table shows it: without places where
// its values are whole numbers and it is one.
func appendFigure(dst []byte, v float64, s *winperf.Series, human bool) []byte {
	r := winperf.Reading{Series: s, Value: counter.Float(v)}
	info, _ := s.Type.Info()
	const exact = 1 << 53
	if info.Kind == counter.KindInt && v == math.Trunc(v) && v >= 0 && v < exact {
		r.Value = counter.Int(uint64(v))
	}
	return appendNumber(dst, &r, human)
}

// appendNumber appends the number of a reading, if it is for people with a prefix.
func appendNumber(dst []byte, r *winperf.Reading, human bool) []byte {
	if human {
		return sink.AppendHuman(dst, r)
	}
	return sink.AppendNumber(dst, r.Value, r.Unit)
}

// shownPaths are the paths for people: with a machine where there are several, and with
// what tells instances apart where two were called the same.
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

// writeCSV writes the rows with all digits. What has no number is empty, and a row stays
// one line.
func (s *summarizer) writeCSV(out *output, rows []summaryRow) error {
	columns := s.columns()
	line := []string{"counter", "key", "unit"}
	for _, c := range columns {
		line = append(line, c.name)
	}

	w := csv.NewWriter(out)
	_ = w.Write(line) // Flush keeps the error
	for i := range rows {
		r := &rows[i]
		line = append(line[:0], strings.Map(breaksNoLine, r.path), r.series.Key, r.series.Unit.String())
		for _, c := range columns {
			text := ""
			if v := c.value(&r.figures); !math.IsNaN(v) {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			line = append(line, text)
		}
		_ = w.Write(line)
	}
	w.Flush()
	return w.Error()
}

// summaryLine is the shape of a line of summary -o jsonl. Others may rely on it; fields
// may be added. Numbers that there are not are null.
type summaryLine struct {
	Path        string           `json:"path"`
	Key         string           `json:"key,omitempty"` // tells a process from all others
	Unit        counter.Unit     `json:"unit"`
	Count       int              `json:"count"`
	Missing     int              `json:"missing"`
	Minimum     *float64         `json:"minimum"`
	Average     *float64         `json:"average"` // by time where the counter's type asks for it
	Mean        *float64         `json:"mean"`    // of the values
	Maximum     *float64         `json:"maximum"`
	Deviation   *float64         `json:"deviation"`
	Percentiles []jsonPercentile `json:"percentiles"`
	Error       float64          `json:"percentile_error"` // greatest relative one; 0 is exact
	Last        *float64         `json:"last"`
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

func (s *summarizer) writeJSON(out *output, rows []summaryRow) error {
	enc := newJSON(out)
	for i := range rows {
		r := &rows[i]
		f := &r.figures
		line := summaryLine{
			Path: r.path, Key: r.series.Key, Unit: r.series.Unit, Count: f.Count, Missing: f.Missing,
			Minimum: jsonNumber(f.Min), Average: jsonNumber(f.Average), Mean: jsonNumber(f.Mean),
			Maximum: jsonNumber(f.Max), Deviation: jsonNumber(f.Deviation), Last: jsonNumber(f.Last),
			Percentiles: jsonPercentiles(s.percents, f), Error: f.Error,
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

// jsonNumber is nil for what JSON cannot hold.
func jsonNumber(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
