package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
)

// lineTime is how long a client may take to send the rest of a line that it has begun, for
// its first request, and to take what is sent to it.
const lineTime = 10 * time.Second

// conn is a client, from the server's side.
type conn struct {
	server *Server
	net    net.Conn
	in     *bufio.Reader
	number uint64
	own    bool   // it is of the same user
	who    string // for people

	writing sync.Mutex

	mu       sync.Mutex
	received map[*attached]*receiver
}

func newConn(s *Server, c net.Conn, number uint64, own bool, who string) *conn {
	return &conn{
		server: s, net: c, in: bufio.NewReaderSize(c, 64<<10), number: number, own: own, who: who,
		received: make(map[*attached]*receiver),
	}
}

// serve carries out what the client asks for, until it goes or ctx ends.
func (c *conn) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.net.Close() }) // which ends reading
	defer stop()

	// Acknowledgements are read while what was asked for before takes its time.
	requests := make(chan *asked, maxAsked)
	var working sync.WaitGroup
	working.Go(func() { c.work(ctx, requests) })
	err := c.read(requests)
	close(requests)
	working.Wait()

	var refused *protocol.Error
	if errors.As(err, &refused) {
		_ = c.answer(protocol.Answer{Error: refused}) // the last line before the connection is closed
	}
	_ = c.net.Close() // receivers fail from now on
	c.leave()
}

// asked is a request that was read; err is why it is none.
type asked struct {
	protocol.Request
	err error
}

// maxAsked bounds the requests of a client that are read before those in front of them are carried out.
const maxAsked = 4

// read reads requests until the client has gone, or did what is refused.
func (c *conn) read(requests chan<- *asked) error {
	for first := true; ; first = false {
		line, err := c.readLine(first)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		var r asked
		if r.err = protocol.DecodeStrict(line, &r.Request); r.err == nil && r.Op == "ack" {
			c.acknowledge(&r.Request)
			if r.ID == 0 {
				continue // it comes with each batch, and has no answer
			}
		}
		requests <- &r
	}
}

// work carries out requests, one after the other, until one cannot be answered.
func (c *conn) work(ctx context.Context, requests <-chan *asked) {
	left := false
	for r := range requests {
		if !left && c.handle(ctx, r) != nil {
			left = true
			_ = c.net.Close() // which ends reading
		}
	}
}

// readLine reads a request. A line that is begun has to end soon.
func (c *conn) readLine(first bool) ([]byte, error) {
	limit := time.Time{}
	if first {
		limit = time.Now().Add(lineTime)
	}
	if err := c.net.SetReadDeadline(limit); err != nil {
		return nil, err
	}
	if _, err := c.in.Peek(1); err != nil {
		return nil, err
	}
	if err := c.net.SetReadDeadline(time.Now().Add(lineTime)); err != nil {
		return nil, err
	}
	return protocol.ReadLine(c.in, protocol.MaxRequest)
}

// handle carries out a request. An error ends the connection.
func (c *conn) handle(ctx context.Context, r *asked) error {
	if r.err != nil {
		return c.answer(protocol.Answer{ID: r.ID, Error: protocol.Errorf("bad_request", "no request: %v", r.err)})
	}

	result, err := c.do(ctx, &r.Request)
	if err != nil {
		return c.answer(protocol.Answer{ID: r.ID, Error: toError(err)})
	}
	text, err := json.Marshal(result)
	if err != nil {
		return c.answer(protocol.Answer{ID: r.ID, Error: protocol.Errorf("failed", "%v", err)})
	}
	return c.answer(protocol.Answer{ID: r.ID, Result: text})
}

// answer sends a line.
func (c *conn) answer(a protocol.Answer) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return c.send(time.Now().Add(lineTime), append(text, '\n'))
}

// send sends bytes that no other line may come between. A client that does not take them
// by then is left.
func (c *conn) send(limit time.Time, text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	err := c.net.SetWriteDeadline(limit)
	if err == nil {
		_, err = c.net.Write(text)
	}
	if err != nil {
		_ = c.net.Close() // half a line may be on its way
	}
	return err
}

