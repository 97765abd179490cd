package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// answers is a target that knows remote write 1.0 only, and gives these answers one after the other; then
// it takes everything.
type answers struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int
	requests int // that were answered, but for those of version 2.0
}

func newAnswers(t *testing.T, statuses ...int) *answers {
	t.Helper()
	a := &answers{statuses: statuses}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // how the request ends is its own affair
	if strings.Contains(r.Header.Get("Content-Type"), "v2") {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	status := http.StatusNoContent
	if a.requests < len(a.statuses) {
		status = a.statuses[a.requests]
	}
	a.requests++
	w.WriteHeader(status)
}

// begin begins to give these answers.
func (a *answers) begin(statuses ...int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.statuses, a.requests = statuses, 0
}

// writeWide writes a text log of now: so many moments, one a second, each with so many counters.
func writeWide(t *testing.T, moments, counters int) (file string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for k := range counters {
		fmt.Fprintf(&b, `,"\\HOST\Queue(%d)\Length"`, k)
	}
	begin := time.Now().UTC().Add(-time.Minute).Truncate(time.Second)
	for n := range moments {
		at := begin.Add(time.Duration(n) * time.Second)
		fmt.Fprintf(&b, "\n\"%s.000\"", at.Format("01/02/2006 15:04:05"))
		b.WriteString(strings.Repeat(`,"5"`, counters))
	}
	file = filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(file, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// backfilled is convert to a URL: its status, and what it says.
func backfilled(t *testing.T, log, url string, more ...string) (status int, said string) {
	t.Helper()
	var stderr strings.Builder
	args := append([]string{"convert", log, "-o", url}, more...)
	status = Run(t.Context(), args, nil, io.Discard, &stderr)
	return status, stderr.String()
}

// expect runs it and compares status and what it must say.
func expect(t *testing.T, status int, want string, log, url string, more ...string) {
	t.Helper()
	got, said := backfilled(t, log, url, more...)
	if got != status || !strings.Contains(said, want) {
		t.Errorf("status %d, want %d and %q: %s", got, status, want, said)
	}
}

func notThere(t *testing.T, file string) {
	t.Helper()
	if text, err := os.ReadFile(file); err == nil {
		t.Errorf("%s is there: %s", filepath.Base(file), text)
	}
}

// Nothing is sent where it could not be noted.
func TestBackfillNotNoted(t *testing.T) {
	a := newAnswers(t)
	state := filepath.Join(t.TempDir(), "none", "state")
	expect(t, console.ExitFailed, "state.new", writeWide(t, 2, 1), "remote-write+"+a.URL, "--resume", state)
	if a.requests > 0 {
		t.Errorf("%d requests", a.requests)
	}
}

// What a target refuses is not sent: the same command sends it again, to a target that takes it.
func TestBackfillRefused(t *testing.T) {
	log := writeWide(t, 4, 10)
	state := filepath.Join(t.TempDir(), "state")
	const bad = http.StatusBadRequest
	a := newAnswers(t, bad, bad, bad, bad, bad, bad, bad)
	url := "remote-write+" + a.URL

	expect(t, console.ExitFailed, "accepted none of 40 samples", log, url, "--resume", state)
	notThere(t, state)
	a.begin(bad, bad, bad, bad, bad, bad, bad)
	expect(t, console.ExitFailed, "accepted none of 40 samples", log, url, "--resume", state)
	notThere(t, state)

	// The first half is taken, and neither moment of the second.
	a.begin(bad, http.StatusNoContent, bad, bad, bad)
	expect(t, console.ExitPartial, "did not accept 20 of 40 samples", log, url, "--resume", state)
	expect(t, console.ExitDone, "40 samples were sent", log, url, "--resume", state)
	expect(t, console.ExitDone, "all was sent before", log, url, "--resume", state)
}

// The position stays before the first moment that was refused, whatever is taken behind it.
func TestBackfillStaysBeforeRefused(t *testing.T) {
	log := writeWide(t, 5, 6000) // a request has 10,000
	state := filepath.Join(t.TempDir(), "state")
	a := newAnswers(t, http.StatusNoContent, http.StatusNotAcceptable)
	url := "remote-write+" + a.URL

	expect(t, console.ExitPartial, "did not accept 10000 of 30000 samples", log, url, "--resume", state)
	expect(t, console.ExitDone, "24000 samples were sent", log, url, "--resume", state) // all but the first moment
}

// A target that is none ends the command with the first answer.
func TestBackfillNoReceiver(t *testing.T) {
	log := writeWide(t, 5, 6000)
	state := filepath.Join(t.TempDir(), "state")
	for _, status := range []int{
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnauthorized, http.StatusForbidden,
	} {
		a := newAnswers(t, status, status, status)
		for _, scheme := range []string{"remote-write+", "otlp+"} {
			a.begin(status, status, status)
			want := fmt.Sprintf("it answered %d %s; nothing was sent", status, http.StatusText(status))
			expect(t, console.ExitFailed, want, log, scheme+a.URL, "--resume", state)
			notThere(t, state)
			if a.requests != 1 {
				t.Errorf("%d requests were answered by %d", a.requests, status)
			}
		}
	}
}

// Nothing to send is a failure, without advice for what is sent, and leaves no position.
func TestBackfillNothing(t *testing.T) {
	log := filepath.Join(t.TempDir(), "old.csv")
	text := "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\HOST\\Memory\\Available Bytes\"\n\"01/02/2026 13:04:05.000\",\"1000\"\n"
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	a := newAnswers(t)
	url := "remote-write+" + a.URL

	for _, more := range [][]string{{"--path", `\Memry\*`}, {"--exclude", `\Memory\*`}} {
		status, said := backfilled(t, log, url, append(more, "--resume", state)...)
		if status != console.ExitFailed || !strings.Contains(said, "nothing was sent") || strings.Contains(said, "retention") {
			t.Errorf("%s: status %d, it said %q", more, status, said)
		}
		if strings.Contains(said, "before") {
			t.Errorf("%s: it said %q", more, said)
		}
		notThere(t, state)
	}

	expect(t, console.ExitDone, "-retentionPeriod", log, url)
	if _, said := backfilled(t, log, url, "--quiet"); said != "" {
		t.Errorf("quiet, it said %q", said)
	}
}

// A position is one of the samples that were chosen then, under the names and labels of then: with others the
// command does not go on from it.
func TestBackfillResumesTheSame(t *testing.T) {
	log := writeWide(t, 2, 3)
	dir := t.TempDir()
	state, paths := filepath.Join(dir, "state"), filepath.Join(dir, "paths")
	write := func(text string) {
		if err := os.WriteFile(paths, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := newAnswers(t)
	url := "remote-write+" + a.URL
	const first = `\Queue(1)\Length`
	expect(t, console.ExitDone, "2 samples were sent", log, url, "--resume", state, "--path", first)

	for _, more := range [][]string{
		{},
		{"--path", first, "--path", `\Queue(2)\Length`},
		{"--path", first, "--exclude", `\Memory\*`},
		{"--path", first, "--begin", "+1s"},
		{"--path", first, "--end", "+1s"},
		{"--path", first, "--every", "2"},
		{"--path", first, "--interval", "60"},
		{"--path", first, "--zone", "+05:00"},
		{"--path", first, "--push-label", "site=a"},
		{"--path", first, "--push-header", "x-scope-orgid=a"},
	} {
		status, said := backfilled(t, log, url, append(more, "--resume", state)...)
		if status != console.ExitFailed || !strings.Contains(said, "samples that were chosen with") {
			t.Errorf("%s: status %d: %s", more, status, said)
		}
	}

	// What does not choose samples may change, and so may the place where paths stand.
	write(first + "\n")
	for _, more := range [][]string{
		{"--path", first, "--quiet"}, {"--path", first, "--names", "own"}, {"--path", first, "--push-header", "Authorization=Bearer x"}, {"--counters", paths},
	} {
		if status, said := backfilled(t, log, url, append(more, "--resume", state)...); status != console.ExitDone {
			t.Errorf("%s: status %d: %s", more, status, said)
		}
	}
	text, err := os.ReadFile(state)
	if err != nil || strings.Contains(string(text), "Bearer") {
		t.Errorf("%s, %v", text, err)
	}
	write(first + "\n" + `\Queue(2)\Length` + "\n")
	expect(t, console.ExitFailed, "samples that were chosen with", log, url, "--resume", state, "--counters", paths)
}
