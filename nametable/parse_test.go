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

func TestParse(t *testing.T) {
	type pairs = map[uint32]string
	tests := []struct {
		name   string
		in     string // becomes UTF-16LE
		opt    Options
		pairs  pairs
		damage []finding
	}{
		{"whole", "1\x001847\x002\x00System\x004\x00Memory\x00\x00", Options{Kind: Counter},
			pairs{1: "1847", 2: "System", 4: "Memory"}, nil},
		{"end markers", "1\x001847\x001846\x00End Marker\x00\x00", Options{Kind: Counter},
			pairs{1: "1847", 1846: "End Marker"}, nil},
		{"end marker of help", "1847\x00End Marker\x00\x00", Options{Kind: Help},
			pairs{1847: "End Marker"}, nil},
		{"empty list", "\x00", Options{}, pairs{}, nil},
		{"no bytes", "", Options{}, pairs{},
			[]finding{{Fault: noTerminator, Offset: 0, Found: "the end of the data"}}},
		{"beyond ASCII and the first plane", "2\x00Größe µs 日本 🙂\x00\x00", Options{},
			pairs{2: "Größe µs 日本 🙂"}, nil},
		{"the ends of the planes", "2\x00\uD7FF\uE000\uFFFF\U00010000\U0010FFFF\x00\x00", Options{},
			pairs{2: "\uD7FF\uE000\uFFFF\U00010000\U0010FFFF"}, nil},
		{"control characters and length are kept", "2\x00a\r\n\t\x01" + strings.Repeat("x", 1100) +
			"\x00\x00", Options{},
			pairs{2: "a\r\n\t\x01" + strings.Repeat("x", 1100)}, nil},
		{"highest index", "4294967294\x00a\x00\x00", Options{Kind: Counter}, pairs{4294967294: "a"}, nil},

		{"no final NULs", "2\x00System\x004\x00Mem", Options{}, pairs{2: "System", 4: "Mem"},
			[]finding{{Fault: noTerminator, Offset: 28, Found: "the end of the data"}}},
		{"no empty string", "2\x00System\x00", Options{}, pairs{2: "System"},
			[]finding{{Fault: noTerminator, Offset: 18, Found: "the end of the data"}}},
		{"zeros after the end", "2\x00System\x00\x00\x00\x00", Options{}, pairs{2: "System"},
			[]finding{{Fault: padding, Offset: 20, Found: "4 zero bytes after the list"}}},

		{"index no number, pairs come into step", "2\x00System\x00stray\x004\x00Memory\x00\x00", Options{},
			pairs{2: "System", 4: "Memory"},
			[]finding{{Fault: badIndex, Offset: 18, Found: `"stray"`}}},
		{"index no number, with its text", "x4\x00Memory\x006\x00% Processor Time\x00\x00", Options{},
			pairs{6: "% Processor Time"},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"x4"`},
				{Fault: badIndex, Offset: 6, Found: `"Memory"`}}},
		{"index above 32 bits", "4294967296\x00a\x002\x00System\x00\x00", Options{}, pairs{2: "System"},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"4294967296"`},
				{Fault: badIndex, Offset: 22, Found: `"a"`}}},
		{"index far above 64 bits", strings.Repeat("9", 41) + "\x00a\x00\x00", Options{}, pairs{},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"` + strings.Repeat("9", 40) + `"…`},
				{Fault: badIndex, Offset: 84, Found: `"a"`}}},
		{"as long as an error shows it", strings.Repeat("x", 40) + "\x00\x00", Options{}, pairs{},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"` + strings.Repeat("x", 40) + `"`}}},
		{"digits that are not ASCII", "٢\x00a\x00\x00", Options{}, pairs{},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"٢"`},
				{Fault: badIndex, Offset: 4, Found: `"a"`}}},
		{"signs and blanks", "+2\x00 4\x00-6\x00\x00", Options{}, pairs{},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"+2"`},
				{Fault: badIndex, Offset: 6, Found: `" 4"`}, {Fault: badIndex, Offset: 12, Found: `"-6"`}}},
		{"leading zeros", "002\x00System\x00\x00", Options{}, pairs{2: "System"},
			[]finding{{Fault: leadingZero, Offset: 0, Found: `"002"`}}},
		{"zero", "0\x00nothing\x002\x00System\x00\x00", Options{}, pairs{0: "nothing", 2: "System"}, nil},

		{"index without text at the end of the list", "2\x00System\x004\x00\x00", Options{},
			pairs{2: "System"},
			[]finding{{Fault: noText, Offset: 18, Found: "index 4 without a text"}}},
		{"index without text at the end of the data", "2\x00System\x004\x00", Options{}, pairs{2: "System"},
			[]finding{{Fault: noText, Offset: 18, Found: "index 4 without a text"},
				{Fault: noTerminator, Offset: 22, Found: "the end of the data"}}},
		{"empty text, strict", "2\x00\x004\x00Memory\x00\x00", Options{}, pairs{},
			[]finding{{Fault: noText, Offset: 0, Found: "index 2 without a text"},
				{Fault: earlyEnd, Offset: 6, Found: "20 bytes after the list"}}},
		{"empty text, tolerant", "2\x00\x004\x00Memory\x00\x00", Options{Tolerant: true}, pairs{4: "Memory"},
			[]finding{{Fault: noText, Offset: 0, Found: "index 2 without a text"},
				{Fault: emptyString, Offset: 4, Found: "an empty string with data after it"}}},
		{"surplus NULs of Samba", "2\x00Größe µs ééé\x00\x00\x00\x00\x00\x00\x004\x00Memory\x00\x00",
			Options{Tolerant: true},
			pairs{2: "Größe µs ééé", 4: "Memory"},
			[]finding{{Fault: emptyString, Offset: 30, Found: "an empty string with data after it"}}},

		{"same index twice, the last wins", "2\x00System\x004\x00Memory\x002\x00New\x00\x00", Options{},
			pairs{2: "New", 4: "Memory"},
			[]finding{{Fault: duplicate, Offset: 36, Found: "index 2 after 4"}}},
		{"three times in a row", "2\x00a\x002\x00b\x002\x00c\x004\x00d\x00\x00", Options{},
			pairs{2: "c", 4: "d"},
			[]finding{{Fault: duplicate, Offset: 8, Found: "index 2 after 2"},
				{Fault: duplicate, Offset: 16, Found: "index 2 after 2"}}},
		{"not rising", "2\x00a\x00900\x00b\x004\x00c\x006\x00d\x00902\x00e\x006\x00f\x00\x00", Options{},
			pairs{2: "a", 4: "c", 6: "f", 900: "b", 902: "e"},
			[]finding{{Fault: notRising, Offset: 20, Found: "index 4 after 900"},
				{Fault: duplicate, Offset: 48, Found: "index 6 after 902"}}},

		{"odd indices among names", "1\x001847\x003\x00a\x004\x00b\x00\x00", Options{Kind: Counter},
			pairs{1: "1847", 3: "a", 4: "b"},
			[]finding{{Fault: parity, Offset: 14, Found: "index 3"}}},
		{"even indices among help texts", "3\x00a\x004\x00b\x00\x00", Options{Kind: Help},
			pairs{3: "a", 4: "b"},
			[]finding{{Fault: parity, Offset: 8, Found: "index 4"}}},
		{"both, kind not known", "3\x00a\x004\x00b\x00\x00", Options{}, pairs{3: "a", 4: "b"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := le(tt.in)
			table, damage := Parse(b, tt.opt)
			if diff := cmp.Diff(tt.pairs, pairsOf(table)); diff != "" {
				t.Errorf("pairs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.damage, findings(t, damage)); diff != "" {
				t.Errorf("damage (-want +got):\n%s", diff)
			}
			if got := table.Encode(nil); len(tt.damage) == 0 && !bytes.Equal(got, b) {
				t.Errorf("encodes to % x, want % x", got, b)
			}
		})
	}
}

