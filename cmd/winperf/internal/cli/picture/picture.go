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

// ScrollHint stands before the line about rows that are not shown.
const ScrollHint = "arrows scroll, q ends; "

// Picture is a table in place on a terminal. It is drawn anew when the terminal's size
// changes, when the program goes on after it was stopped, and when keys scroll it.
type Picture struct {
	sink.Screen
	screen *os.File
	keys   *os.File // nil where there is no keyboard

	mu      sync.Mutex
	at      time.Time
	columns []winperf.Column // of the last moment
	waiting string           // what is shown until there are some
	normal  *term.State      // of keys, nil where nobody has changed it
	ended   bool
}

// New returns a picture on the terminal of standard output, with the keys of
// standard input if that is one, too.
func New(a *console.App, s sink.Sink) *Picture {
	p := &Picture{Screen: s.(sink.Screen), screen: a.Stdout.(*os.File)}
	if _, terminal := console.IsTerminal(a.Stdin.Stream); terminal {
		p.keys = a.Stdin.Stream.(*os.File)
	}
	return p
}

// Start shows what is awaited, and handles what happens at the terminal until ctx ends,
// which interrupt does.
func (p *Picture) Start(ctx context.Context, interrupt func(), waiting string) {
	events := make(chan os.Signal, 8)
	stop := terminalEvents(events)
	p.waiting = waiting
	_ = p.change(nil) // the next picture tells

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

// lasting copies the values of columns, which are valid until the next cycle only.
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

// change changes something and draws the picture. While the terminal is another job's
// it stays as it is.
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

// end gives the terminal back for good.
func (p *Picture) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended = true
		p.leave()
	}
}

// leave gives the terminal back.
func (p *Picture) leave() {
	if console.InBackground(p.screen) {
		return // somebody else has it already
	}
	_ = p.Leave() // Close tells
	if p.normal != nil {
		_ = term.Restore(int(p.keys.Fd()), p.normal) // the terminal may be gone
		p.normal = nil
	}
}

// takeKeys has the terminal hand on each key at once and show none.
func (p *Picture) takeKeys() {
	if p.keys != nil && p.normal == nil {
		p.normal, _ = term.MakeRaw(int(p.keys.Fd())) // without it keys wait for Enter
	}
}

// follow handles a signal about the terminal. After a stop somebody else may have
// changed all that there is about it.
func (p *Picture) follow(event os.Signal) {
	_ = p.change(func() {
		if isContinue(event) && !p.ended {
			p.leave()
		}
	})
}

// press handles a key.
func (p *Picture) press(k key, events <-chan os.Signal, interrupt func()) {
	switch k {
	case keyInterrupt:
		p.end() // what follows may take a while, and a second Ctrl-C is not for us
		interrupt()
	case keyStop:
		p.suspend(events)
		_ = p.change(nil) // the next picture tells
	case keyAbort:
		p.end()
		abort()
	default:
		_ = p.change(func() { p.Scroll(sink.Motion(k)) })
	}
}

// suspend gives the terminal back and stops the program. Meanwhile nothing is drawn.
func (p *Picture) suspend(events <-chan os.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.leave()
		stopJob(events)
	}
}

// readKeys reads keys for as long as the terminal gives some. It may stay behind,
// waiting for one.
func (p *Picture) readKeys(ctx context.Context, keys chan<- key) {
	var parser keyParser
	buf := make([]byte, 64)
	for ctx.Err() == nil {
		n, err := p.keys.Read(buf)
		if err != nil {
			if !console.InBackground(p.keys) || errors.Is(err, os.ErrClosed) {
				return
			}
			time.Sleep(time.Second) // they are another job's now
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
