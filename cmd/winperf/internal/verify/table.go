package verify

import (
	"slices"
	"strconv"
	"strings"
)

// table is an output whose head names the columns.
type table struct {
	key     string            // the column of the instances; "" for none
	columns map[string]figure // a + joins columns that are added
}

// parse adds the raw values of all rows.
func (t table) parse(l *Look, text string) error {
	t.each(text, func() {}, func(f figure, instance string, v float64) { f.add(l, instance, uint64(v)) })
	return needed(l)
}

// each calls begin before the rows behind each head, and add for each value. It skips averages and sums of
// rows. Without a column of instances, each row is a table.
func (t table) each(text string, begin func(), add func(f figure, instance string, v float64)) {
	var head []string
	seen := map[string]int{}
	for line := range strings.Lines(text) {
		words := strings.Fields(strings.TrimPrefix(line, "#"))
		if strings.HasPrefix(line, "Average:") {
			continue
		}
		isHead := t.isHead(words)
		if !isHead && (head == nil || len(words) < len(head)) {
			continue
		}
		if isHead || t.key == "" {
			begin()
			clear(seen)
		}
		if isHead {
			head = words
			continue
		}

		row := map[string]string{}
		for i, column := range head {
			row[column] = words[i]
		}
		if head[len(head)-1] == t.key { // names of processes have spaces
			row[t.key] = strings.Join(words[len(head)-1:], " ")
		}
		if row[t.key] == "all" {
			continue
		}

		instance := numbered(seen, row[t.key])
		for columns, f := range t.columns {
			if v, ok := sum(row, columns); ok {
				add(f, instance, v)
			}
		}
	}
}

// isHead reports whether the words of a line name all columns.
func (t table) isHead(words []string) bool {
	for columns := range t.columns {
		for column := range strings.SplitSeq(columns, "+") {
			if !slices.Contains(words, column) {
				return false
			}
		}
	}
	return t.key == "" || slices.Contains(words, t.key)
}

func sum(row map[string]string, columns string) (total float64, ok bool) {
	for column := range strings.SplitSeq(columns, "+") {
		v, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			return 0, false
		}
		total += v
	}
	return total, true
}

// numbered returns the name of an instance with the number of instances that had it before, as in paths.
func numbered(seen map[string]int, name string) string {
	n := seen[name]
	if seen[name]++; n > 0 {
		name += "#" + strconv.Itoa(n)
	}
	return name
}
