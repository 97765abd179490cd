package control

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// within waits until something is so.
func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not so: " + what)
		}
	}
}

// noLeak checks that no goroutine is left when the test has ended.
func noLeak(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
				return
			}
		}
	})
}

// socketDir is a directory whose path is short enough for a socket.
func socketDir(t *testing.T) string {
	t.Helper()
	base := ""
	if runtime.GOOS != "windows" {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "wp")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "probe"))
	if err != nil {
		t.Skip("this system has no local sockets:", err)
	}
	must(t, l.Close())
	return dir
}

// listening starts a program that listens.
func listening(t *testing.T, change ...func(*Options)) (*experiment.Program, *Server) {
	t.Helper()
	noLeak(t)
	p := new(experiment.Program)
	o := Options{
		Name: "test", Program: p, Dir: socketDir(t),
		Sources: []sensor.Origin{{Name: "windows.winperf", Source: newFakeSource()}},
	}
	for _, c := range change {
		c(&o)
	}
	s, err := Listen(context.Background(), o) // t's context ends before its clients are closed
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return p, s
}

func dial(t *testing.T, s *Server) *protocol.Client {
	t.Helper()
	c, err := protocol.Dial(t.Context(), s.Path())
	must(t, err)
	t.Cleanup(func() { _ = c.Close() }) // some are closed before
	return c
}

func call(t *testing.T, c *protocol.Client, r protocol.Request, result any) {
	t.Helper()
	must(t, c.Call(t.Context(), r, result))
}

// refused expects a request to be refused with a code and a message.
func refused(t *testing.T, c *protocol.Client, r protocol.Request, code, says string) {
	t.Helper()
	var e *protocol.Error
	err := c.Call(t.Context(), r, nil)
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, says) {
		t.Errorf("%+v: %#v, want %s: …%s…", r, err, code, says)
	}
}

// requests is an experiment on events of that name.
func requests(change ...func(*protocol.Spec)) protocol.Request {
	spec := &protocol.Spec{Name: "load", Bindings: []protocol.Binding{{Events: []string{"request*"}, Sensors: []string{`\System\Ticks`}}}}
	for _, c := range change {
		c(spec)
	}
	return protocol.Request{Op: "attach", Spec: spec}
}

// received are records that came, by their events' names.
type received struct {
	t     *testing.T
	c     *protocol.Client
	names []string
	all   []experiment.Record
	ended bool
}

