package trial

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/sink"
)

// Limits of the records read from a folder: series (a counter of an instance at an event), and means of
// runs.
const (
	maxSensorSeries = 100_000
	maxSensorMeans  = 1_000_000
)

// Sensors are the values of sensors in a results folder, by event and path.
type Sensors struct {
	units   map[sensorKey]string
	values  map[sensorKey][]float64
	means   map[sensorOfRun]*mean // for several values in a run
	Omitted int                   // number of values of series beyond the limit
	Failed  int                   // number of records of failed, stopped or missing runs
	Others  int                   // number of records of warm-ups
	Stray   int                   // number of records of other sessions
}

type sensorOfRun struct {
	sensorKey
	run int // number of the run
}

type mean struct {
	sum   float64
	count int
}

// sensorKey identifies a series without the machine, so that folders of different machines can be
// compared.
type sensorKey struct{ event, path string }

func (k sensorKey) ofRun(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return k.event == RunEvent+"."+n })
}

func newSensors() *Sensors {
	return &Sensors{
		units: map[sensorKey]string{}, values: map[sensorKey][]float64{}, means: map[sensorOfRun]*mean{},
	}
}

// ReadSensors reads the records of a results folder. It omits records of warm-ups, of failed and stopped
// runs, and of killed sessions. Without a session there is only one. If runs of the plan are missing,
// records after the last run may belong to an incomplete run and are omitted.
//
// Other events in a run give one value for the run, the mean: values of one run are more similar than
// values of two runs, and comparing them individually would report noise as differences.
func ReadSensors(folder string, c Conditions, runs []*Result) (*Sensors, error) {
	s := newSensors()
	name := filepath.Join(folder, FileRecords)
	in, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()

	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) { // also for an incomplete last line
			s.finish()
			return s, nil
		}
		var r experiment.Record
		if err == nil {
			r, err = experiment.ParseRecord(line)
		}
		if err != nil {
			return nil, &winperf.DataError{Source: name, Line: n, Msg: err.Error()}
		}
		switch {
		case r.Kind != experiment.Point && r.Kind != experiment.Span:
		case c.Session != "" && r.Session != c.Session:
			s.Stray++
		case len(runs) < len(c.Plan) && behind(&r, runs):
			s.Failed++
		default:
			s.sort(&r, runs)
		}
	}
}

func (s *Sensors) sort(r *experiment.Record, runs []*Result) {
	switch run := during(r, runs); {
	case run == nil || !run.Warmup && !run.failed():
		s.add(r, run)
	case run.Warmup:
		s.Others++
	default:
		s.Failed++
	}
}

// behind reports whether the record's event is after the last run.
func behind(r *experiment.Record, runs []*Result) bool {
	if len(runs) == 0 {
		return true
	}
	last := runs[len(runs)-1]
	return !last.isRegion(r) && r.Event.Time.After(last.end())
}

func (r *Result) end() time.Time { return r.Exit.Began.Add(r.Exit.Time) }

// during returns the run that a record belongs to: its region, or a run in progress at the event. It
// returns nil for events outside of runs.
func during(r *experiment.Record, runs []*Result) *Result {
	at := r.Event.Time
	next, _ := slices.BinarySearchFunc(runs, at, func(run *Result, at time.Time) int {
		return run.Exit.Began.Compare(at)
	})
	if next < len(runs) && runs[next].isRegion(r) { // the region begins before the command
		return runs[next]
	}
	if next == 0 {
		return nil
	}
	before := runs[next-1]
	if before.isRegion(r) || !at.After(before.end()) {
		return before
	}
	return nil
}

func (r *Result) isRegion(of *experiment.Record) bool {
	if of.Kind != experiment.Span || of.Event.Name != r.event() {
		return false
	}
	return slices.Contains(of.Event.Attrs, experiment.Attr{Key: attrRepetition, Value: int64(r.Repetition)})
}

// ofDifference is appended to the path of a counter whose differences in regions are compared. For a
// process that the run started, the difference is its total use.
const ofDifference = " (difference)"

