package catalogue

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/winperf/winperf"
)

// LoggedObject is an object of a log that holds displayable values: names, and
// nothing else.
type LoggedObject struct {
	Name      string
	Multi     bool // has instances
	Counters  []string
	Instances []string // as in paths
}

// LogSeries returns the series of a log that holds displayable values; ok is
// false for every other source.
func LogSeries(ctx context.Context, src winperf.Source) (series []*winperf.Series, ok bool, err error) {
	if !src.Describe().Recorded {
		return nil, false, nil
	}
	q, err := src.Compile(ctx, winperf.Selection{Global: true, Metadata: true})
	if err != nil {
		return nil, false, err
	}
	defer q.Close()

	var sample winperf.Sample
	switch err := q.Next(ctx, &sample); {
	case errors.Is(err, io.EOF): // a log without samples and without a list of series
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case sample.CheckRaw() == nil:
		return nil, false, nil
	}
	for _, part := range sample.Parts {
		series = append(series, part.Block.Series...)
	}
	return series, true, nil
}

// LoggedObjects gathers the objects of series, ordered by name.
func LoggedObjects(series []*winperf.Series) []*LoggedObject {
	objects := map[string]*LoggedObject{}
	seen := map[[2]string]bool{} // names of counters and, in parentheses, instances by object
	for _, s := range series {
		key := strings.ToLower(s.Path.Object)
		o := objects[key]
		if o == nil {
			o = &LoggedObject{Name: s.Path.Object}
			objects[key] = o
		}

		if name := s.Path.Counter; !seen[[2]string{key, name}] {
			seen[[2]string{key, name}] = true
			o.Counters = append(o.Counters, name)
		}

		if !s.Path.HasInstance {
			continue
		}
		o.Multi = true
		if name := s.Path.InstanceText(); !seen[[2]string{key, "(" + name + ")"}] {
			seen[[2]string{key, "(" + name + ")"}] = true
			o.Instances = append(o.Instances, name)
		}
	}

	var all []*LoggedObject
	for _, o := range objects {
		all = append(all, o)
	}

	slices.SortFunc(all, func(a, b *LoggedObject) int {
		return cmp.Or(
			strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			strings.Compare(a.Name, b.Name),
		)
	})
	return all
}