// parse reads the records of a batch.
func parse(b *protocol.Batch) ([]experiment.Record, error) {
	records := make([]experiment.Record, len(b.Records))
	for i, line := range b.Records {
		var err error
		if records[i], err = experiment.ParseRecord(line); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// until receives records until an event of that name came, or with "" until the end.
func (r *received) until(name string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	for {
		b, err := r.c.Next(ctx)
		if err != nil {
			r.t.Fatalf("%v, after %v", err, r.names)
		}
		records, err := parse(&b)
		must(r.t, err)
		for _, rec := range records {
			r.names = append(r.names, rec.Event.Name)
			r.all = append(r.all, rec)
		}
		r.ended = b.Ended
		must(r.t, b.Done())
		if b.Ended || name != "" && slices.Contains(r.names, name) {
			return
		}
	}
}

// A program that listens is found under its name, once, until it stops.
func TestListen(t *testing.T) {
	dir := socketDir(t)
	opt := Options{Name: "orders", Dir: dir}
	server, err := Listen(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	found, err := protocol.Find(t.Context(), dir, "orders")
	if err != nil || found.Path != server.Path() {
		t.Errorf("%s listens, found %+v, %v", server.Path(), found, err)
	}
	if again, err := Listen(t.Context(), opt); again != nil || !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v, %v", again, err)
	}

	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if left, err := protocol.Programs(t.Context(), dir); len(left) != 0 || err != nil {
		t.Errorf("after Close: %v, %v", left, err)
	}
}

// Whoever attaches an experiment gets its records, with what was changed among them.
func TestAttach(t *testing.T) {
	p, s := listening(t)
	p.Declare("request done")
	c := dial(t, s)
	var l protocol.Listing
	call(t, c, protocol.Request{Op: "list"}, &l)
	if l.Program != "test" || l.PID != os.Getpid() || !slices.Equal(l.Events, []string{"request done"}) || len(l.Experiments) > 0 {
		t.Errorf("%+v", l)
	}

	var a protocol.Attached
	call(t, c, requests(func(s *protocol.Spec) {
		s.Events = []protocol.EventSource{{Name: "request tick", Every: protocol.Interval(time.Hour)}}
	}), &a)
	r := received{t: t, c: c}
	p.Event(t.Context(), "request one")
	p.Event(t.Context(), "other")
	r.until("request one")
	call(t, c, protocol.Request{Op: "pause"}, nil)
	p.Event(t.Context(), "request unseen")
	call(t, c, protocol.Request{Op: "resume", Experiment: "LOAD"}, nil)
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Every: protocol.Interval(2 * time.Hour)}}, nil)
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Sensors: []string{"windows.winperf/System/Work"}}}, nil)
	p.Event(t.Context(), "request two")
	r.until("request two")

	within(t, "all is acknowledged", func() bool {
		call(t, c, protocol.Request{Op: "list"}, &l)
		return l.Experiments[0].Sinks[0].Delivered == l.Experiments[0].Stored
	})
	if e := l.Experiments[0]; e.Name != "load" || e.State != "attached" || e.Session != a.Session || e.By == "" ||
		e.Bindings[0].Sensors[0] != "windows.winperf/System/Work" || time.Duration(e.Sources[0].Every) != 2*time.Hour {
		t.Errorf("%+v", e)
	}
	call(t, c, protocol.Request{Op: "detach", Experiment: "load"}, nil)
	r.until("")
	if !r.ended || slices.Contains(r.names, "request unseen") || slices.Contains(r.names, "other") {
		t.Errorf("%v, ended: %v", r.names, r.ended)
	}
	for i, rec := range r.all {
		if rec.Number != uint64(i)+1 || rec.Session != a.Session || rec.Experiment != "load" {
			t.Errorf("record %d is %d of %s", i, rec.Number, rec.Session)
		}
		wanted := map[string]string{"request one": `\\HOST\System\Ticks`, "request two": `\\HOST\System\Work`}
		if path := wanted[rec.Event.Name]; path != "" && (len(rec.Values) != 1 || rec.Values[0].Path != path) {
			t.Errorf("%s has %+v, want %s", rec.Event.Name, rec.Values, path)
		}
	}
	for _, want := range []string{"attached", "attached from outside", "paused", "resumed", "sensors changed", "detached from outside"} {
		if !slices.Contains(r.names, want) {
			t.Errorf("no record says %q: %q", want, r.names)
		}
	}
	if len(p.Experiments()) > 0 {
		t.Error("it is attached")
	}
}

// Several clients have experiments at a time; each gets its own records, and one may
// receive another's, too.
func TestSeveral(t *testing.T) {
	p, s := listening(t)
	one, two := dial(t, s), dial(t, s)
	call(t, one, requests(func(s *protocol.Spec) { s.Name = "one" }), nil)
	call(t, two, requests(func(s *protocol.Spec) { s.Name = "two" }), nil)
	refused(t, two, requests(func(s *protocol.Spec) { s.Name = "One" }), "exists", "another name")
	refused(t, two, protocol.Request{Op: "pause"}, "bad_request", "several experiments")
	call(t, two, protocol.Request{Op: "receive", Experiment: "one"}, nil)
	refused(t, two, protocol.Request{Op: "receive", Experiment: "one"}, "exists", "already receiving")
	p.Event(t.Context(), "request x")

	first := received{t: t, c: one}
	first.until("request x")
	for _, rec := range first.all {
		if rec.Experiment != "one" {
			t.Errorf("the first gets %+v", rec)
		}
	}
	second := map[string]int{}
	for second["one"]*second["two"] == 0 {
		b, err := two.Next(t.Context())
		must(t, err)
		records, err := parse(&b)
		must(t, err)
		for _, rec := range records {
			if rec.Event.Name == "request x" {
				second[rec.Experiment]++
			}
		}
		must(t, b.Done())
	}
	if second["one"] != 1 || second["two"] != 1 {
		t.Errorf("the second gets %v", second)
	}
}

