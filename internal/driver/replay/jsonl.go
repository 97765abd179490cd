package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// OpenJSONL opens readings as sink.NewJSONL writes them, as a source. Its samples hold
// readings: lines of one time are a sample. A machine in a path selects.
//
// Errors wrap fs.ErrNotExist, winperf.ErrBadData where the first line is no reading, or
// winperf.ErrNotSupported. Each query reads the file on its own; lines that are
// damaged are passed over and told (winperf.Sample.Damage).
func OpenJSONL(file File) (winperf.Source, error) {
	s := &jsonSource{file: file}
	q := &jsonQuery{source: s}
	defer q.Close()
	if err := q.open(); err != nil {
		return nil, err
	}

	first, err := q.line()
	if err == nil {
		s.machine = first.path.Machine
	}
	if err == nil || errors.Is(err, io.EOF) {
		return s, nil
	}
	return nil, fmt.Errorf("%s: %w", file.Name, err)
}

// IsJSONL reports whether a file that begins with start holds readings.
func IsJSONL(start []byte) bool {
	text, _, err := wire.NewReader(bytes.NewReader(start))
	if err != nil {
		return false
	}
	line, err := bufio.NewReaderSize(text, maxJSONLine).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	_, err = parseReading(line)
	return err == nil
}

// maxJSONLine is longer than any line of a reading.
const maxJSONLine = 1 << 20

// jsonSource is immutable, so that any number of goroutines may use it.
type jsonSource struct {
	file    File
	machine string // of the first reading
}

// Describe implements winperf.Source.
func (s *jsonSource) Describe() winperf.Description {
	log := winperf.LogInfo{Format: "winperf JSON lines", Zone: "UTC", Location: time.UTC}
	return winperf.Description{Machine: s.machine, Recorded: true, Samples: -1, Cooked: true, Log: log}
}

// Schema implements winperf.Source: there are no indices and no help texts.
func (s *jsonSource) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{Interface: "log"}, nil
}

// Close implements winperf.Source. Queries have files of their own.
func (s *jsonSource) Close() error { return nil }

// Compile implements winperf.Source. It accepts every selection; objects by
// identity are not found, because readings have none.
func (s *jsonSource) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &jsonQuery{source: s, sel: sel, choice: newChoice(sel)}, nil
}

// jsonSeries is what is known of the readings of a path.
type jsonSeries struct {
	*winperf.Series
	wanted bool
	sample int // the last one that it is in
}

// jsonQuery reads the file from its beginning.
type jsonQuery struct {
	source *jsonSource
	sel    winperf.Selection
	choice choice

	file    *os.File
	size    int64
	read    int64 // bytes read of file
	in      *bufio.Reader
	number  int // of the line that was read last
	series  map[string]*jsonSeries
	samples int
	ahead   *jsonReading // the first of the next sample

	damage []error // since the last sample
	more   int     // of it beyond maxDamage

	described bool // the sample of a query for definitions was given
}

// maxDamage is how many findings of a sample are told one by one.
const maxDamage = 20

// open opens the file.
func (q *jsonQuery) open() error {
	f, err := q.source.file.open()
	if err != nil {
		return err
	}

	q.file = f
	if info, err := f.Stat(); err == nil {
		q.size = info.Size()
	}

	text, _, err := wire.NewReader(q)
	q.in = bufio.NewReaderSize(text, maxJSONLine)
	q.series = map[string]*jsonSeries{}
	return err
}

// Read implements io.Reader for the lines and counts the bytes.
func (q *jsonQuery) Read(p []byte) (int, error) {
	n, err := q.file.Read(p)
	q.read += int64(n)
	return n, err
}

// jsonReading is a line that was read.
type jsonReading struct {
	path      winperf.Path
	text      string // of the path
	parent    string
	unit      counter.Unit
	time      time.Time
	age       time.Duration
	value     counter.Value
	status    counter.Status
	anomalies winperf.AnomalySet
}

// line reads the next reading. What is wrong with a line wraps winperf.ErrBadData.
func (q *jsonQuery) line() (*jsonReading, error) {
	for {
		line, err := q.in.ReadSlice('\n')
		q.number++
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = q.in.ReadSlice('\n')
		}

		switch {
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return nil, err
		case long:
			return nil, &winperf.DataError{Line: q.number, Offset: -1, Msg: "the line is longer than any reading"}
		}

		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r, err := parseReading(line)
		if err != nil {
			return nil, &winperf.DataError{Line: q.number, Offset: -1, Msg: err.Error()}
		}
		return r, nil
	}
}

// readingLine is the shape of a line.
type readingLine struct {
	Time      *time.Time
	Path      *string
	Value     json.RawMessage
	Text      *string
	Unit      string
	Status    string
	Age       float64
	Anomalies []string
	Parent    string
}

