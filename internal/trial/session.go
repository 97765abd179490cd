package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/control"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// closeTime is how long the end of an experiment waits for sinks.
const closeTime = 10 * time.Second

// Session is an experiment of a file, ready to be run.
type Session struct {
	// Told is given what should be known and stops nothing; nil discards it.
	Told func(error)

	file    *File
	open    *Opener
	folder  *Folder
	origins []measure.Origin
	opened  []io.Closer
	program experiment.Program

	experiment *experiment.Experiment // nil: nothing is bound
	delivery   *delivery.Delivery
	spill      *delivery.Spill
}

// Prepare opens all that a file names and checks what only that can tell. folder is nil for a
// check alone.
func Prepare(ctx context.Context, f *File, folder *Folder, open *Opener) (s *Session, err error) {
	s = &Session{file: f, open: open, folder: folder}
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
	if len(f.Bindings) == 0 {
		return s, nil
	}
	return s, s.bind(ctx)
}

// share puts live sources behind an object cache: commands, bindings and the samples that are
// kept read the same.
func (s *Session) share() error {
	for i := range s.origins {
		o := &s.origins[i]
		if o.Source.Describe().Recorded {
			continue
		}
		shared, _, err := source.Share(o.Source, source.ShareOptions{Freshness: -1})
		if err != nil {
			return err
		}
		o.Source = shared
	}
	return nil
}

