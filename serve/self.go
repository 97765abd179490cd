package serve

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/serve/internal/resources"
	"github.com/winperf/winperf/sink/metrics"
)

// self are the metrics about the program. They continue when the configuration is replaced.
type self struct {
	mu        sync.Mutex
	version   string
	stages    [numStages]time.Duration // since the start
	samples   uint64
	failed    uint64
	bytes     int       // of the last sample
	last      time.Time // of the last successful sample; zero: none
	whole     bool      // the last sample succeeded and lacks no object
	written   uint64
	scrapes   map[int]uint64 // by status
	anomalies []uint64       // by kind
	damage    uint64

	collector func(object string) string // of windows_exporter; nil until it is needed
	reads     map[string]bool            // collectors with metrics: whether they read objects

	none      *metrics.Rows
	resources resources.Meter
	rows      map[string]*metrics.Rows // of families with constant labels
	objects   []objectState            // of objRows
	objRows   *metrics.Rows
	paths     []string // of pathRows
	pathRows  *metrics.Rows
}

// The stages of a scrape.
const (
	stageSample = iota
	stageDecode
	stageMap
	stageWrite
	numStages
)

var stageNames = []string{"sample", "decode", "map", "write"}

func newSelf(version string) *self {
	o := &self{
		version: cmp.Or(version, "unknown"), scrapes: map[int]uint64{},
		none: metrics.NewRows([][]metrics.Label{nil}, nil), rows: map[string]*metrics.Rows{},
	}
	o.anomalies = make([]uint64, numAnomalies())
	return o
}

func numAnomalies() int {
	for k := winperf.AnomalyKind(0); ; k++ {
		if same, known := winperf.ParseAnomalyKind(k.String()); !known || same != k {
			return int(k)
		}
	}
}

// sampled counts a sample; main is false for costly objects.
func (o *self) sampled(c *measure.Cycle, err error, main bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.samples++
	if main {
		o.whole = err == nil && !partial(c)
	}
	if err != nil {
		o.failed++
		return
	}

	o.stages[stageSample] += c.Cost.Sample
	if main {
		o.bytes, o.last = c.Cost.Bytes, c.Time
	}
	o.count(c)
}

// decoded counts the contents of a sample that was taken before.
func (o *self) decoded(c *measure.Cycle) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count(c)
}

func (o *self) count(c *measure.Cycle) {
	o.stages[stageDecode] += c.Cost.Decode + c.Cost.Cook
	o.damage += uint64(len(c.Damage))
	for _, a := range c.Anomalies {
		if int(a.Kind) < len(o.anomalies) {
			o.anomalies[a.Kind]++
		}
	}
}

// partial reports whether a sample lacks objects because a provider failed, timed out, or was
// skipped after an earlier failure.
func partial(c *measure.Cycle) bool {
	return slices.ContainsFunc(c.Sample.Parts, func(p winperf.Part) bool {
		return p.Err != nil
	})
}

func (o *self) damaged() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.damage++
}

func (o *self) mapped(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stages[stageMap] += d
}

func (o *self) wrote(d time.Duration, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stages[stageWrite] += d
	o.written += uint64(bytes)
}

func (o *self) answered(status int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scrapes[status]++
}

// scraped describes an answer or a pushed sample.
type scraped struct {
	series     seriesCounts
	objects    []objectState
	whole      bool     // the sample lacks no object
	unmatched  []string // paths of the request without a match
	collectors []string // that the request names
}

