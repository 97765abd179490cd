package trial

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
)

// maxSensorSeries bounds of how many series, a counter of an instance at an event each, the
// records of a folder are read.
const maxSensorSeries = 100_000

// Sensors are what the sensors of a results folder showed, by event and path.
type Sensors struct {
	units  map[sensorKey]string
	values map[sensorKey][]float64
	Left   int // values of more series than are kept
}

// sensorKey tells a series: machines are left out, so that folders of two can be compared.
type sensorKey struct{ event, path string }

// ReadSensors reads the records of a results folder; one without records has none.
func ReadSensors(folder string) (*Sensors, error) {
	s := &Sensors{units: map[sensorKey]string{}, values: map[sensorKey][]float64{}}
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
			return s, nil
		}
		var r experiment.Record
		if err == nil {
			r, err = experiment.ParseRecord(line)
		}
		if err != nil {
			return nil, &winperf.DataError{Source: name, Line: n, Msg: err.Error()}
		}
		if r.Kind == experiment.Point || r.Kind == experiment.Span {
			s.add(&r)
		}
	}
}

func (s *Sensors) add(r *experiment.Record) {
	for i := range r.Values {
		v := &r.Values[i]
		number, _ := v.Value.Float64()
		if v.Status != counter.OK || v.Value.Kind() == counter.KindText {
			continue
		}
		key := sensorKey{r.Event.Name, v.Path}
		if p, err := winperf.ParsePath(v.Path); err == nil {
			p.Machine = ""
			key.path = p.String()
		}
		if _, there := s.values[key]; !there && len(s.values) == maxSensorSeries {
			s.Left++
			continue
		}
		s.values[key] = append(s.values[key], number)
		s.units[key] = v.Unit.String()
	}
}

// CompareSensors compares what sensors showed at the same events in several folders: series that
// all of them have, in the order of their events and paths.
func CompareSensors(folders []*Sensors) (rows []Row) {
	var keys []sensorKey
	for key := range folders[0].values {
		everywhere := func(s *Sensors) bool { return len(s.values[key]) > 0 }
		if !slices.ContainsFunc(folders, func(s *Sensors) bool { return !everywhere(s) }) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b sensorKey) int {
		return slices.Compare([]string{a.event, a.path}, []string{b.event, b.path})
	})

	for _, key := range keys {
		numbers := make([][]float64, len(folders))
		for i, s := range folders {
			numbers[i] = s.values[key]
		}
		m := Measure{Name: key.event + " " + key.path, Unit: folders[0].units[key]}
		rows = append(rows, compare(m, numbers))
	}
	return rows
}
