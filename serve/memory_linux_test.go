package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
)

// files is a source whose samples are blocks in files, again and again, so that it keeps none of
// them itself.
type files struct {
	names []string
	next  int
}

func (f *files) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (f *files) Schema(context.Context) (*winperf.Schema, error) { return nil, nil }

func (f *files) Close() error { return nil }

func (f *files) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return f, nil }

func (f *files) Next(_ context.Context, s *winperf.Sample) error {
	name := f.names[f.next%len(f.names)]
	f.next++
	return perftest.Fill(s, func(raw *winperf.Raw) error {
		raw.Format = winperf.FormatV1
		return readInto(raw, name)
	})
}

// readInto reads a file into the memory that a block has already, where that is enough.
func readInto(raw *winperf.Raw, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if n := int(info.Size()); cap(raw.Bytes) < n {
		raw.Bytes = make([]byte, n)
	} else {
		raw.Bytes = raw.Bytes[:n]
	}

	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.ReadAt(raw.Bytes, 0)
	return err
}

// TestMemory scrapes a machine with 500,000 series again and again: samples, frames, mapping and text,
// in both formats, in a program that has nothing else. The most memory that it had counts, with the
// blocks, of which three are alive at once, and with the program itself.
func TestMemory(t *testing.T) {
	measureMemory(t, 100_000, scrapeFiles)
}

// TestUnreadMemory has hundreds of clients, each with another filter, who read nothing.
func TestUnreadMemory(t *testing.T) { measureMemory(t, 250_000, leaveUnread) }

// measureMemory runs a test in a program of its own, over blocks in files, and compares the most memory that it
// had, in KiB.
func measureMemory(t *testing.T, most int, child func(*testing.T, []string)) {
	t.Helper()
	if os.Getenv("WINPERF_TEST_SCRAPE") != "" {
		child(t, filepath.SplitList(os.Getenv("WINPERF_TEST_SCRAPE")))
		return
	}

	var names []string
	for i, sample := range perftest.Series(perftest.Crowded, 2, 1, 1) {
		names = append(names, filepath.Join(t.TempDir(), strconv.Itoa(i)))
		if err := os.WriteFile(names[i], sample.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(withoutDetector(t), "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "WINPERF_TEST_SCRAPE="+names[0]+string(filepath.ListSeparator)+names[1])
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	found := regexp.MustCompile(`(?s)^(\d+) series\n.*VmHWM:\s*(\d+) kB`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%s", out)
	}
	series, _ := strconv.Atoi(string(found[1]))
	kib, _ := strconv.Atoi(string(found[2]))
	t.Logf("%d series, %d KiB", series, kib)
	if series < 500_000 || kib > most {
		t.Errorf("%d KiB for %d series, want at most %d for 500,000", kib, series, most)
	}
}

// withoutDetector builds these tests again: the race detector, which may be in this program, takes several
// times the memory of what it watches.
func withoutDetector(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "serve.test")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// scrapeFiles scrapes blocks in files, and tells how many series they have and what memory that took.
func scrapeFiles(t *testing.T, names []string) {
	e, err := New(t.Context(), &files{names: names}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.main.(*sampler).fresh = 0

	text := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	openMetrics := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	openMetrics.Header.Set("Accept", "application/openmetrics-text;version=1.0.0")
	for range 4 {
		e.ServeHTTP(discard{http.Header{}}, text)
		e.ServeHTTP(discard{http.Header{}}, openMetrics)
	}

	printMemory(e)
}

// leaveUnread has clients that do not read their answers, until each has one or none.
func leaveUnread(t *testing.T, names []string) {
	e, err := New(t.Context(), &files{names: names}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.main.(*sampler).fresh = 0

	e.ServeHTTP(discard{http.Header{}}, httptest.NewRequest(http.MethodGet, "/metrics", nil))

	const clients = 300
	begun, end := make(chan struct{}, 1000*clients), make(chan struct{})
	answered := make(chan struct{}, clients)
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/metrics?object=*&object=%d", i), nil)
			if i%2 == 0 {
				r.Header.Set("Accept-Encoding", "gzip")
			}
			r.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", "60")
			e.ServeHTTP(unread{blocked{httptest.NewRecorder(), begun, end}, answered}, r)
		})
	}
	for range clients {
		<-answered
	}
	printMemory(e)
	close(end)
	wait.Wait()
}

// unread is a client that tells when its answer begins.
type unread struct {
	blocked
	answered chan<- struct{}
}

func (u unread) Write(p []byte) (int, error) {
	select {
	case u.answered <- struct{}{}:
	default:
	}
	return u.blocked.Write(p)
}

// printMemory prints how many series there are, and the memory of the program.
func printMemory(e *Exporter) {
	status, err := os.ReadFile("/proc/self/status")
	fmt.Printf("%d series\n%s%v", e.all.counts.written, status, err)
}
