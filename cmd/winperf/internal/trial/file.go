package trial

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/measure"
)

// Each run of a command is a region run.NAME or warmup.NAME. In bindings, run matches all runs and warmup
// all warm-ups.
const (
	RunEvent    = "run"
	WarmupEvent = "warmup"
)

// File is the content of an experiment file.
type File struct {
	strictyaml.Pos
	Name strictyaml.Value[string] `yaml:"name,required"`
	// Sources are URLs or file names, by the names used for sensors and events; the default is local:.
	Sources map[string]strictyaml.Value[string] `yaml:"sources"`
	// Sensors are lists of paths and sensor names, by the names used in bindings.
	Sensors  map[string][]strictyaml.Value[string] `yaml:"sensors"`
	Events   []EventEntry                          `yaml:"events"`
	Bindings []BindingEntry                        `yaml:"bindings"`
	Deliver  []DeliverEntry                        `yaml:"deliver"`
	Queue    *QueueEntry                           `yaml:"queue"`

	Commands    []CommandEntry          `yaml:"commands"`
	Repetitions strictyaml.Value[int]   `yaml:"repetitions"`
	Warmup      strictyaml.Value[int]   `yaml:"warmup"`
	Order       strictyaml.Value[Order] `yaml:"order"`
	Seed        uint64                  `yaml:"seed"`
	// Interval is the time between samples of the commands' processes, and between kept raw samples; 0
	// means 1 second.
	Interval strictyaml.Value[time.Duration] `yaml:"interval"`
	// Duration ends an experiment without commands; 0 means that it runs until stopped.
	Duration strictyaml.Value[time.Duration] `yaml:"duration"`
	Language string                          `yaml:"language"`
	// Names is the naming rule for processes and threads: pid, name:pid or name.
	Names strictyaml.Value[string] `yaml:"names"`

	unread unread
}

// EventEntry is a source of events. It has exactly one kind.
type EventEntry struct {
	strictyaml.Pos
	Name string `yaml:"name,required"`

	Interval  time.Duration `yaml:"interval"`
	Aligned   bool          `yaml:"aligned"`
	Lines     string        `yaml:"lines"`     // "stdin", a pipe, a file, or unix:PATH
	Processes string        `yaml:"processes"` // a name with wildcards
	Instances string        `yaml:"instances"` // a path
	Above     *float64      `yaml:"above"`
	Below     *float64      `yaml:"below"`
	Signals   []string      `yaml:"signals"`

	Path       strictyaml.Value[winperf.Path] `yaml:"path"` // for above and below
	Hysteresis float64                        `yaml:"hysteresis"`
	For        time.Duration                  `yaml:"for"`
	Every      time.Duration                  `yaml:"every"` // between two samples
	Source     strictyaml.Value[string]       `yaml:"source"`
}

// BindingEntry connects events with the sensors measured at them.
type BindingEntry struct {
	strictyaml.Pos
	Name     string                     `yaml:"name"`
	Events   []strictyaml.Value[string] `yaml:"events,required"`
	Sensors  []strictyaml.Value[string] `yaml:"sensors,required"`
	Policy   strictyaml.Value[string]   `yaml:"policy"`
	Capacity int                        `yaml:"capacity"`
	Timeout  time.Duration              `yaml:"timeout"`
	Raw      bool                       `yaml:"raw"`
	Summary  *SummaryEntry              `yaml:"summary"`
}

// SummaryEntry configures statistics.
type SummaryEntry struct {
	Percentiles []float64 `yaml:"percentiles"`
	Confidence  float64   `yaml:"confidence"`
	Only        bool      `yaml:"only"`
}

// DeliverEntry is a receiver of records in addition to the results folder. It has exactly one kind.
type DeliverEntry struct {
	strictyaml.Pos
	Name    string            `yaml:"name"`
	File    string            `yaml:"file"`   // relative to the results folder
	Format  string            `yaml:"format"` // for File
	URL     string            `yaml:"url"`
	Headers map[string]string `yaml:"headers"` // of requests to URL
	Program []string          `yaml:"program"`
}