// An experiment ends with the connection of whoever attached it, unless it is to be kept:
// then its records wait, and whoever comes next gets those that nobody acknowledged.
func TestDisconnect(t *testing.T) {
	p, s := listening(t)
	c := dial(t, s)
	call(t, c, requests(), nil)
	must(t, c.Close())
	within(t, "the experiment has ended", func() bool { return len(p.Experiments()) == 0 })

	c = dial(t, s)
	var at protocol.Attached
	call(t, c, requests(func(s *protocol.Spec) { s.Keep = true }), &at)
	r := received{t: t, c: c}
	p.Event(t.Context(), "request 1")
	r.until("request 1")
	p.Event(t.Context(), "request 2")
	b, err := c.Next(t.Context())
	must(t, err)
	records, err := parse(&b) // they come, and are not acknowledged: not all of them, nor here, nor others
	must(t, err)
	last := records[len(records)-1].Number
	for _, a := range []ack{{at.Session, last - 1}, {at.Session, last + 1}, {"other", last}, {at.Session, 0}} {
		call(t, c, protocol.Request{Op: "ack", Session: a.session, Number: a.number}, nil)
	}
	must(t, c.Close())
	within(t, "the client has gone", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns) == 0
	})
	p.Event(t.Context(), "request 3")

	next := received{t: t, c: dial(t, s)}
	call(t, next.c, protocol.Request{Op: "receive"}, nil)
	next.until("request 3")
	if !slices.Equal(next.names, []string{"request 2", "request 3"}) {
		t.Errorf("the next one gets %v", next.names)
	}
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	next.until("") // the last records come before the server has closed
	must(t, <-closed)
}

// A client that was stopped while the program ended gets what came, and is told what did not.
func TestStoppedClient(t *testing.T) {
	p, s := listening(t, func(o *Options) { o.Grace = 50 * time.Millisecond })
	c := dial(t, s)
	call(t, c, requests(), nil)
	e := p.Experiments()[0]
	b, err := c.Next(t.Context())
	must(t, err)
	for range 7 {
		p.Event(t.Context(), "request")
	}
	must(t, s.Close())
	if err := c.Call(t.Context(), protocol.Request{Op: "list"}, nil); err == nil {
		t.Error("a program that has ended answers")
	}
	records, err := parse(&b)
	must(t, err)
	through := records[len(records)-1].Number
	want := fmt.Sprintf("the program has ended; its records up to %d were not acknowledged in time, and %d more were not sent",
		through, e.Status().Stored-through)
	if err := b.Done(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := c.Next(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if e.Status().Stored-through < 7 {
		t.Error("all records came in one batch")
	}
}

// Sinks are added and removed while records come.
func TestSinks(t *testing.T) {
	p, s := listening(t)
	dir := t.TempDir()
	early, late := filepath.Join(dir, "early.jsonl"), filepath.Join(dir, "late.csv")
	c := dial(t, s)
	call(t, c, requests(func(s *protocol.Spec) { s.Quiet, s.Sinks = true, []protocol.Sink{{File: early}} }), nil)
	p.Event(t.Context(), "request 1")
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{AddSinks: []protocol.Sink{{Name: "late", File: late}}}}, nil)
	p.Event(t.Context(), "request 2")
	within(t, "the first sink has two requests", func() bool {
		text, err := os.ReadFile(early)
		return err == nil && bytes.Contains(text, []byte("request 2"))
	})
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{RemoveSinks: []string{early}}}, nil)
	refused(t, c, protocol.Request{Op: "change", Change: &protocol.Change{RemoveSinks: []string{"lat"}}}, "unknown", `did you mean "late"?`)
	p.Event(t.Context(), "request 3")
	call(t, c, protocol.Request{Op: "detach"}, nil)
	within(t, "it has ended", func() bool { return len(s.list()) == 0 })

	text, err := os.ReadFile(early)
	must(t, err)
	if !bytes.Contains(text, []byte("request 1")) || bytes.Contains(text, []byte("request 3")) {
		t.Errorf("early:\n%s", text)
	}
	text, err = os.ReadFile(late)
	must(t, err)
	if n := bytes.Count(text, []byte("\n")); n < 2 || !bytes.HasPrefix(text, []byte(`"(PDH-CSV 4.0)`)) {
		t.Errorf("late:\n%s", text)
	}
	refused(t, c, requests(func(s *protocol.Spec) { s.Sinks = []protocol.Sink{{File: "x.jsonl"}} }), "bad_request", "absolute path")
	refused(t, c, requests(func(s *protocol.Spec) { s.Sinks = []protocol.Sink{{}} }), "bad_request", "one of file, url and program")
	refused(t, c, requests(func(s *protocol.Spec) { s.Sinks = []protocol.Sink{{File: late}} }), "bad_request", "exist")
	if len(p.Experiments()) > 0 {
		t.Error("an experiment that was refused is attached")
	}
}

