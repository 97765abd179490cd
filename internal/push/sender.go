package push

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/push/internal/remotewrite"
	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/sink/metrics"
)

// ErrAgain means that a target supports only an older version of the protocol and stored
// nothing: all Sets since the last successful Flush must be sent again.
var ErrAgain = errors.New("the target supports an older version of the protocol; " +
	"all samples must be sent again")

// ErrNoReceiver means that the answer is not from a receiver or that it denies access.
var ErrNoReceiver = errors.New("no receiver accepts metrics here")

// ErrRetryTimeout means that a target did not accept a request within Target.RetryTimeout, or asked
// for a longer wait.
var ErrRetryTimeout = errors.New("gave up")

// Counts are the results of samples since the Sender was made.
type Counts struct {
	Sent     uint64 // samples accepted
	Refused  uint64 // samples refused for good
	Whole    uint64 // requests, or parts of divided ones, refused as a whole
	Requests uint64 // answered: accepted or refused
	Retries  uint64 // requests sent again, whole or in parts
	// Failing is the time since which requests fail, or zero. Succeeded is the time of the
	// last accepted request.
	Failing, Succeeded time.Time
}

// Sender sends Sets to a target. One goroutine sends; Counts may be called from others.
type Sender struct {
	client  *client
	opt     SenderOptions
	encoder encoder
	otlp    bool
	version remotewrite.Version
	known   bool // the receiver has answered as version 2.0 requires
	most    int  // samples of a request that is not too large; 0 is any number

	last, sent *present // the series of the previous Set, and of the last one that was sent

	mu     sync.Mutex
	counts Counts

	refusals   int       // since the last report
	lastReport time.Time // time of the last report
}

// SenderOptions for a Sender. The zero options report nothing.
type SenderOptions struct {
	// Version of the program, for the scope of OTLP.
	Version string
	// Report is called when sending fails, when it continues, and for refused samples.
	Report func(error)
	// MarkEnded marks series as ended that the previous Set had and a Set lacks. It is for Sets of one
	// source: Sets of several logs have different series in turn.
	MarkEnded bool
	// NeedReceiver ends sending with ErrNoReceiver if an answer shows that no receiver is
	// at the URL or that it denies access: 401, 403, 404, 405, 407 and 410. Otherwise the
	// request is dropped or retried, because this may be repaired while new samples arrive.
	NeedReceiver bool
}

// NewSender returns a Sender. It sends nothing yet. Errors are about the settings of the
// target.
func NewSender(t Target, opt SenderOptions) (*Sender, error) {
	c, p, err := newClient(t)
	if err != nil {
		return nil, err
	}
	if opt.Report == nil {
		opt.Report = func(error) {}
	}

	s := &Sender{client: c, opt: opt, otlp: p.otlp, version: remotewrite.V2}
	s.Reset()
	return s, nil
}

// Reset discards unsent Sets.
func (s *Sender) Reset() {
	s.last = s.sent
	if s.otlp {
		s.encoder = newOTLPEncoder(&s.client.target, s.opt.Version)
	} else {
		s.encoder = newWriteEncoder(&s.client.target, s.version)
	}
}

// Send adds a Set to the current request. Full requests are sent, each until it is
// answered. sent reports whether there was one: then all previous Sets were sent. The error
// wraps ErrAgain or ErrRetryTimeout, or is ctx's. more are labels of this Set only.
func (s *Sender) Send(ctx context.Context, set *metrics.Set, more ...metrics.Label) (sent bool, err error) {
	send := func(r *request) error {
		sent = true
		return s.deliver(ctx, r)
	}
	if err := s.encoder.encode(set, send, more); err != nil || !s.opt.MarkEnded {
		return sent, err
	}

	now := keep(s.last, set)
	if ended := s.last.ended(now); ended != nil {
		if err := s.encoder.end(ended, send); err != nil {
			return sent, err
		}
	}
	if sent {
		s.sent = s.last
	}
	s.last = now
	return sent, nil
}

// Flush sends the rest, with the errors of Send.
func (s *Sender) Flush(ctx context.Context) error {
	err := s.encoder.flush(func(r *request) error { return s.deliver(ctx, r) })
	if err == nil {
		s.sent = s.last
	}
	return err
}

// End marks all sent series as ended, a millisecond after their last sample. It discards unsent Sets.
func (s *Sender) End(ctx context.Context) error {
	s.Reset()
	ended := s.sent.ended(nil)
	if ended == nil {
		return nil
	}
	if err := s.encoder.end(ended, func(r *request) error { return s.deliver(ctx, r) }); err != nil {
		return err
	}
	s.last = nil
	return s.Flush(ctx)
}

// Counts returns the current counts.
func (s *Sender) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Close closes connections.
func (s *Sender) Close() { s.client.close() }

// deliver sends a request until it is answered. A request that is too large, or refused as
// a whole, is divided, and its parts are sent in order.
func (s *Sender) deliver(ctx context.Context, r *request) error {
	if s.most > 0 && r.samples > s.most {
		if parts, err := r.bySize(); err == nil && parts != nil {
			return s.deliverAll(ctx, parts)
		}
	}
	r.confirmed = s.known
	a, err := s.insist(ctx, r)
	if err != nil {
		return err
	}

	parts, err := s.divide(r, &a)
	if err != nil {
		a.err = fmt.Errorf("%w (it could not be divided: %w)", a.err, err)
	}
	if parts == nil {
		return s.settle(r, &a)
	}
	s.again()
	return s.deliverAll(ctx, parts)
}

