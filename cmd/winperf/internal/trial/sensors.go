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
	"github.com/winperf/winperf/sink"
)

// The bounds of what is read of the records of a folder: series, a counter of an instance at an event
// each, and means of runs.
const (
	maxSensorSeries = 100_000
	maxSensorMeans  = 1_000_000
)

// Sensors are what the sensors of a results folder showed, by event and path.
type Sensors struct {
	units  map[sensorKey]string
	values map[sensorKey][]float64
	means  map[sensorOfRun]*mean // of what was measured several times in a run
	Left   int                   // values of more series than are kept
	Failed int                   // records that were left out as they are of runs that failed, were stopped or are missing
	Others int                   // records that were left out as they are of warm-ups
	Stray  int                   // records that were left out as they are of other sessions
}

// sensorOfRun is a series within one run.
type sensorOfRun struct {
	sensorKey
	run int // its number
}

type mean struct {
	sum   float64
	count int
}

// sensorKey tells a series: machines are left out, so that folders of two can be compared.
type sensorKey struct{ event, path string }

// ofRun reports whether the series is of the runs of one of these commands.
func (k sensorKey) ofRun(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return k.event == RunEvent+"."+n })
}

func newSensors() *Sensors {
	return &Sensors{
		units: map[sensorKey]string{}, values: map[sensorKey][]float64{}, means: map[sensorOfRun]*mean{},
	}
}

// ReadSensors reads the records of a results folder with these conditions and runs; one without records has
// none. What was measured in warm-ups and in runs that failed or were stopped is left out, and so is what was
// delivered late of a session that was killed, which had runs of its own. Without a session there is only
// one. Where runs of the plan are missing, one may have been under way when all ended: what came behind the
// last run that is there may be of it, and is left out, too.
//
// Other events in a run give one value a run, the mean: values of one run are more alike than those of two,
// and comparing them one by one would find differences where there is only noise.
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
		if errors.Is(err, io.EOF) { // also of a last line that was cut off
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

// sort adds a record, or counts it where it does not count.
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

// behind reports whether a record is of an event after the last run that is there.
func behind(r *experiment.Record, runs []*Result) bool {
	if len(runs) == 0 {
		return true
	}
	last := runs[len(runs)-1]
	return !last.isRegion(r) && r.Event.Time.After(last.end())
}

// end is when the run's command had ended.
func (r *Result) end() time.Time { return r.Exit.Began.Add(r.Exit.Time) }

// during is the run that a record is of: its region, or an event while it went on. It is nil for none,
// and for an event beside all runs.
func during(r *experiment.Record, runs []*Result) *Result {
	at := r.Event.Time
	next, _ := slices.BinarySearchFunc(runs, at, func(run *Result, at time.Time) int {
		return run.Exit.Began.Compare(at)
	})
	if next < len(runs) && runs[next].isRegion(r) { // which begins before its command
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

// isRegion reports whether a record is that of the run itself.
func (r *Result) isRegion(of *experiment.Record) bool {
	if of.Kind != experiment.Span || of.Event.Name != r.event() {
		return false
	}
	return slices.Contains(of.Event.Attrs, experiment.Attr{Key: attrRepetition, Value: int64(r.Repetition)})
}

// ofDifference follows the path of a counter whose differences in regions are compared, such as the counters
// of a process that a run started: the difference is all that the process used.
const ofDifference = " (difference)"

// add adds the values of a record, of a run where it is not nil.
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
		if v.Source != "" { // another one may have a counter of the same path
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

// The units of numbers of bytes, which counters do not have: for them these are counts, and counts per
// second.
const (
	Bytes          = "bytes"
	BytesPerSecond = "bytes_per_second"
)

// UnitOf returns the unit of a value or of its statistics: the unit of its counter, Bytes or BytesPerSecond.
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
			s.Left++
			return
		}
		m = &mean{}
		s.means[key], s.units[key.sensorKey] = m, unit
	}
	m.sum, m.count = m.sum+number, m.count+1
}

// finish takes the means of the runs, in their order.
func (s *Sensors) finish() {
	keys := slices.SortedFunc(maps.Keys(s.means), func(a, b sensorOfRun) int { return a.run - b.run })
	for _, key := range keys {
		m := s.means[key]
		s.addNumber(key.sensorKey, m.sum/float64(m.count), s.units[key.sensorKey])
	}
	s.means = nil
}

func (s *Sensors) addNumber(key sensorKey, number float64, unit string) {
	if _, there := s.values[key]; !there && len(s.values) == maxSensorSeries {
		s.Left++
		return
	}
	s.values[key] = append(s.values[key], number)
	s.units[key] = unit
}

// CompareSensors compares what sensors showed at the same events in several folders: series that
// all of them have, in the order of their events and paths.
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

// CompareCommands compares what sensors showed over the runs of the commands of one folder, each
// sensor that at least one of them has. It leaves out what has no part in that, see Rest.
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
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// Rest is what sensors showed at all other events than the runs of these commands.
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

// keys are the series, in the order of their events and paths.
func (s *Sensors) keys() []sensorKey {
	return slices.SortedFunc(maps.Keys(s.values), func(a, b sensorKey) int {
		return slices.Compare([]string{a.event, a.path}, []string{b.event, b.path})
	})
}
