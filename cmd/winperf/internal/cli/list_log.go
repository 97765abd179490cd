package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// loggedObject is an object of a log that holds displayable values: names, and
// nothing else.
type loggedObject struct {
	name      string
	multi     bool // has instances
	counters  []string
	instances []string // as in paths
}

// logSeries returns the series of a log that holds displayable values; ok is
// false for every other source.
func logSeries(ctx context.Context, src winperf.Source) (series []*winperf.Series, ok bool, err error) {
	if d := src.Describe(); !d.Recorded || !d.Cooked {
		return nil, false, nil
	}
	q, err := src.Compile(ctx, winperf.Selection{Global: true, Metadata: true})
	if err != nil {
		return nil, true, err
	}
	defer q.Close()

	var sample winperf.Sample
	if err := q.Next(ctx, &sample); err != nil {
		return nil, true, err
	}
	for _, part := range sample.Parts {
		series = append(series, part.Block.Series...)
	}
	return series, true, nil
}

// loggedObjects gathers the objects of series, ordered by name.
func loggedObjects(series []*winperf.Series) []*loggedObject {
	objects := map[string]*loggedObject{}
	seen := map[[2]string]bool{} // names of counters and, in parentheses, instances by object
	for _, s := range series {
		key := strings.ToLower(s.Path.Object)
		o := objects[key]
		if o == nil {
			o = &loggedObject{name: s.Path.Object}
			objects[key] = o
		}

		if name := s.Path.Counter; !seen[[2]string{key, name}] {
			seen[[2]string{key, name}] = true
			o.counters = append(o.counters, name)
		}

		if !s.Path.HasInstance {
			continue
		}
		o.multi = true
		if name := s.Path.InstanceText(); !seen[[2]string{key, "(" + name + ")"}] {
			seen[[2]string{key, "(" + name + ")"}] = true
			o.instances = append(o.instances, name)
		}
	}

	var all []*loggedObject
	for _, o := range objects {
		all = append(all, o)
	}

	slices.SortFunc(all, func(a, b *loggedObject) int {
		return cmp.Or(
			strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)),
			strings.Compare(a.name, b.name),
		)
	})
	return all
}

// listLog shows the objects of a log that are looked for.
func (l *lister) listLog(series []*winperf.Series, format string) error {
	if l.index {
		return errors.New("a text log holds no title indices: leave out --index")
	}

	found := l.search.findSeries(series)
	objects := loggedObjects(found)
	if len(objects) == 0 {
		c := catalogue{}
		c.addLogged(loggedObjects(series))
		return l.search.nothing("the log has no counters", &c)
	}

	switch format {
	case "paths", "sensors":
		l.writeLogPaths(objects, found)
		return nil
	case "jsonl":
		return l.writeLogJSON(objects)
	}
	if l.search.all() {
		return l.writeLogOverview(objects)
	}
	l.writeLogObjects(objects)
	return nil
}

// writeLogPaths writes the paths of objects, or of all their series.
func (l *lister) writeLogPaths(objects []*loggedObject, series []*winperf.Series) {
	if l.instances {
		for _, s := range series {
			l.writePath(s.Path)
		}
		return
	}
	for _, o := range objects {
		for _, name := range o.counters {
			p := winperf.Path{Object: o.name, Counter: name, HasInstance: o.multi}
			if o.multi {
				p.Instance = "*"
			}
			l.writePath(p)
		}
	}
}

func (l *lister) writeLogJSON(objects []*loggedObject) error {
	enc := newJSON(l.w)
	for _, o := range objects {
		line := listLine{
			Object:    listObject{Name: o.name, Multi: o.multi, Interface: l.schema.Interface},
			Instances: append([]string{}, o.instances...),
		}
		for _, name := range o.counters {
			line.Counter = listCounter{Name: name, Unit: counter.NoUnit}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) writeLogOverview(objects []*loggedObject) error {
	rows := [][]string{{"OBJECT", "COUNTERS", "INSTANCES"}}
	for _, o := range objects {
		instances := "-"
		if o.multi {
			instances = strconv.Itoa(len(o.instances))
		}
		rows = append(rows, []string{safetext.Line(o.name), strconv.Itoa(len(o.counters)), instances})
	}
	return l.writeTable(rows)
}

func (l *lister) writeLogObjects(objects []*loggedObject) {
	for i, o := range objects {
		if i > 0 {
			fmt.Fprintln(l.w)
		}
		fmt.Fprintf(l.w, "%s\n\n  Counters:\n", safetext.Line(o.name))
		for _, name := range o.counters {
			fmt.Fprintf(l.w, "    %s\n", safetext.Line(name))
		}

		if !o.multi {
			continue
		}
		fmt.Fprintf(l.w, "\n  Instances: %d\n", len(o.instances))
		for _, name := range o.instances {
			fmt.Fprintf(l.w, "    %s\n", safetext.Line(name))
		}
	}
}
