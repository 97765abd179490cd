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

// lineTime is the longest time for a client's first request, for the rest of a line, and for reading an
// answer.
const lineTime = 10 * time.Second

type conn struct {
	server *Server
	net    net.Conn
	in     *bufio.Reader
	number uint64
	own    bool // same user as this process
	who    string

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

func (c *conn) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = c.net.Close() })
	defer stop()

	// Acknowledgements are read while earlier requests are being served.
	requests := make(chan *request, maxRequests)
	var working sync.WaitGroup
	working.Go(func() { c.work(ctx, requests) })
	err := c.read(requests)
	close(requests)
	working.Wait()

	var refused *protocol.Error
	if errors.As(err, &refused) {
		_ = c.answer(protocol.Answer{Error: refused})
	}
	_ = c.net.Close()
	c.disconnected()
}

type request struct {
	protocol.Request
	err error
}

const maxRequests = 4

func (c *conn) read(requests chan<- *request) error {
	for first := true; ; first = false {
		line, err := c.readLine(first)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		var r request
		if r.err = protocol.DecodeStrict(line, &r.Request); r.err == nil && r.Op == "ack" {
			c.acknowledge(&r.Request)
			if r.ID == 0 {
				continue // sent for each batch and not answered
			}
		}
		requests <- &r
	}
}

func (c *conn) work(ctx context.Context, requests <-chan *request) {
	left := false
	for r := range requests {
		if !left && c.handle(ctx, r) != nil {
			left = true
			_ = c.net.Close()
		}
	}
}

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

func (c *conn) handle(ctx context.Context, r *request) error {
	if r.err != nil {
		err := protocol.Errorf("bad_request", "invalid request: %v", r.err)
		return c.answer(protocol.Answer{ID: r.ID, Error: err})
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

func (c *conn) answer(a protocol.Answer) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return c.send(time.Now().Add(lineTime), append(text, '\n'))
}

// send writes text without interleaving other lines. After an error, or after limit, it closes the
// connection.
func (c *conn) send(limit time.Time, text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	err := c.net.SetWriteDeadline(limit)
	if err == nil {
		_, err = c.net.Write(text)
	}
	if err != nil {
		_ = c.net.Close()
	}
	return err
}

// disconnected removes the client's routes and ends its experiments, unless they are kept.
func (c *conn) disconnected() {
	c.mu.Lock()
	received := c.received
	c.received = nil
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), c.server.opt.Grace)
	defer cancel()
	for a := range received {
		_, _ = a.delivery.Remove(ctx, c.routeName())
	}
	for _, a := range c.server.list() {
		if a.owner == c && !a.spec.Keep {
			c.server.end(ctx, a)
		}
	}
}

func (c *conn) routeName() string { return fmt.Sprintf("client %d (%s)", c.number, c.who) }

func (c *conn) receive(a *attached) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.received == nil:
		return net.ErrClosed
	case c.received[a] != nil:
		return protocol.Errorf("exists", "already receiving the records of %q", a.name())
	case len(c.received) >= protocol.MaxReceived:
		return protocol.Errorf("busy", "already receiving the records of %d experiments", protocol.MaxReceived)
	}
	r := &receiver{conn: c, exp: a.exp, name: a.name(), acks: make(chan struct{}, 1)}
	route := delivery.Route{Name: c.routeName(), Sink: r}
	if err := a.delivery.Add(route); err != nil {
		return err
	}
	c.received[a] = r
	return nil
}

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

func (c *conn) acknowledge(r *protocol.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, receiver := range c.received {
		receiver.acknowledge(ack{r.Session, r.Number})
	}
}

type ack struct {
	session string
	number  uint64
}

type receiver struct {
	conn *conn
	exp  *experiment.Experiment
	name string
	acks chan struct{}
	buf  []byte

	mu     sync.Mutex
	awaits ack // last record of the current batch; zero if none
}

func (r *receiver) await(a ack) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awaits = a
	select {
	case <-r.acks:
	default:
	}
}

// acknowledge takes an acknowledgement. It ignores others than the current batch's, since clients may
// repeat them.
func (r *receiver) acknowledge(a ack) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.number == 0 || a != r.awaits {
		return
	}
	r.awaits = ack{}
	select {
	case r.acks <- struct{}{}:
	default:
	}
}

// Deliver sends a batch and waits for the acknowledgement. A client that takes too long is disconnected.
// It can reconnect and report the records that it has.
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
		r.dropClient(last.Number)
		return ctx.Err()
	}
}

// dropClient disconnects a client that did not acknowledge the records up to through. It tries to send the
// reason and the number of missed records.
func (r *receiver) dropClient(through uint64) {
	const moment = 100 * time.Millisecond
	what := "this client was too slow"
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
		_ = r.conn.send(time.Now().Add(moment), append(text, '\n')) // the client may not read
	}
	_ = r.conn.net.Close()
}

// Close implements delivery.Sink.
func (r *receiver) Close(context.Context) error { return nil }
