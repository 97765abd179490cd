package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/sink/metrics"
)

type pushes struct {
	list   []*push.Pusher
	keys   []string      // name and queue of each target
	before []push.Stats  // statistics of each target before the last reload
	rows   *metrics.Rows // a row for each target in the metrics
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// startPush starts sending, and continues the statistics of last, which has ended. If a target or its
// queue is unusable, it returns an error and nothing is sent.
func startPush(
	ctx context.Context, r *running, version string, log *slog.Logger, last *pushes,
) (*pushes, error) {
	p := &pushes{}
	ctx, p.cancel = context.WithCancel(ctx)
	var names []string
	ended := last.all()
	for i := range r.config.Push {
		pusher, err := r.pusher(i, version, log)
		if err != nil {
			return nil, errors.Join(err, p.stop())
		}
		key := pusher.Name() + "\n" + pusher.Dir()
		p.list = append(p.list, pusher)
		p.keys = append(p.keys, key)
		p.before = append(p.before, last.counted(key))
		names = append(names, pusher.Name())
		if before := last.of(key); before != nil && pusher.Continue(before) {
			ended = slices.DeleteFunc(ended, func(p *push.Pusher) bool { return p == before })
		}
	}

	p.rows = targetRows(names)
	for _, pusher := range p.list {
		p.wait.Go(func() { pusher.Run(ctx) })
	}
	p.wait.Go(func() { endSeries(ctx, ended, log) })
	return p, nil
}

func targetRows(names []string) *metrics.Rows {
	var labels [][]metrics.Label
	for _, name := range names {
		labels = append(labels, []metrics.Label{{Name: "target", Value: name}})
	}
	return metrics.NewRows(labels, nil)
}

func (p *pushes) all() []*push.Pusher {
	if p == nil {
		return nil
	}
	return slices.Clone(p.list)
}

// of returns the pusher of a target, nil for a new one.
func (p *pushes) of(key string) *push.Pusher {
	if p != nil {
		if i := slices.Index(p.keys, key); i >= 0 {
			return p.list[i]
		}
	}
	return nil
}

// endLimit is the longest time for marking series as ended.
const endLimit = 5 * time.Second

// endSeries marks the series of stopped pushers as ended at their receivers.
func endSeries(ctx context.Context, ended []*push.Pusher, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, pusher := range ended {
		all.Go(func() {
			if err := pusher.End(ctx); err != nil {
				log.Warn("the series could not be marked as ended", "target", pusher.Name(), "err", err)
			}
		})
	}
	all.Wait()
}

// counted returns the statistics of a target, zero for a new one.
func (p *pushes) counted(key string) push.Stats {
	if p != nil {
		if i := slices.Index(p.keys, key); i >= 0 {
			return p.stats(i)
		}
	}
	return push.Stats{}
}

func (p *pushes) stats(i int) push.Stats { return p.list[i].Stats().After(&p.before[i]) }

func (p *pushes) stop() error {
	if p == nil {
		return nil
	}
	p.cancel()
	p.wait.Wait()
	var errs []error
	for _, pusher := range p.list {
		errs = append(errs, pusher.Close())
	}
	return errors.Join(errs...)
}

func (r *running) pusher(target int, version string, log *slog.Logger) (*push.Pusher, error) {
	t, to := &r.config.Push[target], r.target(target, version)
	if err := t.canSend(r.source.Describe()); err != nil {
		return nil, err
	}
	dir, err := t.directory()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", to.Name(), err)
	}

	mapping := r.exporter.Mapping()
	mapping.Names = t.Names
	return push.New(push.Options{
		Target: to,
		Sender: push.SenderOptions{Version: version, Report: func(err error) { log.Warn(err.Error()) }},
		Source: r.source, Selection: r.exporter.Selection(), Interval: t.Interval,
		Program:   r.exporter,
		NewMapper: func() push.Mapper { return metrics.NewMapper(mapping) },
		Dir:       dir, Queue: queue.Options{MaxBytes: int64(t.Queue.MaxBytes), MaxAge: t.Queue.MaxAge},
	})
}

func (r *running) target(target int, version string) push.Target {
	to := r.config.Push[target].target(thismachine.Name(r.source.Describe()), version)
	to.Number = r.config.numberOf(target)
	return to
}

// numberOf returns the number, from 1, of a target among targets with the same displayed name. They can
// differ in tenants or hidden passwords.
func (c *Config) numberOf(target int) (n int) {
	is := c.Push[target].target("", "")
	for i := range c.Push[:target+1] {
		if to := c.Push[i].target("", ""); to.Name() == is.Name() {
			n++
		}
	}
	return n
}

