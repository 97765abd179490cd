package nametable

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

const (
	realBytes = "names/vista_en_ZACH-PC_Counter009.multisz.bin"
	realLines = "names/vista_en_ZACH-PC_Counter009.tsv"
)

// The English names of a Windows Vista machine.
func TestRealTable(t *testing.T) {
	b := sharedData(t, realBytes)
	table, damage := Parse(b, Options{Kind: Counter})
	if len(damage) > 0 {
		t.Errorf("damage: %v", damage)
	}
	if !bytes.Equal(table.Encode(nil), b) {
		t.Error("does not encode to the same bytes")
	}
	if diff := cmp.Diff(reference(b), pairsOf(table)); diff != "" {
		t.Errorf("pairs (-reference +got):\n%s", diff)
	}
	for text, want := range map[string][]uint32{"% idle time": {1482, 1746}, "Process": {230},
		"TCPv4": {638}} {
		if got := table.lookup(text); !slices.Equal(got, want) {
			t.Errorf("Lookup(%q) = %d, want %d", text, got, want)
		}
	}
	if n := len(table.lookup("No name")); n != 35 {
		t.Errorf("%d indices without a name, want 35", n)
	}
}

// The same table as text.
func TestRealFile(t *testing.T) {
	lines, damage, err := fileTable("lines", sharedData(t, realLines))
	if err != nil || len(damage) > 0 {
		t.Fatal(err, damage)
	}
	raw, damage, err := fileTable("bytes", sharedData(t, realBytes))
	if err != nil || len(damage) > 0 {
		t.Fatal(err, damage)
	}
	want := winperf.NameTable{Language: English, Counter: sharedData(t, realBytes)}
	for _, got := range []winperf.NameTable{lines, raw} {
		if !bytes.Equal(got.Counter, want.Counter) || got.Help != nil || got.Language != want.Language {
			t.Errorf("language %s, %d bytes of names, %d of help", got.Language, len(got.Counter),
				len(got.Help))
		}
	}
}

// Cut anywhere, the table is served as far as it goes.
func TestRealTableCut(t *testing.T) {
	b := sharedData(t, realBytes)
	whole := reference(b)
	for cut := 0; cut < len(b); cut += 97 {
		table, damage := Parse(b[:cut], Options{Kind: Counter})
		if len(damage) == 0 {
			t.Errorf("cut at %d: no damage", cut)
		}
		left := table.Len()
		for index, text := range table.All() {
			// Only the last text may be cut itself.
			if left--; left > 0 && text != whole[index] {
				t.Fatalf("cut at %d: index %d is %q, want %q", cut, index, text, whole[index])
			}
		}
		if nul := countNUL(b[:cut&^1]); table.Len() < nul/2 {
			t.Errorf("cut at %d: %d pairs, at least %d are whole", cut, table.Len(), nul/2)
		}
	}
}
