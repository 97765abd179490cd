package experiment_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/experiment"
)

// readAll waits until all sources of events have come to their end.
func (r *rig) readAll() {
	r.t.Helper()
	running := func(s experiment.EventSourceInfo) bool { return s.Running }
	for end := time.Now().Add(5 * time.Minute); slices.ContainsFunc(r.Status().Events, running); {
		if time.Now().After(end) {
			r.t.Fatal("the lines do not end")
		}
		time.Sleep(time.Millisecond)
	}
}

// A program that never reads its answers holds up itself only, not the end of the experiment either.
func TestLineServerUnread(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{numbered("never", experiment.DropOldest, 10), bound("good")},
		Events:   []experiment.EventSource{experiment.LineServer{Name: "server", Listener: listener}},
	})
	deaf, err := net.Dial("tcp", listener.Addr().String())
	must(t, err)
	defer deaf.Close()
	must(t, deaf.SetWriteDeadline(time.Now().Add(time.Second)))
	text := []byte(strings.Repeat("x y\n", 10_000)) // each gets a long answer
	for err == nil {
		_, err = deaf.Write(text) // until nothing more is taken
	}

	good, err := net.Dial("tcp", listener.Addr().String())
	must(t, err)
	defer good.Close()
	fmt.Fprintln(good, "good")
	if answer, err := bufio.NewReader(good).ReadString('\n'); answer != "ok\n" {
		t.Errorf("answer %q, error %v", answer, err)
	}
	if diff := cmp.Diff([]string{"lines good"}, names(r.end())); diff != "" {
		t.Error(diff)
	}
}

// pipes is a listener whose connections hold nothing: who writes waits until somebody reads.
type pipes struct {
	net.Listener
	connected, closed chan net.Conn
}

func newPipes() *pipes { return &pipes{connected: make(chan net.Conn), closed: make(chan net.Conn)} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.connected <- theirs
	return ours
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connected:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// All that a program sends is measured, whether or not it reads the answers. When it reads again it gets
// whole lines, and the answer to what it sends from then on.
func TestLineServerUnreadAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lines = 5000
		listener := newPipes()
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{numbered("e", experiment.DropOldest, 2*lines)},
			Events:   []experiment.EventSource{experiment.LineServer{Name: "server", Listener: listener}},
		})
		c := listener.dial()
		defer c.Close()
		start := time.Now()
		for i := range lines {
			fmt.Fprintf(c, "e n=%d\n", i)
		}
		synctest.Wait()
		if held := time.Since(start); held > 2*time.Second {
			t.Errorf("a client that does not read is held up for %v", held)
		}

		in, oks := bufio.NewReader(c), 0
		must(t, c.SetReadDeadline(time.Now().Add(time.Second)))
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				break // nothing more waits
			}
			if oks++; line != "ok\n" {
				t.Fatalf("answer %q", line)
			}
		}
		if oks < 1000 || oks > 1026 { // 1,024 in their places, and at most two on their way
			t.Errorf("%d answers to %d lines", oks, lines)
		}

		must(t, c.SetReadDeadline(time.Time{}))
		fmt.Fprint(c, "e wrong\n")
		line, err := in.ReadString('\n')
		if want := fmt.Sprintf("error server:%d:", lines+1); err != nil || !strings.Contains(line, want) {
			t.Errorf("answer %q, error %v, want %s", line, err, want)
		}

		for i, rec := range r.end() {
			if want := fmt.Sprint("[{n ", i, "}]"); fmt.Sprint(rec.Event.Attrs) != want {
				t.Fatalf("event %d has %v", i, rec.Event.Attrs)
			}
			oks = i + 1
		}
		if oks != lines {
			t.Errorf("%d events of %d lines", oks, lines)
		}
	})
}

// Several writers of one pipe, of which one dies in the middle of a line, cost the others nothing: what
// it left and the line behind it are one that is told.
func TestPipeOfSeveral(t *testing.T) {
	in, out, err := os.Pipe()
	must(t, err)
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("*")},
		Events:   []experiment.EventSource{experiment.Lines{Name: "pipe", Reader: in}},
	})
	const writers, each = 4, 50
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				fmt.Fprintf(out, "event.%d n=%d\n", w, i)
			}
		})
	}
	writing.Wait()
	fmt.Fprint(out, `{"name":"dead","at`) // its end never comes
	fmt.Fprintln(out, "event.lost")
	fmt.Fprintln(out, "event.last")
	must(t, out.Close())
	r.readAll()

	next, last := [writers]int{}, ""
	for _, rec := range r.end() {
		var w int
		if n, _ := fmt.Sscanf(rec.Event.Name, "event.%d", &w); n == 0 {
			last += rec.Event.Name
			continue
		}
		if want := fmt.Sprint("[{n ", next[w], "}]"); fmt.Sprint(rec.Event.Attrs) != want {
			t.Errorf("%s has %v, want %s", rec.Event.Name, rec.Event.Attrs, want)
		}
		next[w]++
	}
	if next != [writers]int{each, each, each, each} || last != "event.last" {
		t.Errorf("%v of each writer, and then %q", next, last)
	}
}

