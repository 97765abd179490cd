package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// conversation is what a client says that attaches an experiment and changes it.
func conversation(t *testing.T) []byte {
	t.Helper()
	var all []byte
	for i, r := range []protocol.Request{
		requests(), {Op: "change", Change: &protocol.Change{Sensors: []string{`\System\Work`}}}, {Op: "pause"}, {Op: "detach"},
	} {
		r.ID = uint64(i) + 1
		text, err := json.Marshal(r)
		must(t, err)
		all = append(append(all, text...), '\n')
	}
	return all
}

// A client that dies at any byte of what it says leaves nothing behind.
func TestDiesAnywhere(t *testing.T) {
	p, s := listening(t)
	all := conversation(t)
	none := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns)+len(s.experiments)+len(s.attaching) == 0
	}
	for n := 1; n <= len(all); n++ {
		c, err := net.Dial("unix", s.Path())
		must(t, err)
		_, err = c.Write(all[:n])
		must(t, err)
		must(t, c.Close())

		// Who is answered now was let in behind the one that is dead.
		next, err := protocol.Dial(t.Context(), s.Path())
		must(t, err)
		call(t, next, protocol.Request{Op: "list"}, nil)
		must(t, next.Close())
		within(t, fmt.Sprintf("nothing is left of %d bytes", n), none)
		if left := len(p.Experiments()); left > 0 {
			t.Fatalf("after %d bytes %d experiments are attached", n, left)
		}
	}
}

// A client that dies while records come leaves nothing behind, whatever it has read of them.
func TestDiesReading(t *testing.T) {
	p, s := listening(t)
	request := conversation(t)
	request = request[:strings.IndexByte(string(request), '\n')+1]
	for n := 0; n < 2000; n += 37 {
		c, err := net.Dial("unix", s.Path())
		must(t, err)
		_, err = c.Write(request)
		must(t, err)
		within(t, "it is attached", func() bool { return len(p.Experiments()) == 1 })
		for range 3 {
			p.Event(t.Context(), "request")
		}
		buf := make([]byte, n)
		must(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond))) // it may not be as much
		_, _ = c.Read(buf)
		must(t, c.Close())
		within(t, "it is over", func() bool { return len(p.Experiments()) == 0 })
	}
}

// storm makes changes as they come, most of which some other one has made impossible.
func storm(t *testing.T, s *Server, rounds int) {
	c, err := protocol.Dial(t.Context(), s.Path())
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = c.Close() }() // all was said
	go func() {
		for {
			b, err := c.Next(t.Context())
			if err != nil {
				return
			}
			_ = b.Done() // it may be over
		}
	}()

	tick := func(s *protocol.Spec) {
		s.Events = []protocol.EventSource{{Name: "tick", Every: protocol.Interval(10 * time.Millisecond)}}
	}
	for range rounds {
		name := fmt.Sprint("load ", rand.IntN(3))
		r := protocol.Request{Experiment: name}
		switch rand.IntN(7) {
		case 0, 1:
			r = requests(tick, func(s *protocol.Spec) { s.Name, s.Keep = name, rand.IntN(2) == 0 })
		case 2:
			r.Op = "detach"
		case 3:
			r.Op = []string{"pause", "resume", "receive"}[rand.IntN(3)]
		case 4:
			r.Op, r.Change = "change", &protocol.Change{Every: protocol.Interval(time.Duration(10+rand.IntN(90)) * time.Millisecond)}
		case 5:
			r.Op, r.Change = "change", &protocol.Change{Sensors: []string{`\System\Work`}}
		case 6:
			r = protocol.Request{Op: "list"}
		}
		var told *protocol.Error
		if err := c.Call(t.Context(), r, nil); err != nil && (!errors.As(err, &told) || told.Code == "failed") {
			t.Errorf("%s of %s: %v", r.Op, name, err)
			return
		}
	}
}

