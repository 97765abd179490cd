package logs

import (
	"io"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// InstanceLabel is the label of the machine in Prometheus, MachineLabel the label if there are
// several.
const (
	InstanceLabel = "instance"
	MachineLabel  = "machine"
)

// Metrics converts moments to metrics, with a Mapper for each log.
type Metrics struct {
	opt     Options
	mappers map[*Log]*metrics.Mapper
}

// NewMetrics returns a Metrics. It uses Paths, Exclude, Names, PhysicalMemory, Instance and
// Machines of opt.
func NewMetrics(opt Options) *Metrics {
	return &Metrics{opt: opt, mappers: map[*Log]*metrics.Mapper{}}
}

// Each calls each with the metrics of every log in the moment. A Set is valid until the next
// moment.
func (x *Metrics) Each(m *Moment, each func(from *Log, cycle *measure.Cycle, set *metrics.Set) error) error {
	for i, cycle := range m.Cycles {
		set, err := x.set(m.From[i], cycle)
		if err != nil {
			return m.From[i].Blame(err)
		}
		if err := each(m.From[i], cycle, set); err != nil {
			return err
		}
	}
	return nil
}

func (x *Metrics) set(from *Log, cycle *measure.Cycle) (*metrics.Set, error) {
	mapper := x.mappers[from]
	if mapper == nil {
		home := ""
		if x.opt.Instance {
			home = machineOf(from, cycle)
		}
		facts := metrics.LogFacts(from.Source.Describe().Log)
		facts.PhysicalMemory = x.opt.PhysicalMemory
		mapper = metrics.NewMapper(metrics.Options{
			Select:     winperf.Selection{Paths: x.opt.Paths},
			Exclude:    x.opt.Exclude,
			LoneTotals: true, // often only they were recorded
			Names:      x.opt.Names,
			Facts:      facts,
			Home:       home,
			NoKeep:     true, // every cycle of the log is mapped
			Groups:     groupsFor(x.opt.Paths),
		})
		x.mappers[from] = mapper
	}

	return mapper.Map(cycle.Frame, cycle.Names)
}

// groupsFor returns the groups of processes, which paths exclude.
func groupsFor(paths []winperf.Path) metrics.Grouping {
	if len(paths) > 0 {
		return metrics.Grouping{}
	}
	return metrics.Grouping{By: metrics.ByName}
}

// Labels returns the label of the machine of a log's sample. Series of other machines have their
// own.
func (x *Metrics) Labels(from *Log, cycle *measure.Cycle) []metrics.Label {
	machine := machineOf(from, cycle)
	switch {
	case machine == "":
		return nil
	case x.opt.Instance:
		return []metrics.Label{{Name: InstanceLabel, Value: machine}}
	case x.opt.Machines:
		return []metrics.Label{{Name: MachineLabel, Value: machine}}
	}
	return nil
}

type metricsWriter struct {
	*prometheus.Backfill
	labels  []metrics.Label
	metrics *Metrics
}

func newMetricsWriter(w io.Writer, opt Options) *metricsWriter {
	return &metricsWriter{
		Backfill: prometheus.NewBackfill(w, opt.Spool),
		labels:   opt.Labels,
		metrics:  NewMetrics(opt),
	}
}

func (w *metricsWriter) Write(m *Moment) error {
	return w.metrics.Each(m, func(from *Log, cycle *measure.Cycle, set *metrics.Set) error {
		more := w.metrics.Labels(from, cycle)
		for _, l := range w.labels {
			is := func(of metrics.Label) bool { return of.Name == l.Name }
			if l.Value != "" && !slices.ContainsFunc(more, is) {
				more = append(more, l)
			}
		}
		return w.Add(set, more...)
	})
}

func machineOf(from *Log, cycle *measure.Cycle) string {
	machine := from.Source.Describe().Machine
	if machine == "" && !cycle.Frame.IsZero() {
		machine = cycle.Frame.Machine()
	}
	return machine
}

func (w *metricsWriter) Flush() error { return nil }

func (w *metricsWriter) Close() error {
	return w.Backfill.Close()
}

func (w *metricsWriter) Late() int { return 0 }

// OutOfOrder returns the number of samples that a closed Writer of OpenMetrics dropped because
// their time was not after the previous sample of the series; 0 for other Writers.
func OutOfOrder(w Writer) int {
	if w, ok := w.(*metricsWriter); ok {
		return w.Backfill.OutOfOrder()
	}
	return 0
}
