package input

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for --zone on systems without a zone database

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/source"
)

// LogFlags are the options for reading logs and showing times.
type LogFlags struct {
	zone     string
	codePage string
}

// Add adds the flags to a command.
func (f *LogFlags) Add(cmd *cobra.Command) {
	const zone = "time `ZONE` of times and of text logs, such as Europe/Berlin or +05:30" +
		" (default: of the log, UTC if it names none; live: of this machine)"
	cmd.Flags().StringVar(&f.zone, "zone", "", zone)
	const codePage = "code page of a text log, a `NUMBER` such as 1251, if not detected"
	cmd.Flags().StringVar(&f.codePage, "code-page", "", codePage)
}

// Options returns the options for opening logs.
func (f *LogFlags) Options() (opt source.Options, err error) {
	if f.zone != "" {
		if opt.Location, err = source.ParseZone(f.zone); err != nil {
			return opt, fmt.Errorf("--zone: %w", err)
		}
	}
	if f.codePage != "" {
		if opt.CodePage, err = source.ParseCodePage(f.codePage); err != nil {
			return opt, fmt.Errorf("--code-page: %w", err)
		}
	}
	return opt, nil
}

// ShownZone returns the zone for a source opened with opt.
func (f *LogFlags) ShownZone(is winperf.Description, opt source.Options) output.ShownZone {
	switch {
	case opt.Location != nil:
		return output.ShownZone{Location: opt.Location, Requested: true}
	case !is.Recorded:
		return output.ShownZone{Location: time.Local}
	case is.Log.Location != nil:
		return output.ShownZone{Location: is.Log.Location}
	}
	return output.ShownZone{Location: time.UTC, Unknown: is.Log.NoZone}
}

// Open opens a source and returns the zone of its times.
func (f *LogFlags) Open(
	ctx context.Context, a *console.App, url string,
) (src winperf.Source, zone output.ShownZone, err error) {
	opt, err := f.Options()
	if err != nil {
		return nil, zone, err
	}
	if src, err = OpenSource(ctx, a, url, opt); err != nil {
		return nil, zone, err
	}
	return src, f.ShownZone(src.Describe(), opt), nil
}

// RangeFlags select a range of samples of a log.
type RangeFlags struct{ Begin, End string }

// Add adds the flags to a command.
func (f *RangeFlags) Add(cmd *cobra.Command) {
	const begin = "omit samples of a log before this `TIME`, such as 15:42 on the day of the first sample," +
		" or +1h after it"
	cmd.Flags().StringVar(&f.Begin, "begin", "", begin)
	cmd.Flags().StringVar(&f.End, "end", "", "omit samples of a log after this `TIME`")
}

// IsSet reports whether a range was given.
func (f *RangeFlags) IsSet() bool { return f.Begin != "" || f.End != "" }

// ErrNoRecord means that a range was given without a log.
var ErrNoRecord = errors.New("--at, --begin and --end select samples of a log; name one with --source")

// Choose sets the range in a selection of samples of logs, in the zone of shown times.
func (f *RangeFlags) Choose(
	ctx context.Context, sel *winperf.Selection, zone output.ShownZone, records ...winperf.Source,
) (err error) {
	live := func(src winperf.Source) bool { return !src.Describe().Recorded }
	if f.IsSet() && slices.ContainsFunc(records, live) {
		return ErrNoRecord
	}

	m := Moments{Zone: zone, Records: records}
	if sel.Begin, err = m.Parse(ctx, f.Begin, false); err != nil {
		return fmt.Errorf("--begin %s: %w", f.Begin, err)
	}
	if sel.End, err = m.Parse(ctx, f.End, true); err != nil {
		return fmt.Errorf("--end %s: %w", f.End, err)
	}
	return nil
}

// Empty returns the error for logs without samples in the range: with the first and last time of the logs
// if a range was given, otherwise the text.
func (f *RangeFlags) Empty(
	ctx context.Context, otherwise string, zone output.ShownZone, records ...winperf.Source,
) error {
	if !f.IsSet() {
		return errors.New(otherwise)
	}
	var first, last time.Time
	for _, src := range records {
		times, _ := SampleTimes(ctx, src, winperf.Selection{Global: true, Costly: true}) // none if it fails
		for _, t := range times {
			if first.IsZero() || t.Before(first) {
				first = t
			}
			if t.After(last) {
				last = t
			}
		}
	}

	if first.IsZero() {
		return errors.New(otherwise)
	}
	const form = "no samples between these times: the log has samples from %s to %s"
	return fmt.Errorf(form, zone.Text(first), zone.Text(last))
}

