package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/control"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	await "github.com/winperf/winperf/internal/child"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

const closeTime = 10 * time.Second

// Session is a prepared experiment.
type Session struct {
	file    *File
	open    *Opener
	folder  *Folder
	origins []sensor.Origin
	opened  []io.Closer
	server  *control.Server // nil if no experiments can be attached
	program experiment.Program

	broken     broken
	earlier    earlier
	experiment *experiment.Experiment // nil without bindings
	delivery   *delivery.Delivery
	spill      *delivery.Spill
}

// Prepare opens everything that a file names, and checks it. folder is nil for a check only.
func Prepare(ctx context.Context, f *File, folder *Folder, open *Opener) (s *Session, err error) {
	s = &Session{file: f, open: open, folder: folder, broken: broken{closed: make(chan struct{})}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()

	if s.origins, err = f.origins(ctx, open); err != nil {
		return s, err
	}
	if err := s.share(); err != nil {
		return s, err
	}
	if len(f.Bindings) > 0 {
		if err := s.bind(ctx); err != nil {
			return s, err
		}
	}
	if folder == nil || !open.Experiments {
		return s, nil
	}
	return s, s.listen(ctx)
}

// share adds an object cache to live sources, so that commands, bindings and kept samples share samples.
func (s *Session) share() error {
	for i := range s.origins {
		o := &s.origins[i]
		if o.Source.Describe().Recorded {
			continue
		}
		shared, _, err := source.Share(o.Source, -1)
		if err != nil {
			return err
		}
		o.Source = shared
	}
	return nil
}

func (s *Session) bind(ctx context.Context) error {
	bindings, spills, err := s.file.bindings()
	if err != nil {
		return err
	}
	names, err := measure.ParseNaming(s.file.Names.V)
	if err != nil {
		return err
	}
	opt := experiment.Options{
		Names: names, Name: s.file.Name.V, Sources: s.origins, Bindings: bindings,
		Program: &s.program, Language: s.file.Language,
		Public: true,
	}
	for i := range s.file.Events {
		e := &s.file.Events[i]
		if s.folder == nil && e.Lines != "" {
			continue // a check does not wait for a writer
		}
		events, opened, err := e.source(ctx, s.open)
		if err != nil {
			return err
		}
		if opened != nil {
			s.opened = append(s.opened, opened)
		}
		opt.Events = append(opt.Events, events)
	}

	if s.folder != nil {
		if opt.Spool, err = s.deliver(ctx, spills); err != nil {
			return err
		}
		opt.OnLimit = s.delivery.SendNow
	} else if spills {
		opt.Spool = noSpool{}
	}
	if s.experiment, err = experiment.New(opt); err != nil || s.folder == nil {
		return err
	}
	session := s.experiment.Session()
	s.earlier.session.Store(&session)
	return s.folder.keepSession(session)
}

// deliver starts the delivery of records, and creates a spool if a binding spills.
func (s *Session) deliver(ctx context.Context, spills bool) (experiment.Spool, error) {
	routes, err := s.file.routes(s.folder, s.open, s.results)
	if err != nil {
		return nil, err
	}
	opt := delivery.Options{Routes: routes}
	if q := s.file.Queue; q != nil {
		opt.Disk = &delivery.Disk{Dir: q.Directory.V, Bytes: int64(q.Size), Age: q.Age}
	}
	if s.delivery, err = delivery.New(opt); err != nil || !spills {
		return nil, err
	}

	spill := delivery.Disk{Dir: s.folder.File("spill")}
	if opt.Disk != nil {
		spill.Dir = filepath.Join(opt.Disk.Dir, "spill")
		// Spilled records of a killed run are delivered like its queued records.
		if err := delivery.Recover(ctx, spill, s.delivery.Put); err != nil {
			return nil, err
		}
	}
	s.spill, err = delivery.NewSpill(spill)
	return s.spill, err
}

func (s *Session) results(records delivery.Sink) delivery.Sink {
	return resultsSink{records, &s.broken, &s.earlier}
}

type noSpool struct{}

func (noSpool) Append([]*experiment.Record) error              { return errors.ErrUnsupported }
func (noSpool) Read(uint64, int) ([]*experiment.Record, error) { return nil, nil }
func (noSpool) Forget(uint64) error                            { return nil }

// Outcome is the result of an experiment besides its records.
type Outcome struct {
	Results   []*Result
	Summaries []*experiment.Record
	Status    experiment.Status
	Delivery  delivery.State
	Earlier   uint64 // number of delivered records from killed runs
	// Undelivered reports records that a receiver did not accept in time. It wraps
	// delivery.ErrUndelivered.
	Undelivered error
	Tally       Tally
	// Unrecorded is the number of runs without a record although a binding measures them.
	Unrecorded int
	Kept       Kept
}

// Kept describes the raw samples in a results folder.
type Kept struct {
	Samples int
	Missed  int   // number of missed samples
	Err     error // the reason why later samples are missing
}

// Run runs the experiment until its end or the end of ctx, which is not an error. If the results folder
// cannot be written, it ends after the current command.
func (s *Session) Run(ctx context.Context, each func(*Result) error) (out Outcome, err error) {
	defer s.stopListening()
	keep := s.keepSamples(ctx)
	defer func() {
		out.Kept = keep()
		if !errors.Is(err, out.Kept.Err) {
			err = errors.Join(err, out.Kept.Err)
		}
	}()
	if s.experiment == nil {
		out.Results, err = s.commands(ctx, each)
		return out, ended(ctx, err)
	}

	if err := s.experiment.Attach(ctx); err != nil {
		return out, err
	}
	delivering, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	delivered, over := make(chan error, 1), make(chan struct{})
	records := &tallying{ // the tally is complete after the delivery
		Records: s.experiment, tally: &out.Tally, sources: len(s.file.Events), idle: make(chan struct{}),
	}
	go func() {
		defer close(over)
		delivered <- s.delivery.Run(delivering, records)
	}()
	if len(s.file.Commands) > 0 {
		out.Results, err = s.commands(ctx, each)
	} else {
		s.wait(ctx, records.idle, over)
	}
	err = ended(ctx, err)

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err = errors.Join(err, s.experiment.Detach(last))
	out.Summaries, out.Status = s.experiment.Summaries(), s.experiment.Status()
	context.AfterFunc(last, stop)
	err = errors.Join(err, <-delivered)
	if out.Undelivered = s.delivery.Close(last); !errors.Is(out.Undelivered, delivery.ErrUndelivered) {
		err, out.Undelivered = errors.Join(err, out.Undelivered), nil
	}
	if broken := s.broken.stop(); !errors.Is(err, errBroken) {
		err = errors.Join(err, broken)
	}
	out.Delivery, s.delivery = s.delivery.State(), nil
	out.Earlier = s.earlier.records.Load()
	bindings, _, _ := s.file.bindings() // they were checked
	out.Unrecorded = out.Tally.unrecorded(out.Results, bindings)
	return out, err
}

func (s *Session) listen(ctx context.Context) (err error) {
	s.server, err = control.Listen(ctx, control.Options{
		Name: "run " + s.file.Name.V, Program: &s.program, Sources: s.origins,
	})
	if err != nil {
		return fmt.Errorf("experiments cannot be attached to this run: %w", err)
	}
	return nil
}

func (s *Session) stopListening() {
	if s.server != nil {
		_ = s.server.Close() // always returns nil
	}
}

// ended returns nil for an error that only means that ctx has ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// wait waits for the end of an experiment without commands: its duration, the end of all event sources, or
// an end requested from outside.
func (s *Session) wait(ctx context.Context, idle, ended <-chan struct{}) {
	var over <-chan time.Time // never fires without a duration
	if d := s.file.Duration.V; d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-idle:
	case <-ended:
	case <-s.broken.closed:
	case <-ctx.Done():
	}
}

