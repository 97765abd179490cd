package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

// standIn takes the place of the page that needs no server.
const standIn = "<html>\n<!-- saved logs -->\n</html>\n"

// servePages serves pages of sources. A nil page is a program without it.
func servePages(t *testing.T, page []byte, opt web.Options, sources ...view.Source) *httptest.Server {
	t.Helper()
	v, err := view.New(t.Context(), sources, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := web.New(v, opt)
	h.SetOnePage(func() ([]byte, error) {
		if page == nil {
			return nil, web.ErrNoPage
		}
		return page, nil
	})
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.Close()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// savedLog is a log in a page.
type savedLog struct {
	Name    string
	Capture []byte
}

// contents returns the logs and the state in a page of the stand-in.
func contents(t *testing.T, page string) (logs []savedLog, state string) {
	t.Helper()
	const form = `^<html>\n((?:<script type="application/json" class="saved-log">[^<>]*</script>\n)+)` +
		`<script type="application/json" id="saved-state">([^<>]*)</script>\n</html>\n$`
	parts := regexp.MustCompile(form).FindStringSubmatch(page)
	if parts == nil {
		t.Fatalf("%.1000s", page)
	}
	for line := range strings.Lines(parts[1]) {
		var log savedLog
		text := strings.TrimPrefix(line, `<script type="application/json" class="saved-log">`)
		if err := json.Unmarshal([]byte(strings.TrimSuffix(text, "</script>\n")), &log); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log)
	}
	if err := json.Unmarshal([]byte(parts[2]), &state); err != nil {
		t.Fatal(err)
	}
	return logs, state
}

// averages returns the values of each instance in a log.
func averages(t *testing.T, log savedLog) map[string][]float64 {
	t.Helper()
	name := filepath.Join(t.TempDir(), "saved.jsonl")
	if err := os.WriteFile(name, log.Capture, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := source.OpenLog(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}

	v, err := view.New(t.Context(), []view.Source{{Name: name, Source: src}}, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	chart, err := v.Range(t.Context(), view.Request{Paths: []string{`\Process(*)\Value`}}, view.Steps{})
	if err != nil {
		t.Fatal(err)
	}

	all := map[string][]float64{}
	for _, s := range chart.Series {
		all[*s.Instance] = s.Average
	}
	return all
}

// TestPage: a page has the samples of the requested ranges and no others, and no name or state ends its
// element.
func TestPage(t *testing.T) {
	const name, state = "/home/me/</script><!--\u2028\u202e.jsonl", "view=charts&path=</script><!--\u2028\u202e"
	s := servePages(t, []byte(standIn), web.Options{},
		view.Source{Name: "a.jsonl", Source: textLog(t)}, view.Source{Name: name, Source: textLog(t)})
	at := func(second int) string {
		return time.Date(2024, 1, 17, 22, 20, second, 0, time.UTC).Format(time.RFC3339)
	}
	query := url.Values{
		"source": {"1", "0"}, "begin": {at(1), at(2)}, "end": {at(2), at(4)}, "state": {state},
	}
	answer, err := http.Get(s.URL + "/api/v1/page?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%d %s %v", answer.StatusCode, page, err)
	}
	if bytes.ContainsAny(page, "\u2028\u202e") {
		t.Errorf("%s", page)
	}
	logs, got := contents(t, string(page))
	if len(logs) != 2 || logs[0].Name != "script><!--\u2028\u202e.jsonl" || logs[1].Name != "a.jsonl" ||
		got != state {
		t.Errorf("%q %q", logs, got)
	}
	for i, want := range [][2][]float64{{{1, 2}, {11, 12}}, {{2, 3, 4}, {12, 13, 14}}} {
		values := averages(t, logs[i])
		for n, instance := range []string{hostile, "plain"} {
			if len(values) != 2 || !equal(values[instance], want[n]) {
				t.Errorf("log %d: %v, want %v", i, values, want)
			}
		}
	}

	for header, want := range map[string]string{
		"Content-Disposition":     "attachment; filename=script-------.jsonl.html",
		"Content-Security-Policy": "default-src 'none'; ",
		"Cache-Control":           "no-store",
		"X-Content-Type-Options":  "nosniff",
	} {
		if got := answer.Header.Get(header); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", header, got)
		}
	}
	if !strings.HasSuffix(answer.Header.Get("Content-Security-Policy"), "; sandbox") {
		t.Errorf("%s", answer.Header)
	}

	// Without a source, all are saved.
	_, body := do(t, s.Client(), "GET", s.URL+"/api/v1/page?begin="+at(4), "")
	if logs, state := contents(t, body); len(logs) != 2 || state != "" ||
		!equal(averages(t, logs[1])["plain"], []float64{14}) {
		t.Errorf("%q %q", logs, state)
	}
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPageRefused: refused pages have the status of the reason.
func TestPageRefused(t *testing.T) {
	s := servePages(t, []byte(standIn), web.Options{}, view.Source{Name: "a", Source: textLog(t)})
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"?source=7":                     {404, "no such source"},
		"?begin=2025-01-01T00:00:00Z":   {400, "there are no samples to save"},
		"?begin=x":                      {400, "expected RFC 3339"},
		"?source=0&end=1":               {400, "there are no samples to save"},
		"?source=0&begin=1&begin=2":     {400, "one range for each"},
		strings.Repeat("&source=0", 17): {400, "at most 16 sources"},
	} {
		got, body := do(t, s.Client(), "GET", s.URL+"/api/v1/page?"+strings.TrimLeft(query, "?&"), "")
		if got != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %s, want %d %q", query, got, body, want.status, want.text)
		}
	}

	without := servePages(t, nil, web.Options{}, view.Source{Name: "a", Source: textLog(t)})
	got, body := do(t, s.Client(), "GET", without.URL+"/api/v1/page", "")
	if got != 501 || !strings.Contains(body, "scripts/build-page") {
		t.Errorf("%d %s", got, body)
	}
	secret := web.Options{Token: "secret"}
	guarded := servePages(t, []byte(standIn), secret, view.Source{Name: "a", Source: textLog(t)})
	if got, body := do(t, s.Client(), "GET", guarded.URL+"/api/v1/page", ""); got != 401 {
		t.Errorf("%d %s", got, body)
	}
	got, body = do(t, s.Client(), "GET", s.URL+"/api/v1/page", "", "Host", "attacker.example")
	if got != 403 {
		t.Errorf("%d %s", got, body)
	}
}

