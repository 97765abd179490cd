package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink/metrics"
)

// Config selects the served metrics. The zero Config serves all objects of the source, except
// Thread, Process, Control Group and costly objects, under winperf's own names. The tags are the keys in
// configuration files of winperf serve.
type Config struct {
	// Language is the language of names in paths, as in nametable.ParseLanguage; "" is the source's
	// preferred language. Metrics always have English names.
	Language string `yaml:"language"`
	// Paths and Objects (names with wildcards) select counters. Without both, everything except Thread,
	// Process, Control Group and costly objects is served, and of a log everything. Costly adds costly
	// objects.
	Paths   []winperf.Path `yaml:"paths"`
	Objects []string       `yaml:"objects"`
	Costly  bool           `yaml:"costly"`
	// Exclude omits these paths.
	Exclude []winperf.Path `yaml:"exclude"`
	// Groups selects the groups of processes, under winperf's own names. nil groups by name if Paths and
	// Objects are empty, and else not at all.
	Groups *metrics.Grouping

	// Names are the schemes of names; nil is winperf's own. Totals keeps totals (_Total). NoLegacy
	// omits former metrics of windows_exporter that dashboards still use.
	Names    []metrics.Scheme
	Totals   bool `yaml:"totals"`
	NoLegacy bool
	// Created adds the start times of counters to scrapes in OpenMetrics (…_created).
	Created bool `yaml:"created"`
	// Collectors are the enabled collectors of windows_exporter: under its names only their metrics are
	// served, and their objects are sampled in addition to Paths and Objects. nil enables all collectors for
	// the other objects. Filters selects instances under its names.
	Collectors []string
	Filters    []metrics.LabelFilter
	// CommandLines adds the label cmdline to windows_process_info. Command lines may contain secrets.
	CommandLines bool
	// Counters are objects of windows_exporter's collector performancecounter. They are not served if
	// Collectors lacks it.
	Counters []metrics.Generic

	// CostlyInterval is the shortest time between two samples of costly objects; 0 is 1 minute.
	CostlyInterval time.Duration `yaml:"costly_interval"`
	// Timeout is the timeout of a scrape that sends none; 0 is 10 s. TimeoutOffset is subtracted from
	// a sent timeout, for the transfer; 0 is 0.5 s.
	Timeout       time.Duration `yaml:"timeout"`
	TimeoutOffset time.Duration `yaml:"timeout_offset"`
	// MaxSeries limits the series of a scrape; 0 is unlimited.
	MaxSeries int `yaml:"max_series"`
}

// Defaults of Config.
const (
	defaultCostlyInterval = time.Minute
	defaultTimeout        = 10 * time.Second
	defaultOffset         = 500 * time.Millisecond
)

// MaxTime is the largest duration in a Config.
const MaxTime = 366 * 24 * time.Hour

// WithDefaults returns the configuration with defaults in place of zero values.
func (c Config) WithDefaults() Config {
	c.CostlyInterval = cmp.Or(c.CostlyInterval, defaultCostlyInterval)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.TimeoutOffset = cmp.Or(c.TimeoutOffset, defaultOffset)
	if len(c.Names) == 0 {
		c.Names = []metrics.Scheme{metrics.Own}
	}
	if c.Collectors != nil && !slices.Contains(c.Collectors, customCollector) {
		c.Counters = nil
	}
	return c
}

// withGroups adds the counters that groups of processes need.
func (c *Config) withGroups(sel winperf.Selection) winperf.Selection {
	g := c.grouping()
	sel.Paths = append(slices.Clip(sel.Paths), g.Paths()...)
	return sel
}

// grouping returns the groups of processes.
func (c *Config) grouping() metrics.Grouping {
	switch {
	case c.Groups != nil:
		return *c.Groups
	case len(c.Names) > 0 && !slices.Contains(c.Names, metrics.Own):
	case len(c.Paths)+len(c.Objects) == 0:
		return metrics.Grouping{By: metrics.ByName}
	}
	return metrics.Grouping{}
}

// served returns the selection of the served objects.
func (c *Config) served() winperf.Selection {
	sel := winperf.Selection{Paths: slices.Clone(c.Paths), Costly: c.Costly}
	for _, name := range c.Objects {
		sel.Paths = append(sel.Paths, wholeObject(name))
	}
	ofCollectors := c.collectorPaths()
	onlyCollectors := ofCollectors != nil && !slices.Contains(c.Names, metrics.Own)
	if sel.Global = len(sel.Paths) == 0 && !onlyCollectors; sel.Global {
		return sel
	}
	for i := range c.Counters {
		sel.Paths = append(sel.Paths, c.Counters[i].Paths()...)
	}
	sel.Paths = append(sel.Paths, ofCollectors...)
	return sel
}