// BenchmarkLines is what a line costs that no binding asks for, and one that is measured.
func BenchmarkLines(b *testing.B) {
	for _, name := range []string{"other", "event"} {
		b.Run(name, func(b *testing.B) {
			in, out, err := os.Pipe()
			must(b, err)
			r := begin(b, newFake(nil), experiment.Options{
				Bindings: []experiment.Binding{numbered("event", experiment.DropOldest, 1000)},
				Events:   []experiment.EventSource{experiment.Lines{Name: "pipe", Reader: in}},
			})
			line := []byte(name + " n=17 user=\"Ann Lee\" ok=true\n")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := out.Write(line); err != nil {
					b.Fatal(err)
				}
			}
			must(b, out.Close())
			r.readAll()
		})
	}
}

// A file of lines that is a directory, or ends, is told and no more.
func TestLinesFails(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	must(t, err)
	defer dir.Close()
	empty := filepath.Join(t.TempDir(), "empty")
	must(t, os.WriteFile(empty, nil, 0o600))
	file, err := os.Open(empty)
	must(t, err)
	defer file.Close()

	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("*")},
		Events: []experiment.EventSource{
			experiment.Lines{Name: "dir", Reader: dir}, experiment.Lines{Name: "empty", Reader: file},
		},
	})
	r.readAll()
	if s := r.Status().Events; s[0].Err == nil || s[1].Err != nil {
		t.Errorf("%+v", s)
	}
}

// A client that is killed breaks its connection where it left answers unread. What it left open ends then.
func TestLineServerBroken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("load")},
		Events:   []experiment.EventSource{experiment.LineServer{Name: "server", Listener: listener}},
	})
	c, err := net.Dial("tcp", listener.Addr().String())
	must(t, err)
	fmt.Fprintln(c, "load region=begin id=1")
	if answer, err := bufio.NewReader(c).ReadString('\n'); answer != "ok\n" {
		t.Errorf("answer %q, error %v", answer, err)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		must(t, tcp.SetLinger(0)) // the end is a reset
	}
	must(t, c.Close())

	for end := time.Now().Add(5 * time.Minute); r.Status().OpenRegions > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the region is open for good")
		}
	}
	if diff := cmp.Diff([]string{"lines load unended=true"}, names(r.end(), "unended")); diff != "" {
		t.Error(diff)
	}
}

// A line may be as long as is said, with a line end and without.
func TestLongestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := func(size int) string { return "e a=" + strings.Repeat("x", size-len("e a=")) }
		for _, text := range []string{line(100) + "\n" + line(100) + "\n", line(101) + "\n" + line(100), line(100) + "\n" + line(101)} {
			r := begin(t, newFake(nil), experiment.Options{
				Bindings: []experiment.Binding{bound("*")},
				Events:   []experiment.EventSource{experiment.Lines{Name: "in", Reader: strings.NewReader(text), Max: 100}},
			})
			synctest.Wait()
			want := strings.Count(text, "e a=") - strings.Count(text, line(101))
			if n := len(r.end()); n != want {
				t.Errorf("%d events of %d and %d bytes, want %d", n, strings.Index(text, "\n"), len(text), want)
			}
		}
	})
}

// ending is a context that has ended, which functions that wait for that are told later.
type ending struct {
	context.Context
	done chan struct{}
	over bool
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	if e.over {
		return context.Canceled
	}
	return nil
}

// end ends it.
func (e *ending) end() {
	e.over = true
	close(e.done)
}

// interruptible is a reader that ends the experiment, and waits until it has a deadline.
type interruptible struct {
	end      func()
	once     sync.Once
	deadline chan struct{}
}

func (r *interruptible) Read([]byte) (int, error) {
	r.end()
	<-r.deadline
	return 0, os.ErrDeadlineExceeded
}

func (r *interruptible) SetDeadline(time.Time) error {
	r.once.Do(func() { close(r.deadline) })
	return nil
}

// A read that is under way when the experiment ends is interrupted.
func TestLinesInterrupted(t *testing.T) {
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		r := &interruptible{end: cancel, deadline: make(chan struct{})}
		must(t, experiment.Lines{Name: "in", Reader: r}.Run(ctx, new(experiment.Emitter)))
		select {
		case <-r.deadline:
		default:
			t.Fatal("a read is under way for good")
		}
	}
}

// closable is a listener whose Accept says what is asked for.
type closable struct {
	net.Listener
	accept func() (net.Conn, error)
	closed int
}

func (c *closable) Accept() (net.Conn, error) { return c.accept() }

func (c *closable) Close() error {
	c.closed++
	return nil
}

// The listener is closed when the experiment ends while somebody connects, and when it fails for good.
func TestLineServerCloses(t *testing.T) {
	for range 50 {
		ctx := &ending{Context: t.Context(), done: make(chan struct{})}
		l := &closable{accept: func() (net.Conn, error) {
			ctx.end()
			one, other := net.Pipe()
			return one, other.Close()
		}}
		must(t, experiment.LineServer{Name: "server", Listener: l}.Run(ctx, new(experiment.Emitter)))
		if l.closed != 1 {
			t.Fatalf("closed %d times", l.closed)
		}
	}

	broken := errors.New("broken")
	l := &closable{accept: func() (net.Conn, error) { return nil, broken }}
	err := experiment.LineServer{Name: "server", Listener: l}.Run(t.Context(), new(experiment.Emitter))
	if !errors.Is(err, broken) || l.closed != 1 {
		t.Errorf("%v, closed %d times", err, l.closed)
	}
}
