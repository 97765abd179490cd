package consumer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/counterset"
)

// query uses a separate line, because a provider that hangs cannot be stopped.
type query struct {
	source *source
	line   *call.Line
	round  call.Round
	run    func(context.Context) // takes a sample

	// For the call on the line:
	session session
	buf     []byte
	err     error
}

func newQuery(s *source) *query {
	q := &query{source: s, line: call.NewLine()}
	q.session = session{consumer: s.consumer, retry: s.opt.Retry, machine: s.machine}
	q.run = func(context.Context) { q.buf, q.err = q.session.sample(q.buf) }
	return q
}

// Next implements winperf.Query. A call that does not return is abandoned with its buffer, and the
// sample gets a new one.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	if err := q.round.Take(ctx, q.line, 0); err != nil {
		return fmt.Errorf("counter sets: %w", err)
	}

	b := s.Add()
	q.buf, b.Bytes = b.Bytes, nil
	if err := q.round.Call(q.line, q.run); err != nil {
		s.Clear()
		return fmt.Errorf("counter sets: %w", err)
	}

	b.Bytes, q.buf = q.buf, nil
	if q.err != nil {
		s.Clear()
		return q.err
	}

	b.Format = winperf.FormatV2
	b.Schema = q.source.schema.Load()
	s.Schema = b.Schema
	return nil
}

// Close implements winperf.Query.
func (q *query) Close() error { return q.line.Close(closeGrace, q.session.close) }

// session is an open query of the system.
type session struct {
	consumer *consumer
	machine  string
	retry    time.Duration

	handle  *handle
	active  int                     // number of identifiers with an answer
	refused []counterset.Identifier // identifiers without an answer, with the reason
	tried   time.Time               // time of the last attempt to add them
	trailer []byte                  // the identifiers after the data of a sample
	infos   []*counterset.Info      // of the sets whose instances are enumerated; nil for values
}

// describe makes a session that samples only definitions.
func (s *session) describe(ids []counterset.Identifier) error {
	for _, id := range ids {
		id.Status = counterset.InstanceNotFound
		s.refused = append(s.refused, id)
	}
	return s.makeTrailer(nil)
}

// enumerate makes a session that samples the names of instances and no values.
func (s *session) enumerate(ids []counterset.Identifier, infos []*counterset.Info) error {
	var b []byte
	for i, id := range ids {
		id.Index = uint32(i)
		var err error
		if b, err = counterset.AppendIdentifier(b, id); err != nil {
			return err
		}
	}
	s.infos = infos
	return s.makeTrailer(b)
}

// start opens the query and adds the identifiers.
func (s *session) start(ids []counterset.Identifier) (err error) {
	if len(ids) == 0 {
		return s.makeTrailer(nil)
	}
	if s.handle, err = s.consumer.Open(); err != nil {
		return err
	}
	return s.add(ids)
}

func (s *session) close() error {
	if s.handle == nil {
		return nil
	}
	return s.handle.Close()
}

// add adds identifiers and reads the order of all answers.
func (s *session) add(ids []counterset.Identifier) error {
	s.tried = s.consumer.calls.now()
	s.refused = nil

	added, err := s.handle.add(ids...)
	if err != nil && (len(ids) > 1 || len(added) != len(ids)) {
		// A refused identifier must not prevent the others.
		added = added[:0]
		for _, id := range ids {
			one, err := s.handle.add(id)
			if added = append(added, s.outcome(id, one, err)); errors.Is(err, winperf.ErrNotSupported) {
				return err
			}
		}
	} else if err != nil {
		if errors.Is(err, winperf.ErrNotSupported) {
			return err
		}
		added = []counterset.Identifier{s.outcome(ids[0], added, err)}
	}

	return s.order(added)
}

// outcome returns an identifier that was added alone, with its status, or with the status of the
// call if it has none.
func (s *session) outcome(id counterset.Identifier, added []counterset.Identifier,
	err error) counterset.Identifier {
	id.Status = counterset.InvalidData
	if len(added) == 1 {
		id.Status = added[0].Status
	}
	var status counterset.Status
	if err != nil && (len(added) != 1 || id.Status == counterset.Success) && errors.As(err, &status) {
		id.Status = status
	}
	return id
}