// noise is a log of random bytes, or one whose samples never arrive.
type noise struct {
	counted
	size int // of a sample; 0 blocks
}

func (n *noise) Describe() winperf.Description {
	return winperf.Description{Machine: "HOST", Recorded: true, Samples: 1000}
}

func (n *noise) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &noiseQuery{n: n, random: rand.NewChaCha8([32]byte{}), probe: n.open.Add(1) == 1}, nil
}

type noiseQuery struct {
	n      *noise
	random *rand.ChaCha8
	probe  bool
	at     int64
}

func (q *noiseQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if q.probe {
		return io.EOF
	}
	if q.n.size == 0 {
		q.n.samples.Add(1)
		<-ctx.Done()
		return ctx.Err()
	}
	b := s.Begin()
	q.at++
	b.Raw = winperf.Raw{Format: winperf.FormatV2, Bytes: append(b.Bytes[:0], make([]byte, q.n.size)...)}
	b.Clocks.Time100ns = 133_000_000_000_000_000 + 10_000_000*q.at
	_, _ = q.random.Read(b.Bytes)
	return nil
}

func (q *noiseQuery) Close() error { return nil }

// TestPageLimit: a page above the limit is refused before its first byte, with the limit.
func TestPageLimit(t *testing.T) {
	s := servePages(t, []byte(standIn), web.Options{}, view.Source{Name: "a", Source: &noise{size: 8 << 20}})
	got, body := do(t, s.Client(), "GET", s.URL+"/api/v1/page", "")
	if got != 400 || !strings.Contains(body, "more than 64 MB of samples: choose a shorter time") {
		t.Errorf("%d %.1000s", got, body)
	}
}

// TestPageDisconnect: the work for a page ends when its client disconnects.
func TestPageDisconnect(t *testing.T) {
	src := &noise{}
	s := servePages(t, []byte(standIn), web.Options{}, view.Source{Name: "a", Source: src})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/page", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for src.samples.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := s.Client().Do(r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s.Close() // it waits for the handlers
}

// TestPageDocs: the lines of docs/view.md are the ones of a page.
func TestPageDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "view.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### GET /api/v1/page")
	_, section, _ = strings.Cut(section, "```html\n")
	example, _, _ := strings.Cut(section, "```\n")
	shown := view.Source{Name: "dir/load.blg", Source: &noise{size: 8}}
	s := servePages(t, []byte(standIn), web.Options{}, shown)
	_, body := do(t, s.Client(), "GET", s.URL+"/api/v1/page?end=1655526403000&state=view%3Dcharts", "")
	form := strings.ReplaceAll(regexp.QuoteMeta(example), "…", `[^"]+`)
	if !regexp.MustCompile("^<html>\n" + form + "</html>\n$").MatchString(body) {
		t.Errorf("%s, in docs/view.md %s", body, example)
	}
}
