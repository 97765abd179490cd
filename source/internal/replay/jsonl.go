package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/findings"
	"github.com/winperf/winperf/internal/valueblock"
	"github.com/winperf/winperf/internal/wire"
)

// OpenJSONL opens readings in the form of package sink, as lines or as an array of lines, as a
// source. Its samples hold displayable values; all lines of one time are a sample. A machine in a
// path selects the machine's readings.
//
// Errors wrap fs.ErrNotExist, winperf.ErrBadData if the first line is no reading, or
// winperf.ErrNotSupported. Each query reads the file independently. Damaged lines are skipped and
// reported (winperf.Sample.Damage).
func OpenJSONL(file File) (winperf.Source, error) {
	first, err := openJSONL(file, choice{})
	if err != nil {
		return nil, err
	}
	defer first.Close()

	line, err := first.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	r := &record{name: file.Name, schema: valueSchema}
	r.is = winperf.Description{Recorded: true, Samples: -1, Cooked: true}
	r.is.Log = winperf.LogInfo{Format: "winperf JSON lines", Zone: "UTC", Location: time.UTC}
	if line != nil {
		r.is.Machine = line.path.Machine
		r.is.Log.Zone, r.is.Log.Location = line.zone()
	}
	for range maxWithoutType {
		if err != nil || line.raw {
			break
		}
		line, err = first.line()
	}
	r.is.Log.Raw = err == nil && line.raw
	r.open = func(sel winperf.Selection) (reader, error) {
		lines, err := openJSONL(file, newChoice(sel))
		if err != nil {
			return nil, err
		}
		return namesOr(lines, lines.allSeries, sel), nil
	}
	return r, nil
}

// IsJSONL reports whether a file that begins with start holds readings.
func IsJSONL(start []byte) bool {
	text, _, err := wire.NewReader(bytes.NewReader(start))
	if err != nil {
		return false
	}
	lines := bufio.NewReaderSize(text, maxJSONLine)
	for {
		line, err := lines.ReadBytes('\n')
		if line = element(line); len(line) > 0 {
			_, err = parseReading(line)
			return err == nil
		}
		if err != nil {
			return false
		}
	}
}

// element returns the reading of a line, without the punctuation of an array.
func element(line []byte) []byte {
	line = bytes.TrimSpace(line)
	switch string(line) {
	case "[", "]", "[]":
		return nil
	}
	return bytes.TrimSuffix(line, []byte(","))
}

// maxWithoutType is the number of readings that are searched for the type of a raw value. Readings
// without a raw value have no type.
const maxWithoutType = 100

// maxJSONLine exceeds the length of every line of a reading.
const maxJSONLine = 1 << 20

// jsonSeries is a series of the file.
type jsonSeries struct {
	*winperf.Series
	selected bool
	sample   int // the last sample that has it
}

// jsonReader reads the lines of a file.
type jsonReader struct {
	*input
	found  findings.List
	choice choice

	in      *bufio.Reader
	number  int                    // of the last line that was read
	series  map[string]*jsonSeries // by path and key
	id      []byte                 // path and key of one reading
	samples int
	ahead   *jsonReading // the first reading of the next sample

	// For the current sample. If now has changed, it is copied to of, which samples share.
	now, of []*winperf.Series
	values  valueblock.Values
}

// openJSONL opens a file of readings.
func openJSONL(file File, choice choice) (*jsonReader, error) {
	in, err := file.input()
	if err != nil {
		return nil, err
	}
	r := &jsonReader{input: in, choice: choice, series: map[string]*jsonSeries{}}
	text, _, err := wire.NewReader(in)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file.Name, err), in.Close())
	}
	r.in = bufio.NewReaderSize(text, maxJSONLine)
	return r, nil
}

// jsonReading is a parsed line.
type jsonReading struct {
	winperf.Reading // without Series, at the time of the line
	path            winperf.Path
	text            string // of the path
	parent, key     string
	zoneName        string // of the log at its first time
	unit            counter.Unit
	raw             bool // the line has the raw data of the displayable value
	age             time.Duration
}

// zone returns the time zone that a line names, and UTC for a line without one. An unknown name is
// returned unchanged, with UTC.
func (r *jsonReading) zone() (string, *time.Location) {
	if t, err := time.Parse("Z07:00", r.zoneName); err == nil {
		_, offset := t.Zone()
		return r.zoneName, time.FixedZone(r.zoneName, offset)
	}
	if location, err := time.LoadLocation(r.zoneName); err == nil {
		return cmp.Or(r.zoneName, "UTC"), location
	}
	return r.zoneName, time.UTC
}

// bad returns an error for the line that was read last.
func (q *jsonReader) bad(msg string) error {
	return &winperf.DataError{Line: q.number, Offset: -1, Msg: msg}
}

// line reads the next reading. Errors in a line wrap winperf.ErrBadData.
func (q *jsonReader) line() (*jsonReading, error) {
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
			return nil, q.bad("the line is longer than any reading")
		}

		if line = element(line); len(line) == 0 {
			continue
		}
		r, err := parseReading(line)
		if err != nil {
			return nil, q.bad(err.Error())
		}
		return r, nil
	}
}

