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

// pushes are what sends samples to the targets of the configuration in use.
type pushes struct {
	list   []*push.Pusher
	keys   []string      // of each: its name and its queue
	before []push.Stats  // of each: what was counted before the configuration was reloaded
	rows   *metrics.Rows // a row for each, of the metrics about them
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// startPush begins to send, and counts on what last, which has ended, has counted. The error says why a
// target cannot be sent to, and its queue not used; then nothing is sent.
func startPush(
	ctx context.Context, r *running, version string, log *slog.Logger, last *pushes,
) (*pushes, error) {
	p := &pushes{}
	ctx, p.cancel = context.WithCancel(ctx)
	var names []string
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
	}

	p.rows = targetRows(names)
	for _, pusher := range p.list {
		p.wait.Go(func() { pusher.Run(ctx) })
	}
	return p, nil
}

// targetRows returns a row for each target.
func targetRows(names []string) *metrics.Rows {
	var labels [][]metrics.Label
	for _, name := range names {
		labels = append(labels, []metrics.Label{{Name: "target", Value: name}})
	}
	return metrics.NewRows(labels, nil)
}

// counted is what was counted of a target, nothing where it is a new one.
func (p *pushes) counted(key string) push.Stats {
	if p != nil {
		if i := slices.Index(p.keys, key); i >= 0 {
			return p.stats(i)
		}
	}
	return push.Stats{}
}

func (p *pushes) stats(i int) push.Stats { return p.list[i].Stats().After(&p.before[i]) }

// stop ends sending. What is not sent stays in the queues.
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

// pusher returns what sends to a target of the configuration.
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
		Sender: push.SenderOptions{Version: version, Tell: func(err error) { log.Warn(err.Error()) }},
		Source: r.source, Selection: r.config.Selection(), Interval: t.Interval,
		NewMapper: func() push.Mapper { return metrics.NewMapper(mapping) },
		Dir:       dir, Queue: queue.Options{MaxBytes: int64(t.Queue.MaxBytes), MaxAge: t.Queue.MaxAge},
	})
}

// target is a target of the configuration, that is told whose samples it gets.
func (r *running) target(target int, version string) push.Target {
	to := r.config.Push[target].target(thismachine.Name(r.source.Describe()), version)
	to.Number = r.config.numberOf(target)
	return to
}

// numberOf is the number of a target among those before it whose names look the same, from 1: tenants of one
// receiver, or passwords, which are not shown.
func (c *Config) numberOf(target int) (n int) {
	is := c.Push[target].target("", "")
	for i := range c.Push[:target+1] {
		if to := c.Push[i].target("", ""); to.Name() == is.Name() {
			n++
		}
	}
	return n
}

// target is the target as it is asked.
func (t *Target) target(machine, version string) push.Target {
	to := push.Target{
		URL: t.URL, Headers: t.Headers, PasswordFile: t.PasswordFile, BearerFile: t.BearerFile,
		TLS: push.TLS(t.TLS), UserAgent: "winperf/" + cmp.Or(version, "unknown"),
	}
	to.Labels, to.Resource = push.Identity(machine, runtime.GOOS, version)
	to.AddLabels(t.Labels)
	return to
}

// directory is where the queue is: where the configuration says, or below the directory that
// systemd gives a service, or else that of the user's caches, by the address of the target.
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

// families returns the metrics about what is sent.
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

// pushMetrics are the metrics about a target.
var pushMetrics = []struct {
	name  string
	kind  metrics.Type
	unit  string
	form  metrics.Form
	help  string
	value func(*push.Stats, time.Time) uint64
}{
	{
		"winperf_push_samples_sent_total", metrics.Counter, "", metrics.Whole, "Values that the target took.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Sent },
	},
	{
		"winperf_push_samples_refused_total", metrics.Counter, "", metrics.Whole, "Values that it never will take.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Refused },
	},
	{
		"winperf_push_requests_total", metrics.Counter, "", metrics.Whole, "Requests that it answered.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Requests },
	},
	{
		"winperf_push_retries_total", metrics.Counter, "", metrics.Whole, "Requests that are sent again, whole or in parts.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Retries },
	},
	{
		"winperf_push_dropped_total", metrics.Counter, "", metrics.Whole,
		"Samples of the source that were never sent: the queue was full, or they were too old or unreadable.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Queued.Dropped + s.Lost },
	},
	{
		"winperf_push_measure_failures_total", metrics.Counter, "", metrics.Whole,
		"Samples that could not be taken, or not be kept.",
		func(s *push.Stats, _ time.Time) uint64 { return s.MeasureErrors },
	},
	{
		"winperf_push_queue_bytes", metrics.Gauge, "bytes", metrics.Whole, "Length of the queue on disk.",
		func(s *push.Stats, _ time.Time) uint64 { return uint64(s.Queued.Bytes) },
	},
	{
		"winperf_push_queue_samples", metrics.Gauge, "", metrics.Whole, "Samples of the source that wait in it.",
		func(s *push.Stats, _ time.Time) uint64 { return uint64(s.Queued.Items) },
	},
	{
		"winperf_push_queue_age_seconds", metrics.Gauge, "seconds", metrics.Ticks100ns,
		"About the age of the oldest of them.",
		func(s *push.Stats, now time.Time) uint64 { return since(s.Queued.Oldest, now) },
	},
	{
		"winperf_push_unwritten_total", metrics.Counter, "", metrics.Whole,
		"Samples of the source that the disk did not take at first, so that only memory had them.",
		func(s *push.Stats, _ time.Time) uint64 { return s.Queued.Unwritten },
	},
	{
		"winperf_push_unwritten_bytes", metrics.Gauge, "bytes", metrics.Whole,
		"Length of what the disk has not taken yet.",
		func(s *push.Stats, _ time.Time) uint64 { return uint64(s.Queued.Memory) },
	},
	{
		"winperf_push_failing_seconds", metrics.Gauge, "seconds", metrics.Ticks100ns,
		"For how long requests have failed; 0 while they do not.",
		func(s *push.Stats, now time.Time) uint64 { return since(s.Failing, now) },
	},
}

// since is how long ago a time was, in 100 ns; 0 for the zero time.
func since(t, now time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(max(now.Sub(t), 0) / 100)
}
