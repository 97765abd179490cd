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

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/server/internal/webconfig"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// Options configure Run.
type Options struct {
	// Load returns the configuration at the start and at each reload. In Web only Lifecycle can be
	// reloaded; other changes are logged and require a restart.
	Load func(context.Context) (Config, error)
	// Open opens a source by its URL; nil is source.Open.
	Open func(ctx context.Context, url string) (winperf.Source, error)
	// Explain returns for each path the reason why it matches nothing in the source, or "", or nil if the
	// source cannot list its contents. It is used for warnings and must obey ctx. nil disables the
	// warnings.
	Explain func(ctx context.Context, src winperf.Source, paths []winperf.Path) []string
	// Reload is received from to reload the configuration; nil never reloads.
	Reload <-chan struct{}
	// Version of the program, for winperf_build_info and the index page.
	Version string
	// Log receives messages; nil discards them. NewLog, if not nil, returns the log for the configuration at
	// the start instead.
	Log    *slog.Logger
	NewLog func(Log) *slog.Logger
	// Listening, if not nil, is called once with the URLs of the metrics when the server is reachable.
	// responds returns as soon as a scrape could be answered, or an error when ctx ends before.
	Listening func(ctx context.Context, urls []string, responds func(context.Context) error)

	// View, if not nil, also serves a page that shows the source.
	View *View

	timeouts timeouts // zero means the defaults
}

type server struct {
	opt     Options
	base    context.Context // of background work; ends with the server
	log     *slog.Logger    // for events that clients can cause
	loading sync.Mutex      // one reload at a time
	closing sync.WaitGroup  // waits for replaced configurations

	about about // metrics

	mu   sync.Mutex
	live *running

	push *pushes // of live; nil if restarting failed

	view  *view.View   // nil without a page
	shown [2]string    // source and language of the page, as at the start
	page  http.Handler // nil without a page

	web     Web // as at the start
	logging Log // as at the start
}

type running struct {
	config   Config
	exporter *serve.Exporter
	source   winperf.Source
	users    sync.WaitGroup // scrapes that use it
}

func (r *running) close() error { return errors.Join(r.exporter.Close(), r.source.Close()) }

// last returns the exporter in use, or nil before the first one.
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

func (s *server) responds(ctx context.Context) error {
	live := s.use()
	defer live.users.Done()
	return live.exporter.Responds(ctx)
}