// leave gives up what the client had: experiments that were not to be kept end.
func (c *conn) leave() {
	c.mu.Lock()
	received := c.received
	c.received = nil
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), c.server.opt.Grace)
	defer cancel()
	for a := range received {
		_, _ = a.delivery.Remove(ctx, c.routeName()) // its sink closes nothing
	}
	for _, a := range c.server.list() {
		if a.owner == c && !a.spec.Keep {
			c.server.end(ctx, a)
		}
	}
}

func (c *conn) routeName() string { return fmt.Sprintf("client %d (%s)", c.number, c.who) }

// receive begins to send the records of an experiment.
func (c *conn) receive(a *attached) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.received == nil:
		return net.ErrClosed
	case c.received[a] != nil:
		return protocol.Errorf("exists", "the records of %q come already", a.name())
	case len(c.received) >= protocol.MaxReceived:
		return protocol.Errorf("busy", "the records of %d experiments come already", protocol.MaxReceived)
	}
	r := &receiver{conn: c, exp: a.exp, name: a.name(), acks: make(chan struct{}, 1)}
	route := delivery.Route{Name: c.routeName(), Sink: r}
	if err := a.delivery.Add(route); err != nil {
		return err
	}
	c.received[a] = r
	return nil
}

// gets reports whether the client gets the records of an experiment.
func (c *conn) gets(a *attached) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received[a] != nil
}

func (c *conn) forget(a *attached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.received, a)
}

// acknowledge hands on that the client has records, perhaps of an experiment that has been
// detached since.
func (c *conn) acknowledge(r *protocol.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, receiver := range c.received {
		receiver.acknowledge(ack{r.Session, r.Number})
	}
}

// ack tells which record a client has last.
type ack struct {
	session string
	number  uint64
}

// receiver is the sink that a client is.
type receiver struct {
	conn *conn
	exp  *experiment.Experiment
	name string
	acks chan struct{} // gets a value when the batch under way is acknowledged
	buf  []byte

	mu     sync.Mutex
	awaits ack // of the batch under way; zero for none
}

// await begins to wait for the acknowledgement of a batch.
func (r *receiver) await(a ack) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awaits = a
	select {
	case <-r.acks: // that of a batch that was given up
	default:
	}
}

// acknowledge takes an acknowledgement. Any but that of the batch under way means nothing: a client may
// repeat itself.
func (r *receiver) acknowledge(a ack) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.number == 0 || a != r.awaits {
		return
	}
	r.awaits = ack{}
	select {
	case r.acks <- struct{}{}:
	default: // there is one
	}
}

// Deliver sends a batch, and waits until the client has it. One that takes too long is
// left: it can come again, and say which records it has.
func (r *receiver) Deliver(ctx context.Context, batch []delivery.Item) error {
	last := batch[len(batch)-1]
	name, err := json.Marshal(r.name)
	if err != nil {
		return err
	}
	r.buf = r.buf[:0]
	for i := range batch {
		r.buf = fmt.Appendf(r.buf, `{"experiment":%s,"record":%s}`+"\n", name, batch[i].JSON)
	}
	end, err := json.Marshal(protocol.Answer{Experiment: r.name, Session: last.Session, Through: last.Number})
	if err != nil {
		return err
	}

	r.await(ack{last.Session, last.Number})
	limit, _ := ctx.Deadline()
	if err := r.conn.send(limit, append(append(r.buf, end...), '\n')); err != nil {
		return err
	}
	select {
	case <-r.acks:
		return nil
	case <-ctx.Done():
		r.leave(last.Number)
		return ctx.Err()
	}
}

// leave ends the connection of a client that did not acknowledge the records up to a number, and tells it
// what it misses, if it has room for a line.
func (r *receiver) leave(through uint64) {
	const moment = 100 * time.Millisecond
	what := "this client took too long"
	switch {
	case r.conn.server.ctx.Err() != nil:
		what = "the program has ended"
	case r.exp.State() == experiment.Detached:
		what = "the experiment has ended"
	}
	more := max(r.exp.Status().Stored, through) - through
	const form = "%s; its records up to %d were not acknowledged in time, and %d more were not sent"
	last := protocol.Answer{Experiment: r.name, Error: protocol.Errorf("failed", form, what, through, more)}
	if text, err := json.Marshal(last); err == nil {
		_ = r.conn.send(time.Now().Add(moment), append(text, '\n')) // it may be that it does not read
	}
	_ = r.conn.net.Close()
}

// Close implements delivery.Sink.
func (r *receiver) Close(context.Context) error { return nil }
