package record

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
)

// recordProgress tells how far a recording is.
type recordProgress struct {
	app      *console.App
	terminal bool // draws a line in place, as long as it has the terminal
	lines    bool // writes one for each sample
	quiet    bool
	start    time.Time
	next     time.Time // when the line is drawn again
	shown    bool
}

func (r *recorder) newProgress() *recordProgress {
	_, terminal := console.IsTerminal(r.app.Stderr)
	return &recordProgress{
		app: r.app, start: time.Now(), quiet: r.quiet,
		terminal: terminal && !r.quiet, lines: r.tell && !terminal,
	}
}

// show tells what has been recorded.
func (p *recordProgress) show(w logs.Written) {
	switch {
	case p.terminal && (time.Now().Before(p.next) || console.InBackground(p.app.Stderr)):
	case p.terminal:
		p.next = time.Now().Add(output.ProgressEvery)
		fmt.Fprintf(p.app.Stderr, "\r\x1b[K%s; Ctrl-C ends", p.line(w))
		p.shown = true
	case p.lines:
		fmt.Fprintln(p.app.Stderr, p.line(w))
	}
}

// line is such as
//
//	12 samples, 24.5 KB, 0:00:12, load.capture
func (p *recordProgress) line(w logs.Written) string {
	return fmt.Sprintf("%s, %s, %s, %s",
		console.Plural(w.Samples, "sample"), output.FormatSize(w.Size), elapsed(time.Since(p.start)), safetext.Line(w.Name))
}

// clear removes the line.
func (p *recordProgress) clear() {
	if p.shown && !console.InBackground(p.app.Stderr) {
		fmt.Fprint(p.app.Stderr, "\r\x1b[K")
	}
}

// summary says at the end what was recorded, unless somebody else types there.
func (p *recordProgress) summary(w logs.Written) {
	if p.quiet || w.Samples == 0 || p.terminal && console.InBackground(p.app.Stderr) {
		return
	}
	where := w.Name
	if w.Files > 1 {
		where = fmt.Sprintf("%d files, the last one %s", w.Files, w.Name)
	}
	p.app.Complain(fmt.Errorf("%s, %s in %s", console.Plural(w.Samples, "sample"), output.FormatSize(w.Size), where))
}