// Where the program has a place on disk for records, they may go there; what was delivered
// is not left there.
func TestSpill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spill")
	p, s := listening(t, func(o *Options) { o.Spill = &delivery.Disk{Dir: dir} })
	c := dial(t, s)
	spill := func(s *protocol.Spec) { s.Bindings[0].Policy = "spill" }
	call(t, c, requests(spill), nil)
	if found, err := os.ReadDir(dir); len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	r := received{t: t, c: c}
	p.Event(t.Context(), "request")
	r.until("request")
	call(t, c, protocol.Request{Op: "detach"}, nil)
	r.until("")
	refused(t, c, requests(spill, func(s *protocol.Spec) { s.Sinks = []protocol.Sink{{}} }), "bad_request", "expected one of")
	if found, err := os.ReadDir(dir); len(found) != 0 || err != nil {
		t.Errorf("%v is left, %v", found, err)
	}

	_, s = listening(t)
	refused(t, dial(t, s), requests(spill), "bad_request", "no directory")
}

func TestRefusals(t *testing.T) {
	_, s := listening(t)
	c := dial(t, s)
	for _, x := range []struct {
		request    protocol.Request
		code, says string
	}{
		{protocol.Request{Op: "lst"}, "bad_request", `did you mean "list"?`},
		{protocol.Request{Op: "attach"}, "bad_request", `needs a "spec"`},
		{protocol.Request{Op: "detach"}, "unknown", "no experiment"},
		{protocol.Request{Op: "receive", Experiment: "x"}, "unknown", "no experiment"},
		{protocol.Request{Op: "attach", Spec: &protocol.Spec{}}, "bad_request", "expected a binding"},
		{requests(func(s *protocol.Spec) { s.Bindings[0].Sensors = []string{`\System`} }), "bad_request", "bad counter path"},
		{requests(func(s *protocol.Spec) { s.Bindings[0].Sensors = []string{"x"} }), "bad_request", "bad sensor name"},
		{requests(func(s *protocol.Spec) { s.Bindings[0].Policy = "drop_odlest" }), "bad_request", `did you mean "drop_oldest"?`},
		{requests(func(s *protocol.Spec) { s.Events = []protocol.EventSource{{}} }), "bad_request", "expected a name"},
		{requests(func(s *protocol.Spec) { s.Events = []protocol.EventSource{{Name: "x", Above: new(float64)}} }), "bad_request", "expected one of"},
		{requests(func(s *protocol.Spec) { s.Events = []protocol.EventSource{{Name: "x"}} }), "bad_request", "expected one of"},
	} {
		refused(t, c, x.request, x.code, x.says)
	}
	nan := requests(func(s *protocol.Spec) {
		s.Events = []protocol.EventSource{{Name: "x", Path: `\A\B`, Above: new(math.NaN())}}
	})
	if err := c.Call(t.Context(), nan, nil); err == nil {
		t.Error("what is no JSON was sent")
	}
	call(t, c, requests(), nil)
	refused(t, c, protocol.Request{Op: "resume"}, "state", "paused")
	refused(t, c, protocol.Request{Op: "change"}, "bad_request", `needs a "change"`)
	refused(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Every: protocol.Interval(time.Second)}}, "bad_request", "no source of events with an interval")
	refused(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Binding: "requests*", Sensors: []string{`\A\B`}}}, "unknown", "did you mean")
}

