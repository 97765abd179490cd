package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/prometheus"
)

func TestFilter(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	for _, c := range []struct {
		query     string
		status    int
		has, lack string
	}{
		{"", 200, free, ""},
		{"?object=Memory", 200, free, cpu},
		{"?object=mem*", 200, free, cpu},
		{"?path=%5CProcessor(1)%5C*", 200, `winperf_processor_interrupts_total{name="1"}`, free},
		{"?path=%5CProcessor(1)%5C*", 200, "", `winperf_processor_interrupts_total{name="0"}`},
		{"?path=%5CProcessor(*)%5CInterrupts/sec&object=Memory", 200, free, `winperf_processor_processor`},
		{"?object=Nothing", 200, "winperf_series", free},
		{"?unknown=1", 400, `unknown key "unknown" in the query, expected object or path`, free},
		{"?Object=Memory", 400, "(did you mean object?)", free},
		{"?object=Memory&x", 400, `unknown key "x"`, free},
		{"?" + strings.Repeat("y", 300) + "=1", 400, `unknown key "yyy`, strings.Repeat("y", 200)},
		{"?collect[]=cpu&collect[]=os", 400, "it selects collectors of windows_exporter; select objects with object", free},
		{"?object=", 400, "object: expected the name of an object", ""},
		{"?path=Memory", 400, "a path begins with a backslash", ""},
		{"?path=%5C%5C..%5C..%5Cetc%5Cpasswd", 200, "winperf_series", free},
		{"?object=" + strings.Repeat("a&object=", 40) + "b", 400, "expected", ""},
		{"?path=%00", 400, "", "\x00"},
		{"?object=%zz", 400, "the query cannot be read", free},
		{"?object=Memory;path=x", 400, "the query cannot be read", free},
	} {
		status, text := scrape(e, "/metrics"+c.query)
		lacks := c.lack == "" || !strings.Contains(text, "\n"+c.lack)
		if status != c.status || !strings.Contains(text, c.has) || !lacks {
			t.Errorf("%s: status %d\n%s", c.query, status, text)
		}
	}
}

const cpu = "winperf_processor"

// A filter shows no more than what is served.
func TestFilterWithin(t *testing.T) {
	e := exporter(t, &fake{}, Config{Paths: paths(t, `\Processor(0)\*`, `\Mem*\*`)})
	for _, c := range []struct {
		query  string
		status int
		has    string
		lack   string
	}{
		{"?object=Processor", 200, `winperf_processor_interrupts_total{name="0"}`,
			`winperf_processor_interrupts_total{name="1"}`},
		{"?path=%5CProcessor(1)%5C*", 404, "the filter matches nothing that is served", ""},
		{"?object=Memory", 200, free, cpu},
		{"?object=System", 404, "", ""},
		{"?object=*ory", 400, "overlap only partly", ""},
	} {
		status, text := scrape(e, "/metrics"+c.query)
		lacks := c.lack == "" || !strings.Contains(text, "\n"+c.lack)
		if status != c.status || !strings.Contains(text, c.has) || !lacks {
			t.Errorf("%s: status %d\n%s", c.query, status, text)
		}
	}
}

