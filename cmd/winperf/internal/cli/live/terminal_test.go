package live

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/screen"
	"github.com/winperf/winperf/counter"
)

// picture is the output of a terminal, which fails if err is set.
type picture struct {
	mu  sync.Mutex
	b   bytes.Buffer
	err error
}

func (p *picture) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	return p.b.Write(b)
}

func (p *picture) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// onPicture starts a terminal with a screen that shows one value.
func onPicture(t *testing.T, p *picture) *terminal {
	t.Helper()
	s := screen.New(screen.Options{Title: "HOST", Given: true, Time: func(time.Time) string { return "09:30" }})
	x := newTerminal(&console.App{Stdin: &console.Interruptible{}, Stdout: p}, s, func() {})
	x.start()
	path := winperf.Path{Object: "Memory", Counter: "Available MBytes"}
	x.take(time.Now(), true, winperf.ColumnsOf([]winperf.Reading{
		{Series: winperf.NewSeries(path), Value: counter.Int(1234)},
	}), nil)
	return x
}

// TestTerminal starts and ends: it enters the alternate screen, leaves it, and then writes the last picture.
func TestTerminal(t *testing.T) {
	const enter, leave = "\x1b[?1049h", "\x1b[?1049l"
	var p picture
	x := onPicture(t, &p)
	for !strings.Contains(p.String(), "Available MBytes") {
		x.program.Send(tea.WindowSizeMsg{Width: 80, Height: 24}) // a buffer has no size
		time.Sleep(10 * time.Millisecond)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	during, after, left := strings.Cut(p.String(), leave)
	if !strings.Contains(during, enter) || !left {
		t.Errorf("%q does not enter and leave the alternate screen", p.String())
	}
	if !strings.Contains(after, "winperf \x1b[mHOST  09:30") || !strings.Contains(after, "1234") {
		t.Errorf("the last picture is %q", after)
	}
}

// TestTerminalFails ends although the terminal accepts no output.
func TestTerminalFails(t *testing.T) {
	failed := errors.New("the terminal was closed")
	if err := onPicture(t, &picture{err: failed}).Close(); !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
}
