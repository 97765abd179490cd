package live

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// listLog shows the objects of a log that are looked for.
func (l *lister) listLog(series []*winperf.Series, format string) error {
	if l.index {
		return errors.New("a text log holds no title indices: leave out --index")
	}

	found := l.search.findSeries(series)
	objects := catalogue.LoggedObjects(found)
	if len(objects) == 0 {
		c := catalogue.Catalogue{}
		c.AddLogged(catalogue.LoggedObjects(series))
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
func (l *lister) writeLogPaths(objects []*catalogue.LoggedObject, series []*winperf.Series) {
	if l.instances {
		for _, s := range series {
			l.writePath(s.Path)
		}
		return
	}
	for _, o := range objects {
		for _, name := range o.Counters {
			p := winperf.Path{Object: o.Name, Counter: name, HasInstance: o.Multi}
			if o.Multi {
				p.Instance = "*"
			}
			l.writePath(p)
		}
	}
}

func (l *lister) writeLogJSON(objects []*catalogue.LoggedObject) error {
	enc := output.NewJSON(l.w)
	for _, o := range objects {
		line := listLine{
			Object:    listObject{Name: o.Name, Multi: o.Multi, Interface: l.schema.Interface},
			Instances: append([]string{}, o.Instances...),
		}
		for _, name := range o.Counters {
			line.Counter = listCounter{Name: name, Unit: counter.NoUnit}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) writeLogOverview(objects []*catalogue.LoggedObject) error {
	rows := [][]string{{"OBJECT", "COUNTERS", "INSTANCES"}}
	for _, o := range objects {
		instances := "-"
		if o.Multi {
			instances = strconv.Itoa(len(o.Instances))
		}
		rows = append(rows, []string{safetext.Line(o.Name), strconv.Itoa(len(o.Counters)), instances})
	}
	return l.writeTable(rows)
}

func (l *lister) writeLogObjects(objects []*catalogue.LoggedObject) {
	for i, o := range objects {
		if i > 0 {
			fmt.Fprintln(l.w)
		}
		fmt.Fprintf(l.w, "%s\n\n  Counters:\n", safetext.Line(o.Name))
		for _, name := range o.Counters {
			fmt.Fprintf(l.w, "    %s\n", safetext.Line(name))
		}

		if !o.Multi {
			continue
		}
		fmt.Fprintf(l.w, "\n  Instances: %d\n", len(o.Instances))
		for _, name := range o.Instances {
			fmt.Fprintf(l.w, "    %s\n", safetext.Line(name))
		}
	}
}