// Of what a request asks for it is told what matches nothing, as what it names may be misspelt, or come
// later.
func TestFilterUnmatched(t *testing.T) {
	src := &fake{without: "Memory"}
	e := exporter(t, src, Config{Paths: paths(t, `\Processor(0)\*`, `\*\Available Bytes`, `\Memroy\*`, `\Memroy\*`)})
	const (
		told   = `winperf_path_unmatched{path="`
		inFile = told + `\\Memroy\\*"} 1`
		memory = told + `\\Memory\\Available Bytes"} 1`
	)
	ask := func(query string, want ...string) {
		t.Helper()
		for _, accept := range []string{"text/plain", "application/openmetrics-text"} {
			r := httptest.NewRequest("GET", "/metrics"+query, nil)
			r.Header.Set("Accept", accept)
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			var got []string
			for line := range strings.Lines(w.Body.String()) {
				if strings.HasPrefix(line, told) {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if w.Code != 200 || !slices.Equal(got, want) {
				t.Errorf("%s, %s: status %d, got %q, want %q", query, accept, w.Code, got, want)
			}
		}
	}

	byMemory := `?path=%5CMemory%5CAvailable%20Bytes`
	ask(byMemory, told+`\\*\\Available Bytes"} 1`, inFile, memory)
	ask("", told+`\\*\\Available Bytes"} 1`, inFile)
	src.set(func() { src.without = "" })
	rest(e)
	ask(byMemory, inFile)
	ask("?path=%5CMemroy%5C*", inFile)
	ask("?path=%5CProcessor(0)%5CNope&object=Memory", inFile, told+`\\Processor(0)\\Nope"} 1`)
	ask("?object=Processor", inFile)
	ask("", inFile)
}

func TestIntersect(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{`\A\x`, `\A\x`, `\A\x`},
		{`\A\x`, `\a\X`, `\A\x`},
		{`\A\x`, `\A\y`, ""},
		{`\A\x`, `\*\*`, `\A\x`},
		{`\A(*)\*`, `\A(p)\x`, `\A(p)\x`},
		{`\A(*)\*`, `\A\x`, `\A\x`},
		{`\A(q)\*`, `\A\x`, ""},
		{`\A(p*)\*`, `\A(pq#2)\x`, `\A(pq#2)\x`},
		{`\A(pq)\*`, `\A(pq#2)\x`, ""},
		{`\A(pq#*)\*`, `\A(pq#2)\x`, `\A(pq#2)\x`},
		{`\A(p*)\*`, `\A(*q)\x`, "?"},
		{`\\M\A\x`, `\A\x`, `\\M\A\x`},
		{`\\M\A\x`, `\\N\A\x`, ""},
	} {
		for _, p := range [][]winperf.Path{paths(t, c.a, c.b), paths(t, c.b, c.a)} {
			both, some, ok := intersect(p[0], p[1])
			got := ""
			switch {
			case some && !ok:
				got = "?"
			case some:
				got = both.String()
			}
			if !strings.EqualFold(got, c.want) {
				t.Errorf("%s and %s: %q, want %q", p[0], p[1], got, c.want)
			}
		}
	}
}

// A filter has counters of 4 bytes over 2^32 where the view of everything has them, though it was not asked
// for before.
func TestFilterContinues(t *testing.T) {
	interrupts := []uint32{4294967000, 100, 300}
	src := &fake{text: func(n int, _ bool) string {
		return fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=10 time100ns=133500000000000000\n"+
			"object 238\n counter 148 PERF_COUNTER_COUNTER\n instance \"0\" : %d\n", n+1, interrupts[min(n, 2)])
	}}
	e := exporter(t, src, Config{})
	scrape(e, "/metrics")
	for _, want := range []string{"4294967396", "4294967596"} {
		rest(e)
		_, text := scrape(e, "/metrics?object=Processor")
		if got := value(text, `winperf_processor_interrupts_total{name="0"}`); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Long filters are refused, and a filter stops with its client.
func TestFilterBounds(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	for n, want := range map[int]int{maxFilterLength - 8: 200, maxFilterLength - 7: 400} {
		if status, text := scrape(e, "/metrics?path=%5C"+strings.Repeat("a", n)+"(*)%5Cabc"); status != want {
			t.Errorf("%d characters: status %d: %s", n, status, text)
		}
	}

	if _, err := e.main.get(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.takeTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := filter(paths(t, `\Processor(*)\*`))
	text := &answer{pool: &e.answers}
	if err := e.write(gone, text, &request{filter: f, paths: f}, true, prometheus.Text); !errors.Is(err, context.Canceled) || text.size() > 0 {
		t.Errorf("%d bytes for a client that is gone: %v", text.size(), err)
	}
	if status, text := scrape(e, "/metrics?object=Processor"); status != 200 || !strings.Contains(text, cpu) {
		t.Errorf("afterwards: status %d\n%s", status, text)
	}
}

// What is costly is not there yet, and not misspelt, as long as it was not sampled.
func TestFilterUnmatchedCostly(t *testing.T) {
	hold := make(chan struct{})
	src := &fake{}
	src.before = func(_ context.Context, _ int, sel winperf.Selection) error {
		if sel.Costly {
			<-hold
		}
		return nil
	}
	e := exporter(t, src, Config{Costly: true})
	const told = "\nwinperf_path_unmatched{"
	status, text := scrape(e, "/metrics?object=Details&object=Memroy", "X-Prometheus-Scrape-Timeout-Seconds", "0.05")
	if status != 200 || strings.Contains(text, told) {
		t.Errorf("%d: %s", status, text)
	}
	close(hold)
	for !strings.Contains(text, "\nwinperf_details_available_bytes{") {
		_, text = scrape(e, "/metrics?object=Details&object=Memroy")
	}
	if strings.Count(text, told) != 1 || !strings.Contains(text, told+`path="\\Memroy(*)\\*"} 1`) {
		t.Error(text)
	}
}