// A sink that is added to an experiment which ends comes too late, and is not what is wrong.
func TestSinkTooLate(t *testing.T) {
	_, s := listening(t)
	c := dial(t, s)
	call(t, c, requests(func(s *protocol.Spec) { s.Quiet = true }), nil)
	must(t, s.list()[0].delivery.Close(t.Context()))
	sink := protocol.Sink{File: filepath.Join(t.TempDir(), "x.jsonl")}
	refused(t, c, protocol.Request{Op: "change", Change: &protocol.Change{AddSinks: []protocol.Sink{sink}}}, "state", `the experiment "load" is ending`)
}

// raw sends bytes and returns what comes back until the connection is closed.
func raw(t *testing.T, s *Server, text string) string {
	t.Helper()
	c, err := net.Dial("unix", s.Path())
	must(t, err)
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(5*time.Minute)))
	_, _ = c.Write([]byte(text)) // the server may close before it has all
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return line
}

// What clients send that is no request is refused, and costs them only.
func TestHostile(t *testing.T) {
	p, s := listening(t, func(o *Options) { o.Clients = 4 })
	good := dial(t, s)
	call(t, good, requests(), nil)
	for _, x := range []struct{ text, says string }{
		{"GET / HTTP/1.1\n", "bad_request"},
		{"\x00\xff\n", "bad_request"},
		{`{"op":"list","id":-1}` + "\n", "bad_request"},
		{`{"id":1,"op":"attach","spec":{"bindigs":[]}}` + "\n", `did you mean \"bindings\"?`},
		{`{"id":1,"op":"list"}{"id":2}` + "\n", "more than one value"},
		{`{"id":1,"op":"attach","spec":{"events":[{"name":"t","every":"0s"}]}}` + "\n", "10ms or more"},
		{`{"id":1,"op":"change","change":{"every":"0s","sensors":["x"]}}` + "\n", "10ms or more"},
		{`{"op":"list"}` + "\n", `{"result":{"program":"test"`},
		{`{"op":"pause","experiment":"lod"}` + "\n", `{"error":{"code":"unknown"`},
		{`{"op":"ack"}` + "\n" + `{"id":2,"op":"nothing"}` + "\n", `{"id":2,"error"`},
		{strings.Repeat("[", 1<<19) + "\n", "bad_request"},
		{strings.Repeat("x", protocol.MaxRequest+1) + "\n", "a line of more than"},
	} {
		got := ""
		within(t, "there is room", func() bool { // those before may not have been left yet
			got = raw(t, s, x.text)
			return !strings.Contains(got, "busy")
		})
		if !strings.Contains(got, x.says) {
			t.Errorf("%.40q: %s", x.text, got)
		}
	}

	// Many come and go, some with half a line.
	for i := range 1000 {
		c, err := net.Dial("unix", s.Path())
		if err != nil {
			continue // so many at once that the system refuses
		}
		if i%2 == 0 {
			_, _ = c.Write([]byte(`{"id":1,"op":`)) // it may be refused
		}
		_ = c.Close()
	}
	r := received{t: t, c: good}
	p.Event(t.Context(), "request after all")
	r.until("request after all")

	// More than there is space for are told so. What is accepted now is accepted behind the others.
	within(t, "there is room", func() bool {
		c, err := protocol.Dial(t.Context(), s.Path())
		must(t, err)
		defer c.Close()
		return c.Call(t.Context(), protocol.Request{Op: "list"}, nil) == nil
	})
	within(t, "they have gone", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.conns) == 1
	})
	for range 3 {
		call(t, dial(t, s), protocol.Request{Op: "list"}, nil)
	}
	if got := raw(t, s, `{"id":1,"op":"list"}`+"\n"); !strings.Contains(got, "busy") {
		t.Errorf("one too many: %s", got)
	}
}

