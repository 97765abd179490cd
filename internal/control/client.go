package control

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/winperf/winperf"
)

// Client is a connection to a listening program. Call may be used from several goroutines,
// Next by one.
type Client struct {
	net     net.Conn
	batches chan Batch
	done    chan struct{} // closed at the end of the connection
	failed  error         // the reason; valid after done

	writing chan struct{} // holds a value while a line is written

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan Answer
}

// Batch is some records of one experiment, or its end.
type Batch struct {
	Experiment string
	// Records are the records as sent, each a line of JSON for experiment.ParseRecord.
	Records [][]byte
	// Ended means that no more records follow. Err is then the error of sinks that did not
	// get the last records, or nil.
	Ended bool
	Err   error

	client  *Client
	session string
	through uint64
}

// Done acknowledges the records of the batch. Records without an acknowledgement are sent
// again to the next client that receives the experiment. The program sends the next batch
// only after Done. After an error the program cannot be reached, but Next still returns the
// batches received before.
func (b *Batch) Done() error {
	if b.Ended {
		return nil
	}
	return b.client.send(Request{Op: "ack", Experiment: b.Experiment, Session: b.session, Number: b.through})
}

// Dial connects to a program's socket.
func Dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	c := &Client{
		net: conn, batches: make(chan Batch, 4*MaxReceived), done: make(chan struct{}),
		writing: make(chan struct{}, 1), waiting: map[uint64]chan Answer{},
	}
	go c.read()
	return c, nil
}

// Close ends the connection, and experiments attached through it without Keep.
func (c *Client) Close() error {
	err := c.net.Close()
	<-c.done
	return err
}

// read reads the program's lines until the connection ends.
func (c *Client) read() {
	in := bufio.NewReaderSize(c.net, 64<<10)
	open := map[string][][]byte{}
	size := 0
	for {
		line, err := ReadLine(in, maxAnswer)
		if err == nil {
			err = c.take(line, open, &size)
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

// maxBatch limits the records of a batch, each of which takes recordSize bytes more than
// its text.
const (
	maxBatch   = 256 << 20
	recordSize = 256
)

// take handles a line from the program. A record is added to open, which has the incomplete batch of
// each experiment, and the end of a batch passes it on. Other answers go to their callers.
func (c *Client) take(line []byte, open map[string][][]byte, size *int) error {
	var a Answer
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("the program sent invalid JSON: %w: %w", winperf.ErrBadData, err)
	}
	switch {
	case a.Record != nil:
		if *size += len(a.Record) + recordSize; *size > maxBatch {
			return fmt.Errorf("%w: a batch of more than %d bytes", winperf.ErrBadData, maxBatch)
		}
		open[a.Experiment] = append(open[a.Experiment], bytes.Clone(a.Record))
		return nil

	case a.Through > 0 || a.Ended:
		b := Batch{Experiment: a.Experiment, Records: open[a.Experiment], Ended: a.Ended,
			client: c, session: a.Session, through: a.Through}
		if a.Error != nil {
			b.Err = a.Error
		}
		for _, r := range b.Records {
			*size -= len(r) + recordSize
		}
		delete(open, a.Experiment)
		return c.hand(b)

	case a.ID == 0 && a.Error != nil:
		return a.Error
	}

	c.mu.Lock()
	waiter := c.waiting[a.ID]
	delete(c.waiting, a.ID)
	c.mu.Unlock()
	if waiter != nil {
		waiter <- a
	}
	return nil
}

// hand passes a batch to Next. A program that sends batches before the acknowledgement is
// refused, because read must not block.
func (c *Client) hand(b Batch) error {
	select {
	case c.batches <- b:
		return nil
	default:
		return fmt.Errorf("%w: unacknowledged batches", winperf.ErrBadData)
	}
}

// end reports the end of the connection to all waiting calls.
func (c *Client) end(err error) {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the program has closed the connection: %w", io.ErrUnexpectedEOF)
	}
	_ = c.net.Close() // it may be closed
	c.failed = err
	close(c.done)
}

// Call sends a request, waits for the answer and decodes it into result, if not nil. The
// error is an *Error if the program refused the request.
func (c *Client) Call(ctx context.Context, r Request, result any) error {
	waiter := make(chan Answer, 1)
	c.mu.Lock()
	c.last++
	r.ID = c.last
	c.waiting[r.ID] = waiter
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, r.ID)
		c.mu.Unlock()
	}()

	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := c.write(ctx, text); err != nil {
		return err
	}

	select {
	case a := <-waiter:
		return a.decode(result)
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
	}
	select {
	case a := <-waiter: // the last answer
		return a.decode(result)
	default:
		return c.failed
	}
}

func (a *Answer) decode(result any) error {
	switch {
	case a.Error != nil:
		return a.Error
	case result == nil:
		return nil
	}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return fmt.Errorf("the program's answer: %w: %w", winperf.ErrBadData, err)
	}
	return nil
}

// send sends a request without an answer.
func (c *Client) send(r Request) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.write(context.Background(), text)
}

// write writes a line. If the program does not accept it until ctx ends, the connection is
// closed, because a part may be sent.
func (c *Client) write(ctx context.Context, line []byte) error {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(late)
		_ = c.net.SetWriteDeadline(time.Unix(1, 0)) // interrupts the write
	})
	_, err := c.net.Write(append(line, '\n'))
	if !stop() {
		<-late
		_ = c.net.SetWriteDeadline(time.Time{}) // for the next write
	}

	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		_ = c.net.Close()
		return ctx.Err()
	}
	return c.ended(err)
}

// ended returns why the connection ended after a failed write: the program may have sent
// the reason.
func (c *Client) ended(err error) error {
	const moment = time.Second
	select {
	case <-c.done:
		return c.failed
	case <-time.After(moment):
		return err
	}
}

// Next returns the next batch of records, or the end of an experiment. The error is the
// error of ctx, or the reason why the connection ended.
func (c *Client) Next(ctx context.Context) (Batch, error) {
	select { // batches received before the end are first
	case b := <-c.batches:
		return b, nil
	default:
	}
	select {
	case b := <-c.batches:
		return b, nil
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	case <-c.done:
	}
	select {
	case b := <-c.batches:
		return b, nil
	default:
		return Batch{}, c.failed
	}
}