func (o Options) withDefaults() Options {
	if o.Open == nil {
		o.Open = source.Open
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.timeouts == (timeouts{}) {
		o.timeouts = defaultTimeouts()
	}
	return o
}

// Run serves metrics until ctx ends, and completes pending answers. It returns an error if it cannot start
// or has to end: an invalid configuration, an unusable source, an address in use.
func Run(ctx context.Context, opt Options) (err error) {
	s := &server{opt: opt.withDefaults(), base: ctx}
	s.log = seldom(s.opt.Log)
	s.about.reloaded(nil)
	if s.live, err = s.load(ctx); err != nil {
		return err
	}
	defer func() {
		s.loading.Lock() // a pending reload may replace it
		defer s.loading.Unlock()
		s.live.users.Wait()
		err = errors.Join(err, s.push.stop())
		endSeries(context.WithoutCancel(ctx), s.push.all(), s.log)
		err = errors.Join(err, s.live.close(), s.stopView())
		s.closing.Wait()
	}()

	if err := s.startPush(ctx, s.live, nil); err != nil {
		return err
	}
	if err := s.startView(ctx); err != nil {
		return err
	}
	how := s.live.config.Web
	s.logging = s.live.config.Log
	listeners, err := listen(ctx, &how, s.opt.timeouts.quiet)
	if err != nil {
		return err
	}
	return s.serve(ctx, listeners, &how)
}

func (s *server) load(ctx context.Context) (*running, error) {
	config, err := s.opt.Load(ctx)
	if err != nil {
		return nil, err
	}
	if err := config.Check(); err != nil {
		return nil, err
	}
	if s.opt.NewLog != nil && s.last() == nil {
		s.opt.Log = s.opt.NewLog(config.Log)
		s.log = seldom(s.opt.Log)
	}
	for _, p := range config.collectorProblems() {
		config.notes = append(config.notes, config.wrong(p))
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

func (s *server) reload(ctx context.Context, log *slog.Logger) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	old := s.live // only a reload replaces it
	next, err := s.load(ctx)
	if err == nil {
		err = s.pushInstead(ctx, old, next)
	}
	s.about.reloaded(err)
	if err != nil {
		log.Error("reload failed, the current configuration stays in use", "err", err)
		return err
	}

	s.continueCounters(ctx, old, next)
	s.mu.Lock()
	s.live = next
	s.mu.Unlock()
	log.Info("the configuration was reloaded")
	if late := s.restartKeys(&next.config); len(late) > 0 {
		log.Warn(lateNote(late))
	}
	s.warn(next)

	s.closing.Go(func() {
		old.users.Wait()
		if err := old.close(); err != nil {
			log.Warn("closing the resources of the old configuration", "err", err)
		}
	})
	return nil
}

// continueCounters continues counters extended over 2^32 in the next configuration with the same source.
func (s *server) continueCounters(ctx context.Context, old, next *running) {
	if old.config.Source != next.config.Source || next.source.Describe().Recorded {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, continueLimit) // a slow reader may hold the exporter
	defer cancel()
	if err := next.exporter.Continue(ctx, old.exporter); err != nil {
		s.log.Debug("some counters restart from zero", "err", err)
	}
}

const continueLimit = time.Second

// pushInstead replaces the pushes by the pushes of the next configuration. On errors it restarts the old ones
// and closes next.
func (s *server) pushInstead(ctx context.Context, old, next *running) error {
	// The old pushes must end to release their queues.
	last := s.push
	if err := last.stop(); err != nil {
		s.log.Warn("push", "err", err)
	}

	err := s.startPush(ctx, next, last)
	if err == nil {
		return nil
	}
	if again := s.startPush(ctx, old, last); again != nil {
		err = errors.Join(err, fmt.Errorf("pushing has stopped: %w", again))
	}
	return errors.Join(err, next.close())
}

// startPush starts the pushes of a configuration; last are the previous ones, or nil.
func (s *server) startPush(ctx context.Context, r *running, last *pushes) (err error) {
	s.push, err = startPush(context.WithoutCancel(ctx), r, s.opt.Version, s.opt.Log, last)
	s.about.pushes(s.push)
	return err
}

func (s *server) watchReload(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.opt.Reload:
			_ = s.reload(ctx, s.opt.Log) // reload logs the error
		}
	}
}

// serve answers on all listeners until ctx ends or a listener fails.
func (s *server) serve(ctx context.Context, listeners []net.Listener, how *Web) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	errs := make([]error, len(listeners))
	servers := make([]*http.Server, len(listeners))
	s.web = *how

	for i, l := range listeners {
		servers[i] = s.httpServer()
		wait.Go(func() {
			defer cancel()
			err := webconfig.Serve(l, servers[i], how.ConfigFile, s.log)
			if !errors.Is(err, http.ErrServerClosed) {
				errs[i] = err
			}
		})
	}
	where := urls(listeners, how)
	for _, url := range where {
		s.opt.Log.Info("serving metrics", "url", url)
	}
	if s.opt.Listening != nil {
		s.opt.Listening(ctx, where, s.responds)
	}

	first := s.use()
	s.warn(first)
	first.users.Done()
	wait.Go(func() { s.watchReload(ctx) })
	<-ctx.Done()
	shutdown(servers, s.opt.timeouts.shutdown)
	for _, l := range listeners {
		_ = l.Close() // left open by a server that could not start
	}
	wait.Wait()
	return errors.Join(errs...)
}

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
