package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink/metrics"
	"golang.org/x/time/rate"
)

// Mapper makes metrics of samples, in the order of a query. A *[metrics.Mapper] is one.
type Mapper interface {
	Map(f frame.Frame, names *nametable.Names) (*metrics.Set, error)
}

// Options for a Pusher. Source, Selection, NewMapper and Dir are needed.
type Options struct {
	Target Target
	Sender SenderOptions
	// Source is what is measured. It stays open. It must have raw samples.
	Source    winperf.Source
	Selection winperf.Selection
	// Interval is the time between two samples; 0 means 15 s.
	Interval time.Duration
	// NewMapper returns a Mapper that knows nothing yet.
	NewMapper func() Mapper
	// Dir is the directory of the queue, of this target alone, and Queue bounds it.
	Dir   string
	Queue queue.Options
	// Clock says when samples are due, and how old those are that wait; nil is the system's.
	Clock measure.Clock
}

// Stats is what a Pusher has done since it was made, and what is left to do.
type Stats struct {
	Counts
	// Queued is what waits on disk, counted in samples of a source, each of which has many of
	// a target. Its Dropped are those that were never sent.
	Queued queue.Stats
	// Lost are samples that could not be read back, or made metrics of.
	Lost uint64
	// MeasureErrors are samples that could not be taken, or not be kept.
	MeasureErrors uint64
}

// After returns the stats of a Pusher that took the place of another one, whose counts are in them then.
func (s Stats) After(before *Stats) Stats {
	s.Sent += before.Sent
	s.Refused += before.Refused
	s.Requests += before.Requests
	s.Retries += before.Retries
	s.Queued.Dropped += before.Queued.Dropped
	s.Queued.Unwritten += before.Queued.Unwritten
	s.Lost += before.Lost
	s.MeasureErrors += before.MeasureErrors
	return s
}

// Pusher measures at an interval and sends what it measured.
type Pusher struct {
	opt    Options
	queue  *queue.Queue[winperf.Sample]
	reader *queue.Reader[winperf.Sample]
	more   chan struct{} // gets a value when samples were appended
	sender *Sender

	mu         sync.Mutex
	lost, errs uint64
	told       time.Time // that measuring failed

	damage rate.Sometimes // reports of damaged samples
}

// New opens the queue and returns a Pusher. The error says what is wrong with the target
// or the queue (queue.ErrInUse).
func New(opt Options) (*Pusher, error) {
	if opt.Source.Describe().Cooked {
		const form = "%s: %w: samples that are pushed are kept as raw values, and the source has none"
		return nil, fmt.Errorf(form, opt.Target.Name(), winperf.ErrNotSupported)
	}
	if opt.Interval <= 0 {
		opt.Interval = 15 * time.Second
	}
	if opt.Sender.Tell == nil {
		opt.Sender.Tell = func(error) {}
	}
	opt.Queue.Report, opt.Queue.Clock = opt.Sender.Tell, opt.Clock
	opt.Queue.Readers = []string{reader}

	sender, err := NewSender(opt.Target, opt.Sender)
	if err != nil {
		return nil, err
	}
	q, err := queue.OpenSamples(opt.Dir, opt.Queue)
	if err != nil {
		return nil, err
	}
	return &Pusher{
		opt: opt, queue: q, reader: q.Reader(reader), more: make(chan struct{}, 1),
		sender: sender, damage: rate.Sometimes{Interval: time.Minute},
	}, nil
}

// reader is the name of the only reader of the queue.
const reader = "target"

// Stats returns what was done. It may be called from any goroutine.
func (p *Pusher) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Counts: p.sender.Counts(), Queued: p.queue.Stats(), Lost: p.lost, MeasureErrors: p.errs}
}

// Name is the target as people may see it.
func (p *Pusher) Name() string { return p.opt.Target.Name() }

// Dir is the directory of the queue.
func (p *Pusher) Dir() string { return p.opt.Dir }

// Run measures and sends until ctx ends, which is no error. What is not sent by then stays in
// the queue for the next Run.
func (p *Pusher) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { p.measure(ctx) })
	all.Go(func() { p.send(ctx) })
	all.Wait()
}

// Close closes queue and connections. Run must have ended.
func (p *Pusher) Close() error {
	p.sender.Close()
	return p.queue.Close()
}

// measure puts samples into the queue. What fails is begun anew with the next interval.
func (p *Pusher) measure(ctx context.Context) {
	opt := measure.Options{Interval: p.opt.Interval, RawOnly: true, KeepFirst: true, Clock: p.opt.Clock}
	for ctx.Err() == nil {
		for cycle, err := range measure.Watch(ctx, p.opt.Source, p.opt.Selection, opt) {
			if err == nil {
				err = p.append(cycle.Sample)
			}
			if err != nil {
				p.measureFailed(err)
			}
		}
		if p.opt.Source.Describe().Recorded || !retry.Sleep(ctx, p.opt.Interval) {
			return
		}
	}
}

