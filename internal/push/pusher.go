package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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

// Mapper converts the samples of a query, in order, to metrics. A *[metrics.Mapper] is one.
type Mapper interface {
	Map(f frame.Frame, names *nametable.Names) (*metrics.Set, error)
}

// Program describes the program that pushes. A *serve.Exporter is one.
type Program interface {
	// Taken is called for each sample that was taken, without its frame, and for each failure.
	Taken(c *measure.Cycle, err error)
	// About is called for each decoded sample and its metrics. If the sample is recent, About returns
	// metrics about the program, which are sent with the sample. They are valid now, so that samples which
	// waited in the queue have none.
	About(c *measure.Cycle, set *metrics.Set, recent bool) []metrics.Family
}

// Options for a Pusher. Source, Selection, NewMapper and Dir are required.
type Options struct {
	Target Target
	Sender SenderOptions
	// Source provides raw samples. It is not closed.
	Source    winperf.Source
	Selection winperf.Selection
	// Interval is the time between two samples; 0 means 15 s.
	Interval time.Duration
	// NewMapper returns a new Mapper.
	NewMapper func() Mapper
	// Program, if not nil, describes the program in further metrics.
	Program Program
	// Dir is the directory of the queue, used for this target only. Queue limits it.
	Dir   string
	Queue queue.Options
	// Clock determines when samples are due and how old waiting samples are; nil is the
	// system's.
	Clock measure.Clock
}

// Stats are the counts of a Pusher and the state of its queue.
type Stats struct {
	Counts
	// Queued is the state of the queue. It counts samples of the source, which have many
	// samples of a target each. Dropped were never sent.
	Queued queue.Stats
	// Lost counts samples that could not be read back or converted to metrics.
	Lost uint64
	// MeasureErrors counts samples that could not be taken or queued.
	MeasureErrors uint64
}

// After returns the stats of a Pusher that replaced another one, including the counts of
// that one.
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

// Pusher samples at an interval and sends the samples.
type Pusher struct {
	opt    Options
	queue  *queue.Queue[winperf.Sample]
	reader *queue.Reader[winperf.Sample]
	more   chan struct{} // receives a value when samples were appended
	sender *Sender

	mu             sync.Mutex
	lost, errs     uint64
	lastReport     time.Time // last report of an error
	recent, newest uint64    // numbers of the two newest samples of this run; 0 without a sample

	damage rate.Sometimes
}

// New opens the queue and returns a Pusher. Errors are about the target or the queue
// (queue.ErrInUse).
func New(opt Options) (*Pusher, error) {
	if opt.Source.Describe().Cooked {
		const form = "%s: %w: pushing needs raw values, and the source has none"
		return nil, fmt.Errorf(form, opt.Target.Name(), winperf.ErrNotSupported)
	}
	if opt.Interval <= 0 {
		opt.Interval = 15 * time.Second
	}
	if opt.Sender.Report == nil {
		opt.Sender.Report = func(error) {}
	}
	opt.Sender.MarkEnded = true
	opt.Queue.Report, opt.Queue.Clock = opt.Sender.Report, opt.Clock
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

const reader = "target"

// Stats returns the current counts. It may be called from any goroutine.
func (p *Pusher) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Counts: p.sender.Counts(), Queued: p.queue.Stats(), Lost: p.lost, MeasureErrors: p.errs}
}

// Name returns the target without secrets.
func (p *Pusher) Name() string { return p.opt.Target.Name() }

// Dir returns the directory of the queue.
func (p *Pusher) Dir() string { return p.opt.Dir }

// Run samples and sends until ctx ends. Unsent samples stay in the queue for the next Run.
func (p *Pusher) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { p.measure(ctx) })
	all.Go(func() { p.send(ctx) })
	all.Wait()
}

// Continue continues the series of a Pusher that has ended, so that this one marks those as ended
// that it does not send. It reports false, and does nothing, if the two label series differently.
// Call it before Run.
func (p *Pusher) Continue(before *Pusher) bool {
	now, was := &p.opt.Target, &before.opt.Target
	same := slices.Equal(now.Labels, was.Labels) && slices.Equal(now.Resource, was.Resource) &&
		slices.Equal(now.PerMachine, was.PerMachine)
	if same {
		p.sender.sent = before.sender.sent
	}
	return same
}

// End marks all series as ended, unless the receiver does not answer. Samples that wait in the queue are
// later and continue the series. Run must have ended.
func (p *Pusher) End(ctx context.Context) error {
	if !p.sender.Counts().Failing.IsZero() {
		return nil
	}
	return p.sender.End(ctx)
}

// Close closes the queue and connections. Run must have ended.
func (p *Pusher) Close() error {
	p.sender.Close()
	return p.queue.Close()
}

