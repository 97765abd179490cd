// Package control lets other programs of the same user list, attach, pause, change and end experiments in
// a running program, over a local socket.
//
// A Go program enables this with one call:
//
//	server, err := control.Listen(ctx, control.Options{})
//
// Then winperf experiment list shows the program, and winperf experiment attach binds sensors to the
// events that it emits (experiment.Event, experiment.Region). docs/experiments.md describes the protocol:
// lines of JSON in both directions.
package control

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/source"
)

// Options for Listen. The zero value lets this user attach experiments to the events of the process, with
// the counters of this machine.
type Options struct {
	// Name is the name of the program; "" is the name of its file.
	Name string
	// Program is the origin of events of code; nil is experiment.Process.
	Program *experiment.Program
	// Sources are the sources that experiments can measure; nil is this machine, opened when first
	// needed.
	Sources []sensor.Origin
	// Dir is the directory of the socket; "" is the directory in which winperf experiment searches for
	// programs. It is created if missing; no other user may write to it.
	Dir string
	// Users are the ids of other users who may connect, if the rights of Dir allow it. They may do
	// everything except add sinks, which would use the rights of this program. On Windows the rights of
	// Dir control access, and Users must be empty.
	Users []int
	// Clients is the number of clients that may be connected at a time; 0 means 16.
	Clients int
	// Spill is the disk storage for records of experiments with the policy "spill"; nil refuses that
	// policy. delivery.Recover delivers records left by a killed run.
	Spill *delivery.Disk
	// Grace is the time for the delivery of the last records when an experiment ends; 0 means 5 s.
	Grace time.Duration
}

// Server lets clients attach experiments to this program.
type Server struct {
	opt      Options
	path     string
	listener *net.UnixListener
	ctx      context.Context
	stop     context.CancelFunc
	clients  sync.WaitGroup
	done     chan struct{}

	mu          sync.Mutex
	conns       map[*conn]struct{}
	experiments []*attached
	attaching   []string
	next        uint64 // number of the last client; only used by run

	sources sourcesOnce
}

// Listen lets clients attach experiments to this program, until ctx ends or Close is called. Attached
// experiments then end, too. The error wraps os.ErrExist where the program listens already.
func Listen(ctx context.Context, opt Options) (*Server, error) {
	if opt.Program == nil {
		opt.Program = experiment.Process()
	}
	if opt.Name == "" {
		opt.Name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	opt.Clients, opt.Grace = cmp.Or(opt.Clients, 16), cmp.Or(opt.Grace, 5*time.Second)
	if opt.Dir == "" {
		var err error
		if opt.Dir, err = protocol.Dir(); err != nil {
			return nil, err
		}
	}

	listener, err := protocol.ListenSocket(opt.Dir, opt.Name, len(opt.Users) > 0)
	if err != nil {
		return nil, err
	}
	s := &Server{opt: opt, path: listener.Addr().String(), listener: listener, done: make(chan struct{})}
	s.conns = make(map[*conn]struct{})
	s.sources.origins = opt.Sources
	s.ctx, s.stop = context.WithCancel(ctx)
	go s.run()
	return s, nil
}

// Path returns the path of the socket.
func (s *Server) Path() string { return s.path }

// Close ends all attached experiments, waits until their records are delivered, for Grace at most, and
// stops listening. Closing again does nothing.
func (s *Server) Close() error {
	s.stop()
	<-s.done
	return nil
}

func (s *Server) run() {
	defer close(s.done)
	stop := context.AfterFunc(s.ctx, func() { _ = s.listener.Close() })
	defer stop()
	const pause = 50 * time.Millisecond
	ctx, leave := context.WithCancel(context.Background())
	for s.ctx.Err() == nil {
		c, err := s.listener.AcceptUnix()
		if err != nil {
			retry.Sleep(s.ctx, pause) // file descriptors may be exhausted
			continue
		}
		s.accept(ctx, c)
	}
	_ = s.listener.Close()

	// Clients get the last records before they are disconnected. Experiments attached in the meantime
	// end, too.
	s.endAll()
	leave()
	s.clients.Wait()
	s.endAll()
	s.sources.close()
}

func (s *Server) accept(ctx context.Context, c *net.UnixConn) {
	uid, pid, err := peer(c)
	own := uid == os.Geteuid()
	s.next++
	client := newConn(s, c, s.next, own, describePeer(uid, pid))

	var refusal *protocol.Error
	switch {
	case err != nil:
		refusal = protocol.Errorf("forbidden", "cannot determine the user of this connection: %v", err)
	case !own && !slices.Contains(s.opt.Users, uid):
		refusal = protocol.Errorf("forbidden", "this program accepts only its own user, not user %d", uid)
	case !s.enter(client):
		refusal = protocol.Errorf("busy", "%d clients are connected already; try again later", s.opt.Clients)
	}
	if refusal != nil {
		_ = client.answer(protocol.Answer{Error: refusal})
		_ = c.Close()
		return
	}

	s.clients.Go(func() {
		client.serve(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, client)
	})
}

func (s *Server) enter(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.opt.Clients {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) receivers(a *attached) (all []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.gets(a) {
			all = append(all, c)
		}
	}
	return all
}

func describePeer(uid, pid int) string {
	if pid > 0 {
		return fmt.Sprintf("process %d of user %d", pid, uid)
	}
	return fmt.Sprintf("user %d", uid)
}

type sourcesOnce struct {
	mu      sync.Mutex
	origins []sensor.Origin
	opened  winperf.Source
}

func (o *sourcesOnce) get(ctx context.Context) ([]sensor.Origin, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.origins) > 0 {
		return o.origins, nil
	}
	src, err := source.Open(ctx, "local:")
	if err != nil {
		return nil, err
	}
	name := sensor.SourceName(nil)
	if schema, err := src.Schema(ctx); err == nil {
		name = sensor.SourceName(schema)
	}
	o.opened, o.origins = src, []sensor.Origin{{Name: name, Source: src}}
	return o.origins, nil
}

func (o *sourcesOnce) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.opened != nil {
		_ = o.opened.Close()
	}
}
