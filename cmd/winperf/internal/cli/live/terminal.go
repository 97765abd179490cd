package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/screen"
)

// framesPerSecond bounds the redraws; bubbletea's default of 60 costs 0.75 % of a processor while idle.
const framesPerSecond = 8

// terminal shows a screen on a terminal with bubbletea, and passes the actions of keys to the command.
type terminal struct {
	out     io.Writer
	program *tea.Program
	stop    func() // ends the command
	actions chan screen.Action
	drawing atomic.Bool // a redraw is pending
	ended   chan struct{}
	err     error // of the program; valid after ended

	mu     sync.Mutex
	screen *screen.Screen
}

// onTerminal reports whether output is drawn on a terminal. A job in the background writes tables
// instead, because the system would stop it.
func onTerminal(a *console.App) bool {
	_, is := console.IsTerminal(a.Stdout)
	return is && os.Getenv("TERM") != "dumb" && !console.InBackground(a.Stdout)
}

// newTerminal returns a terminal for a screen, with keys from standard input if that is a terminal.
func newTerminal(a *console.App, s *screen.Screen, stop func()) *terminal {
	t := &terminal{
		out: a.Stdout, screen: s, stop: stop, actions: make(chan screen.Action, 16), ended: make(chan struct{}),
	}
	options := []tea.ProgramOption{
		tea.WithOutput(a.Stdout), tea.WithInput(nil), tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler(),
	}
	if _, keys := console.IsTerminal(a.Stdin.Stream); keys {
		options[1] = tea.WithInput(a.Stdin.Stream)
	}
	t.program = tea.NewProgram(view{t}, options...)
	return t
}

// start shows the screen until Close.
func (t *terminal) start() {
	go func() {
		defer close(t.ended)
		if _, t.err = t.program.Run(); t.err != nil {
			t.stop()
		}
	}()
}

// change changes the screen and redraws it.
func (t *terminal) change(f func(s *screen.Screen)) {
	t.mu.Lock()
	f(t.screen)
	t.mu.Unlock()
	if t.drawing.CompareAndSwap(false, true) {
		go t.program.Send(redraw{})
	}
}

// take shows a sample. A live sample is skipped while the screen is paused.
func (t *terminal) take(at time.Time, live bool, shown, all []winperf.Column) {
	t.change(func(s *screen.Screen) {
		if !live || !s.Paused() {
			s.Take(at, shown, all)
		}
	})
}

// Write implements sink.Sink.
func (t *terminal) Write(time.Time, []winperf.Column) error { return nil }

// Close implements sink.Sink: it restores the terminal and leaves the last picture on it.
func (t *terminal) Close() error {
	t.program.Quit()
	<-t.ended
	t.mu.Lock()
	defer t.mu.Unlock()
	if lines := t.screen.Last(); len(lines) > 0 && t.err == nil {
		_, t.err = fmt.Fprintln(t.out, strings.Join(lines, "\n"))
	}
	return t.err
}

type redraw struct{}

// view adapts the screen to bubbletea.
type view struct{ t *terminal }

// Init implements tea.Model.
func (v view) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (v view) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	t := v.t
	t.mu.Lock()
	defer t.mu.Unlock()
	switch msg := msg.(type) {
	case redraw:
		t.drawing.Store(false)
	case tea.WindowSizeMsg:
		t.screen.Resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return v, t.act(t.screen.Press(msg.String(), msg.Text))
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			t.screen.Click(msg.X, msg.Y)
		}
	case tea.MouseWheelMsg:
		const lines = 3
		switch msg.Button {
		case tea.MouseWheelUp:
			t.screen.Wheel(-lines)
		case tea.MouseWheelDown:
			t.screen.Wheel(lines)
		}
	}

	return v, nil
}

func (t *terminal) act(a screen.Action) tea.Cmd {
	switch a.Kind {
	case screen.None:
	case screen.Quit:
		t.stop()
		return tea.Quit
	case screen.Suspend:
		return tea.Exec(suspension{}, func(error) tea.Msg { return redraw{} })
	default:
		select {
		case t.actions <- a:
		default: // the command is still busy with earlier keys
		}
	}
	return nil
}

// suspension stops the program until it continues, after bubbletea restored the terminal. bubbletea's own
// command would wait forever without a job-control shell.
type suspension struct{}

// Run implements tea.ExecCommand.
func (suspension) Run() error {
	stopJob()
	return nil
}

// SetStdin implements tea.ExecCommand.
func (suspension) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (suspension) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (suspension) SetStderr(io.Writer) {}

// View implements tea.Model.
func (v view) View() tea.View {
	v.t.mu.Lock()
	defer v.t.mu.Unlock()
	drawn := tea.NewView(strings.Join(v.t.screen.Draw(), "\n"))
	drawn.AltScreen = true
	drawn.MouseMode = tea.MouseModeCellMotion
	return drawn
}

// errNoTerminal is the error of top without a terminal.
var errNoTerminal = errors.New("top needs a terminal; winperf watch also writes to pipes and files")

// until returns a context that ends when an action must change the measurement, and a function that
// returns this action or nil. Other actions are handled at once.
func (t *terminal) until(
	ctx context.Context, handle func(screen.Action) (restart bool),
) (context.Context, func() *screen.Action) {
	inner, cancel := context.WithCancel(ctx)
	result := make(chan *screen.Action, 1)

	go func() {
		defer close(result)
		for {
			select {
			case <-inner.Done():
				return
			case a := <-t.actions:
				if handle(a) {
					result <- &a
					cancel()
					return
				}
			}
		}
	}()

	return inner, func() *screen.Action {
		cancel()
		return <-result
	}
}
