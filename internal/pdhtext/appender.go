package pdhtext

import (
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
)

// NewAppender returns a Writer that appends rows to a log, in the columns, zone and dialect
// of its last head. If the head has no zone, zone is used; nil is UTC. byName is
// Options.ByName. w must be at the end of the log's last line. The error wraps
// winperf.ErrNotSupported: rows would not fit a head changed by another program.
func NewAppender(w io.Writer, head *Head, zone *time.Location, byName bool) (*Writer, error) {
	if separator := separators[head.Format]; head.separator != separator {
		return nil, fmt.Errorf("line %d: fields separated by %q are %w, expected %q",
			head.Line, head.separator, winperf.ErrNotSupported, separator)
	}
	if head.cut {
		return nil, fmt.Errorf("line %d: too many columns: %w", head.Line, winperf.ErrNotSupported)
	}

	c, err := columnsOf(head, byName)
	if err != nil {
		return nil, err
	}
	opt := Options{Format: head.Format, Dialect: head.Dialect, Location: head.location}
	if !head.BiasKnown && zone != nil {
		opt.Location = zone
	}
	return &Writer{w: w, opt: opt, columns: c}, nil
}

func columnsOf(head *Head, byName bool) (*columns, error) {
	paths := make([]string, len(head.Columns))
	for i, s := range head.Columns {
		if s == nil {
			return nil, fmt.Errorf("line %d, column %d: no counter path: %w",
				head.Line, i+2, winperf.ErrNotSupported)
		}
		paths[i] = s.Path.String()
	}

	c := newColumns(paths, byName, nil)
	if c.len() < len(paths) {
		const form = "line %d: two columns have the same path: %w"
		return nil, fmt.Errorf(form, head.Line, winperf.ErrNotSupported)
	}

	for i, s := range head.Columns {
		if s.Path.Machine == "" { // it had no instance when the log began
			c.waiting = append(c.waiting, waiting{s.Path, int32(i)})
		}
	}
	return c, nil
}