// add adds the values of a record; run may be nil.
func (s *Sensors) add(r *experiment.Record, run *Result) {
	for i := range r.Values {
		v := &r.Values[i]
		number, _ := v.Value.Float64()
		unit, of := UnitOf(v), ""
		switch {
		case v.HasDifference && (v.Status != counter.OK || v.Touched.Has(winperf.InstanceBegan)):
			grown, in := v.Grown()
			number, unit, of = grown, unitOf(v.Path, in), ofDifference
		case v.Status == counter.OK && v.Value.Kind() != counter.KindText:
		default:
			continue
		}

		path := v.Path
		if p, err := winperf.ParsePath(v.Path); err == nil {
			p.Machine = ""
			path = p.String()
		}
		if v.Source != "" { // other sources may have the same path
			path = v.Source + ": " + path
		}

		key := sensorKey{r.Event.Name, path + of}
		if run == nil || run.isRegion(r) {
			s.addNumber(key, number, unit)
		} else {
			s.addMean(sensorOfRun{sensorKey{run.event(), r.Event.Name + ": " + key.path}, run.Number}, number, unit)
		}
	}
}

// Units for bytes. Counters count them as counts and counts per second.
const (
	Bytes          = "bytes"
	BytesPerSecond = "bytes_per_second"
)

// UnitOf returns the unit of a value or its statistics: the unit of its counter, Bytes or BytesPerSecond.
func UnitOf(v *experiment.Value) string { return unitOf(v.Path, v.Unit) }

func unitOf(path string, unit counter.Unit) string {
	p, err := winperf.ParsePath(path)
	switch {
	case err != nil || !sink.IsBytes(p.Counter, unit):
		return unit.String()
	case unit == counter.PerSecond:
		return BytesPerSecond
	}
	return Bytes
}

func (s *Sensors) addMean(key sensorOfRun, number float64, unit string) {
	m := s.means[key]
	if m == nil {
		if len(s.means) == maxSensorMeans {
			s.Omitted++
			return
		}
		m = &mean{}
		s.means[key], s.units[key.sensorKey] = m, unit
	}
	m.sum, m.count = m.sum+number, m.count+1
}

func (s *Sensors) finish() {
	keys := slices.Collect(maps.Keys(s.means))
	sorted.Func(keys, func(a, b sensorOfRun) int { return a.run - b.run })
	for _, key := range keys {
		m := s.means[key]
		s.addNumber(key.sensorKey, m.sum/float64(m.count), s.units[key.sensorKey])
	}
	s.means = nil
}

func (s *Sensors) addNumber(key sensorKey, number float64, unit string) {
	if _, there := s.values[key]; !there && len(s.values) == maxSensorSeries {
		s.Omitted++
		return
	}
	s.values[key] = append(s.values[key], number)
	s.units[key] = unit
}

// CompareSensors compares series that all folders have, ordered by event and path.
func CompareSensors(folders []*Sensors) (rows []Row) {
	for _, key := range folders[0].keys() {
		var numbers [][]float64
		for _, s := range folders {
			numbers = append(numbers, s.values[key])
		}
		m := Measure{Name: key.event + " " + key.path, Unit: folders[0].units[key]}
		if !slices.ContainsFunc(numbers, func(n []float64) bool { return len(n) == 0 }) {
			rows = append(rows, compare(m, numbers))
		}
	}
	return rows
}

// CompareCommands compares series of the runs of the commands in one folder. Each row has values of at
// least one command. Other events are returned by Rest.
func (s *Sensors) CompareCommands(names []string) (rows []Row) {
	seen := map[string]bool{}
	for _, key := range s.keys() {
		if seen[key.path] || !key.ofRun(names) {
			continue
		}
		seen[key.path] = true
		var numbers [][]float64
		for _, name := range names {
			numbers = append(numbers, s.values[sensorKey{RunEvent + "." + name, key.path}])
		}
		rows = append(rows, compare(Measure{Name: key.path, Unit: s.units[key]}, numbers))
	}
	sorted.Func(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// Rest returns the series of all events other than runs of these commands.
func (s *Sensors) Rest(names []string) (rows []Row) {
	for _, key := range s.keys() {
		if key.ofRun(names) {
			continue
		}
		m := Measure{Name: key.event + " " + key.path, Unit: s.units[key]}
		rows = append(rows, compare(m, [][]float64{s.values[key]}))
	}
	return rows
}

func (s *Sensors) keys() []sensorKey {
	keys := slices.Collect(maps.Keys(s.values))
	sorted.Func(keys, func(a, b sensorKey) int {
		return slices.Compare([]string{a.event, a.path}, []string{b.event, b.path})
	})
	return keys
}
