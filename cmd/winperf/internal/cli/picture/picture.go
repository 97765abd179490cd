package picture

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/sink"
	"golang.org/x/term"
)

// ScrollHint precedes the line about rows that are not shown.
const ScrollHint = "arrows scroll, q quits; "

// Picture is a table in place on a terminal. It is redrawn when the terminal's size changes, when the
// program continues after a stop, and when keys scroll it.
type Picture struct {
	sink.Screen
	screen *os.File
	keys   *os.File // nil without a keyboard

	mu      sync.Mutex
	at      time.Time
	columns []winperf.Column // of the last moment
	waiting string           // text until the first columns
	normal  *term.State      // original state of the keyboard's terminal; nil if unchanged
	ended   bool
}

// New returns a picture on standard output, with keys from standard input if that is a terminal.
func New(a *console.App, s sink.Sink) *Picture {
	p := &Picture{Screen: s.(sink.Screen), screen: a.Stdout.(*os.File)}
	if _, terminal := console.IsTerminal(a.Stdin.Stream); terminal {
		p.keys = a.Stdin.Stream.(*os.File)
	}
	return p
}

// Start shows waiting, and handles signals and keys until ctx ends. interrupt is called to end the
// context.
func (p *Picture) Start(ctx context.Context, interrupt func(), waiting string) {
	events := make(chan os.Signal, 8)
	stop := terminalEvents(events)
	p.waiting = waiting
	_ = p.change(nil) // the next picture returns the error

	keys := make(chan key)
	if p.keys != nil {
		go p.readKeys(ctx, keys)
	}

	go func() {
		defer stop()
		for {
			select {
			case <-ctx.Done():
				p.end()
				return
			case event := <-events:
				p.follow(event)
			case k := <-keys:
				p.press(k, events, interrupt)
			}
		}
	}()
}

// Write implements sink.Sink.
func (p *Picture) Write(at time.Time, columns []winperf.Column) error {
	return p.change(func() { p.at, p.columns = at, lasting(columns) })
}

// lasting copies columns, which are valid only until the next cycle.
func lasting(columns []winperf.Column) []winperf.Column {
	var readings []winperf.Reading
	for i := range columns {
		c := &columns[i]
		for n := range c.Len() {
			s := &winperf.Series{}
			c.Describe(s, n)
			readings = append(readings, winperf.Reading{
				Series: s, Time: c.Time, Value: c.Value(n), Status: c.Status[n], Anomalies: c.Anomalies(n),
			})
		}
	}
	return winperf.ColumnsOf(readings)
}

// Close implements sink.Sink.
func (p *Picture) Close() error {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Screen.Close()
}

func (p *Picture) change(f func()) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f != nil {
		f()
	}
	if p.ended || console.InBackground(p.screen) {
		return nil
	}

	p.takeKeys()
	if p.at.IsZero() {
		return p.Await(p.waiting)
	}
	return p.Screen.Write(p.at, p.columns)
}

func (p *Picture) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended = true
		p.leave()
	}
}

func (p *Picture) leave() {
	if console.InBackground(p.screen) {
		return // another job already uses it
	}
	_ = p.Leave() // Close returns the error
	if p.normal != nil {
		_ = term.Restore(int(p.keys.Fd()), p.normal) // the terminal may be closed
		p.normal = nil
	}
}

// takeKeys makes the terminal pass each key at once without echo.
func (p *Picture) takeKeys() {
	if p.keys != nil && p.normal == nil {
		p.normal, _ = term.MakeRaw(int(p.keys.Fd())) // otherwise keys wait for Enter
	}
}

// follow handles a signal about the terminal. After a stop, its state may have changed.
func (p *Picture) follow(event os.Signal) {
	_ = p.change(func() {
		if isContinue(event) && !p.ended {
			p.leave()
		}
	})
}

func (p *Picture) press(k key, events <-chan os.Signal, interrupt func()) {
	switch k {
	case keyInterrupt:
		p.end() // the rest may take a while; a second Ctrl-C ends the program
		interrupt()
	case keyStop:
		p.suspend(events)
		_ = p.change(nil) // the next picture returns the error
	case keyAbort:
		p.end()
		abort()
	default:
		_ = p.change(func() { p.Scroll(sink.Motion(k)) })
	}
}

// suspend restores the terminal and stops the program. Nothing is drawn until it continues.
func (p *Picture) suspend(events <-chan os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.leave()
		stopJob(events)
	}
}

// readKeys reads keys until the terminal ends. It may stay blocked in a read.
func (p *Picture) readKeys(ctx context.Context, keys chan<- key) {
	var parser keyParser
	buf := make([]byte, 64)
	for ctx.Err() == nil {
		n, err := p.keys.Read(buf)
		if err != nil {
			if !console.InBackground(p.keys) || errors.Is(err, os.ErrClosed) {
				return
			}
			time.Sleep(time.Second) // they belong to another job now
			continue
		}

		for _, k := range parser.parse(buf[:n]) {
			select {
			case keys <- k:
			case <-ctx.Done():
				return
			}
		}
	}
}
