package cli

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/internal/logs"
)

// progress tells people at a terminal how far a conversion is.
type progress struct {
	app   *app
	on    bool
	start time.Time
	next  time.Time
	shown bool
}

// progressEvery is the time between two progress lines.
const progressEvery = 300 * time.Millisecond

func (a *app) newProgress(quiet bool) *progress {
	_, terminal := isTerminal(a.stderr)
	p := &progress{app: a, on: terminal && !quiet}
	p.restart()
	return p
}

// restart begins anew, for another walk over the logs.
func (p *progress) restart() {
	p.start = time.Now()
	p.next = p.start.Add(progressEvery)
}

// show tells how much of the logs was read.
func (p *progress) show(m *logs.Moment, samples int) {
	p.line(func(passed time.Duration) string { return progressLine(m.Done, m.Of, samples, passed) })
}

// line draws the line anew when it is time.
func (p *progress) line(text func(passed time.Duration) string) {
	if !p.on {
		return
	}
	now := time.Now()
	if now.Before(p.next) || inBackground(p.app.stderr) {
		return
	}

	p.next, p.shown = now.Add(progressEvery), true
	fmt.Fprintf(p.app.stderr, "\r\x1b[K%s", text(now.Sub(p.start)))
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

// clear removes the line.
func (p *progress) clear() {
	if p.shown && !inBackground(p.app.stderr) {
		fmt.Fprint(p.app.stderr, "\r\x1b[K")
	}
	p.shown = false
}
