package experiments

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/internal/safetext"
)

// shownSilent bounds the listed counters without a value.
const shownSilent = 20

func (r *runner) writeRecords(b *strings.Builder, out *trial.Outcome) {
	fmt.Fprintf(b, "\n%d records, %d of them dropped", out.Status.Stored, out.Status.Dropped)
	for _, route := range out.Delivery.Routes {
		fmt.Fprintf(b, "; %s got %d", routeName(route.Name), route.Delivered)
		if route.Name == trial.ResultsRoute && out.Earlier > 0 {
			fmt.Fprintf(b, ", %d of them from a run killed earlier", out.Earlier)
		}
		for _, missing := range []struct {
			how   string
			count uint64
		}{{"lost", route.Lost}, {"refused", route.Refused}} {
			if missing.count > 0 {
				r.app.Partial = true
				fmt.Fprintf(b, ", %s %d", missing.how, missing.count)
			}
		}
	}
	b.WriteString("\n")
	r.app.Partial = r.app.Partial || out.Status.Dropped > 0
	writeRoutes(b, out.Delivery.Routes)
	if out.Undelivered != nil {
		r.app.Partial = true
		for _, line := range console.ErrorLines(out.Undelivered) {
			fmt.Fprintln(b, safetext.Line(line))
		}
	}
	writeSources(b, &out.Status)

	t := &out.Tally
	if t.Failed > 0 {
		r.app.Partial = true
		fmt.Fprintf(b, "%d records without values, the first because: %s\n", t.Failed, safetext.Line(t.Reason))
	}
	if out.Unrecorded > 0 {
		fmt.Fprintf(b, "%d of %d runs have no record\n", out.Unrecorded, len(out.Results))
	}
	if t.Pauses > 0 {
		fmt.Fprintf(b, "pauses of the experiment: %d, %v in total\n", t.Pauses, t.Paused.Round(time.Millisecond))
	}
	missed := t.Missed()
	for _, name := range slices.Sorted(maps.Keys(missed)) {
		fmt.Fprintf(b, "%s: %d events were missed\n", safetext.Line(name), missed[name])
	}
	if t.Gaps > 0 {
		fmt.Fprintf(b, "the machine was suspended for %v in %d records\n", t.Suspended, t.Gaps)
	}
	if text := t.AnomaliesText(); text != "" {
		fmt.Fprintf(b, "anomalies in records: %s\n", text)
	}
	writeSwitched(b, t)
	writeSilent(b, t.Silent())
}

const lateForm = "%d series are missing in %s: they began after the first record," +
	" or another source has their path"

func writeRoutes(b *strings.Builder, all []delivery.RouteState) {
	for _, route := range all {
		name := routeName(route.Name)
		if route.Refusal != nil {
			fmt.Fprintf(b, "%s refused records, the last because: %s\n", name, safetext.Line(route.Refusal.Error()))
		}
		if route.Late > 0 {
			fmt.Fprintf(b, lateForm+"\n", route.Late, name)
		}
	}
}

// routeName returns a short name of a receiver: a file without its directory, a URL without its host, a
// shortened command line.
func routeName(name string) string {
	program, args, has := strings.Cut(name, " ")
	if !has || strings.Contains(program, "://") {
		return safetext.Line(filepath.Base(name))
	}
	const most = 60
	short := []rune(filepath.Base(program) + " " + args)
	if len(short) > most {
		short = append(short[:most:most], []rune("...")...)
	}
	return safetext.Line(string(short))
}

func writeSources(b *strings.Builder, s *experiment.Status) {
	for _, e := range s.Events {
		if e.Err != nil {
			fmt.Fprintf(b, "event source %s stopped: %s\n", safetext.Line(e.Name), safetext.Line(e.Err.Error()))
		}
	}
}

// pathOf returns a path, with its source if the experiment has several.
func pathOf(source, path string) string {
	if source == "" {
		return path
	}
	return source + ": " + path
}

func writeSwitched(b *strings.Builder, t *trial.Tally) {
	if t.Switched == 0 {
		return
	}
	const form = "%d values are from another process or instance than in the previous record," +
		" the first at %s: %s\n"
	path := pathOf(t.SwitchOf.Source, t.SwitchOf.Path)
	fmt.Fprintf(b, form, t.Switched, safetext.Line(t.SwitchOf.Event), safetext.Line(path))
}

func writeSilent(b *strings.Builder, all []trial.Silence) {
	for _, s := range all[:min(len(all), shownSilent)] {
		path := pathOf(s.Source, s.Path)
		fmt.Fprintf(b, "no value at %s: %s (%v)\n", safetext.Line(s.Event), safetext.Line(path), s.Status)
	}
	if more := len(all) - shownSilent; more > 0 {
		fmt.Fprintf(b, "and %d more counters without a value\n", more)
	}
}

// countText returns a number and a noun, or "" for 0.
func countText(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s", n, what)
}

func writeStatistics(b *strings.Builder, rec *experiment.Record) {
	fmt.Fprintf(b, "\n%s\n", safetext.Line(rec.Event.Name))
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range rec.Values {
		v := &rec.Values[i]
		s := v.Statistics
		if s == nil {
			continue
		}

		what := ""
		switch {
		case s.Difference && v.Unit == counter.Seconds:
			what = " (difference in seconds)"
		case s.Difference:
			what = " (difference)"
		}
		fmt.Fprintf(t, "  %s%s\tn=%d", safetext.Line(pathOf(v.Source, v.Path)), what, s.Count)
		if s.Count == 0 {
			fmt.Fprintln(t, "\tno value")
			continue
		}

		show := func(f float64) string { return statisticText(trial.UnitOf(v), f) }
		fmt.Fprintf(t, "\tmean %s", show(s.Mean))
		if s.Count > 1 {
			fmt.Fprintf(t, " (%s to %s)", show(s.Low), show(s.High))
		}
		for p, percent := range s.Percents {
			fmt.Fprintf(t, "\tp%.4g %s", percent, show(s.Percentiles[p]))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // writes to memory
}

func statisticText(unit string, f float64) string {
	if unit == trial.Bytes || unit == trial.BytesPerSecond {
		return inUnit(unit, f)
	}
	return fmt.Sprintf("%.6g", f)
}