// QueueEntry is a queue on disk for undelivered records.
type QueueEntry struct {
	Directory strictyaml.Value[string] `yaml:"directory,required"`
	Size      strictyaml.Size          `yaml:"size"`
	Age       time.Duration            `yaml:"age"`
}

// CommandEntry is one of the compared commands.
type CommandEntry struct {
	strictyaml.Pos
	Name string            `yaml:"name"`
	Run  []string          `yaml:"run,required"`
	Env  map[string]string `yaml:"env"`
	Dir  string            `yaml:"dir"`
}

// ReadFile parses an experiment and checks everything that requires starting nothing. It joins all errors,
// each with line and column. The file is nil if a part of the text cannot be decoded; then nothing is
// checked that depends on this part.
func ReadFile(name string, text []byte) (*File, error) {
	f := &File{}
	err := strictyaml.Decode(name, text, f)
	switch {
	case f.Line == 0 && err != nil:
		return nil, err
	case f.Line == 0:
		start := strictyaml.Pos{Source: name, Line: 1, Column: 1}
		return nil, start.Errorf("the file is empty: expected an experiment")
	case err != nil:
		f.unread = unreadKeys(strictyaml.PlacesOf(name, text), err)
		return nil, errors.Join(err, f.check())
	}
	return f, f.check()
}

var policies = []experiment.Policy{
	experiment.Wait, experiment.DropOldest, experiment.DropNewest, experiment.Spill,
}

func (f *File) check() error {
	errs := []error{f.checkNumbers()}
	if _, err := measure.ParseNaming(f.Names.V); err != nil {
		errs = append(errs, f.Names.Errorf("%w", err))
	}

	for _, name := range slices.Sorted(maps.Keys(f.Sensors)) {
		for _, v := range f.Sensors[name] {
			_, _, err := f.sensor(v)
			errs = append(errs, err)
		}
	}

	names := map[string]bool{}
	for i := range f.Events {
		errs = append(errs, f.Events[i].check(f, names), f.checkReaders(i))
	}

	bindings := map[string]bool{}
	for i := range f.Bindings {
		errs = append(errs, f.Bindings[i].check(f, bindings))
	}

	routes := map[string]bool{}
	for i := range f.Deliver {
		errs = append(errs, f.Deliver[i].check(routes))
	}

	commands := map[string]bool{}
	for i := range f.Commands {
		errs = append(errs, f.Commands[i].check(commands))
	}

	if len(f.Commands) == 0 && len(f.Bindings) == 0 && f.unread.none("commands", "bindings") {
		errs = append(errs, f.Errorf("expected commands to run, or bindings of sensors to events"))
	}
	return errors.Join(errs...)
}

// known returns an error if a name is not among names.
func (f *File) known(v strictyaml.Value[string], what string, names iter.Seq[string]) error {
	all := slices.Sorted(names)
	if slices.Contains(all, v.V) || !f.unread.none("sources") {
		return nil
	}
	return v.Errorf("no %s has the name %q%s", what, v.V, suggestion(v.V, all))
}

