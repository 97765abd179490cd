package nametable

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

func TestParseFile(t *testing.T) {
	counters := le("1\x001847\x002\x00System\x004\x00Größe\x00\x00")
	help := le("3\x00The system\x00\x00")
	const lines = "# names\n1\t1847\r\n\n4\tGröße\n3\tThe system\n2\tSystem"
	tests := []struct {
		name          string
		in            string
		counter, help []byte
		damage        []finding
	}{
		{"registry bytes", string(counters), counters, nil, nil},
		{"with a byte order mark", "\xff\xfe" + string(counters), counters, nil, nil},
		{"help", string(help), nil, help, nil},
		{"both", string(le("1\x001847\x002\x00System\x003\x00The system\x004\x00Größe\x00\x00")),
			counters, help, nil},
		{"lines", lines, counters, help, nil},
		{"lines after a mark in UTF-8", "\ufeff" + lines, counters, help, nil},
		{"lines in UTF-16", string(le(lines)), counters, help, nil},
		{"lines in UTF-16 after a mark", "\xff\xfe" + string(le(lines)), counters, help, nil},
		{"a TAB in a text", "2\tone\ttwo\n", le("2\x00one\ttwo\x00\x00"), nil, nil},

		{"registry bytes that begin with an empty string", string(le("\x002\x00System\x00\x00")),
			le("2\x00System\x00\x00"), nil,
			[]finding{{Fault: emptyString, Source: "f", Offset: 0,
				Found: "an empty string with data after it"}}},
		{"a line that is not UTF-8 from its start", "\xe4h\t2\n2\tSystem", le("2\x00System\x00\x00"), nil,
			[]finding{{Fault: badUTF8, Source: "f", Line: 1, Column: 1, Found: `"\xe4h\t2"`}}},

		{"damaged registry bytes", "\xff\xfe" + string(le("2\x00System\x00stray\x004\x00Memory\x00")),
			le("2\x00System\x004\x00Memory\x00\x00"), nil,
			[]finding{{Fault: badIndex, Source: "f", Offset: 20, Found: `"stray"`},
				{Fault: noTerminator, Source: "f", Offset: 50, Found: "the end of the data"}}},
		{"damaged lines", "2\tSystem\nMemory\t4\n4\n\n6\t\n8 Memory\n2\tNew\n10\t\xe4h\n4294967296\tx",
			le("2\x00New\x00\x00"), nil,
			[]finding{
				{Fault: badIndex, Source: "f", Line: 2, Column: 1, Found: `"Memory\t4"`},
				{Fault: noTab, Source: "f", Line: 3, Column: 2, Found: "the end of the line"},
				{Fault: noText, Source: "f", Line: 5, Column: 3, Found: "the end of the line"},
				{Fault: badIndex, Source: "f", Line: 6, Column: 1, Found: `"8 Memory"`},
				{Fault: duplicate, Source: "f", Line: 7, Column: 1, Found: `"2\tNew"`},
				{Fault: badUTF8, Source: "f", Line: 8, Column: 4, Found: `"\xe4h"`},
				{Fault: badIndex, Source: "f", Line: 9, Column: 1, Found: `"4294967296\tx"`},
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nt, damage, err := fileTable("f", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(winperf.NameTable{Language: English, Counter: tt.counter, Help: tt.help},
				nt); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.damage, findings(t, damage)); diff != "" {
				t.Errorf("damage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseFileErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "f: found no name in 0 bytes, expected MULTI_SZ or lines"},
		{"comments only", "# nothing\n\n", "in 11 bytes"},
		{"other text", "MZ is no table\n", "found no name"},
		{"other bytes", "\x7fELF\x02\x01\x01\x00\x00\x00", "found no name"},
		{"big-endian", "\xfe\xff\x002\x00\t\x00a", "found no name"},
		{"too large", strings.Repeat("x", MaxBytes+1), "more than 16777216 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := fileTable("f", []byte(tt.in))
			if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestParseFileTooManyLines(t *testing.T) {
	var b []byte
	for i := range maxPairs + 1 {
		b = append(strconv.AppendInt(b, int64(2*i), 10), "\tx\n"...)
	}
	nt, damage, err := fileTable("f", b)
	want := []finding{{Fault: tooMany, Source: "f", Line: maxPairs + 1, Column: 1, Found: `"2097152\tx"`}}
	if diff := cmp.Diff(want, findings(t, damage)); diff != "" || err != nil {
		t.Errorf("error %v, damage (-want +got):\n%s", err, diff)
	}
	if got := countNUL(nt.Counter); got != 2*maxPairs+1 {
		t.Errorf("%d strings, want %d", got, 2*maxPairs+1)
	}
}

// TestParseFileLargest reads a file that is just as large as one may be.
func TestParseFileLargest(t *testing.T) {
	const line = "2\tSystem\n# "
	nt, damage, err := fileTable("f", []byte(line+strings.Repeat("x", MaxBytes-len(line))))
	if err != nil || len(damage) > 0 || !bytes.Equal(nt.Counter, le("2\x00System\x00\x00")) {
		t.Errorf("names % x, damage %v, error %v", nt.Counter, damage, err)
	}
}

func TestReadFile(t *testing.T) {
	nt, damage, err := ReadFile("names.tsv", strings.NewReader("2\tSystem\nbad\n"))
	if err != nil || len(damage) != 1 || findings(t, damage)[0].Source != "names.tsv" {
		t.Fatalf("damage %v, error %v", damage, err)
	}
	if diff := cmp.Diff(le("2\x00System\x00\x00"), nt.Counter); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, _, err := ReadFile("names.tsv", iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(
		err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	// Of a file that is too large no name is taken, not even a whole one at its start.
	large := io.MultiReader(strings.NewReader("2\tSystem\n"),
		strings.NewReader(strings.Repeat("#", MaxBytes)))
	nt, _, err = ReadFile("names.tsv", large)
	if !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(),
		"names.tsv: more than 16777216 bytes") || nt.Counter != nil {
		t.Errorf("a file that is too large: names % x, error %v", nt.Counter, err)
	}
}
