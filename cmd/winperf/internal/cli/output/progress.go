package output

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/logs"
)

// Progress tells people at a terminal how far a conversion is.
type Progress struct {
	app   *console.App
	on    bool
	start time.Time
	next  time.Time
	shown bool
}

// ProgressEvery is the time between two progress lines.
const ProgressEvery = 300 * time.Millisecond

// NewProgress returns progress that is shown on standard error if that is a terminal and not quiet.
func NewProgress(a *console.App, quiet bool) *Progress {
	_, terminal := console.IsTerminal(a.Stderr)
	p := &Progress{app: a, on: terminal && !quiet}
	p.Restart()
	return p
}

// Restart begins anew, for another walk over the logs.
func (p *Progress) Restart() {
	p.start = time.Now()
	p.next = p.start.Add(ProgressEvery)
}

// Show tells how much of the logs was read.
func (p *Progress) Show(m *logs.Moment, samples int) {
	p.Line(func(passed time.Duration) string { return progressLine(m.Done, m.Of, samples, passed) })
}

// Line draws the line anew when it is time.
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

// progressLine is such as
//
//	45 %, 1234 samples, 210.5 MB/s, 12s left
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
