package cli

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/internal/safetext"
)

// recordProgress tells how far a recording is.
type recordProgress struct {
	app      *app
	terminal bool // draws a line in place, as long as it has the terminal
	lines    bool // writes one for each sample
	quiet    bool
	start    time.Time
	next     time.Time // when the line is drawn again
	shown    bool
}

func (r *recorder) newProgress() *recordProgress {
	_, terminal := isTerminal(r.app.stderr)
	return &recordProgress{app: r.app, terminal: terminal && !r.quiet, lines: r.tell && !terminal, quiet: r.quiet, start: time.Now()}
}

// show tells what has been recorded.
func (p *recordProgress) show(s *recordFiles) {
	switch {
	case p.terminal && (time.Now().Before(p.next) || inBackground(p.app.stderr)):
	case p.terminal:
		p.next = time.Now().Add(progressEvery)
		fmt.Fprintf(p.app.stderr, "\r\x1b[K%s; Ctrl-C ends", p.line(s))
		p.shown = true
	case p.lines:
		fmt.Fprintln(p.app.stderr, p.line(s))
	}
}

// line is such as
//
//	12 samples, 24.5 KB, 0:00:12, load.capture
func (p *recordProgress) line(s *recordFiles) string {
	size := s.size
	if s.current != nil {
		size += s.current.length()
	}
	return fmt.Sprintf("%s, %s, %s, %s", plural(s.samples, "sample"), formatSize(size), elapsed(time.Since(p.start)), safetext.Line(s.name))
}

// clear removes the line.
func (p *recordProgress) clear() {
	if p.shown && !inBackground(p.app.stderr) {
		fmt.Fprint(p.app.stderr, "\r\x1b[K")
	}
}

// summary says at the end what was recorded, unless somebody else types there.
func (p *recordProgress) summary(s *recordFiles) {
	if p.quiet || s.samples == 0 || p.terminal && inBackground(p.app.stderr) {
		return
	}
	where := s.name
	if s.files > 1 {
		where = fmt.Sprintf("%d files, the last one %s", s.files, s.name)
	}
	p.app.complain(fmt.Errorf("%s, %s in %s", plural(s.samples, "sample"), formatSize(s.size), where))
}
