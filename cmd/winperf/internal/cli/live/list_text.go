package live

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/safetext"
)

// writeOverview writes a line for each object. Objects known only by name have no help text.
func (l *lister) writeOverview(objects []finding) error {
	head := []string{"OBJECT", "COUNTERS", "INSTANCES"}
	if slices.ContainsFunc(objects, func(o finding) bool { return o.Of != nil }) {
		head = append(head, "HELP")
	}

	rows := [][]string{l.withIndex(head, "INDEX")}
	for _, o := range objects {
		instances := "-"
		if o.Multi {
			instances = strconv.Itoa(o.Len())
		}
		row := []string{l.label(o), strconv.Itoa(len(o.Counters)), instances, console.FirstSentence(o.Help)}
		rows = append(rows, l.withIndex(row, strconv.FormatUint(uint64(o.ID.Index), 10)))
	}
	return l.writeTable(rows)
}

func (l *lister) writeTable(rows [][]string) error {
	var lines strings.Builder
	t := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}

	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(lines.String()) {
		fmt.Fprintln(l.w, console.Shorten(strings.TrimRight(line, " \n"), l.width))
	}
	return nil
}

func (l *lister) withIndex(row []string, index string) []string {
	if l.index {
		return append([]string{index}, row...)
	}
	return row
}

func (l *lister) writeObjects(objects []finding) error {
	for i, o := range objects {
		if i > 0 {
			fmt.Fprintln(l.w)
		}
		l.writeObject(o)
	}
	return nil
}

func (l *lister) writeObject(o finding) {
	fmt.Fprint(l.w, l.label(o))
	if l.index {
		fmt.Fprintf(l.w, "  [%d]", o.ID.Index)
	}
	if l.costly(o) {
		fmt.Fprint(l.w, "  (costly)")
	}

	fmt.Fprintln(l.w)
	console.WriteWrapped(l.w, "  ", "  ", o.Help, l.width)
	fmt.Fprintln(l.w, "\n  Counters:")
	for _, c := range o.Counters {
		fmt.Fprintf(l.w, "    %s", safetext.Line(c.Name))
		if c.Of != nil && l.index {
			fmt.Fprintf(l.w, "  [%d]", c.Of.ID.Index)
		}
		if c.Of != nil {
			fmt.Fprintf(l.w, "  (%v, %v)", c.Of.Type.Unit(), c.Of.Type)
		}
		fmt.Fprintln(l.w)
		console.WriteWrapped(l.w, "        ", "        ", c.Help, l.width)
	}

	if o.Multi && !o.brief {
		l.writeNamed(o)
	}
}

func (l *lister) writeNamed(o finding) {
	count := 0
	for range o.shown() {
		count++
	}

	fmt.Fprintf(l.w, "\n  Instances: %d\n", count)
	for in := range o.shown() {
		fmt.Fprintf(l.w, "    %s", safetext.Line(in.String()))
		if lost := l.lostParent(in); lost != "" {
			fmt.Fprintf(l.w, "  (%s)", lost)
		}
		fmt.Fprintln(l.w)
	}
}

// lostParent names the missing parent of an instance; "" if it has none or the parent exists.
func (l *lister) lostParent(in catalogue.KnownInstance) string {
	if in.Of == nil {
		return ""
	}
	object, position, has := in.Of.ParentPlace()
	if _, found := in.Of.Parent(); !has || found {
		return ""
	}
	of := safetext.Line(l.table.Title(object))
	return fmt.Sprintf("its parent, instance %d of %s, is missing", position, of)
}