// collectorPaths returns the paths of the objects that enabled collectors read; nil if all are enabled.
func (c *Config) collectorPaths() (paths []winperf.Path) {
	if c.Collectors == nil || !slices.Contains(c.Names, metrics.WindowsExporter) {
		return nil
	}

	objects := metrics.CollectorObjects()
	for _, collector := range c.Collectors {
		for _, name := range objects[collector] {
			paths = append(paths, wholeObject(name))
			if named, ok := strings.CutPrefix(name, "SQLServer:"); ok {
				paths = append(paths, wholeObject("MSSQL$*:"+named))
			}
		}
	}
	if len(paths) == 0 { // metrics without counters need a sample, too
		paths = append(paths, wholeObject("System"))
	}
	return paths
}

// expectation returns a function that returns paths without the objects of collectors, which may be missing.
func (c *Config) expectation() func(paths []winperf.Path) []winperf.Path {
	optional := map[winperf.Path]bool{}
	for _, p := range c.collectorPaths() {
		optional[p] = true
	}
	return func(paths []winperf.Path) []winperf.Path {
		return slices.DeleteFunc(slices.Clone(paths), func(p winperf.Path) bool { return optional[p] })
	}
}

// wholeObject returns the path of everything in an object; the name may be a pattern.
func wholeObject(name string) winperf.Path {
	return winperf.Path{Object: name, Instance: "*", HasInstance: true, Counter: "*"}
}

// omitted returns the objects of a live source that are not served because the configuration does not
// name them. They have more series than all other objects together, many of them short-lived.
func (c *Config) omitted() []string {
	if len(c.Paths)+len(c.Objects) > 0 {
		return nil
	}
	if slices.Contains(c.Collectors, "process") {
		return []string{"Thread", "Control Group"}
	}
	return []string{"Thread", "Process", "Control Group"}
}

// ConfigError is the error in one value of a Config.
type ConfigError struct {
	Key   string // as in configuration files, for example objects[1]
	Value string // the wrong value if it is a text
	Err   error
}

// Error implements error. It omits the position in a list: objects for the key objects[1].
func (e *ConfigError) Error() string {
	key, _, _ := strings.Cut(e.Key, "[")
	return key + ": " + e.Err.Error()
}

// Unwrap returns the error without the key.
func (e *ConfigError) Unwrap() error { return e.Err }

// Check returns all errors that do not depend on the source, each a *ConfigError, joined by
// errors.Join.
func (c *Config) Check() error {
	var errs []error
	wrong := func(key, value string, err error) {
		if err != nil {
			errs = append(errs, &ConfigError{key, value, err})
		}
	}

	if _, err := nametable.ParseLanguage(c.Language); c.Language != "" && err != nil {
		wrong("language", c.Language, errors.New("expected a language such as de, German, 007 or 0x407"))
	}
	for i, name := range c.Objects {
		if name == "" {
			wrong(fmt.Sprintf("objects[%d]", i), "", errors.New("expected the name of an object, or a pattern"))
		}
	}
	wrong("names", "", checkNames(c.Names))
	if c.Groups != nil {
		wrong("process_groups", "", c.Groups.Check())
	}
	if c.MaxSeries < 0 {
		wrong("max_series", "", errors.New("expected 0 or more"))
	}
	wrong("costly_interval", "", checkTime(c.CostlyInterval))
	wrong("timeout", "", checkTime(c.Timeout))
	wrong("timeout_offset", "", cmp.Or(checkTime(c.TimeoutOffset), c.checkOffset()))

	for i, err := range metrics.CheckGenerics(c.Counters, c.Names) {
		key := fmt.Sprintf("performancecounter.objects[%d]", i)
		wrong(key, "", err)
		wrong(key, "", likeSelf(&c.Counters[i]))
	}
	return errors.Join(errs...)
}

func checkTime(d time.Duration) error {
	if d < 0 || d > MaxTime {
		return errors.New("expected more than 0 and at most a year")
	}
	return nil
}

func (c *Config) checkOffset() error {
	timeout := cmp.Or(c.Timeout, defaultTimeout)
	if c.TimeoutOffset < timeout || c.Timeout < 0 {
		return nil
	}
	return fmt.Errorf("expected less than the timeout, %v: nothing would be left for the sample", timeout)
}

func checkNames(names []metrics.Scheme) error {
	for i, scheme := range names {
		switch {
		case scheme != metrics.Own && scheme != metrics.WindowsExporter:
			return fmt.Errorf("the names %v cannot be scraped", scheme)
		case slices.Contains(names[:i], scheme):
			return fmt.Errorf("the names %v are there twice", scheme)
		}
	}
	return nil
}

// likeSelf returns an error for each metric of a performancecounter object with the name of a metric
// about the program.
func likeSelf(g *metrics.Generic) error {
	b := builder{self: newSelf("")}
	b.process()
	var errs []error
	for i := range g.Counters {
		same := func(f metrics.Family) bool { return f.Name == g.Counters[i].Metric }
		if slices.ContainsFunc(b.list, same) {
			const form = "%w %q: metric %s is reserved for winperf itself"
			errs = append(errs, fmt.Errorf(form, metrics.ErrGeneric, g.Name, g.Counters[i].Metric))
		}
	}
	return errors.Join(errs...)
}
