package output

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/logs"
)

// Progress shows the progress of a conversion on a terminal.
type Progress struct {
	app   *console.App
	on    bool
	start time.Time
	next  time.Time
	shown bool
}

// ProgressEvery is the interval of progress lines.
const ProgressEvery = 300 * time.Millisecond

// NewProgress returns a progress display on standard error, if that is a terminal and quiet is false.
func NewProgress(a *console.App, quiet bool) *Progress {
	_, terminal := console.IsTerminal(a.Stderr)
	p := &Progress{app: a, on: terminal && !quiet}
	p.Restart()
	return p
}

// Restart starts again, for another pass over the logs.
func (p *Progress) Restart() {
	p.start = time.Now()
	p.next = p.start.Add(ProgressEvery)
}

// Show updates the position in the logs.
func (p *Progress) Show(m *logs.Moment, samples int) {
	p.Line(func(passed time.Duration) string { return progressLine(m.Done, m.Of, samples, passed) })
}

// Line redraws the line if the interval has passed.
func (p *Progress) Line(text func(passed time.Duration) string) {
	if !p.on {
		return
	}
	now := time.Now()
	if now.Before(p.next) || console.InBackground(p.app.Stderr) {
		return
	}

	p.next, p.shown = now.Add(ProgressEvery), true
	fmt.Fprintf(p.app.Stderr, "\r\x1b[K%s", text(now.Sub(p.start)))
}

// progressLine returns a line such as "45 %, 1234 samples, 210.5 MB/s, 12s left".
func progressLine(at, size int64, samples int, passed time.Duration) string {
	rate := float64(at) / passed.Seconds()
	if at <= 0 || size <= 0 || rate <= 0 {
		return fmt.Sprintf("%d samples", samples)
	}
	left := time.Duration(float64(max(size-at, 0)) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%d %%, %d samples, %.1f MB/s, %v left", at*100/max(size, at), samples, rate/1e6, left)
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.shown && !console.InBackground(p.app.Stderr) {
		fmt.Fprint(p.app.Stderr, "\r\x1b[K")
	}
	p.shown = false
}