// measure queues samples. After an error it starts again at the next interval.
func (p *Pusher) measure(ctx context.Context) {
	opt := measure.Options{Interval: p.opt.Interval, RawOnly: true, KeepFirst: true, Clock: p.opt.Clock}
	for ctx.Err() == nil {
		for cycle, err := range measure.Watch(ctx, p.opt.Source, p.opt.Selection, opt) {
			if p.opt.Program != nil {
				p.opt.Program.Taken(cycle, err)
			}
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
	last := p.queue.Stats().Last
	p.mu.Lock()
	p.recent, p.newest = cmp.Or(p.newest, last), last
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
	return err
}

// measureFailed counts a sample that could not be taken or queued. It reports the error at
// most once a minute, because a disk may be full for days.
func (p *Pusher) measureFailed(err error) {
	p.mu.Lock()
	p.errs++
	now := time.Now()
	due := p.lastReport.IsZero() || now.Sub(p.lastReport) >= time.Minute
	if due {
		p.lastReport = now
	}
	p.mu.Unlock()

	if due {
		p.opt.Sender.Report(fmt.Errorf("%s: %w", p.opt.Target.Name(), err))
	}
}

func (p *Pusher) note(count *uint64, err error) {
	p.mu.Lock()
	*count++
	p.mu.Unlock()
	p.opt.Sender.Report(fmt.Errorf("%s: %w", p.opt.Target.Name(), err))
}

// send sends the queue.
func (p *Pusher) send(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.walk(ctx)
		switch {
		case err == nil || errors.Is(err, ErrAgain) || ctx.Err() != nil:
		default:
			p.note(&p.lost, err)
			retry.Sleep(ctx, p.opt.Interval) // the loop checks ctx
		}
		p.reader.Rewind()
	}
}

// walk sends the samples of the queue from the first one not acknowledged, until an error.
// It acknowledges samples that the target accepted.
func (p *Pusher) walk(ctx context.Context) error {
	src := &queued{reader: p.reader}
	m := measure.New(src, winperf.Selection{Global: true, Costly: true}, measure.Options{FramesOnly: true})
	defer m.Close()
	mapper := p.opt.NewMapper()
	p.sender.Reset()

	var before uint64 // the previous sample
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

		sent, err := p.one(ctx, cycle, err, mapper, src.at)
		if err != nil {
			return err
		}
		if sent {
			_ = p.reader.Done(before) // the queue reports the error
		}
		before = src.at
	}
}

// one converts a sample to metrics and sends full requests. An unreadable sample is lost.
func (p *Pusher) one(
	ctx context.Context, cycle *measure.Cycle, err error, mapper Mapper, number uint64,
) (sent bool, _ error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err == nil {
		p.reportDamage(cycle.Damage)
		var set *metrics.Set
		if set, err = mapper.Map(cycle.Frame, cycle.Names); err == nil {
			return p.sender.Send(ctx, p.withProgram(cycle, set, number))
		}
	}

	if !errors.Is(err, winperf.ErrBadData) && !errors.Is(err, winperf.ErrNotSupported) {
		return false, err
	}
	p.note(&p.lost, err)
	return false, nil
}

// withProgram adds metrics about the program to a recent sample of this run. A sample of an earlier run may
// have been sent with other values.
func (p *Pusher) withProgram(cycle *measure.Cycle, set *metrics.Set, number uint64) *metrics.Set {
	if p.opt.Program == nil {
		return set
	}
	p.mu.Lock()
	recent := p.recent > 0 && number >= p.recent
	p.mu.Unlock()
	about := p.opt.Program.About(cycle, set, recent)
	if len(about) == 0 {
		return set
	}

	all := *set
	all.Families = append(slices.Clip(set.Families), about...)
	return &all
}

// reportDamage reports the damage of a sample, at most once a minute, because every sample
// may have it.
func (p *Pusher) reportDamage(errs []error) {
	if len(errs) == 0 {
		return
	}
	p.damage.Do(func() {
		err := fmt.Errorf("%s: %w", p.opt.Target.Name(), errs[0])
		if len(errs) > 1 {
			err = fmt.Errorf("%w (and %d more)", err, len(errs)-1)
		}
		p.opt.Sender.Report(err)
	})
}

// flush sends the rest and acknowledges all samples up to a number.
func (p *Pusher) flush(ctx context.Context, number uint64) error {
	if err := p.sender.Flush(ctx); err != nil {
		return err
	}
	_ = p.reader.Done(number) // the queue reports the error
	return nil
}

// queued is a queue as a source and its query.
type queued struct {
	reader *queue.Reader[winperf.Sample]
	at     uint64 // the number of the last sample read
}

func (s *queued) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return s, nil }

func (s *queued) Schema(context.Context) (*winperf.Schema, error) { return &winperf.Schema{}, nil }

func (s *queued) Describe() winperf.Description {
	return winperf.Description{Recorded: true, Samples: -1}
}

// Next implements winperf.Query. Samples may follow io.EOF.
func (s *queued) Next(ctx context.Context, sample *winperf.Sample) error {
	sample.Clear()
	at, err := s.reader.Next(ctx, sample)
	if err == nil {
		s.at = at
	}
	return err
}

func (s *queued) Close() error { return nil }
