package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // --zone on systems without a database of zones

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/source"
)

// LogFlags say how logs are to be read, and in which zone times are to be shown.
type LogFlags struct {
	zone     string
	codePage string
}

// Add adds the flags to a command.
func (f *LogFlags) Add(cmd *cobra.Command) {
	const zone = "time `ZONE`, such as Europe/Berlin or +05:30, for times read and shown, and for text" +
		" logs; replaces the zone of the log or of this machine"
	cmd.Flags().StringVar(&f.zone, "zone", "", zone)
	const codePage = "`NUMBER` of a text log's code page, such as 1251, if it is not detected"
	cmd.Flags().StringVar(&f.codePage, "code-page", "", codePage)
}

// Options returns how the flags want logs to be opened.
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

// ShownZone finds out the zone for a source that was opened with options.
func (f *LogFlags) ShownZone(is winperf.Description, opt source.Options) output.ShownZone {
	switch {
	case opt.Location != nil:
		return output.ShownZone{Location: opt.Location, Asked: true}
	case !is.Recorded:
		return output.ShownZone{Location: time.Local}
	case is.Log.Location != nil:
		return output.ShownZone{Location: is.Log.Location}
	}
	return output.ShownZone{Location: time.UTC, Unknown: is.Log.NoZone}
}

// Open opens a source, whose times are shown in the zone.
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

// RangeFlags say which part of a record is wanted.
type RangeFlags struct{ Begin, End string }

// Add adds the flags to a command.
func (f *RangeFlags) Add(cmd *cobra.Command) {
	const begin = "leave out samples of a log before this `TIME`; +1h is an hour after the first sample," +
		" 15:42 is on its day"
	cmd.Flags().StringVar(&f.Begin, "begin", "", begin)
	cmd.Flags().StringVar(&f.End, "end", "", "leave out samples of a log after this `TIME`")
}

// Given reports whether the user chose a range.
func (f *RangeFlags) Given() bool { return f.Begin != "" || f.End != "" }

// ErrNoRecord tells that samples were to be chosen where there are none yet.
var ErrNoRecord = errors.New("--at, --begin and --end choose samples of a record; --source names one")

// Choose puts the range into a selection of samples of records, in the zone that their
// times are shown in. A live source has none.
func (f *RangeFlags) Choose(
	ctx context.Context, sel *winperf.Selection, zone output.ShownZone, records ...winperf.Source,
) (err error) {
	live := func(src winperf.Source) bool { return !src.Describe().Recorded }
	if f.Given() && slices.ContainsFunc(records, live) {
		return ErrNoRecord
	}

	m := Moments{Zone: zone, Records: records}
	if sel.Begin, err = m.Parse(ctx, f.Begin, false); err != nil {
		return fmt.Errorf("--begin: %w", err)
	}
	if sel.End, err = m.Parse(ctx, f.End, true); err != nil {
		return fmt.Errorf("--end: %w", err)
	}
	return nil
}

// Empty returns the error of records that have no sample in the range: for a range that was given, the first
// and the last time of the records, otherwise the text.
func (f *RangeFlags) Empty(
	ctx context.Context, otherwise string, zone output.ShownZone, records ...winperf.Source,
) error {
	if !f.Given() {
		return errors.New(otherwise)
	}
	var first, last time.Time
	for _, src := range records {
		begin, end := spanOf(ctx, src)
		if first.IsZero() || !begin.IsZero() && begin.Before(first) {
			first = begin
		}
		if end.After(last) {
			last = end
		}
	}

	if first.IsZero() {
		return errors.New(otherwise)
	}
	const form = "there are no samples between these times: the samples of the log are from %s to %s"
	return fmt.Errorf(form, zone.Text(first), zone.Text(last))
}

// spanOf returns the times of the first and the last sample of a record, zero for none. Behind what cannot be
// read it looks no further.
func spanOf(ctx context.Context, src winperf.Source) (first, last time.Time) {
	q, err := src.Compile(ctx, winperf.Selection{Global: true, Costly: true})
	if err != nil {
		return first, last
	}
	defer q.Close()

	var sample winperf.Sample
	for q.Next(ctx, &sample) == nil {
		t := capture.Time(&sample)
		if first.IsZero() {
			first = t
		}
		if t.After(last) {
			last = t
		}
	}
	return first, last
}

// Moments reads times, and those that are said by the samples of records.
type Moments struct {
	Zone    output.ShownZone
	Records []winperf.Source
}

// Parse reads a time: "+1h" is an hour after the first sample, "end" the last sample, which
// is no bound.
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

// isTimeOfDay reports whether a text is a time without a day, such as 15:42 or 15:42:10.5.
func isTimeOfDay(s string) bool {
	for _, form := range []string{"15:04", "15:04:05"} {
		if _, err := time.Parse(form, s); err == nil {
			return true
		}
	}
	return false
}

// onDay puts the day of a moment in front of a time of day.
func onDay(day time.Time, timeOfDay string) string {
	if strings.Count(timeOfDay, ":") == 1 {
		timeOfDay += ":00"
	}
	return day.Format(time.DateOnly) + " " + timeOfDay
}

// firstTime is when the earliest of the first samples of records was taken.
func firstTime(ctx context.Context, records []winperf.Source) (first time.Time, err error) {
	for _, src := range records {
		t, err := firstTimeOf(ctx, src)
		if err != nil {
			return first, err
		}
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	return first, nil
}

func firstTimeOf(ctx context.Context, src winperf.Source) (time.Time, error) {
	q, err := src.Compile(ctx, winperf.Selection{Global: true, Costly: true})
	if err != nil {
		return time.Time{}, err
	}
	defer q.Close()

	var sample winperf.Sample
	err = q.Next(ctx, &sample)
	if errors.Is(err, io.EOF) {
		err = errors.New("the record has no sample that a time could be counted from")
	}
	if err != nil {
		return time.Time{}, err
	}
	return capture.Time(&sample), nil
}

// momentForms are the forms of times: relog's and ISO 8601's. Those of relog have no time
// without seconds, which there are minutes and seconds.
var momentForms = []string{
	"1/2/2006 15:04:05.999", "1/2/2006 3:04:05 PM", "1/2/2006 3:04:05PM",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04",
}

// dayForms have no time of day.
var dayForms = []string{"1/2/2006", "2006-01-02"}

var errMoment = errors.New(
	"expected a time such as '6/30/2007 15:40:38', 2007-06-30T15:40:38, 2007-06-30T13:40:38Z or" +
		" '2007-06-30 15:40:38.659 +02:00', or a day;" +
		" of a log also 15:42, on the day of its first sample")

// ParseMoment reads a time in a zone, unless it says its own; "" is the zero time. A day is
// its beginning, or at the end of a range its end.
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
				t = t.Add(leftOut(s))
			}
			if err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, errMoment
}

// leftOut is how much a time with a fraction of a second may have lost when it was shown: an
// end is behind all times that are shown like it.
func leftOut(s string) time.Duration {
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
