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

// Options for a [Dispatcher]. The zero Options are ready for use.
type Options struct {
	// Machine is the name in the block's header.
	Machine string
	// Clocks reads the clocks of a sample, right before the providers are
	// asked for their objects, and the time of a problem. The default is the
	// clocks of the Go runtime in units of 100 ns, PerfTime counting from when
	// the dispatcher was made.
	Clocks func() counter.Clocks
	// OpenTimeout and CollectTimeout bound the calls of each provider, as the
	// registry values "Open Timeout" and "Collect Timeout" do for a Windows
	// performance extension DLL (Microsoft Learn, "Creating Other Registry
	// Entries"). The default is 5 s; that of Windows is 10 s.
	OpenTimeout, CollectTimeout time.Duration
	// MaxBytes bounds what one provider may write for one block. The default
	// is 64 MiB.
	MaxBytes int
	// OnProblem, if not nil, is told of every failure of a provider, but not
	// again while the provider is left alone, and of what providers report. It is called by one goroutine at
	// a time, and must not call Collect or Close.
	OnProblem func(Problem)
}

// The defaults of Options.
const (
	defaultTimeout  = 5 * time.Second
	defaultMaxBytes = 64 << 20
)

// Dispatcher asks providers, all at once, and assembles their answers into one
// performance data block. It may be used from several goroutines; queries take
// turns.
//
// A provider that fails, panics, takes too long, writes too much or writes
// objects that it did not declare costs nothing but its own objects of that
// block. It is then left alone for a while: 100 ms, twice as long after every
// further failure in a row, and 10 minutes from the eleventh on. One that does
// not return when it should is left behind: the query goes on without it, and
// it is not asked again before it has returned; what it says then is dropped. A
// provider that was left behind because its caller cancelled the query did nothing
// wrong: the next query waits for it as for any answer.
//
// Nothing here can hold back what stops a Go program as a whole, such as a panic on a
// goroutine of the provider.
type Dispatcher struct {
	opt     Options
	entries []*entry
	objects []*Object
	names   []winperf.NameTable
	turn    chan struct{} // holds one element while a query is under way, and from Close on
	closing chan struct{} // closed by Close
	once    sync.Once     // of Close

	// Of the query that has the turn.
	wanted []*entry
	round  call.Round
}

// NewDispatcher returns a dispatcher over the providers. Their declarations
// are checked: no object may be declared twice, and no title index may stand
// for two texts. The error wraps [ErrSchema].
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

// add adds a provider and its objects to those that have an owner, and its
// texts to the others'.
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

// orDefault returns v, or def where an option was not given.
func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// runtimeClocks returns a reader of clocks that count in 100 ns.
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

// Names returns the names and help texts of all objects and counters: the English ones
// first, then those of each other language that there are texts in.
func (d *Dispatcher) Names() []winperf.NameTable { return d.names }
