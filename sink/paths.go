package sink

import (
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
)

// paths writes each path once.
type paths struct {
	out  output
	seen map[string]struct{}
}

// NewPaths returns a Sink that writes the path of every series once, one a line.
func NewPaths(w io.Writer) Sink {
	return &paths{out: output{w: w}, seen: make(map[string]struct{})}
}

func (p *paths) Write(_ time.Time, readings []winperf.Reading) error {
	if err := p.out.ready(); err != nil {
		return err
	}
	for i := range readings {
		path := readings[i].String()
		if _, found := p.seen[path]; found {
			continue
		}
		p.seen[path] = struct{}{}
		p.out.buf = append(p.out.buf, safetext.Line(path)...)
		p.out.buf = append(p.out.buf, '\n')
	}
	return p.out.flush()
}

func (p *paths) Close() error {
	p.out.closed = true
	return p.out.err
}