// parseReading reads a line.
func parseReading(text []byte) (*jsonReading, error) {
	var line readingLine
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, fmt.Errorf("no reading as JSON: %w", err)
	}
	if line.Time == nil || line.Path == nil || line.Status == "" {
		return nil, errors.New("no reading: expected an object with time, path and status")
	}

	r := &jsonReading{text: *line.Path, parent: line.Parent, time: *line.Time}
	r.age = time.Duration(line.Age * float64(time.Second))
	var err error
	if r.path, err = winperf.ParsePath(r.text); err != nil {
		return nil, err
	}
	if r.parent != "" && !strings.HasPrefix(r.path.Instance, r.parent+"/") {
		return nil, fmt.Errorf("the parent %q is not that of %s", r.parent, r.text)
	}

	var known bool
	if r.status, known = counter.ParseStatus(line.Status); !known {
		return nil, fmt.Errorf("unknown status %q", line.Status)
	}
	if r.unit, known = counter.ParseUnit(line.Unit); !known {
		return nil, fmt.Errorf("unknown unit %q", line.Unit)
	}

	for _, word := range line.Anomalies {
		if kind, known := winperf.ParseAnomalyKind(word); known {
			r.anomalies = r.anomalies.With(kind)
		}
	}
	return r, r.setValue(&line)
}

// setValue reads the value. A decimal that is none, which JSON does not have, is invalid.
func (r *jsonReading) setValue(line *readingLine) error {
	text := string(line.Value)
	switch {
	case r.status != counter.OK:
		return nil
	case line.Text != nil:
		r.value = counter.Text(*line.Text)
		return nil
	case text == "" || text == "null":
		r.status = counter.InvalidData
		return nil
	}

	if n, err := strconv.ParseUint(text, 10, 64); err == nil && (r.unit == counter.Count || r.unit == counter.NoUnit) {
		r.value = counter.Int(n)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("the value %.40q is no number", text)
	}
	r.value = counter.Float(f)
	return nil
}

// Next implements winperf.Query: the next sample, or of a query for definitions all series
// that there are.
func (q *jsonQuery) Next(ctx context.Context, s *winperf.Sample) error {
	s.Release()
	err := ctx.Err()
	if err == nil && q.file == nil {
		err = q.open()
	}

	switch {
	case err != nil:
	case q.sel.Metadata:
		err = q.describe(ctx, s)
	default:
		err = q.fill(ctx, s)
	}

	s.At, s.Of = q.read, q.size
	for _, found := range q.damage {
		s.Damage = append(s.Damage, fmt.Errorf("%s: %w", q.source.file.Name, found))
	}
	if q.more > 0 {
		s.Damage = append(s.Damage,
			fmt.Errorf("%s: %w in %d more lines", q.source.file.Name, winperf.ErrBadData, q.more))
	}
	q.damage, q.more = nil, 0
	return err
}

// next returns the next reading. Lines that are damaged are passed over.
func (q *jsonQuery) next(ctx context.Context) (*jsonReading, error) {
	if r := q.ahead; r != nil {
		q.ahead = nil
		return r, nil
	}
	for {
		r, err := q.line()
		if err == nil || !errors.Is(err, winperf.ErrBadData) {
			return r, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		if len(q.damage) < maxDamage {
			q.damage = append(q.damage, err)
		} else {
			q.more++
		}
	}
}

// fill reads the next sample that is wanted.
func (q *jsonQuery) fill(ctx context.Context, s *winperf.Sample) error {
	for {
		first, err := q.next(ctx)
		if err != nil {
			return err
		}

		q.samples++
		s.Time, s.Cooked, s.Readings = first.time, true, s.Readings[:0]
		for r := first; err == nil; r, err = q.next(ctx) {
			if !r.time.Equal(first.time) || !q.add(s, r) {
				q.ahead = r
				break
			}
		}

		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if q.sel.Within(s.Time) {
			return nil
		}
	}
}

// add adds a reading to a sample, unless there is one of its series, which is then of
// another sample. Readings that say that there is nothing of a name are none.
func (q *jsonQuery) add(s *winperf.Sample, r *jsonReading) bool {
	switch r.status {
	case counter.NoObject, counter.NoCounter, counter.NoInstance:
		return true
	}

	series := q.find(r)
	if series.sample == q.samples {
		return false
	}
	series.sample = q.samples
	if series.wanted {
		s.Readings = append(s.Readings, winperf.Reading{
			Series: series.Series, Time: r.time.Add(-r.age), Value: r.value, Status: r.status, Anomalies: r.anomalies,
		})
	}
	return true
}

// find returns the series of a reading.
func (q *jsonQuery) find(r *jsonReading) *jsonSeries {
	series := q.series[r.text]
	if series == nil {
		series = &jsonSeries{Series: winperf.NewSeries(r.path)}
		series.Unit, series.Parent = r.unit, r.parent
		series.wanted = q.choice.wants(series.Series)
		q.series[r.text] = series
	}
	return series
}

// describe makes the one sample of a query for definitions.
func (q *jsonQuery) describe(ctx context.Context, s *winperf.Sample) error {
	if q.described {
		return io.EOF
	}

	r, err := q.next(ctx)
	for ; err == nil; r, err = q.next(ctx) {
		q.samples = 1
		q.add(s, r)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}

	for i := range s.Readings {
		s.Readings[i].Value, s.Readings[i].Status = counter.Value{}, counter.NoPrevious
	}
	q.described, s.Cooked = true, true
	return nil
}

// Close implements winperf.Query.
func (q *jsonQuery) Close() error {
	if q.file == nil {
		return nil
	}
	return q.file.Close()
}
