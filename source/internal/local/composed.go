package local

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/provider"
)

// member is one interface of the system, such as the registry.
type member struct {
	name string
	open func(ctx context.Context) (winperf.Source, error)
	// fallback is queried only for objects that no other member has, because its list repeats the
	// objects of the others.
	fallback bool
	// apart queries every counter set by a separate query.
	apart bool

	mu     sync.Mutex
	source winperf.Source
	err    error // of the last attempt to open it
	pauses call.Pauses
	closed bool // permanently
}

// composed is a machine with several interfaces. An object is served by the first interface that
// has it. A composed may be used from several goroutines.
type composed struct {
	members  []*member
	machine  string
	limit    time.Duration // for one answer of a member
	grace    time.Duration // for a cancelled member to return
	now      func() time.Time
	troubles troubles
	merged   merger
}

// Timeouts for members; see composed.
const (
	answerLimit = 30 * time.Second
	answerGrace = 500 * time.Millisecond
)

// compose makes a source of several interfaces, in order of preference. It fails if none can be
// opened. It opens interfaces up to the first success, and the others when they are needed.
func compose(ctx context.Context, members ...*member) (*composed, error) {
	c := &composed{members: members, limit: answerLimit, grace: answerGrace, now: time.Now}
	var errs []error
	for _, m := range members {
		src, err := c.open(ctx, m)
		if err == nil {
			c.machine = src.Describe().Machine
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// open returns the member's source. A member that fails is not tried again until a pause, which
// grows with each failure, has passed; until then open returns the last error.
func (c *composed) open(ctx context.Context, m *member) (winperf.Source, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.source != nil {
		return m.source, nil
	}
	if m.err != nil && (m.closed || errors.Is(m.err, winperf.ErrNotSupported) || !m.pauses.Over(c.now())) {
		return nil, m.err
	}

	src, err := m.open(ctx)
	if err == nil {
		m.source, m.err = src, nil
		m.pauses.Reset()
		return src, nil
	}

	if ctx.Err() == nil { // a cancelled caller is not the member's failure
		m.err = fmt.Errorf("%s: %w", m.name, err)
		pause := m.pauses.Fail(c.now())
		c.note(m.name, "open", err, m.pauses.Failures, pause)
	}
	return nil, fmt.Errorf("%s: %w", m.name, err)
}

// serves reports whether the member is open.
func (m *member) serves() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.source != nil
}

// note records a failure, unless the system does not have the interface.
func (c *composed) note(name, stage string, err error, failures int, pause time.Duration) {
	if !errors.Is(err, winperf.ErrNotSupported) {
		c.troubles.add(provider.Problem{
			Provider: name, Stage: stage, Time: c.now().UTC(), Err: err, Failures: failures, Pause: pause,
		})
	}
}

// Describe implements winperf.Source.
func (c *composed) Describe() winperf.Description {
	return winperf.Description{Machine: c.machine, Costly: c.costly, Anomalies: c.troubles.since}
}

// Schema implements winperf.Source. It returns the names of all members except the fallback, which
// is queried only if no other member is available.
func (c *composed) Schema(ctx context.Context) (*winperf.Schema, error) {
	var schemas []*winperf.Schema
	var errs []error
	for _, m := range c.members {
		if m.fallback && len(schemas) > 0 {
			continue
		}
		src, err := c.open(ctx, m)
		if err == nil {
			var s *winperf.Schema
			if s, err = src.Schema(ctx); err == nil {
				schemas = append(schemas, s)
			}
		}

		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		errs = append(errs, err)
	}

	if len(schemas) == 0 {
		return nil, errors.Join(errs...)
	}
	return c.merged.merge(schemas), nil
}

// costly returns the schema with the costly objects. Only the registry has costly objects; listing
// all counter sets for them would take long.
func (c *composed) costly(ctx context.Context) (*winperf.Schema, error) {
	for _, m := range c.members {
		if m.apart || m.fallback {
			continue
		}
		src, err := c.open(ctx, m)
		if err == nil {
			return winperf.CostlySchema(ctx, src)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

// Close implements winperf.Source.
func (c *composed) Close() error {
	var errs []error
	for _, m := range c.members {
		m.mu.Lock()
		if m.source != nil {
			errs = append(errs, m.source.Close())
		}
		m.source, m.err = nil, fmt.Errorf("%s: the source is closed: %w", m.name, winperf.ErrState)
		m.closed = true
		m.mu.Unlock()
	}
	return errors.Join(errs...)
}