// A client that never reads loses its connection, and holds up no measurement.
func TestNeverReads(t *testing.T) {
	p, s := listening(t)
	c, err := net.Dial("unix", s.Path())
	must(t, err)
	defer c.Close()
	text, err := json.Marshal(requests(func(s *protocol.Spec) { s.Bindings[0].Capacity = 100 }))
	must(t, err)
	_, err = c.Write(append(text, '\n'))
	must(t, err)
	within(t, "it is attached", func() bool { return len(p.Experiments()) == 1 })
	for range 3000 {
		p.Event(t.Context(), "request")
	}
	var l protocol.Listing
	call(t, dial(t, s), protocol.Request{Op: "list"}, &l)
	if e := l.Experiments[0]; e.Bindings[0].Emitted != 3000 || e.Sinks[0].Delivered > 0 {
		t.Errorf("%+v", e)
	}
}

func TestFind(t *testing.T) {
	_, s := listening(t)
	dir := filepath.Dir(s.Path())
	if _, err := Listen(t.Context(), s.opt); !errors.Is(err, os.ErrExist) {
		t.Errorf("listening twice: %v", err)
	}

	// One that was killed left its socket behind.
	stale := filepath.Join(dir, fmt.Sprintf("gone.%d.sock", 1<<22+1))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600))

	all, err := protocol.Programs(t.Context(), dir)
	must(t, err)
	if len(all) != 1 || all[0] != (protocol.Program{Name: "test", PID: os.Getpid(), Path: s.Path()}) {
		t.Errorf("%+v", all)
	}
	if _, err := os.Lstat(stale); !errors.Is(err, os.ErrNotExist) && runtime.GOOS != "windows" {
		t.Errorf("the socket of the dead is there: %v", err)
	}
	for _, text := range []string{"", "test", "TEST", fmt.Sprint(os.Getpid())} {
		if p, err := protocol.Find(t.Context(), dir, text); err != nil || p.Name != "test" {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	_, odd := listening(t, func(o *Options) { o.Name, o.Dir = "run über all", dir })
	for _, text := range []string{"run über all", "run__ber_all", "RUN ÜBER ALL"} {
		if p, err := protocol.Find(t.Context(), dir, text); err != nil || p.Path != odd.Path() {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	must(t, odd.Close())
	if _, err := protocol.Find(t.Context(), dir, "tset"); !errors.Is(err, protocol.ErrNoProgram) || !strings.Contains(err.Error(), `"test"?`) {
		t.Error(err)
	}
	if _, err := protocol.Find(t.Context(), filepath.Join(dir, "none"), ""); !errors.Is(err, protocol.ErrNoProgram) {
		t.Error(err)
	}
}

// Names as list -o sensors writes them name the same counter in a source of whatever name; a source that
// is called so goes before that.
func TestUsualSensorNames(t *testing.T) {
	p, s := listening(t, func(o *Options) { o.Sources[0].Name = "mine" })
	c := dial(t, s)
	r := received{t: t, c: c}
	with := func(names ...string) func(*protocol.Spec) {
		return func(s *protocol.Spec) { s.Bindings[0].Sensors = names }
	}
	call(t, c, requests(with("windows.winperf/System/Ticks")), nil)
	p.Event(t.Context(), "request")
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Sensors: []string{"linux.winperf/System/Work"}}}, nil)
	p.Event(t.Context(), "request again")
	r.until("request again")
	var got []string
	for _, rec := range r.all {
		for _, v := range rec.Values {
			got = append(got, fmt.Sprintf("%s %s %v", rec.Event.Name, v.Path, v.Status))
		}
	}
	want := []string{`request \\HOST\System\Ticks ok`, `request again \\HOST\System\Work ok`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	refused(t, c, requests(func(s *protocol.Spec) { s.Name = "other" }, with("yours/System/Ticks")), "failed", "the source is mine")
	_, named := listening(t)
	refused(t, dial(t, named), requests(with("linux.winperf/System/Ticks", "elsewhere/System/Ticks")),
		"failed", "the source is windows.winperf")
}

// What is asked for and is not there is in the answer, also where another source has it.
func TestAbsent(t *testing.T) {
	_, s := listening(t, func(o *Options) {
		o.Sources = append(o.Sources, sensor.Origin{Name: "other", Source: newFakeSource()})
	})
	c := dial(t, s)
	wrong := []string{`\System\Tikcs`, `\System\Ticks`, `\Systm\Work`, `\System(x)\Work`, `\Systm\Work`}
	want := []protocol.Absent{
		{Sensor: `\System\Tikcs`, Path: `\System\Tikcs`, Status: "no_counter"},
		{Sensor: `\Systm\Work`, Path: `\Systm\Work`, Status: "no_object"},
		{Sensor: `\System(x)\Work`, Path: `\System(x)\Work`, Status: "no_instance"},
	}
	var at protocol.Attached
	call(t, c, requests(func(s *protocol.Spec) { s.Bindings[0].Sensors = wrong }), &at)
	if !slices.Equal(at.Absent, want) || at.Experiment != "load" {
		t.Errorf("%+v, want %+v", at, want)
	}

	var done protocol.Changed
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Sensors: []string{"other/System/Work", "other/System/Wrok"}}}, &done)
	if want := []protocol.Absent{{Sensor: "other/System/Wrok", Path: `\System\Wrok`, Status: "no_counter"}}; !slices.Equal(done.Absent, want) {
		t.Errorf("%+v, want %+v", done, want)
	}
	done = protocol.Changed{}
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Sensors: []string{`\System\Work`}}}, &done)
	if len(done.Absent) > 0 {
		t.Errorf("%+v", done)
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf(`\No%d\Work`, i)
	}
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{Sensors: many}}, &done)
	if len(done.Absent) != maxAbsent {
		t.Errorf("%d are told", len(done.Absent))
	}
}

