package sink

import (
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
)

type paths struct {
	out  output
	seen names
	path []byte // of one value
}

// newPaths returns a Sink that writes the path of every series once, one per line.
func newPaths(w io.Writer) Sink {
	return &paths{out: output{w: w}}
}

func (p *paths) Write(_ time.Time, columns []winperf.Column) error {
	if err := p.out.ready(); err != nil {
		return err
	}
	for i := range columns {
		if err := p.column(&columns[i]); err != nil {
			return err
		}
	}
	return p.out.flush()
}

func (p *paths) column(c *winperf.Column) error {
	var s winperf.Series
	for n := range c.Len() {
		c.Describe(&s, n)
		p.path, _ = s.Path.AppendText(p.path[:0])

		// A number below the previous length means that the path was already written.
		if known := p.seen.Len(); p.seen.number(p.path) < known {
			continue
		}

		p.out.buf = safetext.AppendLine(p.out.buf, p.path)
		p.out.buf = append(p.out.buf, '\n')
		if err := p.out.spill(); err != nil {
			return err
		}
	}
	return nil
}

func (p *paths) Close() error {
	p.out.closed = true
	return p.out.err
}
