package sink

import (
	"fmt"
	"io"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pdhtext"
)

// Format describes an output format.
type Format struct {
	Name        string   // as passed to New
	Extensions  []string // of file names, with the dot; may be empty
	Description string   // for help texts
}

type known struct {
	Format
	make func(io.Writer, Options) Sink
}

// knownFormats returns all formats in the order in which they are listed.
func knownFormats() []known {
	csv, tsv := newLog(pdhtext.CSV), newLog(pdhtext.TSV)
	paths := func(w io.Writer, _ Options) Sink { return newPaths(w) }

	return []known{
		{Format{"table", []string{".txt"}, "aligned columns, for people"}, newTable},
		{Format{"csv", []string{".csv"}, "PDH-CSV 4.0, the comma-separated log of Windows"}, csv},
		{Format{"tsv", []string{".tsv"}, "PDH-TSV 4.0, the tab-separated log of Windows"}, tsv},
		{Format{"jsonl", []string{".jsonl", ".ndjson"}, "one JSON object per line for each reading"}, newJSONL},
		{Format{"json", []string{".json"}, "one JSON array of all readings"}, newJSON},
		{Format{"paths", nil, "the counter paths, each once"}, paths},
	}
}

// Formats returns the formats that New accepts.
func Formats() []Format {
	var formats []Format
	for _, k := range knownFormats() {
		formats = append(formats, k.Format)
	}
	return formats
}

// New returns a sink that writes the named format to w. The case of the name does not matter. An
// unknown name is an error that lists the known names and wraps winperf.ErrNotSupported.
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
