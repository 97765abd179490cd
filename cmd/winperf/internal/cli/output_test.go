package cli

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/sink"
)

func TestResolve(t *testing.T) {
	tests := []struct {
		output, format string
		want, file     string // no want: an error
	}{
		{"", "", "table", ""},
		{"csv", "", "csv", ""},
		{"CSV", "", "csv", ""},
		{"", "TSV", "tsv", ""},
		{"-", "", "table", ""},
		{"-", "json", "json", ""},
		{"csv", "csv", "csv", ""},
		{"./csv", "jsonl", "jsonl", "./csv"},
		{"load.csv", "", "csv", "load.csv"},
		{"load.csv", "tsv", "tsv", "load.csv"},
		{"Load.NDJSON", "", "jsonl", "Load.NDJSON"},
		{".txt", "", "table", ".txt"},
		{"dir.csv/load", "tsv", "tsv", "dir.csv/load"},
		{"csv", "tsv", "", ""},
		{"./csv", "", "", ""},
		{"load.xml", "", "", ""},
		{"dir.csv/load", "", "", ""},
		{"load.csv", "xml", "", ""},
		{"bin", "", "", ""}, // a format of another command
	}
	for _, test := range tests {
		f := output.Flags{Output: test.output, Format: test.format, Formats: sink.Formats()}
		format, file, err := f.Resolve()
		if format != test.want || file != test.file || (err == nil) != (test.want != "") {
			t.Errorf("-o %q -f %q: format %q, file %q, error %v; want %q, %q",
				test.output, test.format, format, file, err, test.want, test.file)
		}
	}
}

// TestFormats checks that within one command no two formats have one name or
// one extension.
func TestFormats(t *testing.T) {
	for _, formats := range [][]sink.Format{sink.Formats(), output.ListFormats, output.NamesFormats, output.DumpFormats} {
		seen := map[string]bool{}
		for _, f := range formats {
			for _, s := range append([]string{f.Name}, f.Extensions...) {
				if seen[s] {
					t.Errorf("%s is there twice", s)
				}
				seen[s] = true
			}
			if f.Description == "" {
				t.Errorf("%s is not described", f.Name)
			}
		}
	}
}

// TestErrorLines takes apart what is joined, and nothing else.
func TestErrorLines(t *testing.T) {
	one, two := errors.New("one\nof a name"), errors.New("two")
	tests := []struct {
		err  error
		want []string
	}{
		{two, []string{"two"}},
		{one, []string{"one\nof a name"}},
		{errors.Join(one, two), []string{"one\nof a name", "two"}},
		{errors.Join(two, errors.Join(one, two)), []string{"two", "one\nof a name", "two"}},
		{fmt.Errorf("a\nb: %w", errors.Join(one, two)), []string{"a\nb: one\nof a name", "two"}},
		{fmt.Errorf("%w (and more)", errors.Join(one, two)), []string{"one\nof a name\ntwo (and more)"}},
		{fmt.Errorf("%w\n%w", one, two), []string{"one\nof a name", "two"}},
		{fmt.Errorf("%w: %w", one, two), []string{"one\nof a name: two"}},
		{&os.PathError{Op: "open", Path: "a\nb", Err: os.ErrNotExist}, []string{"open a\nb: file does not exist"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, console.ErrorLines(tt.err)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.err, diff)
		}
	}
}
