package live

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/safetext"
)

// writeOverview writes a line for each object.
func (l *lister) writeOverview(objects []finding) error {
	rows := [][]string{l.withIndex([]string{"OBJECT", "COUNTERS", "INSTANCES", "HELP"}, "INDEX")}
	for _, o := range objects {
		instances := "-"
		if !o.Single() {
			instances = strconv.Itoa(o.Len())
		}
		help := console.FirstSentence(l.table.Help(o.Help()))
		row := []string{l.label(o.Object), strconv.Itoa(len(o.counters)), instances, help}
		rows = append(rows, l.withIndex(row, strconv.FormatUint(uint64(o.ID().Index), 10)))
	}
	return l.writeTable(rows)
}

// writeTable writes aligned columns, cut at the width of a line.
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

// writeObjects writes all that is known about each object.
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
	fmt.Fprint(l.w, l.label(o.Object))
	if l.index {
		fmt.Fprintf(l.w, "  [%d]", o.ID().Index)
	}
	if l.costly(o.Object) {
		fmt.Fprint(l.w, "  (costly)")
	}

	fmt.Fprintln(l.w)
	writeWrapped(l.w, "  ", l.table.Help(o.Help()), l.width)
	fmt.Fprintln(l.w, "\n  Counters:")
	for _, k := range o.counters {
		c := o.Counter(k)
		fmt.Fprintf(l.w, "    %s", safetext.Line(l.table.Title(c.ID.Index)))
		if l.index {
			fmt.Fprintf(l.w, "  [%d]", c.ID.Index)
		}
		fmt.Fprintf(l.w, "  (%v, %v)\n", c.Type.Unit(), c.Type)
		writeWrapped(l.w, "        ", l.table.Help(c.Help), l.width)
	}

	if !o.Single() && !o.brief {
		l.writeNamed(o)
	}
}

// writeNamed writes the instances of an object.
func (l *lister) writeNamed(o finding) {
	fmt.Fprintf(l.w, "\n  Instances: %d\n", len(o.instances))
	for i, name := range o.named() {
		fmt.Fprintf(l.w, "    %s", safetext.Line(name))
		if lost := l.lostParent(o.Instance(i)); lost != "" {
			fmt.Fprintf(l.w, "  (%s)", lost)
		}
		fmt.Fprintln(l.w)
	}
}

// lostParent says which parent of an instance is not there, so that it has no
// name to show; "" where there is none or it is there.
func (l *lister) lostParent(in frame.Instance) string {
	object, position, has := in.ParentPlace()
	if _, found := in.Parent(); !has || found {
		return ""
	}
	of := safetext.Line(l.table.Title(object))
	return fmt.Sprintf("its parent, instance %d of %s, is not there", position, of)
}

// writeWrapped writes the words of text in lines that are not longer than width
// where words allow that.
func writeWrapped(w *bufio.Writer, indent, text string, width int) {
	used := 0
	for word := range strings.FieldsSeq(text) {
		word = safetext.Line(word)
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			w.WriteString(indent)
			used = len(indent)
		case used+1+n > width:
			w.WriteString("\n" + indent)
			used = len(indent)
		default:
			w.WriteString(" ")
			used++
		}
		w.WriteString(word)
		used += n
	}

	if used > 0 {
		w.WriteString("\n")
	}
}
