package trial

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
)

// Opener opens the sources, files and sockets that a file names.
type Opener struct {
	Source func(ctx context.Context, url string) (winperf.Source, error)
	// Lines opens a pipe or a file of lines; "stdin" is standard input.
	Lines func(ctx context.Context, name string) (io.ReadCloser, error)
	// Listen listens at a socket for lines.
	Listen func(ctx context.Context, path string) (net.Listener, error)
	// Reason explains why a path has no value in a source; nil means that only the status is reported.
	Reason func(ctx context.Context, src winperf.Source, p winperf.Path, s counter.Status) string
	// Abort is Command.Abort of all commands.
	Abort context.Context
	// Experiments allows attaching other experiments to the run through a socket.
	Experiments bool
	// Stdout and Stderr are for commands, and for programs that receive records.
	Stdout, Stderr io.Writer
}

// defaultSource is the name of the source in files without sources.
const defaultSource = "local"

// origins opens all sources of a file that can be opened, even after an error.
func (f *File) origins(ctx context.Context, open *Opener) (all []sensor.Origin, err error) {
	urls := map[string]string{defaultSource: "local:"}
	if len(f.Sources) > 0 {
		clear(urls)
		for name, url := range f.Sources {
			urls[name] = url.V
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		src, err := open.Source(ctx, urls[name])
		if err != nil {
			errs = append(errs, f.Sources[name].Errorf("source %q: %w", name, err))
			continue
		}
		all = append(all, sensor.Origin{Name: name, Source: src})
	}
	return all, errors.Join(errs...)
}

func closeAll(origins []sensor.Origin) error {
	var errs []error
	for _, o := range origins {
		errs = append(errs, o.Source.Close())
	}
	return errors.Join(errs...)
}

func (f *File) bindings() (all []experiment.Binding, spills bool, err error) {
	for i := range f.Bindings {
		b := &f.Bindings[i]
		policy, err := b.policy()
		if err != nil {
			return nil, false, err
		}
		binding := experiment.Binding{
			Name: b.Name, Policy: policy, Capacity: b.Capacity, Timeout: b.Timeout, Raw: b.Raw,
		}

		for _, e := range b.Events {
			binding.Events = append(binding.Events, e.V)
			if strings.EqualFold(e.V, RunEvent) || strings.EqualFold(e.V, WarmupEvent) {
				binding.Events = append(binding.Events, e.V+".*")
			}
		}
		for _, s := range b.Sensors {
			paths, names, err := f.sensors(s)
			if err != nil {
				return nil, false, err
			}
			binding.Paths = append(binding.Paths, paths...)
			binding.Sensors = append(binding.Sensors, names...)
		}

		if s := b.Summary; s != nil {
			binding.Aggregate = &experiment.Aggregate{
				Percentiles: s.Percentiles, Confidence: s.Confidence, Only: s.Only,
			}
		}
		all, spills = append(all, binding), spills || policy == experiment.Spill
	}
	return all, spills, nil
}

// source returns the event source of an entry. opened, if not nil, must be closed at the end.
func (e *EventEntry) source(ctx context.Context, open *Opener) (
	s experiment.EventSource, opened io.Closer, err error,
) {
	switch {
	case e.Interval != 0:
		return experiment.Interval{Name: e.Name, Every: e.Interval, Aligned: e.Aligned}, nil, nil

	case e.Lines != "":
		s, opened, err := e.lines(ctx, open)
		if err != nil {
			err = e.Errorf("event %q: %w", e.Name, err)
		}
		return s, opened, err

	case e.Processes != "":
		return experiment.Processes{Name: e.Name, Match: e.Processes, Origin: e.Source.V, Every: e.Every}, nil, nil

	case e.Instances != "":
		p, err := winperf.ParsePath(e.Instances)
		return experiment.Instances{Name: e.Name, Path: p, Origin: e.Source.V, Every: e.Every}, nil, err

	case len(e.Signals) > 0:
		s, err := e.signals()
		return s, nil, err

	default:
		return e.threshold(), nil, nil
	}
}

func (e *EventEntry) lines(ctx context.Context, open *Opener) (experiment.EventSource, io.Closer, error) {
	if path, ok := strings.CutPrefix(e.Lines, "unix:"); ok {
		l, err := open.Listen(ctx, path)
		return experiment.LineServer{Name: e.Name, Listener: l}, l, err
	}
	r, err := open.Lines(ctx, e.Lines)
	return experiment.Lines{Name: e.Name, Reader: r, From: e.Lines}, r, err
}

func (e *EventEntry) signals() (experiment.Signals, error) {
	s := experiment.Signals{Name: e.Name}
	for _, name := range e.Signals {
		signal, err := signalNamed(name)
		if err != nil {
			return s, err
		}
		s.Signals = append(s.Signals, signal)
	}
	return s, nil
}

func (e *EventEntry) threshold() experiment.Threshold {
	t := experiment.Threshold{
		Name: e.Name, Path: e.Path.V, Below: e.Below != nil, Hysteresis: e.Hysteresis,
		For: e.For, Origin: e.Source.V, Every: e.Every,
	}
	if t.Below {
		t.Bound = *e.Below
	} else {
		t.Bound = *e.Above
	}
	return t
}

// ResultsRoute is the name of the delivery to the results folder.
const ResultsRoute = "results"

func (f *File) routes(
	folder *Folder, open *Opener, results func(delivery.Sink) delivery.Sink,
) ([]delivery.Route, error) {
	opt := delivery.FileOptions{Format: delivery.FormatRecords}
	records, err := delivery.NewFile(folder.File(FileRecords), opt)
	if err != nil {
		return nil, err
	}
	all := []delivery.Route{{Name: ResultsRoute, Sink: results(records)}}
	for i := range f.Deliver {
		d := &f.Deliver[i]
		sink, err := d.sink(folder, open)
		if err != nil {
			return nil, d.Errorf("%w", err)
		}
		all = append(all, delivery.Route{Name: d.name(), Sink: sink})
	}
	return all, nil
}

func (d *DeliverEntry) name() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.File != "":
		return d.File
	case d.URL != "":
		return d.URL
	default:
		return strings.Join(d.Program, " ")
	}
}

func (d *DeliverEntry) sink(folder *Folder, open *Opener) (delivery.Sink, error) {
	switch {
	case d.File != "":
		name := d.File
		if !filepath.IsAbs(name) {
			name = folder.File(name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return nil, err
			}
		}
		return delivery.NewFile(name, delivery.FileOptions{Format: d.Format})

	case d.URL != "":
		header := http.Header{}
		for k, v := range d.Headers {
			header.Set(k, os.ExpandEnv(v))
		}
		return delivery.NewHTTP(d.URL, delivery.HTTPOptions{Header: header})

	default:
		return delivery.NewProgram(&exec.Cmd{Args: d.Program, Stdout: open.Stdout, Stderr: open.Stderr})
	}
}