func (t *Target) target(machine, version string) push.Target {
	to := push.Target{
		URL: t.URL, Headers: t.Headers, PasswordFile: t.PasswordFile, BearerFile: t.BearerFile,
		TLS: push.TLS(t.TLS), UserAgent: "winperf/" + cmp.Or(version, "unknown"),
	}
	to.Labels, to.Resource = push.Identity(machine, runtime.GOOS, version)
	to.AddLabels(t.Labels)
	return to
}

// directory returns the directory of the queue: the configured one, or a directory named after the URL
// below systemd's state directory or the user's cache directory.
func (t *Target) directory() (string, error) {
	if t.Queue.Dir != "" {
		return t.Queue.Dir, nil
	}
	dir, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("the queue needs a directory: %w", err)
		}
		dir = filepath.Join(cache, "winperf")
	}
	to := t.target("", "")
	sum := sha256.Sum256([]byte(to.Name()))
	return filepath.Join(dir, "push", hex.EncodeToString(sum[:8])), nil
}

func (p *pushes) families(now time.Time) (list []metrics.Family) {
	var stats []push.Stats
	rows := targetRows(nil)
	if p != nil {
		rows = p.rows
		for i := range p.list {
			stats = append(stats, p.stats(i))
		}
	}

	for _, m := range pushMetrics {
		c := metrics.Column{Rows: rows, Form: m.form}
		for i := range stats {
			c.Bits = append(c.Bits, m.value(&stats[i], now))
		}
		list = append(list, metrics.Family{
			Name: m.name, Type: m.kind, Unit: m.unit, Help: m.help, Columns: []metrics.Column{c},
		})
	}
	return list
}

var pushMetrics = []struct {
	name  string
	kind  metrics.Type
	unit  string
	form  metrics.Form
	help  string
	value func(*push.Stats, time.Time) uint64
}{
	{
		"winperf_push_samples_sent_total", metrics.Counter, "", metrics.Whole, "Values that the receiver accepted.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Sent },
	},
	{
		"winperf_push_samples_refused_total", metrics.Counter, "", metrics.Whole,
		"Values that the receiver refused for good.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Refused },
	},
	{
		"winperf_push_requests_total", metrics.Counter, "", metrics.Whole, "Requests that the receiver answered.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Requests },
	},
	{
		"winperf_push_retries_total", metrics.Counter, "", metrics.Whole,
		"Requests that were sent again, completely or in parts.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Retries },
	},
	{
		"winperf_push_dropped_total", metrics.Counter, "", metrics.Whole,
		"Samples of the source that were dropped: the queue was full, or they were too old or unreadable.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Queued.Dropped + s.Lost },
	},
	{
		"winperf_push_measure_failures_total", metrics.Counter, "", metrics.Whole,
		"Samples that could not be taken or queued.",
		func(s *push.Stats, _ time.Time) uint64 { return s.MeasureErrors },
	},
	{
		"winperf_push_queue_bytes", metrics.Gauge, "bytes", metrics.Whole, "Size of the queue on disk.",
		func(s *push.Stats, _ time.Time) uint64 { return uint64(s.Queued.Bytes) },
	},
	{
		"winperf_push_queue_samples", metrics.Gauge, "", metrics.Whole, "Samples of the source in the queue.",
		func(s *push.Stats, _ time.Time) uint64 { return uint64(s.Queued.Items) },
	},
	{
		"winperf_push_queue_age_seconds", metrics.Gauge, "seconds", metrics.Ticks100ns,
		"Approximate age of the oldest sample in the queue.",
		func(s *push.Stats, now time.Time) uint64 { return since(s.Queued.Oldest, now) },
	},
	{
		"winperf_push_unwritten_total", metrics.Counter, "", metrics.Whole,
		"Samples of the source that could not be written to disk at first and were kept in memory.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Queued.Unwritten },
	},
	{
		"winperf_push_unwritten_bytes", metrics.Gauge, "bytes", metrics.Whole,
		"Size of the samples not yet written to disk.",
		func(s *push.Stats, _ time.Time) uint64 { return uint64(s.Queued.Memory) },
	},
	{
		"winperf_push_failing_seconds", metrics.Gauge, "seconds", metrics.Ticks100ns,
		"Time since requests began to fail; 0 if they succeed.",
		func(s *push.Stats, now time.Time) uint64 { return since(s.Failing, now) },
	},
}

// since returns the time since t in 100 ns; 0 for the zero time.
func since(t, now time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(now.Sub(t), 0) / 100)
}
