package sink

import (
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pdhtext"
)

// Sink takes the values of one moment after the other.
//
// Sinks write the time given to Write for all values, and for those of a column whose own
// time is before it how old they are, where the format can hold that (table and JSON). They
// keep no column after Write, and for each value the text of its path and few bytes. A Sink
// is used by one goroutine at a time.
type Sink interface {
	// Write writes the columns of the moment t. winperf.ColumnsOf makes columns of
	// readings. The error is the underlying writer's, and every later Write returns it
	// again. After Close the error wraps winperf.ErrState.
	Write(t time.Time, columns []winperf.Column) error
	// Close completes the output; it does not close the underlying writer.
	// Its error is the first one that writing had.
	Close() error
}

// sameMoment is by how much the times of what was sampled together may differ.
const sameMoment = 100 * time.Millisecond

// age is how long before the moment the values of a column were taken, 0 for those that
// belong to it.
func age(moment time.Time, c *winperf.Column) time.Duration {
	if c.Time.IsZero() {
		return 0
	}
	if d := moment.Sub(c.Time); d >= sameMoment {
		return d
	}
	return 0
}

// LateCounter is implemented by sinks whose columns are fixed by the first
// moment (csv and tsv).
type LateCounter interface {
	// Late returns the number of distinct series that came later and are
	// therefore not in the output.
	Late() int
}

// Options are what sinks can be told. The zero value suits a pipe.
type Options struct {
	// Location is the time zone of times in tables, csv and tsv; nil is time.Local.
	Location *time.Location
	// Zone is the time zone's name in the head of csv and tsv; empty is the abbreviation
	// of Location.
	Zone string
	// NoZone leaves the time zone out of that head, for times of which only what stood
	// on the wall is known.
	NoZone bool
	// File tells that the output is a file. Then csv and tsv have the form of
	// log files (all digits, the zone in the head), else that of typeperf on the console.
	File bool
	// Columns are the paths that get a column in csv and tsv; nil are those of the first
	// moment.
	Columns []string
	// ByName makes each of Columns belong to a name: it has the values of all instances that
	// have the name, one after the other. Otherwise a column is one instance's.
	ByName bool

	// Size returns the width in columns and the height in lines of the
	// terminal that shows a table; it is asked at every moment. nil, or a
	// width of 0, is no terminal: lines are as long as they need to be.
	Size func() (width, height int)
	// Terminal draws every moment of a table over the one before, on a screen of
	// its own, with escape sequences of ECMA-48. The sink is a Screen then. Rows
	// that find no room are left out, the least active first and totals last. A
	// size that is not known counts as 80 by 24.
	Terminal bool
	// Hint stands before the line that says which rows are not shown, such as
	// what keys scroll.
	Hint string
	// Human shows bytes and large rates with three or four digits and a prefix:
	// 145.7 MiB, 10.5 MB/s, 1.2 M/s.
	Human bool
	// Switches puts a * before the values of a table whose series is of another instance than before:
	// those with the anomalies instances_came and instances_renamed.
	Switches bool
	// Single tells that there will be one moment only, so that a table needs no
	// line with its time.
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
