package sink

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// modelTable is the table of an object as maps and texts, which must have more
// than one instance, whose names and values are numbers.
func modelTable(object string, readings []winperf.Reading) string {
	var instances, counters []string
	cells, widths := map[string]string{}, map[string]int{object: len(object)}
	for _, r := range readings {
		if r.Path.Object != object {
			continue
		}
		row, column := r.Path.InstanceText(), r.Path.Counter
		if widths[column] == 0 {
			counters = append(counters, column)
			widths[column] = len(column)
		}
		if _, known := cells[row]; !known {
			instances = append(instances, row)
			cells[row] = row
			widths[object] = max(widths[object], len(row))
		}
		cells[row+column] = r.Value.String()
	}
	for _, row := range instances {
		for _, column := range counters {
			widths[column] = max(widths[column], len(cells[row+column]))
		}
	}

	var b strings.Builder
	line := func(name string, text func(column string) string) {
		fmt.Fprintf(&b, "%-*s", widths[object], name)
		for _, column := range counters {
			fmt.Fprintf(&b, "  %*s", widths[column], text(column))
		}
		b.WriteByte('\n')
	}
	line(object, func(column string) string { return column })
	for _, row := range instances {
		line(row, func(column string) string {
			if cells[row+column] == "" {
				return "-"
			}
			return cells[row+column]
		})
	}
	return b.String()
}

// TestTableModel compares large tables with those of the model: objects one behind
// the other and mixed, counter by counter, instance by instance and in no order,
// with gaps and with readings of the same path; and in later moments some of them.
func TestTableModel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		var readings []winperf.Reading
		objects, rows, columns := 1+random.IntN(3), 8+random.IntN(400), 1+random.IntN(8)
		for i := range objects * rows * columns {
			row, column, object := i%rows, i/rows%columns, i/rows/columns
			switch round % 3 {
			case 1:
				column, row = i%columns, i/columns%rows
			case 2:
				object, row, column = i%objects, random.IntN(rows), random.IntN(columns)
			}
			if random.IntN(10) == 0 {
				continue
			}
			s := winperf.NewSeries(winperf.Path{
				Object: fmt.Sprint("Object ", object), Counter: fmt.Sprint("N", column),
				Instance: fmt.Sprint(row), Index: row % 2, HasInstance: true,
			})
			readings = append(readings, winperf.Reading{Series: s, Value: counter.Int(random.Uint64() >> random.IntN(64))})
		}

		moments := [][]winperf.Reading{readings, nil, nil}
		for i, r := range readings {
			moments[1+i%2] = append(moments[1+i%2], r)
		}
		var want []string
		for _, moment := range moments {
			found := map[string]bool{}
			for _, r := range moment {
				if !found[r.Path.Object] {
					found[r.Path.Object] = true
					want = append(want, modelTable(r.Path.Object, moment))
				}
			}
		}
		got := strings.Split(tableOf(t, 0, Options{Single: true}, moments...), "\n")
		lines := strings.Split(strings.Join(want, "\n"), "\n")
		for i := range max(len(got), len(lines)) {
			if i >= len(got) || i >= len(lines) || got[i] != lines[i] {
				t.Fatalf("round %d: %d lines, want %d; line %d is another", round, len(got), len(lines), i)
			}
		}
	}
}

// TestTopRows shows the most active rows as sorting them all does, those behind the
// first ones too. Totals are above all.
func TestTopRows(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for rows := 1; rows < 60; rows++ {
		percent := make([]float64, rows)
		for i := range percent {
			percent[i] = float64(random.IntN(5))
		}
		activity := slices.Clone(percent)
		activity[0] = 9 // loads begins with _Total
		var g groups
		g.sort(sampleTime, winperf.ColumnsOf(loads(percent...)), true)
		sections := newSections(g.list, sectionOptions{})
		for n := 1; n < rows; n++ {
			var want []int // by insertion, equals stay in their order
			for row := range rows {
				at := len(want)
				for at > 0 && activity[want[at-1]] < activity[row] {
					at--
				}
				want = append(want[:at], append([]int{row}, want[at:]...)...)
			}
			first := random.IntN(rows - n + 1)
			var got []int
			for row := range sections[0].topRows(first, n) {
				got = append(got, row)
			}
			if fmt.Sprint(got) != fmt.Sprint(want[first:first+n]) {
				t.Fatalf("%d rows of %v behind %d: %v, want %v", n, percent, first, got, want[first:first+n])
			}
		}
	}
}
