// Package control lets experiments in a running program be listed, attached, paused,
// changed and ended from outside, by programs of the same user, over a local socket.
//
// A Go program takes part with one call:
//
//	server, err := control.Listen(ctx, control.Options{})
//
// From then on winperf experiment list shows it, and winperf experiment attach binds
// sensors to the events that the program emits (experiment.Event, experiment.Region).
// docs/experiments.md has the protocol: lines of JSON in both directions.
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

// Options for Listen. The zero Options let this user attach experiments to the events of the
// process, with the counters of this machine.
type Options struct {
	// Name is the name of the program; "" is the name of its file.
	Name string
	// Program is the origin of events of code; nil is experiment.Process.
	Program *experiment.Program
	// Sources are the sources that experiments can measure; nil is this machine, which is opened
	// when it is needed for the first time.
	Sources []sensor.Origin
	// Dir is the directory of the socket; "" is the directory in which winperf experiment looks for
	// programs. It is made if it is missing; no other user may write to it.
	Dir string
	// Users are the ids of other users who may connect, if Dir lets them. They may do everything but
	// name sinks, which would act with the rights of this program. On Windows the rights of Dir
	// decide, and Users must be empty.
	Users []int
	// Clients is the number of clients that may be connected at a time; 0 means 16.
	Clients int
	// Spill is where records of experiments with the policy "spill" are written that find no room in
	// memory; nil refuses that policy. delivery.Recover delivers the records that a killed run left.
	Spill *delivery.Disk
	// Grace is how long records may be on their way when an experiment ends; 0 means 5 s.
	Grace time.Duration
}

// Server is a program that experiments can be attached to.
type Server struct {
	opt      Options
	path     string
	listener *net.UnixListener
	ctx      context.Context // of listening
	stop     context.CancelFunc
	clients  sync.WaitGroup
	done     chan struct{} // is closed when all has ended

	mu          sync.Mutex
	conns       map[*conn]struct{}
	experiments []*attached
	attaching   []string // names of experiments that are being attached
	next        uint64   // number of the last client; run's own

	sources sourcesOnce
}

// Listen lets experiments be attached to this program, until ctx ends or Close is called.
// Attached experiments end then, too. The error wraps os.ErrExist where the program listens
// already.
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

// Close ends all attached experiments, waits until their records are delivered, for Grace at
// most, and stops listening. Closing again does nothing.
func (s *Server) Close() error {
	s.stop()
	<-s.done
	return nil
}

func (s *Server) run() {
	defer close(s.done)
	stop := context.AfterFunc(s.ctx, func() { _ = s.listener.Close() }) // which ends Accept
	defer stop()
	const pause = 50 * time.Millisecond
	ctx, leave := context.WithCancel(context.Background())
	for s.ctx.Err() == nil {
		c, err := s.listener.AcceptUnix()
		if err != nil {
			retry.Sleep(s.ctx, pause) // descriptors may be short
			continue
		}
		s.accept(ctx, c)
	}
	_ = s.listener.Close() // the end may be seen here before who closes it has begun

	// Clients get the last records before they are left. What one attaches meanwhile ends, too.
	s.endAll()
	leave()
	s.clients.Wait()
	s.endAll()
	s.sources.close()
}

// accept serves a client until ctx ends, or says why not.
func (s *Server) accept(ctx context.Context, c *net.UnixConn) {
	uid, pid, err := peer(c)
	own := uid == os.Geteuid()
	s.next++
	client := newConn(s, c, s.next, own, describePeer(uid, pid))

	var refusal *protocol.Error
	switch {
	case err != nil:
		refusal = protocol.Errorf("forbidden", "who you are is not known: %v", err)
	case !own && !slices.Contains(s.opt.Users, uid):
		refusal = protocol.Errorf("forbidden", "this program listens to its own user only, and not to the user %d", uid)
	case !s.enter(client):
		refusal = protocol.Errorf("busy", "%d clients are connected already; try again later", s.opt.Clients)
	}
	if refusal != nil {
		_ = client.answer(protocol.Answer{Error: refusal}) // the connection is closed in any case
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

// enter takes a client, if there is room for it.
func (s *Server) enter(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.opt.Clients {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

// receivers are the clients that get the records of an experiment.
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

// sourcesOnce are the sources of a server.
type sourcesOnce struct {
	mu      sync.Mutex
	origins []sensor.Origin
	opened  winperf.Source // what is to be closed; nil: nothing
}

// get returns the sources. This machine is opened where there are none.
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
		_ = o.opened.Close() // all measurements have ended
	}
}
