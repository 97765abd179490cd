package summary

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
)

func (c *comparer) show(ctx context.Context, out *output.Output) error {
	var readings [][]winperf.Reading
	for _, s := range c.sides {
		readings = append(readings, s.readings)
	}
	all := logs.CompareReadings(readings, float64(c.tolerance))

	differ, served := 0, 0
	for i := range all {
		if all[i].Differs {
			differ++
		}
		if all[i].Values > 0 {
			served++
		}
	}

	for _, s := range c.sides {
		c.app.Notice(s.notices)
		c.app.Damaged(s.damage)
		if err := s.denied.Err(s.source); err != nil {
			input.Lacking(c.app, fmt.Errorf("%s: %w", strings.TrimSuffix(s.url, ":"), err))
		}
	}
	c.reportHints(ctx, all)
	if served == 0 {
		return errors.New("no source has a value for the paths")
	}

	total := len(all) // before rows are omitted
	c.app.Partial = c.app.Partial || differ > 0 || served < total
	if c.differing {
		all = slices.DeleteFunc(all, func(m logs.Comparison) bool { return !m.Differs })
	}

	if out.Format == "jsonl" {
		return c.writeJSON(out, all)
	}
	if err := c.writeTable(out, all); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d of %d counters differ (tolerance %s %%).\n\n", differ, total, c.tolerance.String())
	return c.writeCosts(out)
}

func (c *comparer) reportHints(ctx context.Context, all []logs.Comparison) {
	var known *catalogue.Catalogue
	reported := 0
	for i := range all {
		r := all[i].Readings[0]
		if all[i].Values > 0 || r.Series == nil || !r.Status.NamesNothing() ||
			reported == catalogue.MaxExplanations {
			continue
		}
		if known == nil {
			known = catalogue.ReadCatalogue(ctx, c.sides[0].source, false, c.paths...)
			defer known.Close()
		}
		if hint := known.Hint(r.Path, r.Status); hint != "" {
			reported++
			c.app.Complain(fmt.Errorf("%s: no source has a value%s", all[i].Path, hint))
		}
	}
}

func (c *comparer) writeTable(out *output.Output, all []logs.Comparison) error {
	if len(all) == 0 {
		fmt.Fprintln(out, "No counter differs.")
		return nil
	}

	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "COUNTER")
	for _, head := range c.heads() {
		fmt.Fprintf(t, "\t%s", head)
	}

	fmt.Fprintln(t, "\tDIFFERENCE")
	for i := range all {
		m := &all[i]
		fmt.Fprint(t, safetext.Line(m.Path))
		for _, r := range m.Readings {
			fmt.Fprintf(t, "\t%s", safetext.Line(readingText(r, c.output.Human(out))))
		}
		fmt.Fprintf(t, "\t%s\n", verdict(m))
	}
	return t.Flush()
}

func (c *comparer) heads() []string {
	var urls []string
	for _, s := range c.sides {
		urls = append(urls, s.url)
	}
	return shownSources(urls)
}

// shownSources returns short names of sources, unless different sources would have the same name.
func shownSources(urls []string) []string {
	const longest = 24
	var short, whole []string
	of := map[string]string{}
	same := false
	for _, url := range urls {
		text := safetext.Line(url)
		cut := console.Shorten(text, longest)
		other, known := of[cut]
		same = same || known && other != text
		of[cut] = text
		short, whole = append(short, cut), append(whole, text)
	}
	if same {
		return whole
	}
	return short
}

func verdict(c *logs.Comparison) string {
	text, unit := "", " %"
	if c.Points {
		unit = " points"
	}

	switch {
	case c.Difference <= 0:
	case c.Difference < 0.01:
		text = "< 0.01" + unit
	default:
		text = strconv.FormatFloat(c.Difference, 'f', 2, 64) + unit
	}

	if c.Differs {
		text = strings.TrimPrefix(text+" differs", " ")
	}
	return text
}

func readingText(r winperf.Reading, human bool) string {
	switch {
	case r.Series == nil:
		return "-"
	case r.Status != counter.OK:
		return r.Status.String()
	}
	return string(appendNumber(nil, &r, human))
}

func (c *comparer) writeCosts(out *output.Output) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SOURCE\tPREPARE\tSAMPLE\tDECODE\tPROCESSOR\tALLOCATIONS\tBYTES")
	heads := c.heads()
	for i, s := range c.sides {
		m, processor, bytes := s.mean(), "-", "-"
		if m.ProcessorKnown {
			processor = shortTime(m.Processor)
		}
		if m.Bytes > 0 {
			bytes = strconv.Itoa(m.Bytes)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t", heads[i], shortTime(m.Prepare), shortTime(m.Sample))
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\n", shortTime(m.Decode), processor, m.Allocations, bytes)
	}
	return t.Flush()
}

func shortTime(d time.Duration) string {
	switch {
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	default:
		d = d.Round(100 * time.Nanosecond)
	}
	return d.String()
}

// The JSON form of compare -o jsonl. It is a public format: fields may only be added.
type (
	compareLine struct {
		Path       string         `json:"path"` // without the machine
		Readings   []compareValue `json:"readings"`
		Difference *float64       `json:"difference"` // percent or points; null unless both are numbers
		Differs    bool           `json:"differs"`
	}
	compareValue struct {
		Source string          `json:"source"`
		Value  counter.Value   `json:"value"`
		Unit   *counter.Unit   `json:"unit"`
		Status *counter.Status `json:"status"` // null if the source has nothing for the path
	}
	costLine struct {
		Source    string   `json:"source"`
		Interface string   `json:"interface"` // "" if unknown
		Machine   string   `json:"machine"`
		Samples   int      `json:"samples"`
		Cost      jsonCost `json:"cost"`
	}
	// jsonCost is the cost of one sample; times are seconds.
	jsonCost struct {
		Prepare     float64  `json:"prepare"`
		Sample      float64  `json:"sample"`
		Decode      float64  `json:"decode"`
		Processor   *float64 `json:"processor"` // null if unknown
		Allocations uint64   `json:"allocations"`
		Bytes       *int     `json:"bytes"` // null if samples are not bytes, such as samples of a text log
	}
)

func (c *comparer) writeJSON(out *output.Output, all []logs.Comparison) error {
	enc := output.NewJSON(out)
	for i := range all {
		m := &all[i]
		line := compareLine{Path: m.Path, Differs: m.Differs}
		if m.Difference >= 0 && !math.IsInf(m.Difference, 0) {
			line.Difference = &m.Difference
		}

		for n := range m.Readings {
			v, r := compareValue{Source: c.sides[n].url}, &m.Readings[n]
			if r.Series != nil {
				v.Unit, v.Status = &r.Unit, &r.Status
				if r.Status == counter.OK {
					v.Value = r.Value
				}
			}
			line.Readings = append(line.Readings, v)
		}

		if err := enc.Encode(line); err != nil {
			return err
		}
	}

	for _, s := range c.sides {
		m := s.mean()
		line := costLine{s.url, s.kind, s.source.Describe().Machine, s.samples, jsonCost{
			Prepare: m.Prepare.Seconds(), Sample: m.Sample.Seconds(), Decode: m.Decode.Seconds(),
			Allocations: m.Allocations,
		}}
		if m.Bytes > 0 {
			line.Cost.Bytes = &m.Bytes
		}
		if seconds := m.Processor.Seconds(); m.ProcessorKnown {
			line.Cost.Processor = &seconds
		}

		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