// Experiments come, change and go in a storm of several clients, while events happen.
func TestStorm(t *testing.T) {
	p, s := listening(t, func(o *Options) { o.Grace = time.Minute }) // clients are slow on a machine that is busy
	var storms, events sync.WaitGroup
	stop := make(chan struct{})
	events.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				p.Event(t.Context(), "request")
			}
		}
	})
	for range 6 {
		storms.Go(func() { storm(t, s, 150) })
	}
	storms.Wait()
	close(stop)
	events.Wait()

	c := dial(t, s)
	var l protocol.Listing
	within(t, "those that were to end have ended", func() bool {
		call(t, c, protocol.Request{Op: "list"}, &l)
		for _, e := range l.Experiments {
			if !e.Keep {
				return false
			}
		}
		return true
	})
	for _, e := range l.Experiments {
		call(t, c, protocol.Request{Op: "detach", Experiment: e.Name}, nil)
	}
	within(t, "all have ended", func() bool { return len(p.Experiments()) == 0 })
	within(t, "none is kept", func() bool { return len(s.list()) == 0 })
}

// A client may repeat itself, acknowledge what it never got, and what is long acknowledged: it gets its
// records, and is not left.
func TestOddAcks(t *testing.T) {
	p, s := listening(t)
	c := dial(t, s)
	var at protocol.Attached
	must(t, c.Call(t.Context(), requests(), &at))
	const batches = 30
	odd := []protocol.Request{{Op: "ack"}, {Op: "ack", Session: "other", Number: 1}}
	for n := uint64(0); n < 10*batches; n++ {
		odd = append(odd, protocol.Request{Op: "ack", Session: at.Session, Number: 1_000_000 + n})
	}
	for i := range batches {
		p.Event(t.Context(), "request")
		b, err := c.Next(t.Context())
		if err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
		for _, r := range odd {
			must(t, c.Call(t.Context(), r, nil))
		}
		for range 20 {
			must(t, b.Done())
		}
	}
}

// A call to a program that is stopped ends with its context, however much it says.
func TestProgramStopped(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(socketDir(t), "s"))
	must(t, err)
	defer l.Close() // nobody accepts
	c, err := protocol.Dial(t.Context(), l.Addr().String())
	must(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	told := make(chan error, 2)
	for range 2 {
		go func() { told <- c.Call(ctx, protocol.Request{Op: "sensors", Pattern: strings.Repeat("x", 4<<20)}, nil) }()
	}
	for range 2 {
		select {
		case err := <-told:
			if err == nil {
				t.Error("it was answered")
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("the call goes on")
		}
	}
}

// A client gets its records while something else takes long that it asked for.
func TestAcksBesideRequests(t *testing.T) {
	slow, free := newFakeSource(), make(chan struct{})
	slow.before = func() { <-free }
	p, s := listening(t, func(o *Options) { o.Sources = append(o.Sources, sensor.Origin{Name: "slow", Source: slow}) })
	of := func(source string) protocol.Request {
		return requests(func(s *protocol.Spec) { s.Name, s.Bindings[0].Sensors = source, []string{source + "/System/Ticks"} })
	}
	c := dial(t, s)
	call(t, c, of("windows.winperf"), nil)
	attached := make(chan error, 1)
	go func() { attached <- c.Call(t.Context(), of("slow"), nil) }()
	within(t, "the other one is being attached", func() bool { return slow.samples() > 0 })

	r := received{t: t, c: c}
	for i := range 20 { // more than requests are read ahead
		name := fmt.Sprint("request ", i)
		p.Event(t.Context(), name)
		r.until(name)
	}
	close(free)
	must(t, <-attached)
}

// Very many connections at once are told that they are too many, and cost whoever is there nothing.
func TestManyAtOnce(t *testing.T) {
	many := 1000
	if runtime.GOOS == "windows" {
		many = 200
	}
	p, s := listening(t)
	good := dial(t, s)
	call(t, good, requests(), nil)
	var all []net.Conn
	defer func() {
		for _, c := range all {
			_ = c.Close() // most are closed by the other end
		}
	}()
	for range many {
		c, err := net.Dial("unix", s.Path())
		if err != nil {
			continue // so many at once that the system refuses
		}
		all = append(all, c)
		_, _ = c.Write([]byte(`{"id":1,`)) // it may be refused
	}
	r := received{t: t, c: good}
	p.Event(t.Context(), "request after all")
	r.until("request after all")
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) > 16 || len(all) < many/2 {
		t.Errorf("%d clients of %d are let in", len(s.conns), len(all))
	}
}

