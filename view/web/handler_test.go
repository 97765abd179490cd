package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

// hostile is an instance name with markup and characters that reverse text.
const hostile = "<script>alert(1)</script>\u202e&amp;"

// textLog opens a small log of hostile names.
func textLog(t *testing.T) winperf.Source {
	t.Helper()
	var b strings.Builder
	for second := range 5 {
		at := time.Date(2024, 1, 17, 22, 20, second, 0, time.UTC).Format(time.RFC3339)
		for value, instance := range []string{hostile, "plain"} {
			line := map[string]any{
				"time": at, "path": `\\HOST\Process(` + instance + `)\Value`, "value": 10*value + second, "unit": "count",
				"status": "ok", "object": "Process", "instance": instance, "counter": "Value",
			}
			text, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(text, '\n'))
		}
	}
	name := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := source.OpenLog(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func serve(t *testing.T, opt web.Options, sources ...winperf.Source) *httptest.Server {
	t.Helper()
	var shown []view.Source
	for i, src := range sources {
		shown = append(shown, view.Source{Name: fmt.Sprint("source ", i), Source: src, Interval: 20 * time.Millisecond})
	}
	v, err := view.New(t.Context(), shown, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(web.New(v, opt))
	t.Cleanup(func() {
		s.Close()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// do sends a request and returns status and body.
func do(t *testing.T, client *http.Client, method, url, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestLogin: only the token gives a cookie, and only once.
func TestLogin(t *testing.T) {
	token := web.NewToken()
	s := serve(t, web.Options{Token: token}, textLog(t))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client, stranger := &http.Client{Jar: jar}, &http.Client{}
	sources, login := s.URL+"/api/v1/sources", s.URL+"/api/v1/login"

	steps := []struct {
		client      *http.Client
		method, url string
		body        string
		want        int
	}{
		{client, "GET", sources, "", 401},
		{client, "POST", login, "wrong", 401},
		{client, "POST", login, token + "x", 401},
		{client, "POST", login, strings.Repeat("x", 1000), 401},
		{client, "GET", login, token, 404},
		{client, "POST", sources, token, 404},
		{client, "POST", login, token, 204},
		{client, "GET", sources, "", 200},
		{client, "POST", s.URL + "/api/v1/cancel?source=0", "", 204},
		{client, "POST", s.URL + "/api/v1/cancel?source=7", "", 404},
		{client, "GET", s.URL + "/api/v1/cancel?source=0", "", 404},
		{stranger, "POST", s.URL + "/api/v1/cancel?source=0", "", 401},
		{stranger, "POST", login, token, 401},
		{stranger, "GET", sources, "", 401},
		{client, "GET", s.URL + "/", "", 200},
		{stranger, "GET", s.URL + "/", "", 200}, // the page itself has no data
		{client, "GET", s.URL + "/../handler.go", "", 404},
		{client, "GET", s.URL + "/nothing", "", 404},
		{client, "DELETE", s.URL + "/", "", 405},
	}
	for _, tt := range steps {
		if got, body := do(t, tt.client, tt.method, tt.url, tt.body); got != tt.want {
			t.Errorf("%s %s %q: %d, want %d: %s", tt.method, tt.url, tt.body, got, tt.want, body)
		}
	}
}

// TestEmptyCookie: before the login no cookie is valid, not even an empty one.
func TestEmptyCookie(t *testing.T) {
	v, err := view.New(t.Context(), nil, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	h := web.New(v, web.Options{Token: web.NewToken()})
	r := httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/sources", http.NoBody)
	r.AddCookie(&http.Cookie{Name: h.Cookie()})
	answer := httptest.NewRecorder()
	if h.ServeHTTP(answer, r); answer.Code != http.StatusUnauthorized {
		t.Errorf("status %d, %s", answer.Code, answer.Body)
	}
}

// TestCookie: the cookie is unreadable for scripts and is not sent from other sites.
func TestCookie(t *testing.T) {
	s := serve(t, web.Options{Token: "secret"}, textLog(t))
	answer, err := http.Post(s.URL+"/api/v1/login", "text/plain", strings.NewReader("secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	cookies := answer.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || len(cookies[0].Value) < 20 {
		t.Errorf("cookies %v", cookies)
	}
	policy := answer.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("policy %q lacks %s", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", answer.Header)
	}
}

// TestForeign: requests for other hosts and from other pages are refused, also with a valid cookie.
func TestForeign(t *testing.T) {
	s := serve(t, web.Options{}, textLog(t))
	host := strings.TrimPrefix(s.URL, "http://")
	_, port, _ := strings.Cut(host, ":")
	for _, tt := range []struct {
		header []string
		want   int
	}{
		{nil, 200},
		{[]string{"Host", "localhost:" + port}, 200},
		{[]string{"Host", "LOCALHOST.:" + port}, 200},
		{[]string{"Host", "[::1]:" + port}, 200},
		{[]string{"Host", "winperf.localhost:" + port}, 200},
		{[]string{"Host", "attacker.example:" + port}, 403},
		{[]string{"Host", "127.0.0.1.attacker.example:" + port}, 403},
		{[]string{"Host", "localhost.attacker.example"}, 403},
		{[]string{"Origin", "http://" + host}, 200},
		{[]string{"Origin", "http://attacker.example"}, 403},
		{[]string{"Origin", "http://127.0.0.1:1"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
	} {
		if got, body := do(t, s.Client(), "GET", s.URL+"/api/v1/sources", "", tt.header...); got != tt.want {
			t.Errorf("%v: %d, want %d: %s", tt.header, got, tt.want, body)
		}
	}
}

// TestErrors: wrong requests and exceeded limits are answered with JSON that names them.
func TestErrors(t *testing.T) {
	s := serve(t, web.Options{}, textLog(t), textLog(t))
	path := "&path=" + url.QueryEscape(`\Process(*)\Value`)
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"range?source=0":                        {400, "path is missing"},
		"range?x=1" + path:                      {400, "source is missing, and there are 2"},
		"range?source=7" + path:                 {404, "no such source: \\\"7\\\""},
		"range?source=0&path=bad":               {400, "bad"},
		"range?source=0&step=x" + path:          {400, "step=\\\"x\\\", expected seconds"},
		"range?source=0&points=0" + path:        {400, "points"},
		"range?source=0&points=10001" + path:    {400, "expected at most 10000"},
		"range?source=0&begin=yesterday" + path: {400, "expected RFC 3339"},
		"range?source=0&begin=2024-01-02T00:00:00Z&end=2024-01-01T00:00:00Z" + path:        {400, "begin is after end"},
		"range?source=0&step=1&begin=2023-01-01T00:00:00Z&end=2024-01-01T00:00:00Z" + path: {400, "expected at most 10000"},
		"range?source=0" + strings.Repeat(path, 101):                                       {400, "expected at most 100"},
		"nothing": {404, "docs/view.md"},
	} {
		got, body := do(t, s.Client(), "GET", s.URL+"/api/v1/"+query, "")
		var answer struct{ Error string }
		if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Error == "" || got != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %s, want %d %q", query, got, body, want.status, want.text)
		}
	}
}

// TestHostileNames: names from a log arrive unchanged, and no byte of an answer is markup or reverses text.
func TestHostileNames(t *testing.T) {
	s := serve(t, web.Options{}, textLog(t))
	path := "?path=" + url.QueryEscape(`\Process(*)\Value`)
	for _, query := range []string{
		"range" + path, "values" + path, "statistics" + path, "instances?object=Process", "changed", "events", "objects",
	} {
		status, body := do(t, s.Client(), "GET", s.URL+"/api/v1/"+query, "")
		if status != 200 || strings.ContainsAny(body, "\u202e\u0085") {
			t.Errorf("%s: %d %q", query, status, body)
		}
		if name, _, _ := strings.Cut(query, "?"); name == "range" {
			var raw struct {
				Series []struct {
					Instance string
					Average  []float64
				}
			}
			if err := json.Unmarshal([]byte(body), &raw); err != nil || len(raw.Series) != 2 ||
				raw.Series[0].Instance != hostile || raw.Series[0].Average[4] != 4 || raw.Series[1].Average[4] != 14 {
				t.Errorf("%v %+v", err, raw)
			}
		}
	}
}

// counted is a live source that counts its samples.
type counted struct {
	samples atomic.Int64
	open    atomic.Int64
}

func (c *counted) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (c *counted) Schema(context.Context) (*winperf.Schema, error) { return nil, errors.New("none") }
func (c *counted) Close() error                                    { return nil }
func (c *counted) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	c.open.Add(1)
	return &countedQuery{c: c}, nil
}

// TestDisconnect: a stream ends when its client disconnects.
func TestDisconnect(t *testing.T) {
	src := &counted{}
	s := serve(t, web.Options{}, src)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/values?path="+url.QueryEscape(`\Process(*)\Value`), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("content type %s", kind)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	events := 0
	for events < 3 && lines.Scan() {
		text, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var v struct {
			Readings []struct {
				Path  string
				Value float64
			}
		}
		name := `\\HOST\Process(` + hostile + "\u0085)\\Value"
		if err := json.Unmarshal([]byte(text), &v); err != nil || len(v.Readings) != 1 || v.Readings[0].Value < 1 ||
			v.Readings[0].Path != name || strings.ContainsAny(text, "\u202e\u0085<") {
			t.Fatalf("%v: %s", err, text)
		}
		events++
	}
	cancel()
	// The server waits for its handlers, so that this returns only when the stream has ended.
	s.Close()
}
