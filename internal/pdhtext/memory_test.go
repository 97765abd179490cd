package pdhtext

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// wideLog is a log with columns of the path and a few rows.
func wideLog(columns int, path func(int) string) []byte {
	var b bytes.Buffer
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for i := range columns {
		fmt.Fprintf(&b, `,"%s"`, path(i))
	}
	for range 3 {
		b.WriteString("\n" + `"01/02/2026 15:04:05.000"` + strings.Repeat(`,"1"`, columns))
	}
	return b.Bytes()
}

// allocated is how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestMemory bounds what reading a log allocates in all: the longest line
// six times, as its buffer grows and fields become texts, and 400 bytes for each
// column, of which there are MaxColumns at most.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	long := `"(PDH-CSV 4.0)","\H\O\c"` + "\n" + `"01/02/2026 15:04:05.000","` + strings.Repeat("x", 8<<20) + `"`
	usual := func(i int) string { return fmt.Sprintf(`\\HOST\Process(editor#%d)\%% Processor Time`, i) }
	for name, log := range map[string][]byte{
		"columns of a machine": wideLog(60_000, usual),
		"short columns":        wideLog(120_000, func(int) string { return `\O\c` }),
		"too many columns":     wideLog(2_000_000, func(int) string { return `\O\c` }),
		"no columns":           wideLog(2_000_000, func(int) string { return `x` }),
		"a long text":          []byte(long),
	} {
		longest := 0
		for line := range bytes.Lines(log) {
			longest = max(longest, len(line))
		}
		columns := 0
		used := allocated(func() {
			r, err := NewReader(bytes.NewReader(log), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			columns = len(r.Head().Columns)
			var row Row
			for r.Next(&row) == nil {
			}
		})
		if columns > MaxColumns {
			t.Errorf("%s: %d columns", name, columns)
		}
		if most := 6*longest + 400*columns + 1<<20; used > most {
			t.Errorf("%s: %d bytes for a line of %d and %d columns, want at most %d",
				name, used, longest, columns, most)
		}
	}
}

// TestMemoryKnown checks that a reader which is told the head of an earlier one
// allocates its line once, and not again and again as its buffer grows.
func TestMemoryKnown(t *testing.T) {
	log := append(wideLog(0, nil), "\n"...)
	head := []byte(`"(PDH-CSV 4.0) (UTC)(0)","\O\c","` + strings.Repeat("x", 8<<20) + `"`)
	log = append(head, log[bytes.IndexByte(log, '\n'):]...)
	open := func(known *Head) (r *Reader) {
		r, err := NewReader(bytes.NewReader(log), ReadOptions{Known: known})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open(nil).Head()
	text := len(first.Caption) // is kept of the line
	used := allocated(func() { open(first) })
	if most := len(head) + text + 1<<20; text != 8<<20 || used > most {
		t.Errorf("%d bytes for a line of %d and a text of %d, want at most %d", used, len(head), text, most)
	}
}

// TestReadManyColumns checks that columns above the limit cost themselves, with one
// finding, and that a second reader uses the series of the first.
func TestReadManyColumns(t *testing.T) {
	log := wideLog(5, func(i int) string { return fmt.Sprintf(`\O\%d`, i) })
	read := func(opt ReadOptions) (head *Head, values []string, damage []error) {
		r, err := NewReader(bytes.NewReader(log), opt)
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		for r.Next(&row) == nil {
			for _, reading := range row.readings() {
				values = append(values, reading.Series.String())
			}
		}
		return r.Head(), values, r.Damage()
	}
	head, values, damage := read(ReadOptions{maxColumns: 3})
	told := len(damage) == 1 && strings.Contains(damage[0].Error(), "more than 3 columns")
	if len(head.Columns) != 3 || len(values) != 9 || !told {
		t.Errorf("%d columns, %d values, damage %v", len(head.Columns), len(values), damage)
	}
	for _, most := range []int{3, 5, 7} {
		first, _, _ := read(ReadOptions{maxColumns: most})
		second, values, _ := read(ReadOptions{maxColumns: 5, Known: first})
		same := min(most, 5)
		if !slices.Equal(second.Columns[:same], first.Columns[:same]) || len(values) != 15 {
			t.Errorf("of %d columns the series are others, %d values", most, len(values))
		}
	}
	other := &Head{Columns: slices.Clone(head.Columns)}
	slices.Reverse(other.Columns)
	again, _, _ := read(ReadOptions{Known: other})
	for i, s := range head.Columns {
		if again.Columns[i] != s {
			t.Errorf("column %d of a head in another order is not the series that is known", i)
		}
	}
	two := &Head{Columns: []*winperf.Series{head.Columns[1], head.Columns[0]}}
	again, _, _ = read(ReadOptions{Known: two})
	if again.Columns[0] != head.Columns[0] || again.Columns[1] != head.Columns[1] || again.Columns[2] == nil {
		t.Error("columns that are known in part are not found")
	}
}
