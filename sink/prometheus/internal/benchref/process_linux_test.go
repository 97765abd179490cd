package benchref

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/source"
)

// The metrics about the program have the names, types and labels that the client library gives them by default,
// in the same order. Each has its own help text.
func TestProcessAsClientLibrary(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	want, theirs := shape(text.String())

	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	path, err := winperf.ParsePath(`\Memory\Available Bytes`)
	if err != nil {
		t.Fatal(err)
	}
	e, err := serve.New(t.Context(), src, serve.Options{Config: serve.Config{Paths: []winperf.Path{path}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	got, ours := shape(answer.Body.String())

	if got != want || strings.Count(want, "\n") < 80 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for name, help := range ours {
		if help == "" || help == theirs[name] {
			t.Errorf("%s: help %q", name, help)
		}
	}
}

// shape returns the types and series of the metrics about a program, without values, and their help texts.
func shape(text string) (lines string, helps map[string]string) {
	helps = map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		name := words[0]
		if name == "#" {
			name = words[2]
		}
		switch {
		case !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_"):
		case words[0] != "#":
			lines += name + "\n"
		case words[1] == "HELP":
			helps[name] = strings.Join(words[3:], " ")
		default:
			lines += strings.Join(words, " ") + "\n"
		}
	}
	return lines, helps
}