// Bytes that are no encoded string.
func TestParseRawBytes(t *testing.T) {
	tests := []struct {
		name   string
		in     []byte
		pairs  map[uint32]string
		damage []finding
	}{
		{"odd length", []byte("2\x00\x00\x00a\x00\x00\x00\x00\x00!"), map[uint32]string{2: "a"},
			[]finding{{Fault: oddLength, Offset: 10, Found: "11 bytes"}}},
		{"one byte", []byte("2"), map[uint32]string{},
			[]finding{{Fault: oddLength, Offset: 0, Found: "1 bytes"},
				{Fault: noTerminator, Offset: 0, Found: "the end of the data"}}},
		{"high half alone", []byte("2\x00\x00\x00a\x00\x3d\xd8b\x00\x00\x00\x00\x00"),
			map[uint32]string{2: "a\uFFFDb"},
			[]finding{{Fault: badUTF16, Offset: 6, Found: "unit 0xD83D"}}},
		{"low half alone at the end", []byte("2\x00\x00\x00\x00\xdc\x00\x00\x00\x00"),
			map[uint32]string{2: "\uFFFD"},
			[]finding{{Fault: badUTF16, Offset: 4, Found: "unit 0xDC00"}}},
		{"big-endian", []byte("\x002\x00\x00\x00a\x00\x00\x00\x00"), map[uint32]string{},
			[]finding{{Fault: badIndex, Offset: 0, Found: `"㈀"`},
				{Fault: badIndex, Offset: 4, Found: `"愀"`}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, damage := Parse(tt.in, Options{})
			if diff := cmp.Diff(tt.pairs, pairsOf(table)); diff != "" {
				t.Errorf("pairs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.damage, findings(t, damage)); diff != "" {
				t.Errorf("damage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLimits(t *testing.T) {
	t.Run("bytes", func(t *testing.T) {
		b := append(le("2\x00"), bytes.Repeat([]byte("x\x00"), MaxBytes/2)...)
		table, damage := Parse(b, Options{})
		want := []*fault{tooLarge, noTerminator}
		if got := faultsOf(findings(t, damage)); !slices.Equal(got, want) ||
			findings(t, damage)[0].Offset != MaxBytes {
			t.Errorf("damage %v, want the faults %v, the first at %d", damage, want, MaxBytes)
		}
		if s, _ := table.Name(2); len(s) != MaxBytes/2-2 {
			t.Errorf("text of %d characters, want %d", len(s), MaxBytes/2-2)
		}
	})
	t.Run("as many bytes as there may be", func(t *testing.T) {
		b := append(le("2\x00"), bytes.Repeat([]byte("x\x00"), MaxBytes/2-4)...)
		b = append(b, le("\x00\x00")...)
		table, damage := Parse(b, Options{})
		if s, _ := table.Name(2); len(b) != MaxBytes || len(damage) > 0 || len(s) != MaxBytes/2-4 {
			t.Errorf("%d bytes: text of %d characters, damage %v", len(b), len(s), damage)
		}
	})
	t.Run("pairs", func(t *testing.T) {
		b := bytes.Repeat(le("2\x00x\x00"), maxPairs+1)
		table, damage := Parse(b, Options{})
		last := findings(t, damage[len(damage)-1:])[0]
		if table.Len() != 1 || len(damage) != maxDamage+1 || last.Fault != unlisted {
			t.Fatalf("%d pairs and %d damages, the last %v", table.Len(), len(damage), last)
		}
		// maxPairs-1 duplicates and the pair too many, less those listed.
		if want := "1048476 more damaged places from here on"; last.Found != want {
			t.Errorf("found %q, want %q", last.Found, want)
		}
		if want := int64(8 * (maxDamage + 1)); last.Offset != want { // the first pair is no duplicate
			t.Errorf("damage is not listed from %d on, want %d", last.Offset, want)
		}
	})
}

// faultsOf returns the faults of a list.
func faultsOf(damage []finding) []*fault {
	var f []*fault
	for _, d := range damage {
		f = append(f, d.Fault)
	}
	return f
}

func TestDamage(t *testing.T) {
	const bytes = `Counter 009: byte 24: found "foo", expected a decimal index up to 4294967295; skipped it`
	const text = "names.tsv:3:7: found the end of the line, expected a TAB between index and text; " +
		"skipped the line"
	table, file := damageList{source: "Counter 009"}, damageList{source: "names.tsv"}
	for want, err := range map[string]error{
		bytes: table.damage(badIndex, winperf.DataError{Offset: 24}, `"foo"`),
		text:  file.damage(noTab, winperf.DataError{Line: 3, Column: 7}, "the end of the line"),
	} {
		if err.Error() != want || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("error %q, want %q", err, want)
		}
	}

	for _, f := range []*fault{
		oddLength, noTerminator, padding, earlyEnd, emptyString, badIndex, leadingZero, noText, duplicate,
		notRising, parity, badUTF16, badUTF8, noTab, tooLarge, tooMany, badLanguage, unlisted,
	} {
		if f.Want == "" || f.Done == "" {
			t.Errorf("%+v has no words", *f)
		}
	}
	if badIndex.Warning || !notRising.Warning {
		t.Error("a bad index loses a text and an order that does not rise loses none")
	}
}

// finding is a damage taken apart.
type finding struct {
	Fault        *fault
	Source       string // "" for "name table"
	Offset       int64
	Line, Column int
	Found        string
}

// findings takes damage apart.
func findings(t *testing.T, damage []error) (found []finding) {
	t.Helper()
	for _, err := range damage {
		var e *winperf.DataError
		var f *fault
		if !errors.As(err, &e) || !errors.As(err, &f) || e.Warning != f.Warning {
			t.Fatalf("%v is no fault", err)
		}
		text, begins := strings.CutPrefix(e.Msg, "found ")
		text, ends := strings.CutSuffix(text, ", "+f.Error()+"; "+f.Done)
		if !begins || !ends {
			t.Errorf("%v does not say what was found, expected and done", err)
		}
		source := strings.TrimPrefix(e.Source, "name table")
		found = append(found, finding{f, source, e.Offset, e.Line, e.Column, text})
	}
	return found
}