func TestSensors(t *testing.T) {
	_, s := listening(t)
	c := dial(t, s)
	var all protocol.Sensors
	call(t, c, protocol.Request{Op: "sensors"}, &all)
	want := protocol.Sensor{Name: "windows.winperf/System/Ticks", Path: `\System\Ticks`, Unit: "count"}
	if all.Of != 2 || !slices.Contains(all.Sensors, want) {
		t.Errorf("%+v", all)
	}
	call(t, c, protocol.Request{Op: "sensors", Pattern: `\Sys*\w*`}, &all)
	if all.Of != 1 || all.Sensors[0].Path != `\System\Work` {
		t.Errorf("%+v", all)
	}
}

// A sink that fails while it is removed is told, and is no failure of the change, which is carried out then.
func TestRemovedSinkFails(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	_, s := listening(t)
	c := dial(t, s)
	call(t, c, requests(func(s *protocol.Spec) {
		s.Sinks = []protocol.Sink{{Name: "bad", Program: []string{"sh", "-c", "cat >/dev/null; exit 3"}}}
	}), nil)

	// The program begins with the first record, and fails when it gets no more.
	var l protocol.Listing
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		call(t, c, protocol.Request{Op: "list"}, &l)
		sinks := l.Experiments[0].Sinks
		if i := slices.IndexFunc(sinks, func(s protocol.SinkState) bool { return s.Name == "bad" }); sinks[i].Delivered > 0 {
			break
		}
	}

	var done protocol.Changed
	ch := protocol.Change{Sensors: []string{`\System\Work`}, RemoveSinks: []string{"bad"}}
	call(t, c, protocol.Request{Op: "change", Change: &ch}, &done)
	if len(done.Failed) != 1 || !strings.Contains(done.Failed[0], "exit status 3") {
		t.Errorf("%+v, want what happened to the sink", done)
	}
	call(t, c, protocol.Request{Op: "list"}, &l)
	if got := l.Experiments[0].Bindings[0].Sensors; !slices.Equal(got, ch.Sensors) {
		t.Errorf("sensors %q", got)
	}

	// A sink that is there twice is removed once.
	ch = protocol.Change{AddSinks: []protocol.Sink{{Name: "new", Program: []string{"cat"}}}}
	call(t, c, protocol.Request{Op: "change", Change: &ch}, &done)
	done = protocol.Changed{}
	call(t, c, protocol.Request{Op: "change", Change: &protocol.Change{RemoveSinks: []string{"new", "new"}}}, &done)
	if len(done.Failed) > 0 {
		t.Errorf("%+v", done)
	}
}

