package perftest

import (
	"context"
	"errors"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/valueblock"
)

// Take fills raw with a sample of one block, for tests of its bytes. raw owns the bytes; after an
// error it has none.
func Take(ctx context.Context, q winperf.Query, raw *winperf.Raw) error {
	var s winperf.Sample
	err := q.Next(ctx, &s)
	*raw = winperf.Raw{}
	if err != nil {
		return err
	}
	one, err := s.Raw()
	if err == nil {
		*raw = *one
	}
	return err
}

// Readings returns the readings of the next sample of displayable values.
func Readings(ctx context.Context, q winperf.Query) ([]winperf.Reading, error) {
	var s winperf.Sample
	if err := q.Next(ctx, &s); err != nil {
		return nil, err
	}
	return Displayed(&s)
}

// Displayed returns the readings in a sample of displayable values.
func Displayed(s *winperf.Sample) (readings []winperf.Reading, err error) {
	if len(s.Parts) != 1 || s.Parts[0].Block.Format != winperf.FormatValues {
		return nil, errors.New("no sample of displayable values")
	}

	b := s.Parts[0].Block
	var v valueblock.Values
	if err := valueblock.Decode(b.Bytes, len(b.Series), &v); err != nil {
		return nil, err
	}
	at := winperf.FromFiletime(b.Clocks.Time100ns).Add(time.Duration(v.Nanos))
	for i, series := range b.Series {
		r := winperf.Reading{Series: series, Time: at, Status: v.Status[i]}
		switch {
		case r.Status != counter.OK:
		case v.Kinds[i] == counter.KindText:
			r.Value = counter.Text(string(v.Text(v.Bits[i])))
		default:
			r.Value = counter.FromBits(v.Kinds[i], v.Bits[i])
		}
		if len(v.Marks) > 0 {
			r.Anomalies = v.Marks[i]
		}
		if len(v.Ages) > 0 {
			r.Time = at.Add(-v.Ages[i])
		}
		readings = append(readings, r)
	}
	return readings, nil
}

// ShowValues fills a sample with the displayable values of readings.
func ShowValues(s *winperf.Sample, at time.Time, readings []winperf.Reading) {
	var v valueblock.Values
	var series []*winperf.Series
	for _, r := range readings {
		v.Add(r.Value, r.Status)
		v.Mark(r.Anomalies)
		if !r.Time.IsZero() {
			v.SetAge(at.Sub(r.Time))
		}
		series = append(series, r.Series)
	}

	v.Fill(&s.Begin().Raw, at, series)
}

// Fill fills a sample of one block, for sources in tests.
func Fill(s *winperf.Sample, fill func(raw *winperf.Raw) error) error {
	b := s.Begin()
	if err := fill(&b.Raw); err != nil {
		s.Clear()
		return err
	}
	s.Schema = b.Schema
	return nil
}
