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

// Client is a connection to a program that listens. Call may be used from several
// goroutines, Next by one.
type Client struct {
	net     net.Conn
	batches chan Batch
	done    chan struct{} // is closed when nothing more comes
	failed  error         // why; valid after done

	writing chan struct{} // holds a value while a line is written

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan Answer
}

// Batch is some records of one experiment, or its end.
type Batch struct {
	Experiment string
	// Records are the records as the program sent them, each a line of JSON that
	// experiment.ParseRecord reads.
	Records [][]byte
	// Ended tells that no more will come, and Err why the last ones were not delivered to
	// some sink, if there is something to tell.
	Ended bool
	Err   error

	client  *Client
	session string
	through uint64
}

// Done tells the program that the records of the batch are where they belong. Those of a
// batch that is not done come again to whoever receives the experiment next; and the next
// batch does not come before. The error is why the program cannot be told: Next has what came
// before that.
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

// Close ends the connection. Experiments that were attached by it, and not to be kept, end.
func (c *Client) Close() error {
	err := c.net.Close()
	<-c.done
	return err
}

// read reads what the program sends, until the connection ends.
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

// maxBatch bounds the records that a program may send before it ends their batch, of which each
// takes some more memory than its text.
const (
	maxBatch   = 256 << 20
	recordSize = 256
)

// take takes a line. Records wait in open until their batch ends.
func (c *Client) take(line []byte, open map[string][][]byte, size *int) error {
	var a Answer
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("the program sent no JSON: %w: %w", winperf.ErrBadData, err)
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

// hand gives a batch to Next. A program that sends more than was acknowledged is refused:
// nobody may wait for it here.
func (c *Client) hand(b Batch) error {
	select {
	case c.batches <- b:
		return nil
	default:
		return fmt.Errorf("%w: batches that nobody acknowledged", winperf.ErrBadData)
	}
}

// end tells all who wait that nothing more comes.
func (c *Client) end(err error) {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the program has closed the connection: %w", io.ErrUnexpectedEOF)
	}
	_ = c.net.Close() // it may be closed
	c.failed = err
	close(c.done)
}

// Call asks for something and waits for the answer, which is put into result, if that is
// not nil. The error is an *Error where the program refused.
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
	case a := <-waiter: // it came last
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

// send sends a request that has no answer.
func (c *Client) send(r Request) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.write(context.Background(), text)
}

// write writes a line. A program that does not take it until ctx ends is left: half of it may be on its way.
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
		_ = c.net.SetWriteDeadline(time.Unix(1, 0)) // what is written returns
	})
	_, err := c.net.Write(append(line, '\n'))
	if !stop() {
		<-late
		_ = c.net.SetWriteDeadline(time.Time{}) // for who writes next
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

// ended is why the connection ended, where a write failed: the program may have said that.
func (c *Client) ended(err error) error {
	const moment = time.Second
	select {
	case <-c.done:
		return c.failed
	case <-time.After(moment):
		return err
	}
}

// Next returns the next batch of records, or the end of an experiment.
func (c *Client) Next(ctx context.Context) (Batch, error) {
	select { // what came goes before the end
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
