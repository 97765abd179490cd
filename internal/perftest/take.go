package perftest

import (
	"context"

	"github.com/winperf/winperf"
)

// Take takes a sample of one block into raw, for tests that look at its bytes. The
// bytes stay raw's; after an error there are none.
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

// Readings takes a sample of readings that came cooked.
func Readings(ctx context.Context, q winperf.Query) ([]winperf.Reading, error) {
	var s winperf.Sample
	err := q.Next(ctx, &s)
	return s.Readings, err
}

// Fill fills a sample of one block, for sources that tests make.
func Fill(s *winperf.Sample, fill func(raw *winperf.Raw) error) error {
	b := s.Begin()
	if err := fill(&b.Raw); err != nil {
		s.Clear()
		return err
	}
	s.Schema = b.Schema
	return nil
}
