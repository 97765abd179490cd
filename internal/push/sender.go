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

// ErrAgain says that a target knows an older version of the protocol only, and did not store
// what it was sent: all that was sent since the last Flush that succeeded must be sent again.
var ErrAgain = errors.New("the target takes an older version of the protocol; all is to be sent again")

// ErrNoReceiver says that an answer is none of a receiver, or of one that does not know who asks.
var ErrNoReceiver = errors.New("it takes nothing")

// ErrGaveUp says that a target did not take a request for as long as Target.Patience, or would not before.
var ErrGaveUp = errors.New("gave up")

// Counts is what became of samples since the Sender was made.
type Counts struct {
	Sent     uint64 // samples that the target took
	Refused  uint64 // samples that it did not take and never will
	Whole    uint64 // requests, or parts of divided ones, that were refused with all their samples
	Requests uint64 // that were answered, taken or refused
	Retries  uint64 // requests that were sent again, whole or in parts, as they were not taken
	// Failing is since when requests fail; zero while they do not. Succeeded is when the last
	// one was taken.
	Failing, Succeeded time.Time
}

// Sender sends Sets to a target. One goroutine sends; Counts may be called from others.
type Sender struct {
	client  *client
	opt     SenderOptions
	encoder encoder
	otlp    bool
	version remotewrite.Version
	known   bool // the target has answered as version 2.0 demands
	most    int  // samples of a request that is not too large, as far as known; 0 is any number

	mu     sync.Mutex
	counts Counts

	refusals int       // since the last one was told
	told     time.Time // when that was
}

// SenderOptions for a Sender. The zero options tell nobody.
type SenderOptions struct {
	// Version is that of the program, for the scope of OTLP.
	Version string
	// Tell is told when sending fails and when it goes on, and of what is refused.
	Tell func(error)
	// NeedReceiver ends sending with ErrNoReceiver where an answer says that there is no receiver, or that it
	// does not know who asks: 401, 403, 404, 405, 407 and 410. Without it the samples of a request are passed
	// over, or tried again, as somebody may mend that while others come.
	NeedReceiver bool
}

// NewSender returns a Sender, which has asked nothing yet. The error says what is wrong with the
// target, as far as that can be known.
func NewSender(t Target, opt SenderOptions) (*Sender, error) {
	c, p, err := newClient(t)
	if err != nil {
		return nil, err
	}
	if opt.Tell == nil {
		opt.Tell = func(error) {}
	}

	s := &Sender{client: c, opt: opt, otlp: p.otlp, version: remotewrite.V2}
	s.Reset()
	return s, nil
}

// Reset forgets what was added and not sent.
func (s *Sender) Reset() {
	if s.otlp {
		s.encoder = newOTLPEncoder(&s.client.target, s.opt.Version)
	} else {
		s.encoder = newWriteEncoder(&s.client.target, s.version)
	}
}

// Send adds a Set to what is to be sent. Requests that are full are sent, each until it is
// answered. It reports whether there was one: then all Sets before this one were sent. The
// error wraps ErrAgain, ErrGaveUp, or that of ctx. more are labels that only this Set has.
func (s *Sender) Send(ctx context.Context, set *metrics.Set, more ...metrics.Label) (sent bool, err error) {
	err = s.encoder.encode(set, func(r *request) error {
		sent = true
		return s.deliver(ctx, r)
	}, more)
	return sent, err
}

// Flush sends what is left, with the errors of Send.
func (s *Sender) Flush(ctx context.Context) error {
	return s.encoder.flush(func(r *request) error { return s.deliver(ctx, r) })
}

// Counts returns what became of samples until now.
func (s *Sender) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Close closes connections.
func (s *Sender) Close() { s.client.close() }

// deliver sends a request until it is answered. One that is too large for the target, or that it
// refuses as a whole, is divided, and its parts are sent in their order.
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

// divide divides a request that was answered, where the answer says that parts of it
// may be taken.
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

// insist sends a request until it is answered in a way that trying again does not change.
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

		if err := s.patience(time.Since(begin), &a); err != nil {
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

// patience is an error where a target has not taken a request for too long, or asks not to be asked before
// that.
func (s *Sender) patience(since time.Duration, a *answer) error {
	name, p := s.client.target.Name(), s.client.target.Patience
	switch {
	case p <= 0:
		return nil
	case since > p:
		return fmt.Errorf("%s: %w after %v: %w", name, ErrGaveUp, p, a.err)
	case since+a.after > p:
		const form = "%s: %w, as it is not to be asked again for %v: %w"
		return fmt.Errorf(form, name, ErrGaveUp, a.after.Round(time.Second), a.err)
	}
	return nil
}

// try sends a request once.
func (s *Sender) try(ctx context.Context, r *request) answer {
	got, err := s.client.post(ctx, r.body, r.header)
	if err != nil {
		return answer{verdict: again, err: err}
	}
	return judge(r, got, time.Now())
}

// settle does what an answer demands that ends a request.
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

// answered counts an answer, and tells that requests do not fail any more.
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
		s.opt.Tell(fmt.Errorf("%s answers again, after %v", s.client.target.Name(), after))
	}
}

// again counts a request that is sent again in parts.
func (s *Sender) again() {
	s.mu.Lock()
	s.counts.Retries++
	s.mu.Unlock()
}

// failed counts a try that was in vain, and tells of the first of several.
func (s *Sender) failed(err error) {
	s.mu.Lock()
	s.counts.Retries++
	first := s.counts.Failing.IsZero()
	if first {
		s.counts.Failing = time.Now()
	}
	s.mu.Unlock()

	if first {
		s.opt.Tell(fmt.Errorf("%s: %w; trying again", s.client.target.Name(), err))
	}
}

// refuse tells of samples that are lost, at most once a minute.
func (s *Sender) refuse(samples int, err error) {
	s.refusals += samples
	if now := time.Now(); s.told.IsZero() || now.Sub(s.told) >= time.Minute {
		const form = "%s: %w; %d samples are passed over"
		s.opt.Tell(fmt.Errorf(form, s.client.target.Name(), err, s.refusals))
		s.refusals, s.told = 0, now
	}
}
