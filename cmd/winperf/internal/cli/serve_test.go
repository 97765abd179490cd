package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// served is a serve command that runs in this process until the test ends.
type served struct {
	t      *testing.T
	stderr *sharedBuffer
	url    string
	stop   func() int
}

// sharedBuffer is what one goroutine writes and another reads.
type sharedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *sharedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eventually calls f until it reports true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hostileLimit); !f(); {
		if time.Now().After(deadline) {
			t.Fatal("did not happen: " + what)
		}
		time.Sleep(time.Millisecond) // between two looks at what another goroutine does
	}
}

var serves = regexp.MustCompile(`level=INFO msg="serving metrics" url=(http://\S+)/metrics\n`)

// serve runs winperf serve with arguments.
func serveInProcess(t *testing.T, ctx context.Context, args ...string) *served {
	t.Helper()
	s := &served{t: t, stderr: &sharedBuffer{}}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan int, 1)
	args = append([]string{"serve", "--web.listen-address", "127.0.0.1:0"}, args...)
	go func() { ended <- Run(ctx, args, strings.NewReader(""), io.Discard, s.stderr) }()
	s.stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() {
		if status := s.stop(); status != console.ExitDone {
			t.Errorf("exit status %d: %s", status, s.stderr)
		}
	})

	eventually(t, "serving", func() bool {
		if m := serves.FindStringSubmatch(s.stderr.String()); m != nil {
			s.url = m[1]
		}
		return s.url != "" || len(ended) > 0
	})
	if s.url == "" {
		t.Fatal(s.stderr)
	}
	return s
}

// get asks for a page and returns its text.
func (s *served) get(path string) string {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("status %d, %v\n%s", resp.StatusCode, err, text)
	}
	return string(text)
}

// has reports whether metrics have a line that matches.
func has(text, line string) bool { return regexp.MustCompile(`(?m)^` + line + `$`).MatchString(text) }

// TestServeRecord: of a record the sample before the last comes first, then the last; paths,
// totals and names are as the flags say.
func TestServeRecord(t *testing.T) {
	dir := t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	record := "perfdata:" + filepath.Join(dir, "one.bin") + "," + filepath.Join(dir, "two.bin") +
		"?names=" + filepath.Join(dir, "names.tsv")

	s := serveInProcess(t, t.Context(), "--source", record, `\Processor(*)\*`, `\Memory\Available Bytes`)
	first, second := s.get("/metrics"), s.get("/metrics")
	const line = `winperf_processor_interrupts_total\{name="0"\} (\d+)`
	const before = `winperf_processor_interrupts_total\{name="0"\} 1000`
	if !has(first, before) || has(second, before) || !has(second, line) {
		t.Errorf("first\n%s\nsecond\n%s", first, second)
	}
	if has(second, `.*name="_Total".*`) || has(second, `winperf_process_.*`) ||
		has(second, `winperf_memory_available_mbytes.*`) {
		t.Error(second)
	}

	s = serveInProcess(t, t.Context(), "--source", record, "--totals", "--names", "windows_exporter")
	text := s.get("/metrics")
	if !has(text, `windows_memory_available_bytes \d+`) || has(text, `winperf_memory.*`) {
		t.Error(text)
	}
	s = serveInProcess(t, t.Context(), "--source", record, "--totals", "--object", "Processor")
	if text := s.get("/metrics"); !has(text, `winperf_processor_interrupts_total\{name="_Total"\} \d+`) ||
		has(text, `winperf_memory_.*`) {
		t.Error(text)
	}
}

// TestServeReadings: values that come cooked, as those of a text log do, are served as gauges.
func TestServeReadings(t *testing.T) {
	log := filepath.Join(t.TempDir(), "load.csv")
	const text = `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Memory\Available Bytes","\\HOST\Processor(0)\% Processor Time"
"01/02/2026 15:04:05.000","100","10"
"01/02/2026 15:04:06.000","200","20"
"01/02/2026 15:04:07.000","300","25"
`
	if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := serveInProcess(t, t.Context(), "--source", log)
	first, second := s.get("/metrics"), s.get("/metrics")
	if !has(first, `winperf_memory_available_bytes 200`) || !has(second, `winperf_memory_available_bytes 300`) ||
		!has(second, `winperf_processor_\S*ratio\{name="0"\} 0.25`) ||
		!has(second, `winperf_object_up\{object="Memory"\} 1`) {
		t.Errorf("first\n%s\nsecond\n%s", first, second)
	}
}

// TestServeMemoryLimit: the garbage collector has a limit, and the history of the page a larger one.
func TestServeMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "")
	log := filepath.Join(t.TempDir(), "load.csv")
	const text = `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Memory\Available Bytes"
"01/02/2026 15:04:05.000","100"
`
	if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}

	s := serveInProcess(t, t.Context(), "--source", log)
	if got := s.get("/metrics"); !has(got, `go_gc_gomemlimit_bytes 234881024`) {
		t.Errorf("without a page\n%s", got)
	}
	s.stop()
	s = serveInProcess(t, t.Context(), "--source", log, "--view", "--memory", "100MiB")
	if got := s.get("/metrics"); !has(got, `go_gc_gomemlimit_bytes 444596224`) {
		t.Errorf("with a page\n%s", got)
	}
	s.stop()

	debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	serveInProcess(t, t.Context(), "--source", log)
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d where the user set one", got)
	}
}

// TestServeReloads: a configuration is read again when the server is asked to, and a wrong one
// changes nothing.
func TestServeReloads(t *testing.T) {
	dir := t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "winperf.yml")
	write := func(objects string) {
		text := "source: 'perfdata:" + filepath.Join(dir, "one.bin") + "?names=" + filepath.Join(dir, "names.tsv") +
			"'\nobjects: [" + objects + "]\nweb: {enable_lifecycle: true}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("Memory")
	s := serveInProcess(t, t.Context(), "--config", file)
	if text := s.get("/metrics"); !has(text, `winperf_memory_.*`) || has(text, `winperf_processor_.*`) {
		t.Error(text)
	}

	write("Processor")
	reload := func() int {
		resp, err := http.Post(s.url+"/-/reload", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	if status := reload(); status != 200 {
		t.Errorf("status %d", status)
	}
	if text := s.get("/metrics"); has(text, `winperf_memory_.*`) || !has(text, `winperf_processor_.*`) {
		t.Error(text)
	}

	write("Processor]\nobjetcs: [x")
	if status := reload(); status != 500 {
		t.Errorf("status %d", status)
	}
	const told = `:3:1: unknown key \"objetcs\" (did you mean objects?)`
	text := s.get("/metrics")
	if !has(text, `winperf_processor_.*`) || !strings.Contains(s.stderr.String(), told) {
		t.Errorf("%s\n%s", text, s.stderr)
	}
}
