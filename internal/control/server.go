package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/source"
)

// Options say how a program listens. The zero value lets this user attach experiments to
// the events of the process, with the counters of this machine.
type Options struct {
	// Name is the program's; "" is the name of its file.
	Name string
	// Program is where events of code come from; nil is experiment.Process.
	Program *experiment.Program
	// Sources are what can be measured; nil is this machine, which is opened when it is
	// needed for the first time.
	Sources []sensor.Origin
	// Dir is the directory of the socket, "" that of Dir. It is made where it is not there;
	// no other user may write to it.
	Dir string
	// Users are the ids of others who may connect, too, where Dir lets them. They may do
	// everything but name sinks: those would act with the rights of this program. On
	// Windows the rights of Dir decide, and Users must be empty.
	Users []int
	// Clients is how many may be connected at a time; 0 means 16.
	Clients int
	// Spill is where the records of experiments with the policy "spill" go that find no room in
	// memory; nil refuses that policy. What a run left there that was killed the program gets
	// by delivery.Recover.
	Spill *delivery.Disk
	// Grace is how long records may be on their way when an experiment ends; 0 means 5 s.
	Grace time.Duration
}

// Server is a program that listens.
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
// Experiments that were attached end then, too. The error wraps os.ErrExist where the
// program listens already.
func Listen(ctx context.Context, o Options) (*Server, error) {
	if o.Program == nil {
		o.Program = experiment.Process()
	}
	if o.Name == "" {
		o.Name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	o.Clients, o.Grace = cmp.Or(o.Clients, 16), cmp.Or(o.Grace, 5*time.Second)
	if o.Dir == "" {
		var err error
		if o.Dir, err = Dir(); err != nil {
			return nil, err
		}
	}

	listener, err := listen(&o)
	if err != nil {
		return nil, err
	}
	s := &Server{opt: o, path: listener.Addr().String(), listener: listener, done: make(chan struct{})}
	s.conns = make(map[*conn]struct{})
	s.sources.origins = o.Sources
	s.ctx, s.stop = context.WithCancel(ctx)
	go s.run()
	return s, nil
}

// maxPath is what all systems allow (sockaddr_un of macOS, without the NUL).
const maxPath = 103

// listen makes the socket.
func listen(o *Options) (*net.UnixListener, error) {
	if err := makeDir(o); err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, socketName(o.Name, os.Getpid()))
	if len(path) > maxPath {
		const form = "%s: a socket's path has at most %d bytes; %s names a shorter directory"
		return nil, fmt.Errorf(form, path, maxPath, Environment)
	}

	address := &net.UnixAddr{Name: path, Net: "unix"}
	l, err := net.ListenUnix("unix", address)
	if err != nil {
		conn, dialErr := net.DialUnix("unix", nil, address)
		switch {
		case dialErr == nil:
			err = fmt.Errorf("%s: %w: this program listens already", path, os.ErrExist)
			return nil, errors.Join(err, conn.Close())
		case !isRefused(dialErr):
			return nil, err
		}

		// A program of the same id left it behind, unless it is no socket at all.
		info, statErr := os.Lstat(path)
		if statErr != nil || !isSocket(info.Mode()) || os.Remove(path) != nil {
			return nil, err
		}
		if l, err = net.ListenUnix("unix", address); err != nil {
			return nil, err
		}
	}

	mode := os.FileMode(0o600)
	if len(o.Users) > 0 {
		mode = 0o666 // the kernel tells who connects
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func makeDir(o *Options) error {
	mode := os.FileMode(0o700)
	if len(o.Users) > 0 {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(o.Dir, mode); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return checkDir(o.Dir)
}

// Path is the socket's.
func (s *Server) Path() string { return s.path }

// Close ends listening, all connections and all experiments that were attached, and waits
// for their records, for Options.Grace at most. Closing again does nothing.
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

	var refusal *Error
	switch {
	case err != nil:
		refusal = failure("forbidden", "who you are is not known: %v", err)
	case !own && !slices.Contains(s.opt.Users, uid):
		refusal = failure("forbidden", "this program listens to its own user only, and not to the user %d", uid)
	case !s.enter(client):
		refusal = failure("busy", "%d clients are connected already; try again later", s.opt.Clients)
	}
	if refusal != nil {
		_ = client.answer(answer{Error: refusal}) // who does not read it knows enough
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