// Trials returns the commands of the file and their number of runs.
func (f *File) Trials() Options {
	opt := Options{
		Repetitions: max(f.Repetitions.V, 1), Warmups: f.Warmup.V, Order: f.Order.V, Seed: f.Seed,
	}
	for i := range f.Commands {
		c := &f.Commands[i]
		opt.Variants = append(opt.Variants, Variant{
			Name: c.name(), Interval: f.every(), Command: Command{Args: c.Run, Env: c.Env, Dir: c.Dir},
		})
	}
	return opt
}

func (f *File) every() time.Duration {
	if f.Interval.V == 0 {
		return time.Second
	}
	return f.Interval.V
}

func (s *Session) commands(ctx context.Context, each func(*Result) error) (all []*Result, err error) {
	opt := s.file.Trials()
	for i := range opt.Variants {
		opt.Variants[i].Stdout, opt.Variants[i].Stderr = s.open.Stdout, s.open.Stderr
		opt.Variants[i].Abort = s.open.Abort
	}
	opt.Source = s.live()
	opt.Around = func(ctx context.Context, r *Result, run func(context.Context, func(await.Exit))) {
		ctx, region := s.program.Region(ctx, r.event(), slog.String("command", r.Variant),
			slog.Int(attrRepetition, r.Repetition))
		// The process is removed when this function returns.
		run(ctx, func(x await.Exit) { region.EndSampled(endAttrs(x)...) })
	}
	return all, Run(ctx, opt, func(r *Result) error {
		all = append(all, r)
		return errors.Join(s.folder.Add(r), each(r), s.broken.stop())
	})
}

const attrRepetition = "repetition"

func (r *Result) event() string {
	if r.Warmup {
		return WarmupEvent + "." + r.Variant
	}
	return RunEvent + "." + r.Variant
}

func endAttrs(x await.Exit) []slog.Attr {
	if x.Signal != "" {
		return []slog.Attr{slog.String("signal", x.Signal)}
	}
	return []slog.Attr{slog.Int("status", x.Status)}
}

func (s *Session) live() winperf.Source {
	for _, o := range s.origins {
		if !o.Source.Describe().Recorded {
			return o.Source
		}
	}
	return nil
}

// Close releases the resources of Prepare. It is needed after Run, too.
func (s *Session) Close() error {
	s.stopListening()
	var errs []error
	for _, c := range s.opened {
		if err := c.Close(); !errors.Is(err, net.ErrClosed) { // the experiment closes its listeners itself
			errs = append(errs, err)
		}
	}
	if s.delivery != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		errs = append(errs, s.delivery.Close(ctx))
	}
	if s.spill != nil {
		errs = append(errs, s.spill.Close())
	}
	return errors.Join(append(errs, closeAll(s.origins))...)
}
