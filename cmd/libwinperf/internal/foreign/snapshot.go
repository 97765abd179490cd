package foreign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

type snapshot struct {
	failure
	settings
	source    *shared
	requested requested
	life      context.Context
	end       context.CancelFunc

	// mu is held for reading while the structure or values are read, and for writing during prepare,
	// sample, decode and destroy.
	mu    sync.RWMutex
	state atomic.Int32 // a State; changed with mu held for writing
	limit limit
	gone  bool // destroyed

	m         *measure.Measurement
	frame     frame.Frame
	names     *nametable.Names
	base      frame.Frame // of the last complete cycle, kept; the next one is computed against it
	decoded   int
	cooker    frame.Cooker // of base and frame, if there are samples between them
	rule      measure.NameRule
	completed bool
	results

	describing sync.Mutex
	structure  *structure // of frame; nil until requested
}

func (*snapshot) kind() string { return "snapshot" }

func (s *snapshot) run(op operation, a Access, do func() error) error {
	if !s.enter(op.alone(), a) {
		return refused(op, State(s.state.Load()))
	}
	defer s.leave(op.alone())
	if s.gone {
		return UnknownHandle
	}

	was := State(s.state.Load())
	t := transitions[was][op]
	if t.during == 0 {
		return refused(op, was)
	}
	if !op.alone() {
		return do()
	}

	s.state.Store(int32(t.during))
	err := do()
	if err != nil && codeOf(err) != Anomaly {
		s.state.Store(int32(t.failure))
		return err
	}
	s.state.Store(int32(t.success))
	return err
}

// enter locks mu, alone or for reading. The plain form does not wait.
func (s *snapshot) enter(alone bool, a Access) bool {
	switch {
	case a == Plain && alone:
		return s.mu.TryLock()
	case a == Plain:
		return s.mu.TryRLock()
	case alone:
		s.mu.Lock()
	default:
		s.mu.RLock()
	}
	return true
}

func (s *snapshot) leave(alone bool) {
	if alone {
		s.mu.Unlock()
	} else {
		s.mu.RUnlock()
	}
}

// Create makes a snapshot of a source. requests are used for the kind Custom only. It takes a sample, so
// that the first cycle has values of counters that need two.
func (l *Library) Create(h Handle, k Kind, requests []Request, f Flags) (Handle, Code) {
	return l.create(h, f, func(s *shared) (requested, error) { return s.resolve(k, requests) })
}

// CreateSensors makes a snapshot of sensors, given by name.
func (l *Library) CreateSensors(h Handle, names []string, f Flags) (Handle, Code) {
	return l.create(h, f, func(s *shared) (requested, error) { return s.resolveSensors(names) })
}

func (l *Library) create(
	h Handle, f Flags, resolve func(*shared) (requested, error),
) (made Handle, code Code) {
	code = on(l, h, func(src *shared) error {
		w, err := resolve(src)
		if err != nil {
			return err
		}
		s, err := newSnapshot(src, w, f)
		if err != nil {
			return err
		}
		if made, err = l.handles.add(s); err != nil {
			return errors.Join(err, s.close())
		}
		return nil
	})
	return made, code
}

