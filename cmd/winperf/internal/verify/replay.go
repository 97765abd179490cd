package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Replay compares the looks in a bundle again and checks the blocks. Other checks, and the parts that were
// not tried, are copied from the bundle. The error wraps winperf.ErrBadData if the bundle is damaged.
func Replay(ctx context.Context, r io.ReaderAt, size int64) (*Report, error) {
	files, err := readBundle(r, size)
	if err != nil {
		return nil, err
	}
	var found findings
	var looks []storedLook
	err = errors.Join(decodeJSON(files, findingsFile, &found), decodeJSON(files, looksFile, &looks))
	if err != nil {
		return nil, err
	}

	report := &Report{Skipped: found.Skipped}
	samples := map[string][]*winperf.Sample{}
	drivers := map[string]*driver{}
	for i := range looks {
		s := &looks[i]
		if s.Sample != nil && drivers[s.Reader] == nil {
			drivers[s.Reader] = &driver{name: s.Reader, names: &nametable.Names{}}
			if samples[s.Reader], err = readSamples(ctx, files[captureName(s.Reader)]); err != nil {
				return nil, fmt.Errorf("%s: %w", captureName(s.Reader), err)
			}
		}
		l, err := s.look(drivers[s.Reader], samples[s.Reader])
		if err != nil {
			return nil, fmt.Errorf("look %d in %s: %w", i, looksFile, err)
		}
		report.Looks = append(report.Looks, l)
	}

	var c Comparison
	c.addAll(report.Looks)
	report.Results = c.Results()
	for _, check := range found.Checks {
		if d := drivers[checkedDriver(check.Name)]; d != nil {
			report.checkBlocks(d)
			continue
		}
		report.Checks = append(report.Checks, check)
	}
	return report, nil
}

func decodeJSON(files map[string][]byte, name string, v any) error {
	b, found := files[name]
	if !found {
		return fmt.Errorf("%w: the file has no %s; it is no bundle of winperf verify", winperf.ErrBadData, name)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w: %w", name, winperf.ErrBadData, err)
	}
	return nil
}

func readSamples(ctx context.Context, b []byte) (all []*winperf.Sample, err error) {
	f, err := capture.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}

	for cursor := f.Cursor(); ; {
		s := &winperf.Sample{}
		err := cursor.Next(ctx, s)
		if err := errors.Join(cursor.Damage()...); err != nil {
			return nil, err
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}

		s.Keep()
		all = append(all, s)
	}
}

// look returns a stored look.
func (s *storedLook) look(d *driver, samples []*winperf.Sample) (*Look, error) {
	l := &Look{Reader: s.Reader, Object: s.Object, Time: s.Time, Counters: map[Name]*Counter{}, text: s.Text}
	if s.Sample != nil {
		if *s.Sample < 0 || *s.Sample >= len(samples) {
			return nil, fmt.Errorf("%w: sample %d of %d", winperf.ErrBadData, *s.Sample, len(samples))
		}
		sample := samples[*s.Sample]
		d.blocks.add(sample)
		var err error
		if l, err = d.lookOf(sample, &frame.Pool{}, s.Object); err != nil {
			return nil, err
		}
	}

	l.Pass = s.Pass
	for _, stored := range s.Counters {
		c := &Counter{
			Type: stored.Type, Names: stored.Instances, Values: stored.Values, Tolerance: stored.Tolerance,
			Timeless: stored.Timeless,
		}
		for _, v := range stored.Raw {
			c.Samples = append(c.Samples, counter.Sample{Value: v})
		}
		// Either all values are raw, or none.
		values := len(c.Values) + len(c.Samples)
		if len(c.Names) != values || len(c.Values) > 0 && len(c.Samples) > 0 {
			return nil, fmt.Errorf("%w: %s has %d instances and %d values", winperf.ErrBadData, stored.Name,
				len(c.Names), values)
		}
		l.Counters[stored.Name] = c
	}
	return l, nil
}

// addAll compares looks in the order in which they were taken. Looks at one object in one pass follow each
// other, the first one is of the base, and each other look is compared with the looks of the base around it.
func (c *Comparison) addAll(looks []*Look) {
	for begin, end := 0, 0; begin < len(looks); begin = end {
		base := looks[begin]
		for end < len(looks) && looks[end].Object == base.Object && looks[end].Pass == base.Pass {
			end++
		}

		var between []*Look
		before := base
		for _, l := range looks[begin:end] {
			if l.Reader != base.Reader {
				between = append(between, l)
				continue
			}
			for _, other := range between {
				c.Add(before, other, l)
			}
			before, between = l, nil
		}
	}
}
