package sink

import (
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pdhtext"
)

// Sink writes samples.
//
// All values get the time passed to Write. Tables and JSON also show the age of columns whose own
// time is earlier. A sink keeps no column after Write; it keeps the path and a few bytes of each
// series. A Sink is used by one goroutine at a time.
type Sink interface {
	// Write writes the columns of a sample taken at t. winperf.ColumnsOf converts readings to columns.
	// The error is the underlying writer's, and every later Write returns it again. After Close the
	// error wraps winperf.ErrState.
	Write(t time.Time, columns []winperf.Column) error
	// Close completes the output; it does not close the underlying writer. It returns the first error
	// of writing.
	Close() error
}

// sameMoment is the difference below which two times count as the same sample.
const sameMoment = 100 * time.Millisecond

// age returns the age of a column's values at moment, or 0 if they belong to the same sample.
func age(moment time.Time, c *winperf.Column) time.Duration {
	if c.Time.IsZero() {
		return 0
	}
	if d := moment.Sub(c.Time); d >= sameMoment {
		return d
	}
	return 0
}

// LateCounter is implemented by sinks whose first sample fixes the columns (csv and tsv).
type LateCounter interface {
	// Late returns the number of distinct series that appeared later and are missing in the output.
	Late() int
}

// Options configure sinks. The zero value suits a pipe.
type Options struct {
	// Location is the time zone of times in tables, csv and tsv; nil is time.Local.
	Location *time.Location
	// Zone is the name of the time zone in the header of csv and tsv; empty is Location's
	// abbreviation.
	Zone string
	// NoZone omits the time zone from the header, for local times of an unknown zone.
	NoZone bool
	// File selects the form of log files for csv and tsv: all digits, the zone in the header.
	// Otherwise they have the form of typeperf on the console.
	File bool
	// Columns are the paths of the columns of csv and tsv; nil are the paths of the first sample.
	Columns []string
	// ByName writes all instances with the name of a column to this column, one after another.
	// Otherwise a column has one instance, and later ones of the name are missing in the output.
	ByName bool

	// Size returns the width in columns and the height in lines of the terminal that shows a table. It
	// is called at every Write. nil, or a width of 0, means no terminal: the length of lines is
	// unlimited.
	Size func() (width, height int)
	// Terminal draws each table over the previous one, on the alternate screen, with escape sequences
	// of ECMA-48. The sink is then a Screen. Rows that do not fit are omitted, the least active first
	// and totals last. An unknown size is taken as 80 by 24.
	//
	// Deprecated: use a library for terminals. It will be removed in the next minor version.
	Terminal bool
	// Hint is printed before the line about omitted rows, for example the keys that scroll.
	Hint string
	// Human shows bytes and large rates with three or four digits and a prefix: 145.7 MiB, 10.5 MB/s,
	// 1.2 M/s.
	Human bool
	// Switches marks a value in a table with * if its series has another instance than before: the
	// anomalies instances_came and instances_renamed.
	Switches bool
	// Single announces a single sample, whose table needs no line with the time.
	Single bool
}

func newLog(format pdhtext.Format) func(io.Writer, Options) Sink {
	return func(w io.Writer, o Options) Sink {
		dialect := pdhtext.Console
		if o.File {
			dialect = pdhtext.Log
		}
		return pdhtext.NewWriter(w, pdhtext.Options{
			Format:   format,
			Dialect:  dialect,
			Location: o.Location,
			Zone:     o.Zone,
			NoZone:   o.NoZone,
			Columns:  o.Columns,
			ByName:   o.ByName,
		})
	}
}