func (p *Pusher) append(s *winperf.Sample) error {
	err := p.queue.Append(s)
	select {
	case p.more <- struct{}{}:
	default:
	}
	return err
}

// measureFailed counts a sample that could not be taken or kept, and tells of it at most once a
// minute: a disk may be full for days.
func (p *Pusher) measureFailed(err error) {
	p.mu.Lock()
	p.errs++
	now := time.Now()
	tell := p.told.IsZero() || now.Sub(p.told) >= time.Minute
	if tell {
		p.told = now
	}
	p.mu.Unlock()

	if tell {
		p.opt.Sender.Tell(fmt.Errorf("%s: %w", p.opt.Target.Name(), err))
	}
}

// note counts and tells something that went wrong.
func (p *Pusher) note(count *uint64, err error) {
	p.mu.Lock()
	*count++
	p.mu.Unlock()
	p.opt.Sender.Tell(fmt.Errorf("%s: %w", p.opt.Target.Name(), err))
}

// send sends what is in the queue.
func (p *Pusher) send(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.walk(ctx)
		switch {
		case err == nil || errors.Is(err, ErrAgain) || ctx.Err() != nil:
		default:
			p.note(&p.lost, err)
			retry.Sleep(ctx, p.opt.Interval) // the loop looks at ctx
		}
		p.reader.Rewind()
	}
}

// walk sends the samples of the queue as they come, from the first that is not acknowledged, until
// something goes wrong. What the target has is acknowledged.
func (p *Pusher) walk(ctx context.Context) error {
	src := &queued{reader: p.reader}
	m := measure.New(src, winperf.Selection{Global: true, Costly: true}, measure.Options{FramesOnly: true})
	defer m.Close()
	mapper := p.opt.NewMapper()
	p.sender.Reset()

	var before uint64 // the last sample that was sent before this one
	for {
		cycle, err := m.Cycle(ctx)
		if errors.Is(err, io.EOF) {
			if err := p.flush(ctx, src.at); err != nil {
				return err
			}
			select {
			case <-p.more:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}

		sent, err := p.one(ctx, cycle, err, mapper)
		if err != nil {
			return err
		}
		if sent {
			_ = p.reader.Done(before) // the queue reports the error
		}
		before = src.at
	}
}

// one makes metrics of a sample and sends what is full. A sample that cannot be read is
// lost, and only that.
func (p *Pusher) one(ctx context.Context, cycle *measure.Cycle, err error, mapper Mapper) (sent bool, _ error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err == nil {
		p.reportDamage(cycle.Damage)
		var set *metrics.Set
		if set, err = mapper.Map(cycle.Frame, cycle.Names); err == nil {
			return p.sender.Send(ctx, set)
		}
	}

	if !errors.Is(err, winperf.ErrBadData) && !errors.Is(err, winperf.ErrNotSupported) {
		return false, err
	}
	p.note(&p.lost, err)
	return false, nil
}

// reportDamage reports the damage of a sample, at most once a minute: it may be in every sample.
func (p *Pusher) reportDamage(errs []error) {
	if len(errs) == 0 {
		return
	}
	p.damage.Do(func() {
		err := fmt.Errorf("%s: %w", p.opt.Target.Name(), errs[0])
		if len(errs) > 1 {
			err = fmt.Errorf("%w (and %d more)", err, len(errs)-1)
		}
		p.opt.Sender.Tell(err)
	})
}

// flush sends the rest, and acknowledges all samples up to a number.
func (p *Pusher) flush(ctx context.Context, number uint64) error {
	if err := p.sender.Flush(ctx); err != nil {
		return err
	}
	_ = p.reader.Done(number) // the queue reports the error
	return nil
}

// queued is a queue as a source, whose query follows it.
type queued struct {
	reader *queue.Reader[winperf.Sample]
	at     uint64 // the number of the sample that was read last
}

// Compile implements winperf.Source.
func (s *queued) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return s, nil }

// Schema implements winperf.Source.
func (s *queued) Schema(context.Context) (*winperf.Schema, error) { return &winperf.Schema{}, nil }

// Describe implements winperf.Source.
func (s *queued) Describe() winperf.Description {
	return winperf.Description{Recorded: true, Samples: -1}
}

// Next implements winperf.Query. After io.EOF there may be more.
func (s *queued) Next(ctx context.Context, sample *winperf.Sample) error {
	sample.Clear()
	at, err := s.reader.Next(ctx, sample)
	if err == nil {
		s.at = at
	}
	return err
}

// Close implements winperf.Source and winperf.Query.
func (s *queued) Close() error { return nil }