// order reads the order of the answers, and records the identifiers that were not added.
func (s *session) order(added []counterset.Identifier) error {
	info, b, err := s.handle.info()
	if err != nil {
		return err
	}

	s.active = len(info)
	for _, id := range added {
		there := slices.ContainsFunc(info,
			func(other counterset.Identifier) bool { return sameQuery(id, other) })
		if there {
			continue
		}
		if id.Status == counterset.Success || id.Status == counterset.AlreadyExists {
			id.Status = counterset.InvalidData // its status is success, but it was not added
		}
		s.refused = append(s.refused, id)
	}
	return s.makeTrailer(b)
}

// sameQuery reports whether two identifiers request the same data.
func sameQuery(a, b counterset.Identifier) bool {
	return a.Set == b.Set && a.Counter == b.Counter && a.InstanceID == b.InstanceID &&
		strings.EqualFold(a.Instance, b.Instance)
}

// makeTrailer builds the identifiers that follow a sample's data; see winperf.FormatV2.
func (s *session) makeTrailer(info []byte) error {
	b, err := counterset.AppendIdentifier(nil, counterset.Identifier{Instance: s.machine})
	b = append(b, info...)
	for _, id := range s.refused {
		if err == nil {
			b, err = counterset.AppendIdentifier(b, id)
		}
	}
	s.trailer = b
	return err
}

// sample takes a sample into buf's memory or into a larger buffer. Refused sets are tried again at
// intervals.
func (s *session) sample(buf []byte) ([]byte, error) {
	if now := s.consumer.calls.now(); s.handle != nil && len(s.refused) > 0 && now.Sub(s.tried) >= s.retry {
		again := s.refused
		if err := s.add(again); err != nil {
			s.refused = again
			return buf[:0], err
		}
	}

	var err error
	if s.active == 0 {
		if buf, err = s.names(buf); err != nil {
			return buf, err
		}
	} else if buf, err = s.handle.sample(buf, len(s.trailer)); err != nil {
		return buf, err
	}

	total := len(buf)
	if total < 4 || binary.LittleEndian.Uint32(buf) > uint32(total) {
		return buf, nil // the decoder reports the damage
	}
	buf = buf[:binary.LittleEndian.Uint32(buf)] // further bytes would be read as identifiers
	return append(buf, s.trailer...), nil
}

// names builds a sample without values: the instances of the enumerated sets, in their order. A set
// that cannot be enumerated has an error status.
func (s *session) names(buf []byte) ([]byte, error) {
	d := counterset.Data{}
	d.Clocks.Time100ns = winperf.ToFiletime(s.consumer.calls.now())
	for _, info := range s.infos {
		answer, err := s.named(info)
		if err != nil {
			return buf[:0], err
		}
		d.Answers = append(d.Answers, answer)
	}
	return counterset.AppendData(buf[:0], &d)
}

// named lists the instances of a set. It returns an error only if a function is missing.
func (s *session) named(info *counterset.Info) (counterset.Answer, error) {
	if info == nil || info.Single() || len(info.Counters) == 0 {
		return counterset.Answer{Status: counterset.InstanceNotFound}, nil
	}

	all, err := s.consumer.instances(info.GUID)
	status := counterset.InvalidData
	switch {
	case errors.Is(err, winperf.ErrNotSupported):
		return counterset.Answer{}, err
	case errors.As(err, &status), err != nil:
		return counterset.Answer{Status: status}, nil
	}

	a := counterset.Answer{Form: counterset.FullSet}
	for _, c := range info.Counters {
		a.Counters = append(a.Counters, c.ID)
	}
	for _, name := range all {
		values := make([]counterset.Value, len(a.Counters)) // all without a value
		a.Instances = append(a.Instances, counterset.Instance{InstanceName: name, Values: values})
	}
	return a, nil
}
