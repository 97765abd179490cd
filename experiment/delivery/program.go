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

// NewProgram returns a sink that writes records, one line of JSON each, to the standard input of a
// program. The first batch starts it, with Args, Env, Dir, Stdout and Stderr of cmd; other fields are
// ignored. A program that ends is restarted with the next try. It first gets the data that the previous
// one may not have read: the last 64 KiB, the size of a pipe, and at least the last batch. Close closes
// its input and waits for its end. If this process is killed, the program ends, too: on Linux it gets
// SIGTERM, on Windows it is ended with its child processes, and on macOS its input ends.
func NewProgram(cmd *exec.Cmd) (Sink, error) {
	if len(cmd.Args) == 0 || cmd.Args[0] == "" {
		return nil, fmt.Errorf("the program has no name: %w", winperf.ErrNotSupported)
	}
	return &programSink{cmd: cmd}, nil
}

// pipeSize is the largest amount of unread data in a pipe.
const pipeSize = 64 << 10

type programSink struct {
	cmd     *exec.Cmd
	running *running
	unread  [][]byte // the last data, at least pipeSize bytes, oldest first
	size    int
}

type running struct {
	stdin   io.WriteCloser
	done    chan struct{}
	err     error
	kill    context.CancelFunc
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

	if r := s.running; r.writing == nil { // otherwise this batch is already being written
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
	cmd.WaitDelay = grace // for child processes that hold its output open
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

// run starts the program and waits for its end. It locks its thread: on Linux the program ends with the
// thread that started it.
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

	s.running = nil
	r.kill()
	<-r.done
	return fmt.Errorf("%s has ended: %w", s.cmd.Args[0], endOf(r.err))
}

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
		return fmt.Errorf("%s was killed because it did not read its last input", s.cmd.Args[0])
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end with its input: %w", s.cmd.Args[0], ctx.Err())
	case r.err != nil:
		return fmt.Errorf("%s has ended: %w", s.cmd.Args[0], r.err)
	}
	return err
}
