package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/source"
)

// Options for Run.
type Options struct {
	// Load returns the configuration: when the server begins and at every reload. Of what it
	// says in Web only Lifecycle can be reloaded; of other changes the log says that they need a restart.
	Load func(context.Context) (Config, error)
	// Open opens a source by its URL; nil is source.Open.
	Open func(ctx context.Context, url string) (winperf.Source, error)
	// Explain tells of each path why it matches nothing that a source has now, "" where it matches
	// something; nil where the source does not tell. It is used for warnings, and obeys ctx; nil gives none.
	Explain func(ctx context.Context, src winperf.Source, paths []winperf.Path) []string
	// Reload is received from when the configuration is to be loaded again; nil is never.
	Reload <-chan struct{}
	// Version of the program, for winperf_build_info and the index page.
	Version string
	// Log is told what the server does; nil is nobody.
	Log *slog.Logger
	// Listening, if not nil, is called once with the URLs of the metrics when the server can be reached.
	Listening func(urls []string)

	patience patience // zero is the default
}

// server is a running server.
type server struct {
	opt     Options
	base    context.Context // of what is done beside serving, which ends with it
	log     *slog.Logger    // of what clients can cause
	loading sync.Mutex      // one reload at a time
	closing sync.WaitGroup  // configurations that were replaced

	about about // metrics

	mu   sync.Mutex
	live *running

	push *pushes // of live; nil where that could not be begun again

	web Web // in use since the start
}

// running is a configuration in use.
type running struct {
	config   Config
	exporter *serve.Exporter
	source   winperf.Source
	users    sync.WaitGroup // scrapes that began with it
}

func (r *running) close() error { return errors.Join(r.exporter.Close(), r.source.Close()) }

// last returns the exporter in use, nil before the first one.
func (s *server) last() *serve.Exporter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return nil
	}
	return s.live.exporter
}

// use returns the configuration in use, which stays open until its users are done.
func (s *server) use() *running {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live.users.Add(1)
	return s.live
}

