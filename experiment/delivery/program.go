package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"

	"github.com/winperf/winperf"
)

// NewProgram returns a sink that writes records, a line of JSON each, to the standard input of a
// program. The first batch starts it, with Args, Env, Dir, Stdout and Stderr of cmd; other fields are
// ignored. A program that ends is started again with the next try. It first gets the data that the
// previous one may not have read: the last 64 KiB, the size of a pipe, and at least the last batch.
// Close ends its input, and waits for it. If this process is killed, the program ends, too: on Linux it
// gets SIGTERM, on Windows it is ended with all that it started, and on macOS it gets only the end of
// its input.
func NewProgram(cmd *exec.Cmd) (Sink, error) {
	if len(cmd.Args) == 0 || cmd.Args[0] == "" {
		return nil, fmt.Errorf("a program needs a name: %w", winperf.ErrNotSupported)
	}
	return &programSink{cmd: cmd}, nil
}

// pipeSize is how much a system keeps of what a program did not read.
const pipeSize = 64 << 10

type programSink struct {
	cmd     *exec.Cmd // not started
	running *running
	unread  [][]byte // the last data, at least pipeSize bytes, oldest first
	size    int      // of unread
}

// running is a program that was started.
type running struct {
	stdin io.WriteCloser
	done  chan struct{} // is closed when it has ended
	err   error         // how it ended; valid after done
	kill  context.CancelFunc
	// writing gets the error of the write that is under way; nil where there is none.
	writing chan error
}

// Deliver implements Sink.
func (s *programSink) Deliver(ctx context.Context, batch []Item) error {
	text, err := recordLines{}.encode(batch)
	if err != nil {
		return err
	}
	again := s.running == nil
	if again {
		if err := s.start(); err != nil {
			return err
		}
	}

	if r := s.running; r.writing == nil { // else this batch is on its way
		all := text
		if again {
			all = append(bytes.Join(s.unread, nil), text...)
		}
		r.writing = make(chan error, 1)
		go func() {
			_, err := r.stdin.Write(all)
			r.writing <- err
		}()
	}
	if err := s.wait(ctx); err != nil {
		return err
	}

	s.unread = append(s.unread, text)
	s.size += len(text)
	for len(s.unread) > 1 && s.size-len(s.unread[0]) >= pipeSize {
		s.size -= len(s.unread[0])
		s.unread = s.unread[1:]
	}
	return nil
}

func (s *programSink) start() error {
	alive, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(alive, s.cmd.Args[0], s.cmd.Args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = s.cmd.Stdout, s.cmd.Stderr, s.cmd.Dir, s.cmd.Env
	const grace = time.Second
	cmd.WaitDelay = grace // for children that hold its output
	stdin, err := cmd.StdinPipe()
	if err != nil {
		kill()
		return err
	}

	r := &running{stdin: stdin, done: make(chan struct{}), kill: kill}
	started := make(chan error)
	go r.run(cmd, started)
	if err := <-started; err != nil {
		kill()
		return err
	}
	s.running = r
	return nil
}

// run starts the program and waits until it has ended. It keeps its thread until then: on Linux the program
// ends with the thread that started it.
func (r *running) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := startWithUs(cmd)
	started <- err
	if err != nil {
		return
	}
	r.err = cmd.Wait()
	close(r.done)
}

// wait waits until the batch is written. A program that reads slowly is given time: the
// next try waits on. One that has ended may have left unread what the pipe took.
func (s *programSink) wait(ctx context.Context) error {
	r := s.running
	var err error
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s does not read its input: %w", s.cmd.Args[0], ctx.Err())
	case err = <-r.writing:
		r.writing = nil
	}

	select {
	case <-r.done:
	default:
		if err == nil {
			return nil
		}
	}

	// It has ended or closed its input.
	s.running = nil
	r.kill()
	<-r.done
	return fmt.Errorf("%s has ended: %w", s.cmd.Args[0], endOf(r.err))
}

// endOf says how a program ended.
func endOf(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// Close implements Sink.
func (s *programSink) Close(ctx context.Context) error {
	r := s.running
	if r == nil {
		return nil
	}

	var err error
	taken := r.writing == nil
	if taken {
		err = r.stdin.Close()
	} else {
		r.kill()
	}

	stop := context.AfterFunc(ctx, r.kill)
	defer stop()
	<-r.done
	r.kill()

	switch {
	case !taken:
		return fmt.Errorf("%s was ended, as it did not read its last input", s.cmd.Args[0])
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end with its input: %w", s.cmd.Args[0], ctx.Err())
	case r.err != nil:
		return fmt.Errorf("%s has ended: %w", s.cmd.Args[0], r.err)
	}
	return err
}
