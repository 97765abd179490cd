package nametable

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

// fromMap makes a table or fails the test.
func fromMap(t *testing.T, kind Kind, texts map[uint32]string) *Table {
	t.Helper()
	table, err := FromMap(kind, texts)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTable(t *testing.T) {
	table := fromMap(t, Counter, map[uint32]string{
		1: "1847", 6: "% Processor Time", 1746: "% Idle Time", 2: "System", 1482: "% Idle Time", 8: "1847",
		10: "Größe",
	})
	if table.Len() != 7 || table.kind != Counter {
		t.Errorf("%d pairs of kind %d", table.Len(), table.kind)
	}
	if base, ok := table.baseIndex(); base != 1847 || !ok {
		t.Errorf("base index %d, %t", base, ok)
	}
	var order []uint32
	for index := range table.All() {
		if order = append(order, index); index == 1482 {
			break
		}
	}
	if want := []uint32{1, 2, 6, 8, 10, 1482}; !slices.Equal(order, want) {
		t.Errorf("order %d, want %d", order, want)
	}
	for index, want := range map[uint32]string{2: "System", 1746: "% Idle Time", 1: "", 3: "", 1 << 31: ""} {
		if got, ok := table.Name(index); got != want || ok != (want != "") {
			t.Errorf("Name(%d) = %q, %t", index, got, ok)
		}
	}
	for text, want := range map[string][]uint32{
		"% idle time": {1482, 1746}, "SYSTEM": {2}, "GRÖSSE": nil, "grÖße": {10}, "": nil,
		"1847": {8}, // the number at index 1 is no name
	} {
		if got := table.lookup(text); !slices.Equal(got, want) {
			t.Errorf("Lookup(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestTableBaseIndex(t *testing.T) {
	for text, ok := range map[string]bool{"0": true, "4294967295": true, "4294967296": false,
		"End Marker": false, "-1": false} {
		table := fromMap(t, Counter, map[uint32]string{1: text, 2: "System"})
		if _, got := table.baseIndex(); got != ok {
			t.Errorf("text %q at index 1: ok %t", text, got)
		}
		if _, isName := table.Name(1); isName == ok {
			t.Errorf("text %q at index 1: is a name %t", text, isName)
		}
	}
	if _, ok := (&Table{}).baseIndex(); ok {
		t.Error("an empty table has a base index")
	}
}

func TestNameAllocatesNothing(t *testing.T) {
	table := fromMap(t, Counter, map[uint32]string{1: "1847", 2: "System", 4: "Memory"})
	if n := testing.AllocsPerRun(100, func() { table.Name(4); table.Name(5); table.Name(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFromMapErrors(t *testing.T) {
	tests := []struct {
		name  string
		texts map[uint32]string
		want  string
	}{
		{"empty", map[uint32]string{2: "System", 4: ""}, "index 4"},
		{"NUL", map[uint32]string{2: "Sys\x00tem"}, `index 2 has the text "Sys\x00tem"`},
		{"no UTF-8", map[uint32]string{2: "\xff"}, "index 2"},
		{"lowest index first", map[uint32]string{8: "", 6: "", 10: ""}, "index 6"},
		{"size", map[uint32]string{2: strings.Repeat("x", MaxBytes), 4: "y"}, "index 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, err := FromMap(Counter, tt.texts)
			if table != nil || !errors.Is(err, winperf.ErrBadData) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one about %q", err, tt.want)
			}
		})
	}
}

// TestFromMapLimit makes a table of as many texts as one may have, and none of more.
func TestFromMapLimit(t *testing.T) {
	texts := make(map[uint32]string, maxPairs+1)
	for i := range uint32(maxPairs) {
		texts[i] = "x"
	}
	if table, err := FromMap(Mixed, texts); err != nil || table.Len() != maxPairs {
		t.Errorf("%d texts: %v", len(texts), err)
	}

	texts[maxPairs] = "x"
	_, err := FromMap(Mixed, texts)
	if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(),
		"1048577 pairs, expected at most 1048576") {
		t.Errorf("%d texts: error %v", len(texts), err)
	}
}

func TestNameTable(t *testing.T) {
	table := fromMap(t, Mixed, map[uint32]string{1: "1847", 2: "System", 3: "The system 🙂", 5: "Memory of it",
		4: "Memory"})
	want := winperf.NameTable{
		Language: "00C",
		Counter:  le("1\x001847\x002\x00System\x004\x00Memory\x00\x00"),
		Help:     le("3\x00The system 🙂\x005\x00Memory of it\x00\x00"),
	}
	if diff := cmp.Diff(want, table.NameTable("00C")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (&Table{}).NameTable(English); got.Counter != nil || got.Help != nil {
		t.Errorf("of an empty table: % x, % x", got.Counter, got.Help)
	}
}

func TestEncodeAppends(t *testing.T) {
	got := fromMap(t, Counter, map[uint32]string{2: "a"}).Encode([]byte("head"))
	if want := append([]byte("head"), le("2\x00a\x00\x00")...); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
	if got, want := (&Table{}).Encode(nil), []byte{0, 0}; !bytes.Equal(got, want) {
		t.Errorf("empty table: % x, want % x", got, want)
	}
}