// A change of which a part fails changes nothing, whatever part that is.
func TestChangeAllOrNothing(t *testing.T) {
	p, s := listening(t)
	c := dial(t, s)
	dir := t.TempDir()
	fresh, taken := filepath.Join(dir, "fresh.csv"), filepath.Join(dir, "taken.csv")
	replaced, first := filepath.Join(dir, "replaced.csv"), filepath.Join(dir, "first.records")
	for _, name := range []string{taken, replaced} {
		must(t, os.WriteFile(name, []byte("mine"), 0o600))
	}
	call(t, c, requests(func(s *protocol.Spec) {
		s.Events = []protocol.EventSource{{Name: "request tick", Every: protocol.Interval(time.Hour)}}
		s.Sinks = []protocol.Sink{{Name: "first", File: first}}
	}), nil)

	every, sensors := protocol.Interval(2*time.Hour), []string{`\System\Work`}
	added := []protocol.Sink{{File: fresh}, {File: replaced, Overwrite: true}}
	for name, ch := range map[string]protocol.Change{
		"interval":       {Every: every, Source: "nothing", Sensors: sensors, AddSinks: added},
		"short interval": {Every: 1, Sensors: sensors, AddSinks: added},
		"path":           {Every: every, Sensors: []string{"no path"}, AddSinks: added},
		"binding":        {Every: every, Sensors: sensors, Binding: "nothing", AddSinks: added},
		"sink":           {Every: every, Sensors: sensors, AddSinks: append(added[:2:2], protocol.Sink{File: taken})},
		"name of a sink": {Every: every, Sensors: sensors, AddSinks: append(added[:2:2], protocol.Sink{Name: "first", File: fresh + "2"})},
		"two of a name":  {Every: every, Sensors: sensors, AddSinks: append(added[:2:2], added[0])},
		"sink to remove": {Every: every, Sensors: sensors, AddSinks: added, RemoveSinks: []string{"first", "nothing"}},
	} {
		if err := c.Call(t.Context(), protocol.Request{Op: "change", Change: &ch}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		var l protocol.Listing
		call(t, c, protocol.Request{Op: "list"}, &l)
		e := l.Experiments[0]
		if d := time.Duration(e.Sources[0].Every); d != time.Hour || e.Bindings[0].Sensors[0] != `\System\Ticks` {
			t.Errorf("%s: interval %v, sensors %q", name, d, e.Bindings[0].Sensors)
		}
		for _, sink := range e.Sinks {
			if sink.Name != "first" && !strings.HasPrefix(sink.Name, "client ") {
				t.Errorf("%s: there is a sink %q", name, sink.Name)
			}
		}
		if _, err := os.Stat(fresh); err == nil {
			t.Errorf("%s: there is a new file", name)
		}
	}
	for _, name := range []string{taken, replaced} {
		if text, err := os.ReadFile(name); err != nil || string(text) != "mine" {
			t.Errorf("%s holds %q, error %v", name, text, err)
		}
	}

	// The same change without an error is carried out.
	ch := protocol.Change{Every: every, Sensors: sensors, AddSinks: added, RemoveSinks: []string{"first"}}
	call(t, c, protocol.Request{Op: "change", Change: &ch}, nil)
	p.Event(t.Context(), "request one")
	r := received{t: t, c: c}
	r.until("request one")
	if changed := []string{"sensors changed", "interval changed", "sink added", "sink added", "sink removed"}; !slices.Equal(
		slices.DeleteFunc(r.names, func(n string) bool { return !slices.Contains(changed, n) }), changed) {
		t.Errorf("%v", r.names)
	}
}
