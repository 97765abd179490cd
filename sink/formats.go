package sink

import (
	"fmt"
	"io"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pdhtext"
)

// Format describes one of the formats that New knows.
type Format struct {
	Name        string   // as in New and behind -o
	Extensions  []string // of file names, with the point; may be empty
	Description string   // a few words, for help texts
}

// known is a Format and how its sink is made.
type known struct {
	Format
	make func(io.Writer, Options) Sink
}

// knownFormats returns the one list of formats, in the order in which they are shown.
func knownFormats() []known {
	csv, tsv := newLog(pdhtext.CSV), newLog(pdhtext.TSV)
	paths := func(w io.Writer, _ Options) Sink { return newPaths(w) }

	return []known{
		{Format{"table", []string{".txt"}, "aligned columns, for people"}, newTable},
		{Format{"csv", []string{".csv"}, "PDH-CSV 4.0, the comma-separated log of Windows"}, csv},
		{Format{"tsv", []string{".tsv"}, "PDH-TSV 4.0, the tab-separated log of Windows"}, tsv},
		{Format{"jsonl", []string{".jsonl", ".ndjson"}, "one JSON object a line for each reading"}, newJSONL},
		{Format{"json", []string{".json"}, "one JSON array of all readings"}, newJSON},
		{Format{"paths", nil, "the counter paths, each once"}, paths},
	}
}

// Formats returns the formats that New knows.
func Formats() []Format {
	var formats []Format
	for _, k := range knownFormats() {
		formats = append(formats, k.Format)
	}
	return formats
}

// New returns the sink of the format with the given name, in either case, which
// writes to w. An unknown name is an error that lists the known ones and wraps
// winperf.ErrNotSupported.
func New(format string, w io.Writer, o Options) (Sink, error) {
	var names []string
	for _, k := range knownFormats() {
		if strings.EqualFold(k.Name, format) {
			return k.make(w, o), nil
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("output format %q is %w: expected one of %s",
		format, winperf.ErrNotSupported, strings.Join(names, ", "))
}