func suggestion(name string, all []string) string {
	if best := suggest.Closest(name, slices.Values(all)); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// check checks a binding; names are the names of previous bindings.
func (b *BindingEntry) check(f *File, names map[string]bool) error {
	errs := []error{b.checkName(names)}
	for _, s := range b.Sensors {
		if list, is := f.Sensors[s.V]; is { // its entries are checked at their place
			if len(list) == 0 && f.unread.none("sensors") {
				errs = append(errs, s.Errorf("the list %q is empty, expected sensors", s.V))
			}
			continue
		}
		_, _, err := f.sensor(s)
		errs = append(errs, err)
	}

	_, err := b.policy()
	errs = append(errs, err, b.checkNumbers(), f.checkEvents(b))

	if s := b.Summary; s != nil {
		for _, p := range s.Percentiles {
			if !(p >= 0 && p <= 100) {
				errs = append(errs, b.Errorf("percentile %v: expected a number from 0 to 100", p))
			}
		}
		if !(s.Confidence >= 0 && s.Confidence < 1) {
			errs = append(errs, b.Errorf("confidence %v: expected a number below 1, such as 0.95", s.Confidence))
		}
	}
	return errors.Join(errs...)
}

func (f *File) checkEvents(b *BindingEntry) error {
	if !f.unread.none("events", "commands") {
		return nil
	}
	var names []string
	for i := range f.Commands {
		name := f.Commands[i].name()
		names = append(names, RunEvent, WarmupEvent, RunEvent+"."+name, WarmupEvent+"."+name)
	}
	for i := range f.Events {
		e := &f.Events[i]
		if e.Lines != "" {
			return nil
		}
		names = append(names, e.Name)
		if e.Interval == 0 && len(e.Signals) == 0 {
			names = append(names, e.Name+".begin", e.Name+".end")
		}
	}

	var errs []error
	for _, v := range b.Events {
		pattern := winperf.CompilePattern(v.V)
		if slices.ContainsFunc(names, pattern.Match) {
			continue
		}
		errs = append(errs, v.Errorf("nothing emits the event %q%s", v.V, suggestion(v.V, names)))
	}
	return errors.Join(errs...)
}

func (b *BindingEntry) policy() (experiment.Policy, error) {
	if b.Policy.V == "" {
		return experiment.Wait, nil
	}
	var words []string
	for _, p := range policies {
		if p.String() == b.Policy.V {
			return p, nil
		}
		words = append(words, p.String())
	}
	const form = "policy %q: expected %s%s"
	return 0, b.Policy.Errorf(form, b.Policy.V, strings.Join(words, ", "), suggestion(b.Policy.V, words))
}

func (f *File) entries(v strictyaml.Value[string]) []strictyaml.Value[string] {
	if list, ok := f.Sensors[v.V]; ok {
		return list
	}
	return []strictyaml.Value[string]{v}
}

func (f *File) sensors(v strictyaml.Value[string]) (paths []winperf.Path, names []sensor.Name, err error) {
	for _, s := range f.entries(v) {
		path, name, err := f.sensor(s)
		switch {
		case err != nil:
			return nil, nil, err
		case path != nil:
			paths = append(paths, *path)
		default:
			names = append(names, name)
		}
	}
	return paths, names, nil
}

// sensor returns a path, or the name of a sensor in one of the file's sources. A name of a Windows or
// Linux source, as list -o sensors writes it, is valid for any source and becomes a path.
func (f *File) sensor(s strictyaml.Value[string]) (*winperf.Path, sensor.Name, error) {
	var name sensor.Name
	switch {
	case strings.HasPrefix(s.V, `\`):
		p, err := winperf.ParsePath(s.V)
		if err == nil {
			p.Instance, err = measure.OwnInstance(p.Object, p.Instance, f.Names.V)
		}
		if err != nil {
			return nil, name, s.Errorf("%w", err)
		}
		return &p, name, nil
	case !strings.Contains(s.V, "/") && !f.unread.none("sensors"):
		return nil, name, nil
	case !strings.Contains(s.V, "/"):
		return nil, name, s.Errorf("%q is not a path, a sensor name or a list of sensors%s", s.V,
			suggestion(s.V, slices.Sorted(maps.Keys(f.Sensors))))
	}

	name, err := sensor.ParseName(s.V)
	if err == nil {
		name.Instance, err = measure.OwnInstance(name.Group, name.Instance, f.Names.V)
	}
	if err != nil {
		return nil, name, s.Errorf("%w", err)
	}
	sources := f.sourceNames()
	declared := func(of string) bool { return strings.EqualFold(of, name.Source) }
	if slices.ContainsFunc(sources, declared) {
		return nil, name, nil
	}
	if !sensor.UsualSource(name.Source) && f.unread.none("sources") {
		return nil, name, s.Errorf("no source has the name %q%s", name.Source, suggestion(name.Source, sources))
	}

	p := name.Path()
	if err := p.Validate(); err != nil {
		return nil, name, s.Errorf("%w", err)
	}
	return &p, name, nil
}

func (f *File) sourceNames() []string {
	if len(f.Sources) == 0 {
		return []string{defaultSource}
	}
	return slices.Sorted(maps.Keys(f.Sources))
}

// name returns the name of the command; the default is its command line.
func (c *CommandEntry) name() string { return cmp.Or(c.Name, strings.Join(c.Run, " ")) }
