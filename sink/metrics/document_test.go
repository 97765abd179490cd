package metrics

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of the mapping in docs/metrics.md anew")

// TestMappingDocument: docs/metrics.md says what becomes of each counter type, as the table of
// formulas has it.
func TestMappingDocument(t *testing.T) {
	const (
		document = "../../docs/metrics.md"
		begins   = "-run Mapping -update -->\n"
		ends     = "<!-- end of the mapping -->\n"
		how      = "go test ./sink/metrics -run Mapping -update"
	)
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), begins)
	was, tail, foundEnd := strings.Cut(rest, ends)
	if !found || !foundEnd {
		t.Fatalf("%s has no place for the table", document)
	}

	now := mappingText()
	if now == was {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the table of formulas says; write it by: %s", document, how)
	}
	if err := os.WriteFile(document, []byte(head+begins+now+ends+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// mappingText is the table as it is in the document.
func mappingText() string {
	var w strings.Builder
	w.WriteString("| counter types (PERF_…) | metrics | displayed value | contents |\n" +
		"| --- | --- | --- | --- |\n")
	for i := range formulas {
		m := &formulas[i].mapping
		var types, families []string
		for _, t := range m.Types {
			info, _ := t.Info()
			types = append(types, strings.TrimPrefix(info.Name, "PERF_"))
		}
		for _, f := range m.Families {
			families = append(families, fmt.Sprintf("`x%s` %s", f.Suffix, typeWords[f.Type]))
		}
		fmt.Fprintf(&w, "| %s | %s | `%s` | %s |\n", strings.Join(types, ", "), strings.Join(families, ", "),
			m.Expression, m.Brief)
	}
	return w.String()
}

var typeWords = map[Type]string{
	Gauge: "gauge", Counter: "counter", Summary: "summary", Info: "info",
}