// families returns all metrics about the exporter for an answer.
func (o *self) families(e *Exporter, a *scraped, now time.Time) []metrics.Family {
	paths := e.costlyPaths.list(e.mainPaths.list(nil))
	for _, path := range a.unmatched {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	var more []metrics.Family
	if e.opt.More != nil {
		more = e.opt.More(now)
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	b := builder{self: o}

	b.info("winperf_build", "Build information.",
		metrics.Label{Name: "goos", Value: runtime.GOOS},
		metrics.Label{Name: "goversion", Value: runtime.Version()},
		metrics.Label{Name: "version", Value: o.version})
	b.objects(a.objects, now)
	b.unmatched(paths)

	b.gauge("winperf_sample_successful", "",
		"1 if this sample succeeded and is complete.", truth(a.whole))
	b.lastSample()
	b.gauge("winperf_sample_bytes", "bytes", "Length of the last sample.", float64(o.bytes))
	b.counter("winperf_samples_total", "", "Samples taken, including samples of costly objects.", o.samples)
	b.counter("winperf_samples_failed_total", "", "Samples that failed.", o.failed)
	b.durations("winperf_stage_seconds_total", "Time spent in the stages of scrapes.", "stage", stageNames,
		o.stages[:])
	b.counter("winperf_text_bytes_total", "bytes", "Length of the metrics text.", o.written)
	b.anomalies("winperf_anomalies_total", "Anomalies of samples.", o.anomalies)
	b.counter("winperf_damage_total", "", "Damaged parts of samples.", o.damage)
	b.statuses("winperf_scrapes_total", "Answers to scrapes by HTTP status, before this one.", o.scrapes)
	b.gauge("winperf_series", "", "Series of this sample, without series about winperf.",
		float64(a.series.written))
	b.gauge("winperf_series_dropped", "", "Series omitted because of the limit on series.",
		float64(a.series.dropped))
	b.list = append(b.list, more...)
	b.process()
	if slices.Contains(e.opt.Names, metrics.WindowsExporter) {
		enabled := a.collectors
		if enabled == nil {
			enabled = e.opt.Collectors
		}
		b.likeWindowsExporter(a.objects, enabled)
	}
	return b.list
}

// reserved returns the metrics about the exporter. Their names are not used for counters.
func (o *self) reserved(e *Exporter) []metrics.Family {
	return o.families(e, &scraped{whole: true}, time.Now())
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }

type builder struct {
	self *self
	list []metrics.Family
}

func (b *builder) add(name string, t metrics.Type, unit, help string, c metrics.Column) {
	b.list = append(b.list, metrics.Family{
		Name: name, Type: t, Unit: unit, Help: help, Columns: []metrics.Column{c},
	})
}

func (b *builder) gauge(name, unit, help string, v float64) {
	b.add(name, metrics.Gauge, unit, help, floats(b.self.none, v))
}

func (b *builder) counter(name, unit, help string, v uint64) {
	b.add(name, metrics.Counter, unit, help, metrics.Column{Rows: b.self.none, Bits: []uint64{v}})
}

// info is 1 with labels, which must be sorted.
func (b *builder) info(name, help string, labels ...metrics.Label) {
	rows := b.self.fixed(name, func() [][]metrics.Label { return [][]metrics.Label{labels} })
	b.add(name+"_info", metrics.Info, "", help, metrics.Column{Rows: rows, Bits: []uint64{1}})
}

// lastSample adds the time of the last successful sample.
func (b *builder) lastSample() {
	c := floats(b.self.none, unixSeconds(b.self.last))
	if b.self.last.IsZero() {
		c.Absent = []uint64{1}
	}
	b.add("winperf_sample_timestamp_seconds", metrics.Gauge, "seconds",
		"Time of the last successful sample, since 1970.", c)
}

// anomalies adds the counts by kind: kinds in rawAnomalies, and others that occurred.
func (b *builder) anomalies(name, help string, counts []uint64) {
	var words []string
	var c metrics.Column
	key := name
	for k, n := range counts {
		if kind := winperf.AnomalyKind(k); n > 0 || slices.Contains(rawAnomalies, kind) {
			words = append(words, kind.String())
			c.Bits = append(c.Bits, n)
			key += "," + kind.String()
		}
	}
	c.Rows = b.self.fixed(key, func() [][]metrics.Label { return oneLabel("kind", words) })
	b.add(name, metrics.Counter, "", help, c)
}

// rawAnomalies are the kinds that can occur in raw samples on demand. Paths without a match are in
// winperf_path_unmatched.
var rawAnomalies = []winperf.AnomalyKind{
	winperf.BufferGrew, winperf.ClockBack, winperf.SourceSlow, winperf.ProviderFailed, winperf.ClockSet,
}

func (b *builder) unmatched(paths []string) {
	o := b.self
	if o.pathRows == nil || !slices.Equal(o.paths, paths) {
		o.paths, o.pathRows = paths, metrics.NewRows(oneLabel("path", paths), nil)
	}
	c := metrics.Column{Rows: o.pathRows, Bits: slices.Repeat([]uint64{1}, len(paths))}
	b.add("winperf_path_unmatched", metrics.Gauge, "",
		"1 for a path of the configuration, or of the request, that has matched nothing yet.", c)
}

func (b *builder) durations(name, help, label string, values []string, times []time.Duration) {
	rows := b.self.fixed(name, func() [][]metrics.Label { return oneLabel(label, values) })
	c := metrics.Column{Rows: rows, Form: metrics.Ticks100ns}
	for _, d := range times {
		c.Bits = append(c.Bits, ticks(d))
	}
	b.add(name, metrics.Counter, "seconds", help, c)
}

func (b *builder) statuses(name, help string, counts map[int]uint64) {
	var labels []string
	var c metrics.Column
	for status := 100; status < 600; status++ {
		if n, there := counts[status]; there {
			labels = append(labels, strconv.Itoa(status))
			c.Bits = append(c.Bits, n)
		}
	}
	// Statuses are only added, so that their number identifies them.
	c.Rows = b.self.fixed(name+strconv.Itoa(len(labels)), func() [][]metrics.Label {
		return oneLabel("code", labels)
	})
	b.add(name, metrics.Counter, "", help, c)
}

// objects adds the presence of objects, the age of their values and the duration of their sample.
func (b *builder) objects(list []objectState, now time.Time) {
	rows := b.self.rowsOf(list)
	up := metrics.Column{Rows: rows, Bits: make([]uint64, len(list))}
	age := floats(rows, make([]float64, len(list))...)
	took := floats(rows, make([]float64, len(list))...)
	age.Absent = make([]uint64, (len(list)+63)/64)

	for i, s := range list {
		if s.up {
			up.Bits[i] = 1
		}
		if s.seen.IsZero() {
			age.Absent[i/64] |= 1 << (i % 64)
		}
		age.Bits[i] = math.Float64bits(max(0, now.Sub(s.seen).Seconds()))
		took.Bits[i] = math.Float64bits(s.took.Seconds())
	}
	took.Absent = age.Absent

	b.add("winperf_object_up", metrics.Gauge, "",
		"1 if the object was in the last sample that it could be in.", up)
	b.add("winperf_object_age_seconds", metrics.Gauge, "seconds",
		"Age of the last sample with the object.", age)
	b.add("winperf_object_duration_seconds", metrics.Gauge, "seconds",
		"Duration of the last sample with the object, including its other objects.", took)
}

// rowsOf returns the labels of objects, cached while the objects are the same.
func (o *self) rowsOf(list []objectState) *metrics.Rows {
	same := len(list) == len(o.objects) && o.objRows != nil
	for i := 0; same && i < len(list); i++ {
		same = list[i].Name == o.objects[i].Name
	}
	if !same {
		var names []string
		for i := range list {
			names = append(names, list[i].Name)
		}
		o.objRows = metrics.NewRows(oneLabel("object", names), nil)
	}
	o.objects = list
	return o.objRows
}

func (o *self) fixed(name string, labels func() [][]metrics.Label) *metrics.Rows {
	if o.rows[name] == nil {
		o.rows[name] = metrics.NewRows(labels(), nil)
	}
	return o.rows[name]
}

func oneLabel(name string, values []string) (labels [][]metrics.Label) {
	for _, v := range values {
		labels = append(labels, []metrics.Label{{Name: name, Value: v}})
	}
	return labels
}

func floats(rows *metrics.Rows, values ...float64) metrics.Column {
	c := metrics.Column{Rows: rows, Form: metrics.Float, Bits: make([]uint64, len(values))}
	for i, v := range values {
		c.Bits[i] = math.Float64bits(v)
	}
	return c
}
