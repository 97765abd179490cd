package output

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/sink"
)

// ConvertFormats returns the formats of convert; the first one is the default.
func ConvertFormats() []sink.Format {
	formats := slices.DeleteFunc(sink.Formats(), func(f sink.Format) bool { return f.Name == "table" })
	return append(WithPacked(formats),
		sink.Format{
			Name: "blg", Extensions: []string{".blg"},
			Description: "binary performance log of Windows, raw values",
		},
		sink.Format{
			Name: "capture", Extensions: []string{".capture"},
			Description: "raw samples, unchanged",
		},
		sink.Format{
			Name: logs.OpenMetrics, Extensions: []string{".openmetrics", ".om"},
			Description: "metrics for a time series database, raw values of counters",
		},
	)
}

// DumpFormats are the formats of dump.
var DumpFormats = []sink.Format{
	{Name: "text", Extensions: []string{".txt"}, Description: "every field"},
	{Name: "json", Extensions: []string{".json"}, Description: "definitions, instances and raw values"},
	{Name: "bin", Extensions: []string{".bin", ".perfdata"}, Description: "the bytes"},
}

var (
	// ListFormats are the formats of list.
	ListFormats = []sink.Format{
		{Name: "table", Extensions: []string{".txt"}, Description: "for people"},
		{Name: "paths", Description: "reusable paths, one a line"},
		{Name: "sensors", Description: "the same as sensor names: source/object/counter#instance"},
		{
			Name: "jsonl", Extensions: []string{".jsonl", ".ndjson"},
			Description: "a JSON object for each counter",
		},
	}
	// InstanceFormats are the formats of list --instances, where .txt means paths.
	InstanceFormats = []sink.Format{
		{Name: "paths", Extensions: []string{".txt"}, Description: "reusable paths, one a line"},
		{Name: "sensors", Description: "the same as sensor names: source/object/counter#instance"},
	}
	// NamesFormats are the formats of list --names, for nametable.ReadFile.
	NamesFormats = []sink.Format{
		{Name: "tsv", Extensions: []string{".tsv", ".txt"}, Description: "index, tab, text"},
	}
)

const packedExtension = ".jsonl.zst"

// WithPacked adds the extension of compressed JSON lines.
func WithPacked(formats []sink.Format) []sink.Format {
	i := slices.IndexFunc(formats, named("jsonl"))
	formats[i].Extensions = append(slices.Clone(formats[i].Extensions), packedExtension)
	formats[i].Description += "; compressed if the file's name ends in .jsonl.zst"
	return formats
}

func everyFormat() []sink.Format {
	return slices.Concat(sink.Formats(), ListFormats, NamesFormats, DumpFormats, ConvertFormats())
}

func named(name string) func(sink.Format) bool {
	return func(k sink.Format) bool { return strings.EqualFold(k.Name, name) }
}

func formatNames(formats []sink.Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func formatCompletions(formats []sink.Format) []cobra.Completion {
	var names []cobra.Completion
	for _, f := range formats {
		names = append(names, cobra.CompletionWithDesc(f.Name, f.Description))
	}
	return names
}