// SampleTimes returns the times of the samples of a log in the range of a selection.
func SampleTimes(
	ctx context.Context, src winperf.Source, sel winperf.Selection,
) (all []time.Time, err error) {
	q, err := src.Compile(ctx, sel)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	if q, can := q.(interface {
		Times(context.Context) ([]time.Time, error)
	}); can {
		return q.Times(ctx)
	}

	var sample winperf.Sample
	for q.Next(ctx, &sample) == nil {
		all = append(all, capture.Time(&sample))
	}
	return all, nil
}

// Moments parses times, including times relative to samples of logs.
type Moments struct {
	Zone    output.ShownZone
	Records []winperf.Source
}

// Parse parses a time. +1h is an hour after the first sample; "end" is the last sample, and the zero time.
func (m *Moments) Parse(ctx context.Context, s string, end bool) (time.Time, error) {
	after, relative := strings.CutPrefix(s, "+")
	switch {
	case end && strings.EqualFold(s, "end"):
		return time.Time{}, nil
	case isTimeOfDay(s):
		first, err := firstTime(ctx, m.Records)
		if err != nil {
			return time.Time{}, err
		}
		return ParseMoment(onDay(first.In(m.Zone.Location), s), m.Zone.Location, end)
	case !relative:
		return ParseMoment(s, m.Zone.Location, end)
	}

	d, err := parseDuration(after, 0)
	if err != nil {
		return time.Time{}, err
	}
	first, err := firstTime(ctx, m.Records)
	return first.Add(d), err
}

// isTimeOfDay reports whether s is a time without a day, such as 15:42 or 15:42:10.5.
func isTimeOfDay(s string) bool {
	for _, form := range []string{"15:04", "15:04:05"} {
		if _, err := time.Parse(form, s); err == nil {
			return true
		}
	}
	return false
}

func onDay(day time.Time, timeOfDay string) string {
	if strings.Count(timeOfDay, ":") == 1 {
		timeOfDay += ":00"
	}
	return day.Format(time.DateOnly) + " " + timeOfDay
}

func firstTime(ctx context.Context, records []winperf.Source) (first time.Time, err error) {
	for _, src := range records {
		t, err := logs.FirstTime(ctx, src)
		if err != nil {
			return first, err
		}
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	return first, nil
}

// momentForms are the accepted formats: relog's and ISO 8601. relog reads a time without seconds as
// minutes and seconds.
var momentForms = []string{
	"1/2/2006 15:04:05.999", "1/2/2006 3:04:05 PM", "1/2/2006 3:04:05PM",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04",
}

var dayForms = []string{"1/2/2006", "2006-01-02"}

var errMoment = errors.New(
	"expected a time such as '6/30/2007 15:40:38', 2007-06-30T15:40:38, 2007-06-30T13:40:38Z or" +
		" '2007-06-30 15:40:38.659 +02:00', or a day;" +
		" for a log also 15:42, on the day of its first sample")

// ParseMoment parses a time in a zone, unless it has its own; "" is the zero time. A day means its
// beginning, or its end if end is true.
func ParseMoment(s string, zone *time.Location, end bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	s = strings.ToUpper(strings.Join(strings.Fields(s), " "))
	for _, form := range dayForms {
		if t, err := time.ParseInLocation(form, s, zone); err == nil {
			if end {
				t = t.AddDate(0, 0, 1).Add(-1)
			}
			return t, nil
		}
	}

	s = strings.Replace(s, "T", " ", 1)
	for _, form := range momentForms {
		for _, offset := range []string{"", "Z07:00", " Z07:00"} {
			t, err := time.ParseInLocation(form+offset, s, zone)
			if err == nil && end {
				t = t.Add(lostFraction(s))
			}
			if err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, errMoment
}

// lostFraction returns the largest time that a displayed fraction of a second may have lost, so that an end
// includes all times displayed the same way.
func lostFraction(s string) time.Duration {
	_, fraction, found := strings.Cut(s, ".")
	digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	if !found || digits == 0 {
		return 0
	}
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return max(unit-1, 0)
}