func (o Options) withDefaults() Options {
	if o.Open == nil {
		o.Open = source.Open
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.patience == (patience{}) {
		o.patience = defaultPatience()
	}
	return o
}

// Run serves metrics until ctx ends, and completes answers that are under way. The error says
// why it cannot begin, or why it had to end: a wrong configuration, a source that cannot be
// opened, an address in use.
func Run(ctx context.Context, opt Options) (err error) {
	s := &server{opt: opt.withDefaults(), base: ctx}
	s.log = seldom(s.opt.Log)
	s.about.reloaded(nil)
	if s.live, err = s.load(ctx); err != nil {
		return err
	}
	defer func() {
		s.loading.Lock() // a reload that is under way may put another one in its place
		defer s.loading.Unlock()
		s.live.users.Wait()
		err = errors.Join(err, s.push.stop(), s.live.close())
		s.closing.Wait()
	}()

	if err := s.startPush(ctx, s.live, nil); err != nil {
		return err
	}
	how := s.live.config.Web
	listeners, err := listen(ctx, &how, s.opt.patience.quiet)
	if err != nil {
		return err
	}
	return s.serve(ctx, listeners, &how)
}

// load loads the configuration and opens what it says.
func (s *server) load(ctx context.Context) (*running, error) {
	config, err := s.opt.Load(ctx)
	if err != nil {
		return nil, err
	}
	if err := config.Check(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	src, err := s.openSource(ctx, &config)
	if err != nil {
		return nil, err
	}

	exporter, err := serve.New(ctx, src, serve.Options{
		Config: config.Config, Version: s.opt.Version, Log: s.log, Last: s.last(), More: s.about.families,
	})
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return &running{config: config, exporter: exporter, source: src}, nil
}

// reload loads the configuration again. The one in use stays where the new one is wrong. log is the log of
// the caller.
func (s *server) reload(ctx context.Context, log *slog.Logger) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	old := s.live // which only a reload replaces
	next, err := s.load(ctx)
	if err == nil {
		err = s.pushInstead(ctx, old, next)
	}
	s.about.reloaded(err)
	if err != nil {
		log.Error("the configuration was not reloaded, the one in use stays", "err", err)
		return err
	}

	s.goOn(ctx, old, next)
	s.mu.Lock()
	s.live = next
	s.mu.Unlock()
	log.Info("the configuration was reloaded")
	if late := s.web.otherThan(&next.config.Web); len(late) > 0 {
		log.Warn(lateNote(late))
	}
	s.warn(next)

	s.closing.Go(func() {
		old.users.Wait()
		if err := old.close(); err != nil {
			log.Warn("closing what the old configuration used", "err", err)
		}
	})
	return nil
}

// goOn has counters that winperf continues over 2^32 go on with the next configuration, where that has the
// same source.
func (s *server) goOn(ctx context.Context, old, next *running) {
	if old.config.Source != next.config.Source || next.source.Describe().Recorded {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, goOnLimit) // a slow reader may have the turn for long
	defer cancel()
	if err := next.exporter.Continue(ctx, old.exporter); err != nil {
		s.log.Debug("some counters begin anew", "err", err)
	}
}

// goOnLimit is how long is waited for the scrape that has the turn.
const goOnLimit = time.Second

// pushInstead sends what the next configuration says in place of the one in use. Where that
// cannot be, the one in use is sent on and the next one is closed.
func (s *server) pushInstead(ctx context.Context, old, next *running) error {
	// The queues of the old configuration are free when nothing is sent from them any more.
	last := s.push
	if err := last.stop(); err != nil {
		s.log.Warn("push", "err", err)
	}

	err := s.startPush(ctx, next, last)
	if err == nil {
		return nil
	}
	if again := s.startPush(ctx, old, last); again != nil {
		err = errors.Join(err, fmt.Errorf("nothing is sent any more: %w", again))
	}
	return errors.Join(err, next.close())
}

// startPush begins to send what a configuration says, after last, nil where nothing was sent before.
func (s *server) startPush(ctx context.Context, r *running, last *pushes) (err error) {
	s.push, err = startPush(context.WithoutCancel(ctx), r, s.opt.Version, s.opt.Log, last)
	s.about.pushes(s.push)
	return err
}

// watchReload reloads when the program was asked to.
func (s *server) watchReload(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.opt.Reload:
			_ = s.reload(ctx, s.opt.Log) // which has logged the error
		}
	}
}

// serve answers on all listeners until ctx ends or one of them fails.
func (s *server) serve(ctx context.Context, listeners []net.Listener, how *Web) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	errs := make([]error, len(listeners))
	servers := make([]*http.Server, len(listeners))
	flags := web.FlagConfig{WebConfigFile: &how.ConfigFile}
	s.web = *how

	for i, l := range listeners {
		servers[i] = s.httpServer()
		wait.Go(func() {
			defer cancel()
			err := web.Serve(l, servers[i], &flags, onlyWarnings(s.log))
			if !errors.Is(err, http.ErrServerClosed) {
				errs[i] = err
			}
		})
	}
	if s.opt.Listening != nil {
		s.opt.Listening(urls(listeners, how.ConfigFile))
	}

	first := s.use()
	s.warn(first)
	first.users.Done()
	wait.Go(func() { s.watchReload(ctx) })
	<-ctx.Done()
	shutdown(servers, s.opt.patience.shutdown)
	for _, l := range listeners {
		_ = l.Close() // which a server that could not begin has left open
	}
	wait.Wait()
	return errors.Join(errs...)
}

// shutdown ends servers. Answers that are under way may take so long to be completed.
func shutdown(servers []*http.Server, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var wait sync.WaitGroup
	for _, server := range servers {
		wait.Go(func() {
			if server.Shutdown(ctx) != nil {
				_ = server.Close()
			}
		})
	}
	wait.Wait()
}
