package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// interval is a time between samples: seconds, [[hh:]mm:]ss as typeperf has
// it, or a duration with units such as 500ms.
type interval time.Duration

// String returns the time with its units; nothing where there is none.
func (v *interval) String() string {
	if *v == 0 {
		return ""
	}
	return time.Duration(*v).String()
}

// Type names the value in help texts.
func (v *interval) Type() string { return "TIME" }

// Set reads the value.
func (v *interval) Set(s string) error {
	d, err := parseInterval(s)
	*v = interval(d)
	return err
}

// liveInterval is the interval of a schedule of samples, which are never closer than
// measure.LeastInterval.
type liveInterval struct{ *interval }

// Set reads the value.
func (v liveInterval) Set(s string) error {
	d, err := parseInterval(s)
	if err != nil || d < measure.LeastInterval {
		const form = "expected seconds, [[hh:]mm:]ss or a time such as 500ms, from %v to a year: " +
			"samples that are closer give no rates"
		return fmt.Errorf(form, measure.LeastInterval)
	}
	*v.interval = interval(d)
	return nil
}

const (
	minInterval = time.Millisecond
	maxInterval = 366 * 24 * time.Hour
)

func parseInterval(s string) (time.Duration, error) { return parseDuration(s, minInterval) }

// parseDuration reads a time that is at least so long.
func parseDuration(s string, least time.Duration) (time.Duration, error) {
	const form = "expected seconds, [[hh:]mm:]ss or a time such as 500ms, from %v to a year"
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

// count is a number of readings; 0 stands for no end.
type count int

// String returns the number.
func (v *count) String() string { return strconv.Itoa(int(*v)) }

// Type names the value in help texts.
func (v *count) Type() string { return "N" }

// Set reads the value.
func (v *count) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return fmt.Errorf("expected a whole number up to %d, 0 for no end", math.MaxInt32)
	}
	*v = count(n)
	return nil
}

// language is the id of a language of name tables.
type language string

// String returns the id.
func (v *language) String() string { return string(*v) }

// Type names the value in help texts.
func (v *language) Type() string { return "ID" }

// Set reads the value.
func (v *language) Set(s string) error {
	id, err := nametable.ParseLanguage(s)
	if err != nil {
		return errors.New("expected a hexadecimal language id such as 009 or 0x409")
	}
	*v = language(id)
	return nil
}

const languageHelp = "language of object and counter names: 009 is English, 007 German"

// sourceFlags are the options of every command that opens a source.
type sourceFlags struct {
	source   string
	language language
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	const source = "`URL` of where counters come from: local:, a log's file name," +
		" perfdata:FILE[,FILE...][?names=FILE] and others"
	cmd.Flags().StringVar(&f.source, "source", "local:", source)
	cmd.Flags().Var(&f.language, "language", languageHelp)
	complete(cmd, "source", completeSource)
	complete(cmd, "language", completeLanguage)
}

// selectFlags say which counters are wanted, besides the paths on the command line.
type selectFlags struct {
	counters string
	exclude  []string
	cap100   bool
}

func (f *selectFlags) add(cmd *cobra.Command, source *sourceFlags) {
	f.addPaths(cmd, source)
	cmd.Flags().BoolVar(&f.cap100, "cap100", false, "show percentages above 100 as 100, as PDH does")
}

// addPaths adds the flags that name paths.
func (f *selectFlags) addPaths(cmd *cobra.Command, source *sourceFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.counters, "counters", "", "`FILE` with further paths, one a line; - is standard input")
	const exclude = "exclude counters that match this `PATH`; may be given several times"
	flags.StringArrayVar(&f.exclude, "exclude", nil, exclude)
	complete(cmd, "exclude", completePath(source))
}