// readingLine is the JSON form of a line.
type readingLine struct {
	Time      *time.Time
	Zone      string
	Path      *string
	Value     json.RawMessage
	Text      *string
	Unit      string
	Status    string
	Age       float64
	Anomalies []string
	Parent    string
	PID, TID  *uint64
	Start     *time.Time
	Cur       json.RawMessage // the raw sample that convert --raw adds
}

// key returns the Series.Key that pid, tid and start were written from, "" for a line without them.
func (line *readingLine) key() (string, error) {
	if line.PID == nil || line.Start == nil {
		return "", nil
	}

	start := winperf.ToFiletime(*line.Start)
	if start < 0 {
		return "", fmt.Errorf("the start %v is before 1601", *line.Start)
	}
	id := strconv.FormatUint(*line.PID, 10)
	if line.TID != nil {
		id += "/" + strconv.FormatUint(*line.TID, 10)
	}
	return id + "@" + strconv.FormatInt(start, 10), nil
}

// parseReading parses a line.
func parseReading(text []byte) (*jsonReading, error) {
	var line readingLine
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, fmt.Errorf("no reading as JSON: %w", err)
	}
	if line.Time == nil || line.Path == nil || line.Status == "" {
		return nil, errors.New("no reading: expected an object with time, path and status")
	}

	r := &jsonReading{text: *line.Path, parent: line.Parent, zoneName: line.Zone}
	r.Time, r.raw = *line.Time, line.Cur != nil
	r.age = time.Duration(line.Age * float64(time.Second))
	var err error
	if r.path, err = winperf.ParsePath(r.text); err != nil {
		return nil, err
	}
	if r.parent != "" && !strings.HasPrefix(r.path.Instance, r.parent+"/") {
		return nil, fmt.Errorf("the parent %q is not that of %s", r.parent, r.text)
	}

	if r.key, err = line.key(); err != nil {
		return nil, err
	}

	var known bool
	if r.Status, known = counter.ParseStatus(line.Status); !known {
		return nil, fmt.Errorf("unknown status %q", line.Status)
	}
	if r.unit, known = counter.ParseUnit(line.Unit); !known {
		return nil, fmt.Errorf("unknown unit %q", line.Unit)
	}

	for _, word := range line.Anomalies {
		if kind, known := winperf.ParseAnomalyKind(word); known {
			r.Anomalies = r.Anomalies.With(kind)
		}
	}
	return r, r.setValue(&line)
}

// setValue parses the value. NaN and infinities, which JSON does not have, are invalid.
func (r *jsonReading) setValue(line *readingLine) error {
	text := string(line.Value)
	switch {
	case r.Status != counter.OK:
		return nil
	case line.Text != nil:
		r.Value = counter.Text(*line.Text)
		return nil
	case text == "" || text == "null":
		r.Status = counter.InvalidData
		return nil
	}

	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil && (r.unit == counter.Count || r.unit == counter.NoUnit) {
		r.Value = counter.Int(n)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("the value %.40q is no number", text)
	}
	r.Value = counter.Float(f)
	return nil
}

// reading returns the next reading. Damaged lines are skipped.
func (q *jsonReader) reading(ctx context.Context) (*jsonReading, error) {
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
		q.found.Add(func() error { return err })
	}
}

// damage implements reader.
func (q *jsonReader) damage() []error { return q.found.Take() }

// next implements reader.
func (q *jsonReader) next(ctx context.Context, s *winperf.Sample) error {
	first, err := q.reading(ctx)
	if err != nil {
		return err
	}

	q.samples++
	q.now = q.now[:0]
	q.values.Reset()
	for r := first; err == nil; r, err = q.reading(ctx) {
		if !r.Time.Equal(first.Time) || !q.add(r) {
			q.ahead = r
			break
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}

	if q.of == nil || !slices.Equal(q.now, q.of) {
		q.of = slices.Clone(q.now)
	}
	fillValues(s, first.Time, q.of, &q.values)
	return nil
}

// add adds a reading to the current sample. It returns false if the sample has a reading of the
// same series already, because the reading then belongs to another sample. Readings that only
// report that a name matches nothing are omitted.
func (q *jsonReader) add(r *jsonReading) bool {
	if r.Status.NamesNothing() {
		return true
	}

	series := q.find(r)
	if series.sample == q.samples {
		return false
	}
	series.sample = q.samples
	if series.selected {
		q.now = append(q.now, series.Series)
		q.values.Add(r.Value, r.Status)
		q.values.Mark(r.Anomalies)
		q.values.SetAge(r.age)
	}
	return true
}

// find returns the series of a reading.
func (q *jsonReader) find(r *jsonReading) *jsonSeries {
	q.id = append(append(append(q.id[:0], r.text...), 0), r.key...)
	series := q.series[string(q.id)]
	if series == nil {
		series = &jsonSeries{Series: winperf.NewSeries(r.path)}
		series.Unit, series.Parent, series.Key = r.unit, r.parent, r.key
		series.selected = q.choice.selects(series.Series)
		q.series[string(q.id)] = series
	}
	return series
}

// allSeries returns all series of the file. It reads all lines.
func (q *jsonReader) allSeries(ctx context.Context) ([]*winperf.Series, error) {
	r, err := q.reading(ctx)
	for ; err == nil; r, err = q.reading(ctx) {
		q.samples = 1
		q.add(r)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return q.now, nil
}
