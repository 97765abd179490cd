package cli

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/internal/logs"
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
	return &recordProgress{
		app: r.app, start: time.Now(), quiet: r.quiet,
		terminal: terminal && !r.quiet, lines: r.tell && !terminal,
	}
}

// show tells what has been recorded.
func (p *recordProgress) show(w logs.Written) {
	switch {
	case p.terminal && (time.Now().Before(p.next) || inBackground(p.app.stderr)):
	case p.terminal:
		p.next = time.Now().Add(progressEvery)
		fmt.Fprintf(p.app.stderr, "\r\x1b[K%s; Ctrl-C ends", p.line(w))
		p.shown = true
	case p.lines:
		fmt.Fprintln(p.app.stderr, p.line(w))
	}
}

// line is such as
//
//	12 samples, 24.5 KB, 0:00:12, load.capture
func (p *recordProgress) line(w logs.Written) string {
	return fmt.Sprintf("%s, %s, %s, %s",
		plural(w.Samples, "sample"), formatSize(w.Size), elapsed(time.Since(p.start)), safetext.Line(w.Name))
}

// clear removes the line.
func (p *recordProgress) clear() {
	if p.shown && !inBackground(p.app.stderr) {
		fmt.Fprint(p.app.stderr, "\r\x1b[K")
	}
}

// summary says at the end what was recorded, unless somebody else types there.
func (p *recordProgress) summary(w logs.Written) {
	if p.quiet || w.Samples == 0 || p.terminal && inBackground(p.app.stderr) {
		return
	}
	where := w.Name
	if w.Files > 1 {
		where = fmt.Sprintf("%d files, the last one %s", w.Files, w.Name)
	}
	p.app.complain(fmt.Errorf("%s, %s in %s", plural(w.Samples, "sample"), formatSize(w.Size), where))
}