// bind makes the experiment, and the delivery of its records.
func (s *Session) bind(ctx context.Context) error {
	bindings, spills, err := s.file.bindings()
	if err != nil {
		return err
	}
	opt := experiment.Options{
		Name: s.file.Name.V, Sources: s.origins, Bindings: bindings, Program: &s.program, Language: s.file.Language,
	}
	for i := range s.file.Events {
		e := &s.file.Events[i]
		if s.folder == nil && e.Lines != "" {
			continue // a check waits for no writer
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
	opt.OnLimit = func(n int) { s.delivery.Hurry(n) } // called when records come, so there is one

	if s.folder != nil {
		if opt.Spool, err = s.deliver(spills); err != nil {
			return err
		}
	} else if spills {
		opt.Spool = noSpool{}
	}
	s.experiment, err = experiment.New(opt)
	return err
}

// deliver begins the delivery of records, and a spill where a binding wants one.
func (s *Session) deliver(spills bool) (experiment.Spool, error) {
	routes, err := s.file.routes(s.folder, s.open)
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

	dir := s.folder.File("spill")
	if opt.Disk != nil {
		dir = filepath.Join(opt.Disk.Dir, "spill")
	}
	s.spill, err = delivery.NewSpill(delivery.Disk{Dir: dir})
	return s.spill, err
}

// noSpool stands for a spool where nothing is measured.
type noSpool struct{}

func (noSpool) Append([]*experiment.Record) error              { return errors.ErrUnsupported }
func (noSpool) Read(uint64, int) ([]*experiment.Record, error) { return nil, nil }
func (noSpool) Forget(uint64) error                            { return nil }

// Outcome is what an experiment gave besides its records.
type Outcome struct {
	Results   []*Result
	Summaries []*experiment.Record
	Status    experiment.Status
	Delivery  delivery.State
	Samples   int // that were kept
}

// Run runs the experiment to its end, or that of ctx, which is no error.
func (s *Session) Run(ctx context.Context, each func(*Result) error) (out Outcome, err error) {
	defer s.listen(ctx)()
	keep := s.keepSamples(ctx)
	defer func() {
		var kept error
		out.Samples, kept = keep()
		err = errors.Join(err, kept)
	}()
	if s.experiment == nil {
		out.Results, err = s.commands(ctx, each)
		return out, ended(ctx, err)
	}

	if err := s.experiment.Attach(ctx); err != nil {
		return out, err
	}
	delivered := make(chan error, 1)
	go func() { delivered <- s.delivery.Run(context.WithoutCancel(ctx), s.experiment) }()
	if len(s.file.Commands) > 0 {
		out.Results, err = s.commands(ctx, each)
	} else {
		s.wait(ctx)
	}
	err = ended(ctx, err)

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err = errors.Join(err, s.experiment.Detach(last))
	out.Summaries, out.Status = s.experiment.Summaries(), s.experiment.Status()
	err = errors.Join(err, <-delivered, s.delivery.Close(last))
	out.Delivery = s.delivery.State()
	return out, err
}

// listen lets other experiments be attached to this run, from outside. A run goes on without it.
func (s *Session) listen(ctx context.Context) (stop func()) {
	server, err := control.Listen(ctx, control.Options{
		Name: "run " + s.file.Name.V, Program: &s.program, Sources: s.origins,
	})
	if err != nil {
		if s.Told != nil {
			s.Told(fmt.Errorf("no experiments can be attached to this run: %w", err))
		}
		return func() {}
	}
	return func() {
		if err := server.Close(); err != nil && s.Told != nil {
			s.Told(err)
		}
	}
}

// ended takes the end of ctx for what it is: somebody stopped the experiment.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// wait waits until an experiment without commands is over.
func (s *Session) wait(ctx context.Context) {
	if s.file.Duration.V == 0 {
		<-ctx.Done()
		return
	}
	over := time.NewTimer(s.file.Duration.V)
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	}
}

// Trials are the commands of the file and how often they run.
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

// commands runs the commands, each in a region of the experiment.
func (s *Session) commands(ctx context.Context, each func(*Result) error) (all []*Result, err error) {
	opt := s.file.Trials()
	for i := range opt.Variants {
		opt.Variants[i].Stdout, opt.Variants[i].Stderr = s.open.Stdout, s.open.Stderr
	}
	opt.Source = s.live()
	opt.Around = func(ctx context.Context, r *Result, run func(context.Context, func())) {
		event := RunEvent
		if r.Warmup {
			event = WarmupEvent
		}
		ctx, region := s.program.Region(ctx, event+"."+r.Variant, slog.String("command", r.Variant),
			slog.Int("repetition", r.Repetition))
		run(ctx, func() { region.End() })
	}
	return all, Run(ctx, opt, func(r *Result) error {
		all = append(all, r)
		return errors.Join(s.folder.Add(r), each(r))
	})
}

// live is the first source that is no record, in which the processes of commands are looked for.
func (s *Session) live() winperf.Source {
	for _, o := range s.origins {
		if !o.Source.Describe().Recorded {
			return o.Source
		}
	}
	return nil
}

// keepSamples keeps raw samples of all that is measured in the results folder, until it is told
// to stop.
func (s *Session) keepSamples(ctx context.Context) (stop func() (int, error)) {
	sel := Selection()
	for i := range s.file.Bindings {
		for _, v := range s.file.Bindings[i].Sensors {
			paths, names, _ := s.file.sensors(v) // they were checked
			sel.Paths = append(sel.Paths, paths...)
			for _, n := range names {
				sel.Paths = append(sel.Paths, n.Path())
			}
		}
	}
	src := s.live()
	if src == nil {
		return func() (int, error) { return 0, nil }
	}

	ctx, cancel := context.WithCancel(ctx)
	done, samples, err := make(chan struct{}), 0, error(nil)
	go func() {
		defer close(done)
		samples, err = keep(ctx, src, sel, s.folder.File(FileSamples), s.file.every())
	}()
	return func() (int, error) {
		cancel()
		<-done
		return samples, err
	}
}

// keep writes raw samples to a capture until ctx ends.
func keep(
	ctx context.Context, src winperf.Source, sel winperf.Selection, name string, every time.Duration,
) (samples int, err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	w := capture.NewWriter(file, capture.Options{Location: time.Local})
	defer func() { err = errors.Join(err, w.Close(), file.Close()) }()

	opt := measure.Options{Interval: every, RawOnly: true, KeepFirst: true, CostlyTogether: true}
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			return w.Samples(), fmt.Errorf("samples to keep: %w", err)
		}
		if err := w.Write(cycle.Sample); err != nil {
			return w.Samples(), err
		}
	}
	return w.Samples(), nil
}

// Close gives back what Prepare opened. A session that ran needs it, too.
func (s *Session) Close() error {
	var errs []error
	for _, c := range s.opened {
		errs = append(errs, c.Close())
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
