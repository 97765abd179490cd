package delivery

import (
	"bytes"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/sink"
)

type readings struct {
	out    bytes.Buffer
	sink   sink.Sink
	series map[string]known
	others map[string]bool
	list   []winperf.Reading
}

// known is the series of a path and its source. These formats do not name sources, so a path has one
// source only.
type known struct {
	series *winperf.Series
	source string
}

// maxSeries limits the kept series; they are made again when needed.
const maxSeries = 100_000

func newReadings(format string, o sink.Options) (*readings, error) {
	r := &readings{series: map[string]known{}, others: map[string]bool{}}
	o.Switches = true
	s, err := sink.New(format, &r.out, o)
	r.sink = s
	return r, err
}

func (r *readings) encode(batch []Item) ([]byte, error) {
	// Parse all records before writing any: a refused batch must not change the sink, which may have a
	// header to write.
	records := make([]experiment.Record, len(batch))
	for i := range batch {
		var err error
		if records[i], err = batch[i].Record(); err != nil {
			return nil, Refuse(err)
		}
	}

	r.out.Reset()
	for i := range records {
		rec := &records[i]
		if len(rec.Values) == 0 || rec.Kind == experiment.Summary { // statistics have no moment
			continue
		}
		moment := momentOf(rec)
		r.take(rec, moment)
		if err := r.sink.Write(moment, winperf.ColumnsOf(r.list)); err != nil {
			return nil, err
		}
	}
	return bytes.Clone(r.out.Bytes()), nil
}

func momentOf(rec *experiment.Record) time.Time {
	for _, t := range []time.Time{rec.Begun, rec.Ended} {
		if !t.IsZero() {
			return t
		}
	}
	return rec.Event.Time
}

// take makes readings of a record's values. It omits values whose path is invalid, and paths that another
// source had before.
func (r *readings) take(rec *experiment.Record, moment time.Time) {
	r.list = r.list[:0]
	for i := range rec.Values {
		v := &rec.Values[i]
		s := r.of(v)
		if s == nil {
			continue
		}
		r.list = append(r.list, winperf.Reading{
			Series: s, Time: moment.Add(-v.Age), Value: v.Value, Status: v.Status, Anomalies: v.Touched,
		})
	}
}

func (r *readings) of(v *experiment.Value) *winperf.Series {
	k, is := r.series[v.Path]
	if is && k.source == v.Source {
		return k.series
	}

	other := v.Source + "/" + v.Path
	if is {
		if len(r.others) < maxSeries {
			r.others[other] = true
		}
		return nil
	}
	if r.others[other] {
		return nil
	}

	if len(r.series) >= maxSeries {
		clear(r.series)
	}
	path, err := winperf.ParsePath(v.Path)
	if err != nil {
		return nil
	}
	s := winperf.NewSeries(path)
	s.Unit = v.Unit
	r.series[v.Path] = known{s, v.Source}
	return s
}

// Late implements sink.LateCounter. It includes the omitted paths of other sources.
func (r *readings) Late() int {
	if l, ok := r.sink.(sink.LateCounter); ok {
		return l.Late() + len(r.others)
	}
	return len(r.others)
}

func (r *readings) end() ([]byte, error) {
	r.out.Reset()
	err := r.sink.Close()
	return r.out.Bytes(), err
}
