package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The metrics about the program have the names, types, help texts and labels that the client library
// has, and a value each.
func TestProcessAsClientLibrary(t *testing.T) {
	gathered, err := newProgram().Gather()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range gathered {
		name := f.GetName()
		want = append(want, "# HELP "+name+" "+firstSentence(f.GetHelp()), "# TYPE "+name+" "+strings.ToLower(f.GetType().String()))
		for _, m := range f.GetMetric() {
			var labels string
			for _, l := range m.GetLabel() {
				labels = fmt.Sprintf("{%s=%q}", l.GetName(), l.GetValue())
			}
			if m.Summary == nil {
				want = append(want, name+labels)
				continue
			}
			for _, q := range m.Summary.Quantile {
				want = append(want, fmt.Sprintf("%s{quantile=\"%v\"}", name, q.GetQuantile()))
			}
			want = append(want, name+"_sum", name+"_count")
		}
	}

	_, text := scrape(exporter(t, &fake{}, Config{}), "/metrics")
	var got []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			continue
		}
		if !strings.HasPrefix(line, "#") {
			line = line[:strings.LastIndexByte(line, ' ')]
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 90 {
		t.Errorf("%d lines (-want +got):\n%s", len(want), diff)
	}
	if seconds := value(text, "process_cpu_seconds_total"); seconds == "" || seconds == "0" {
		t.Errorf("processor time %s", seconds)
	}
}