func newSnapshot(src *shared, w requested, f Flags) (*snapshot, error) {
	s := &snapshot{source: src, requested: w}
	opt := measure.Options{CostlyTogether: true}
	opt.Cook.NeedPrevious = f&PDHExact != 0
	switch f &^ PDHExact {
	case 0:
	case ByPID:
		s.rule = measure.ByPID()
	case ByNameAndPID:
		s.rule = measure.ByNameAndPID()
	default:
		const form = "flags %#x: expected the known ones, and at most one for names: %w"
		return nil, fmt.Errorf(form, uint32(f), BadArgument)
	}
	if s.rule.Name != nil {
		opt.Names = []measure.NameRule{s.rule}
	}

	if !src.hold() {
		return nil, fmt.Errorf("the source was closed: %w", UnknownHandle)
	}
	s.begin(src.timeoutMS.Load(), src.retries.Load(), src.rest.Load())
	s.life, s.end = context.WithCancel(context.Background())
	s.state.Store(int32(Initializing))
	s.m = measure.New(src.src, w.selection, opt)
	if err := s.first(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.state.Store(int32(Initialized))
	return s, nil
}

func (s *snapshot) first() error {
	cycle, err := s.m.Cycle(s.inTime())
	if err != nil {
		return fmt.Errorf("first sample: %w", err)
	}
	if err := s.keep(cycle); err != nil {
		return err
	}
	s.setBase()
	return nil
}

func (s *snapshot) inTime() context.Context { return s.limit.next(s.life, s.timeout()) }

func (s *snapshot) keep(c *measure.Cycle) error {
	s.structure = nil
	if err := c.Frame.Keep(); err != nil {
		s.frame = frame.Frame{}
		return err
	}
	s.frame, s.names = c.Frame, c.Names
	return nil
}

func (s *snapshot) setBase() { s.base, s.decoded = s.frame, 0 }

// Destroy ends a snapshot. The safe form first cancels a running operation.
func (l *Library) Destroy(h Handle, a Access) Code {
	return on(l, h, func(s *snapshot) error {
		if a == Safe {
			s.end()
		}
		if !s.enter(true, a) {
			return fmt.Errorf("destroy of a snapshot that is %v: %w", State(s.state.Load()), WrongState)
		}
		defer s.leave(true)

		if s.gone || !l.handles.remove(h) {
			return UnknownHandle
		}
		return s.close()
	})
}

func (s *snapshot) close() error {
	s.gone = true
	s.end()
	err := s.m.Close()
	return errors.Join(err, s.source.release())
}

// State returns the state of the snapshot. It never waits.
func (l *Library) State(h Handle) (state State, code Code) {
	code = on(l, h, func(s *snapshot) error {
		state = State(s.state.Load())
		return nil
	})
	return state, code
}

// Prepare makes a sample possible.
func (l *Library) Prepare(h Handle, a Access) Code {
	return on(l, h, func(s *snapshot) error {
		return s.run(opPrepare, a, func() error {
			return s.prepare(s.inTime())
		})
	})
}

func (s *snapshot) prepare(ctx context.Context) error {
	if s.rest.Load() != 0 {
		if err := s.m.Rest(ctx); err != nil {
			return err
		}
	}
	return s.m.Prepare(ctx)
}

// Sample takes the raw data. It returns Anomaly if its buffer had to grow.
func (l *Library) Sample(h Handle, a Access) Code {
	return on(l, h, func(s *snapshot) error {
		return s.run(opSample, a, func() error {
			if err := s.m.Sample(s.inTime()); err != nil {
				return err
			}
			if s.m.Grew() {
				return fmt.Errorf("%v while the sample was taken: %w", winperf.BufferGrew, Anomaly)
			}
			return nil
		})
	})
}

// Decode computes the values since the last complete cycle. It samples again while instances change, and
// returns Anomaly if they still changed in its last sample.
func (l *Library) Decode(h Handle, a Access) Code {
	return on(l, h, func(s *snapshot) error {
		return s.run(opDecode, a, func() error {
			return s.decode(s.inTime())
		})
	})
}

func (s *snapshot) decode(ctx context.Context) error {
	s.completed = false
	s.results.clear()
	cycle, err := s.decodeSample()
	if err != nil {
		return err
	}

	// Do not sample a log again: this would skip a sample.
	retries := s.retries.Load()
	if s.source.recorded {
		retries = 0
	}
	for range retries {
		if _, changed := change(cycle); !changed {
			break
		}
		if cycle, err = s.again(ctx); err != nil {
			return fmt.Errorf("another sample after instances changed: %w", err)
		}
	}
	return s.complete(cycle)
}

func (s *snapshot) again(ctx context.Context) (*measure.Cycle, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.m.Sample(ctx); err != nil {
		return nil, err
	}
	return s.decodeSample()
}

func (s *snapshot) decodeSample() (*measure.Cycle, error) {
	cycle, err := s.m.Decode()
	if err != nil {
		return nil, err
	}
	s.decoded++
	s.note(cycle)
	return cycle, s.keep(cycle)
}

func (s *snapshot) complete(cycle *measure.Cycle) error {
	// The measurement computed the cycle against its previous sample, which the caller may not have seen.
	var since *frame.Cooker
	if s.decoded > 1 {
		since = &s.cooker
		if err := since.Set(s.base, s.frame, cycle.Cook); err != nil {
			return err
		}
	}
	if err := s.collect(cycle, s.requested, since); err != nil {
		return err
	}
	s.setBase()
	s.completed = true
	if what, changed := change(cycle); changed {
		return fmt.Errorf("%v: %w", what, Anomaly)
	}
	return nil
}

func change(cycle *measure.Cycle) (winperf.Anomaly, bool) {
	for _, a := range cycle.Anomalies {
		switch {
		case a.Kind == winperf.InstancesAdded, a.Kind == winperf.InstancesRemoved:
			return a, true
		case a.Kind == winperf.SchemaChanged && a.Object != (winperf.ObjectID{}):
			return a, true // names that were read again, which have no object, change no values
		}
	}
	return winperf.Anomaly{}, false
}