func (s *Sender) deliverAll(ctx context.Context, parts []*request) error {
	for _, part := range parts {
		if err := s.deliver(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// divide divides a request if parts of it may be accepted.
func (s *Sender) divide(r *request, a *answer) (parts []*request, err error) {
	switch a.verdict {
	case larger:
		if parts, err = r.bySize(); parts != nil {
			s.most = r.samples / 2
		}
	case mixed:
		parts, err = r.byTime()
	}
	return parts, err
}

// insist sends a request until it has a final answer.
func (s *Sender) insist(ctx context.Context, r *request) (a answer, err error) {
	begin, t := time.Now(), &s.client.target
	gaps := retry.Policy{First: t.Gap, Most: t.MaxGap}
	err = gaps.Do(ctx, func() error {
		a = s.try(ctx, r)
		if s.opt.NeedReceiver && a.nobody {
			return fmt.Errorf("%s: %w: %w", t.Name(), ErrNoReceiver, a.err)
		}
		if a.verdict != again || ctx.Err() != nil {
			return nil
		}

		if err := s.checkRetryTime(time.Since(begin), &a); err != nil {
			return err
		}
		s.failed(a.err)
		return retry.Later(a.after, a.err)
	})
	if a.verdict == again && ctx.Err() != nil {
		err = ctx.Err()
	}
	return a, err
}

// checkRetryTime returns an error if a target has not accepted a request for too long, or asks
// for a wait beyond that.
func (s *Sender) checkRetryTime(since time.Duration, a *answer) error {
	name, p := s.client.target.Name(), s.client.target.RetryTimeout
	switch {
	case p <= 0:
		return nil
	case since > p:
		return fmt.Errorf("%s: %w after %v: %w", name, ErrRetryTimeout, p, a.err)
	case since+a.after > p:
		const form = "%s: %w: the next try is allowed in %v: %w"
		return fmt.Errorf(form, name, ErrRetryTimeout, a.after.Round(time.Second), a.err)
	}
	return nil
}

// stopGrace is the time that a request has left when ctx ends.
const stopGrace = 2 * time.Second

// try sends a request once. A request that has begun when ctx ends may finish: if it were cancelled, it
// would be unknown whether the receiver stored its series, and they would not be marked as ended.
func (s *Sender) try(ctx context.Context, r *request) answer {
	if err := ctx.Err(); err != nil {
		return answer{verdict: again, err: err}
	}
	stopped := ctx
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(stopped, func() { time.AfterFunc(stopGrace, cancel) })()

	got, err := s.client.post(ctx, r.body, r.header)
	if err != nil {
		return answer{verdict: again, err: err}
	}
	return evaluate(r, got, time.Now())
}

// settle handles the final answer to a request.
func (s *Sender) settle(r *request, a *answer) error {
	if a.verdict == older {
		s.version = remotewrite.V1
		s.Reset()
		return ErrAgain
	}
	s.known = s.known || r.second && a.verdict == taken
	s.answered(r, a)
	if a.err != nil {
		s.refuse(r.samples-a.written, a.err)
	}
	return nil
}

func (s *Sender) answered(r *request, a *answer) {
	now := time.Now()
	s.mu.Lock()
	c := &s.counts
	c.Requests++
	c.Sent += uint64(a.written)
	c.Refused += uint64(r.samples - a.written)
	if a.written == 0 && r.samples > 0 {
		c.Whole++
	}
	if a.verdict == taken {
		c.Succeeded = now
	}
	failing := c.Failing
	c.Failing = time.Time{}
	s.mu.Unlock()

	if !failing.IsZero() {
		after := now.Sub(failing).Round(time.Second)
		s.opt.Report(fmt.Errorf("%s answers again, after %v", s.client.target.Name(), after))
	}
}

// again counts a request that is sent again in parts.
func (s *Sender) again() {
	s.mu.Lock()
	s.counts.Retries++
	s.mu.Unlock()
}

// failed counts a failed try and reports the first of several.
func (s *Sender) failed(err error) {
	s.mu.Lock()
	s.counts.Retries++
	first := s.counts.Failing.IsZero()
	if first {
		s.counts.Failing = time.Now()
	}
	s.mu.Unlock()

	if first {
		s.opt.Report(fmt.Errorf("%s: %w; trying again until it answers", s.client.target.Name(), err))
	}
}

// refuse reports refused samples, at most once a minute.
func (s *Sender) refuse(samples int, err error) {
	s.refusals += samples
	if now := time.Now(); s.lastReport.IsZero() || now.Sub(s.lastReport) >= time.Minute {
		const form = "%s: %w; %d samples were dropped"
		s.opt.Report(fmt.Errorf(form, s.client.target.Name(), err, s.refusals))
		s.refusals, s.lastReport = 0, now
	}
}
