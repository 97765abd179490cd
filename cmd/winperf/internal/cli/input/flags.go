package input

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/source"
)

// Interval is a time between samples: seconds, [[hh:]mm:]ss as in typeperf, or a duration with units such
// as 500ms.
type Interval time.Duration

// String returns the time with units, or "" for 0.
func (v *Interval) String() string {
	if *v == 0 {
		return ""
	}
	return time.Duration(*v).String()
}

// Type names the value in help texts.
func (v *Interval) Type() string { return "DURATION" }

// Set reads the value.
func (v *Interval) Set(s string) error {
	d, err := parseInterval(s)
	*v = Interval(d)
	return err
}

// LiveInterval is an interval of samples, at least measure.LeastInterval.
type LiveInterval struct{ *Interval }

// Set reads the value.
func (v LiveInterval) Set(s string) error {
	d, err := parseDuration(s, measure.LeastInterval)
	*v.Interval = Interval(d)
	return err
}

const (
	minInterval = time.Millisecond
	maxInterval = 366 * 24 * time.Hour
)

func parseInterval(s string) (time.Duration, error) { return parseDuration(s, minInterval) }

func parseDuration(s string, least time.Duration) (time.Duration, error) {
	const form = "expected a duration such as 2, 500ms or 1:30, from %v to a year"
	errDuration := fmt.Errorf(form, least)
	d, err := time.ParseDuration(s)
	if err != nil {
		seconds := 0.0
		for part := range strings.SplitSeq(s, ":") {
			n, err := strconv.ParseFloat(part, 64)
			if err != nil || n < 0 || math.IsNaN(n) {
				return 0, errDuration
			}
			seconds = seconds*60 + n
		}

		if strings.Count(s, ":") > 2 || seconds > maxInterval.Seconds() {
			return 0, errDuration
		}
		d = time.Duration(seconds * float64(time.Second))
	}

	if d < least || d > maxInterval {
		return 0, errDuration
	}
	return d, nil
}

// Count is a number of readings; 0 is unlimited.
type Count int

func (v *Count) String() string { return strconv.Itoa(int(*v)) }

// Type names the value in help texts.
func (v *Count) Type() string { return "N" }

// Set reads the value.
func (v *Count) Set(s string) error {
	return v.set(s, 0, "expected 0 (unlimited) or more")
}

// set sets a whole number that is not below least; expected is the error for other texts.
func (v *Count) set(s string, least int, expected string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0:
		return fmt.Errorf("expected at most %d", math.MaxInt32)
	case err != nil || n < int64(least):
		return errors.New(expected)
	}
	*v = Count(n)
	return nil
}

// AtLeast is a Count that must not be below Least; 0 is not special.
type AtLeast struct {
	*Count
	Least int
}

// Set implements pflag.Value.
func (v AtLeast) Set(s string) error {
	return v.set(s, v.Least, fmt.Sprintf("expected %d or more", v.Least))
}

// Language is the id of a name table's language.
type Language string

func (v *Language) String() string { return string(*v) }

// Type names the value in help texts.
func (v *Language) Type() string { return "ID" }

// Set reads the value.
func (v *Language) Set(s string) error {
	id, err := nametable.ParseLanguage(s)
	if err != nil {
		return errors.New("expected a language such as de, German, 007 or 0x407")
	}
	*v = Language(id)
	return nil
}

// LanguageHelp is the help of --language.
const LanguageHelp = "language of object and counter names: de, German or 007"

// SourceFlags are the options of every command that opens a source.
type SourceFlags struct {
	Source   string
	Language Language
}

// Add adds the flags to a command.
func (f *SourceFlags) Add(cmd *cobra.Command) {
	f.Source = "local:"
	cmd.Flags().Var(&once{text: &f.Source}, "source", SourceHelp)
	cmd.Flags().Var(&f.Language, "language", LanguageHelp)
	console.Complete(cmd, "source", CompleteSource)
	console.Complete(cmd, "language", CompleteLanguage)
}

// once is a flag that accepts only one value. The same value may be repeated, because cobra parses
// arguments twice for completion.
type once struct {
	text *string
	set  bool
}

func (v *once) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

func (v *once) Type() string { return "URL" }

// Set sets the value and rejects a second one.
func (v *once) Set(s string) error {
	if v.set && s != *v.text {
		return errors.New("it was given twice; winperf compare reads several sources")
	}
	*v.text, v.set = s, true
	return nil
}

// SourceHelp describes --source.
const SourceHelp = "a log file, - for a log on standard input, or local: for this machine;" +
	" winperf help sources lists all"

// SourceForms lists all kinds of sources, one a line.
func SourceForms() string {
	var b strings.Builder
	for _, s := range source.Schemes() {
		fmt.Fprintf(&b, "  %s\n      %s\n", s.Usage, s.Brief)
	}
	return b.String()
}

// SelectFlags select counters in addition to the paths on the command line.
type SelectFlags struct {
	Counters string
	Exclude  []string
	Cap100   bool
	// Whether processes that began after the previous sample have rates, see counter.Options.NeedPrevious.
	pdhExact, fromStart bool
}

// Add adds the flags, and completes paths from source.
func (f *SelectFlags) Add(cmd *cobra.Command, source *SourceFlags) {
	f.AddPaths(cmd, source)
	cmd.Flags().BoolVar(&f.Cap100, "cap100", false, "show percentages above 100 as 100, as PDH does")
}

// ForReadings reports whether flags were given that change readings, but no raw values.
func (f *SelectFlags) ForReadings() bool { return len(f.Exclude) > 0 || f.Cap100 }

// RawFormatError returns the error for such flags and a format of raw values.
func RawFormatError(format string) error {
	return fmt.Errorf("--exclude and --cap100 are for readings, but %s keeps raw values", format)
}

// AddPDHExact adds the flag for commands that count new processes from zero.
func (f *SelectFlags) AddPDHExact(cmd *cobra.Command) {
	const exact = "omit the first rate of a new process, as PDH does" +
		" (default: compute it from the start of the process)"
	cmd.Flags().BoolVar(&f.pdhExact, "pdh-exact", false, exact)
}

// AddFromStart adds the flag for commands that compute as PDH does.
func (f *SelectFlags) AddFromStart(cmd *cobra.Command) {
	const start = "compute the first rate of a new process from its start (default: omit it, as PDH does)"
	f.pdhExact = true
	cmd.Flags().BoolVar(&f.fromStart, "from-start", false, start)
}

// AddPaths adds the flags for paths.
func (f *SelectFlags) AddPaths(cmd *cobra.Command, source *SourceFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.Counters, "counters", "", "`FILE` with more paths, one a line; - is standard input")
	const exclude = "omit counters that match this `PATH`; may be repeated"
	flags.StringArrayVar(&f.Exclude, "exclude", nil, exclude)
	console.Complete(cmd, "exclude", CompletePath(source))
}
