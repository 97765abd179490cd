package nametable

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

// seeds are tables whole and damaged, as both fuzz targets start from them.
func seeds(f *testing.F) {
	for _, s := range []string{
		"1\x001847\x002\x00System\x004\x00Memory\x00\x00",
		"1847\x00End Marker\x00\x00",
		"2\x00Größe 🙂\x00\x00\x00\x004\x00Memory\x00\x00",
		"2\x00a\x00x\x004\x00b\x003\x00c\x002\x00d\x008\x00",
		"007\x00a\x004294967296\x00b\x00\x00\x00",
		"# c\n2\tSystem\r\n3\thelp\n4\n5\t\nx\ty\n2\tagain",
	} {
		f.Add(le(s), byte(0))
		f.Add([]byte(s), byte(5))
		f.Add(append([]byte("\xff\xfe"), le(s)...), byte(1))
	}
}

// optionsOf makes options of a fuzzed byte.
func optionsOf(n byte) Options { return Options{Kind: Kind(n % 3), Tolerant: n >= 3} }

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte, n byte) {
		opt := optionsOf(n)
		table, damage := Parse(b, opt)
		checkDamage(t, damage, len(b))
		checkTable(t, table)

		// Little more than the input is ever kept.
		if len(table.text) > len(b)/2*3 || cap(table.pairs) > len(b)/4+1 || len(damage) > maxDamage+1 {
			t.Errorf("%d bytes made %d bytes of text, room for %d pairs and %d damages", len(b),
				len(table.text), cap(table.pairs), len(damage))
		}
		// Without damage nothing is lost and nothing added.
		encoded := table.Encode(nil)
		if len(damage) == 0 {
			if !bytes.Equal(encoded, b) {
				t.Errorf("no damage, but encodes to % x", encoded)
			}
			if diff := cmp.Diff(reference(b), pairsOf(table)); diff != "" {
				t.Errorf("pairs (-reference +got):\n%s", diff)
			}
		}
		// What is served can be stored and read again.
		again, damage := Parse(encoded, opt)
		if !maps.Equal(pairsOf(again), pairsOf(table)) {
			t.Errorf("%v reads back as %v", pairsOf(table), pairsOf(again))
		}
		for _, d := range findings(t, damage) {
			if d.Fault != parity && d.Fault != unlisted {
				t.Errorf("an encoded table is damaged: %v", d)
			}
		}
		// Tolerance only adds pairs.
		if strict, _ := Parse(b, Options{Kind: opt.Kind}); strict.Len() > table.Len() {
			t.Errorf("%d pairs strictly, %d as asked for", strict.Len(), table.Len())
		}
	})
}

// checkDamage checks that each damage says what and where, in data of size bytes.
func checkDamage(t *testing.T, damage []error, size int) {
	t.Helper()
	for i, d := range findings(t, damage) {
		if !errors.Is(damage[i], winperf.ErrBadData) || d.Found == "" || d.Offset < 0 ||
			d.Offset > int64(size) {
			t.Errorf("damage without place or reason in %d bytes: %#v", size, d)
		}
		if (d.Fault == unlisted) != (i == maxDamage) {
			t.Errorf("damage %d is %v", i, d)
		}
	}
}

// checkTable checks that a table's methods agree with each other.
func checkTable(t *testing.T, table *Table) {
	t.Helper()
	_, hasBase := table.baseIndex()
	n, last := 0, int64(-1)
	for index, text := range table.All() {
		if int64(index) <= last || text == "" || strings.Contains(text, "\x00") {
			t.Errorf("index %d after %d with text %q", index, last, text)
		}
		last = int64(index)
		if n++; n > 20 {
			continue
		}
		got, ok := table.Name(index)
		if isName := index != 1 || !hasBase; ok != isName || ok && got != text ||
			ok != slices.Contains(table.lookup(text), index) {
			t.Errorf("index %d: text %q, name %q, %t, looked up as %d", index, text, got, ok,
				table.lookup(text))
		}
	}
	if n != table.Len() {
		t.Errorf("%d pairs, but Len is %d", n, table.Len())
	}
}

func FuzzParseFile(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte, _ byte) {
		nt, damage, err := fileTable("f", b)
		checkDamage(t, damage, len(b))
		if (err == nil) == (nt.Counter == nil && nt.Help == nil) {
			t.Fatalf("error %v with %d bytes of names and %d of help", err, len(nt.Counter), len(nt.Help))
		}
		if err != nil {
			if !errors.Is(err, winperf.ErrBadData) {
				t.Errorf("error %v", err)
			}
			return
		}
		// What a file gives is whole: no damage, and help apart from names.
		names, damage := FromSchema(&winperf.Schema{Names: []winperf.NameTable{nt}})
		if len(damage) > 0 {
			t.Errorf("tables of a file are damaged: %v", damage)
		}
		// As lines it reads the same again.
		var lines strings.Builder
		counters, help := names.Tables(English)
		for _, table := range []*Table{help, counters} {
			for index, text := range table.All() {
				fmt.Fprintf(&lines, "%d\t%s\n", index, text)
			}
		}
		if strings.Contains(lines.String(), "\r\n") || strings.Count(lines.String(), "\n") != counters.Len()+
			help.Len() {
			return // a text with a line end has no form as a line
		}
		again, damage, err := fileTable("f", []byte(lines.String()))
		if diff := cmp.Diff(nt, again); diff != "" || err != nil || len(damage) > 0 {
			t.Errorf("error %v, damage %v, (-want +got):\n%s", err, damage, diff)
		}
	})
}
