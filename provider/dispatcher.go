package provider

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
)

// Options configure a [Dispatcher]. The zero value is ready to use.
type Options struct {
	// Machine is the name in the block's header.
	Machine string
	// Clocks returns the current clocks. It is called for each sample, just before the providers, and for
	// each problem. The default is the clocks of the Go runtime in units of 100 ns, with PerfTime since
	// NewDispatcher.
	Clocks func() counter.Clocks
	// OpenTimeout and CollectTimeout limit the calls of each provider, like the registry values "Open
	// Timeout" and "Collect Timeout" of a Windows performance extension DLL (Microsoft Learn, "Creating
	// Other Registry Entries"). The default is 5 s; the default of Windows is 10 s.
	OpenTimeout, CollectTimeout time.Duration
	// MaxBytes limits the bytes that one provider may write for one block. The default is 64 MiB.
	MaxBytes int
	// OnProblem, if not nil, is called for each failure of a provider and for each problem that a
	// provider reports. It is not called again while the provider is paused. One goroutine at a time
	// calls it; it must not call Collect or Close.
	OnProblem func(Problem)
}

const (
	defaultTimeout  = 5 * time.Second
	defaultMaxBytes = 64 << 20
)

// Dispatcher calls providers in parallel and assembles their objects into one performance data block. It
// may be used from several goroutines; queries take turns.
//
// A provider that fails, panics, takes too long, writes too much or writes undeclared objects loses its
// objects in that block, without effect on others. It is then paused: 100 ms, twice as long after each
// further failure in a row, and 10 minutes from the eleventh on. A provider that does not return in time
// is abandoned: the query continues without it, and the provider is not called again until it has
// returned; late objects are dropped. If the caller cancelled the query, abandoning is not a failure, and
// the next query waits for the provider.
//
// A dispatcher cannot protect from failures that end the whole Go program, such as a panic in a goroutine
// of the provider.
type Dispatcher struct {
	opt     Options
	entries []*entry
	objects []*Object
	names   []winperf.NameTable
	turn    chan struct{} // holds one element during a query, and after Close
	closing chan struct{}
	once    sync.Once

	selected []*entry
	round    call.Round
}

// NewDispatcher returns a dispatcher for the providers. It checks their declarations: objects and the
// texts of title indices must be unique. The error wraps [ErrSchema].
func NewDispatcher(opt Options, providers ...Provider) (*Dispatcher, error) {
	if opt.Clocks == nil {
		opt.Clocks = runtimeClocks()
	}
	opt.OpenTimeout = orDefault(opt.OpenTimeout, defaultTimeout)
	opt.CollectTimeout = orDefault(opt.CollectTimeout, defaultTimeout)
	opt.MaxBytes = orDefault(opt.MaxBytes, defaultMaxBytes)
	d := &Dispatcher{
		opt:     opt,
		turn:    make(chan struct{}, 1),
		closing: make(chan struct{}),
	}

	var errs []error
	owner := map[uint32]string{}
	texts := titles{}
	for _, p := range providers {
		errs = append(errs, d.add(p, owner, texts))
	}

	var err error
	d.names, err = texts.nameTables()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Dispatcher) add(p Provider, owner map[uint32]string, texts titles) error {
	e, err := newEntry(p, d.opt.MaxBytes)
	errs := []error{err}
	for _, o := range e.objects {
		errs = append(errs, o.Check(), texts.addObject(o))
		if other, dup := owner[o.Index]; dup {
			errs = append(errs, fmt.Errorf("object %d %q of %s is already one of %s: %w", o.Index, o.Name,
				e.name, other, ErrSchema))
		}
		owner[o.Index] = e.name
	}

	d.entries = append(d.entries, e)
	d.objects = append(d.objects, e.objects...)
	return errors.Join(errs...)
}

func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

func runtimeClocks() func() counter.Clocks {
	start := time.Now()
	return func() counter.Clocks {
		now := time.Now()
		return counter.Clocks{PerfTime: int64(now.Sub(start) / 100), PerfFreq: 1e7,
			Time100ns: winperf.ToFiletime(now)}
	}
}

// Objects returns the declarations of all objects. They must not be changed.
func (d *Dispatcher) Objects() []*Object { return d.objects }

// Names returns the names and help texts of all objects and counters: the English ones first, then other
// languages.
func (d *Dispatcher) Names() []winperf.NameTable { return d.names }
