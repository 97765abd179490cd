package record

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
)

type recordProgress struct {
	app      *console.App
	terminal bool // redraw a line while the terminal is available
	lines    bool // write a line for each sample
	quiet    bool
	start    time.Time
	next     time.Time // time of the next redraw
	shown    bool
}

func (r *recorder) newProgress() *recordProgress {
	_, terminal := console.IsTerminal(r.app.Stderr)
	return &recordProgress{
		app: r.app, start: time.Now(), quiet: r.quiet,
		terminal: terminal && !r.quiet, lines: r.progressLines && !terminal,
	}
}

func (p *recordProgress) show(w logs.Written) {
	switch {
	case p.terminal && (time.Now().Before(p.next) || console.InBackground(p.app.Stderr)):
	case p.terminal:
		p.next = time.Now().Add(output.ProgressEvery)
		fmt.Fprintf(p.app.Stderr, "\r\x1b[K%s; Ctrl-C stops", p.line(w))
		p.shown = true
	case p.lines:
		fmt.Fprintln(p.app.Stderr, p.line(w))
	}
}

// line returns a line such as "12 samples, 24.5 KB, 0:00:12, load.capture".
func (p *recordProgress) line(w logs.Written) string {
	return fmt.Sprintf("%s, %s, %s, %s",
		console.Plural(w.Samples, "sample"), output.FormatSize(w.Size),
		elapsed(time.Since(p.start)), safetext.Line(w.Name))
}

func (p *recordProgress) clear() {
	if p.shown && !console.InBackground(p.app.Stderr) {
		fmt.Fprint(p.app.Stderr, "\r\x1b[K")
	}
}

func (p *recordProgress) summary(w logs.Written) {
	if p.quiet || w.Samples == 0 || p.terminal && console.InBackground(p.app.Stderr) {
		return
	}
	where := w.Name
	if w.Files > 1 {
		where = fmt.Sprintf("%d files, the last one %s", w.Files, w.Name)
	}
	samples := console.Plural(w.Samples, "sample")
	p.app.Complain(fmt.Errorf("%s, %s in %s", samples, output.FormatSize(w.Size), where))
}