// What asks for too much, or for another interval than there can be, is refused and changes nothing.
func TestTooMuch(t *testing.T) {
	p, s := listening(t)
	c := dial(t, s)
	times := func(n int) []string { return strings.Split(strings.Repeat("x", n), "") }
	for says, change := range map[string]func(*protocol.Spec){
		"65 bindings: expected at most 64":            func(s *protocol.Spec) { s.Bindings = make([]protocol.Binding, 65) },
		"65 sources of events: expected at most 64":   func(s *protocol.Spec) { s.Events = make([]protocol.EventSource, 65) },
		"17 sinks: expected at most 16":               func(s *protocol.Spec) { s.Sinks = make([]protocol.Sink, 17) },
		"1001 events: expected at most 1000":          func(s *protocol.Spec) { s.Bindings[0].Events = times(1001) },
		"10001 sensors: expected at most 10000":       func(s *protocol.Spec) { s.Bindings[0].Sensors = times(10_001) },
		"capacity -1: expected 1 to":                  func(s *protocol.Spec) { s.Bindings[0].Capacity = -1 },
		"capacity 2147483647: expected 1":             func(s *protocol.Spec) { s.Bindings[0].Capacity = math.MaxInt32 },
		"the name of the experiment: expected":        func(s *protocol.Spec) { s.Name = "load\x1b[31m" },
		"the name of a binding: expected at most 256": func(s *protocol.Spec) { s.Bindings[0].Name = strings.Repeat("x", 257) },
		"the name of a source of events: exp":         func(s *protocol.Spec) { s.Events = []protocol.EventSource{{Name: "a\nb"}} },
		"the name of a sink: expected at most 256":    func(s *protocol.Spec) { s.Sinks = []protocol.Sink{{Name: "a\x00", File: "/dev/null"}} },
		"an interval of 9ms: expected 10ms or": func(s *protocol.Spec) {
			s.Events = []protocol.EventSource{{Name: "x", Every: protocol.Interval(9 * time.Millisecond)}}
		},
	} {
		refused(t, c, requests(change), "bad_request", says)
	}
	if left := p.Experiments(); len(left) > 0 {
		t.Errorf("%d experiments are attached", len(left))
	}

	tick := func(s *protocol.Spec) {
		s.Events = []protocol.EventSource{{Name: "tick", Every: protocol.Interval(time.Hour)}}
	}
	call(t, c, requests(tick), nil)
	least := protocol.Change{Every: protocol.Interval(time.Millisecond)}
	refused(t, c, protocol.Request{Op: "change", Change: &least}, "bad_request", "an interval of 1ms: expected 10ms or more")
	refused(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Sensors: times(10_001)}}, "bad_request", "10001 sensors")
	var l protocol.Listing
	call(t, c, protocol.Request{Op: "list"}, &l)
	if got := time.Duration(l.Experiments[0].Sources[0].Every); got != time.Hour {
		t.Errorf("the interval is %v", got)
	}
}

// Names that are odd, but can be shown, are what they were from one end to the other.
func TestOddNames(t *testing.T) {
	p, s := listening(t)
	c := dial(t, s)
	for i, name := range []string{" ", `"\`, "%s%d%!", "größe 日本 \u202e", "a/b=c;d|e", `{"id":1}`, strings.Repeat("x", 256)} {
		call(t, c, requests(func(s *protocol.Spec) { s.Name = name }), nil)
		event := fmt.Sprintf("request %d %s", i, name)
		p.Event(t.Context(), event)
		r := received{t: t, c: c}
		r.until(event)
		if last := r.all[len(r.all)-1]; last.Experiment != name || last.Kind != experiment.Point {
			t.Errorf("%q: %+v", name, last)
		}
		call(t, c, protocol.Request{Op: "detach", Experiment: name}, nil)
		r.until("")
	}
}

// A program that ended listening can begin again at once: the socket is gone with Close.
func TestListenAgain(t *testing.T) {
	noLeak(t)
	o := Options{Name: "test", Program: new(experiment.Program), Dir: socketDir(t)}
	for range 300 {
		s, err := Listen(t.Context(), o)
		must(t, err)
		must(t, s.Close())
		if _, err := os.Lstat(s.Path()); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s is there after Close: %v", s.Path(), err)
		}
	}
}
