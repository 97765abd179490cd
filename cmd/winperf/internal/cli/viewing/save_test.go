package viewing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/view/web"
)

const log = `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Process(a</script>)\X","\\HOST\Memory\Y"
"01/17/2024 22:20:00.000","100","1"
"01/17/2024 22:20:01.000","200","2"
"01/17/2024 22:20:02.000","300","3"
"01/17/2024 22:20:03.000","400","4"
`

const standIn = "<html>\n<!-- saved logs -->\n</html>\n"

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// run runs the command with a stand-in for the page that needs no server; "" is a program without it.
func run(ctx context.Context, stdout io.Writer, page, local string, args ...string) error {
	return runApp(ctx, &console.App{Stdout: stdout, Stderr: io.Discard}, page, local, args...)
}

func runApp(ctx context.Context, a *console.App, page, local string, args ...string) error {
	a.Stdin = &console.Interruptible{Context: ctx, Stream: strings.NewReader(log)}
	v := &viewer{app: a, local: local, onePage: func() ([]byte, error) {
		if page == "" {
			return nil, web.ErrNoPage
		}
		return []byte(page), nil
	}}
	cmd := v.command()
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(ctx)
}

func writeLog(t *testing.T) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "load.csv")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// TestSave: the file has the samples between --begin and --end, and no name of a directory.
func TestSave(t *testing.T) {
	dir, file := writeLog(t)
	out := filepath.Join(dir, "load.html")
	const begin, end = "22:20:01", "22:20:02"
	err := run(t.Context(), io.Discard, standIn, "local:", file, "--begin", begin, "--end", end, "-o", out)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^<html>\n<script type="application/json" class="saved-log">([^<>]*)</script>\n` +
		`<script type="application/json" id="saved-state">([^<>]*)</script>\n</html>\n$`)
	parts := form.FindSubmatch(page)
	if parts == nil || bytes.Contains(page, []byte(filepath.Base(dir))) {
		t.Fatalf("%s", page)
	}

	var log struct {
		Name    string
		Capture []byte
	}
	var state string
	if err := errors.Join(json.Unmarshal(parts[1], &log), json.Unmarshal(parts[2], &state)); err != nil {
		t.Fatal(err)
	}
	want := `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Process(a</script>)\X","\\HOST\Memory\Y"
"01/17/2024 22:20:01.000","200","2"
"01/17/2024 22:20:02.000","300","3"
`
	if text := strings.ReplaceAll(string(log.Capture), "\r", ""); log.Name != "load.csv" || text != want {
		t.Errorf("%s %s", log.Name, text)
	}
	if state != "begin=2024-01-17T22%3A20%3A01Z&end=2024-01-17T22%3A20%3A02Z" {
		t.Errorf("state %s", state)
	}

	var stdout bytes.Buffer
	err = run(t.Context(), &stdout, standIn, "local:", file, "-o", "-", "--begin", begin, "--end", end)
	if err != nil || !bytes.Equal(stdout.Bytes(), page) {
		t.Errorf("%v: %s", err, stdout.String())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}

	stdout.Reset()
	err = run(t.Context(), &stdout, standIn, "local:", "-", "-o", "-")
	if err != nil || !strings.Contains(stdout.String(), `class="saved-log">{"name":"standard input",`) {
		t.Errorf("%v: %s", err, stdout.String())
	}
}

// TestSaveMachines: a directory has a log for each machine, with its samples only.
func TestSaveMachines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct{ name, machine, second, value string }{
		{"1.csv", "WEB1", "01", "11"}, {"2.csv", "WEB2", "02", "12"}, {"3.csv", "WEB1", "03", "13"},
	} {
		const form = `"(PDH-CSV 4.0) (UTC)(0)","\\%s\Memory\Y"` + "\r\n" + `"01/17/2024 22:20:%s.000","%s"` + "\r\n"
		text := fmt.Sprintf(form, file.machine, file.second, file.value)
		if err := os.WriteFile(filepath.Join(dir, file.name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	var page bytes.Buffer
	if err := run(t.Context(), &page, standIn, "local:", dir, "-o", "-"); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	saved := regexp.MustCompile(`class="saved-log">([^<>]*)</script>`)
	for _, part := range saved.FindAllSubmatch(page.Bytes(), -1) {
		var log struct {
			Name    string
			Capture []byte
		}
		if err := json.Unmarshal(part[1], &log); err != nil {
			t.Fatal(err)
		}
		got[log.Name] = strings.ReplaceAll(string(log.Capture), "\r", "")
	}
	want := map[string]string{
		"logs (WEB1)": `"(PDH-CSV 4.0) (UTC)(0)","\\WEB1\Memory\Y"
"01/17/2024 22:20:01.000","11"
"01/17/2024 22:20:03.000","13"
`,
		"logs (WEB2)": `"(PDH-CSV 4.0) (UTC)(0)","\\WEB2\Memory\Y"
"01/17/2024 22:20:02.000","12"
`,
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSaveDamaged: damage of a log is reported, and the status is 3.
func TestSaveDamaged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "load.csv")
	if err := os.WriteFile(file, []byte(log+"\"01/17/2024 22:"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	a := &console.App{Stdout: &stdout, Stderr: &stderr}
	err := runApp(t.Context(), a, standIn, "local:", file, "-o", "-")
	if err != nil || !a.Partial || !strings.Contains(stderr.String(), "load.csv: ") || stdout.Len() == 0 {
		t.Errorf("%v %v %s", err, a.Partial, stderr.String())
	}
}

// TestSaveRefused has command lines that write nothing.
func TestSaveRefused(t *testing.T) {
	dir, file := writeLog(t)
	out, exists := filepath.Join(dir, "out.html"), filepath.Join(dir, "exists.html")
	if err := os.WriteFile(exists, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		page string
		args []string
		want string
	}{
		{standIn, []string{"-o", out}, "record this machine first (winperf record -o load.capture)"},
		{standIn, []string{file, "--source", "local:", "-o", out}, "record local: first"},
		{standIn, []string{file, "-o", filepath.Join(dir, "out.csv")}, "expected a name that ends in .html"},
		{standIn, []string{file, "-o", exists}, "exists; --overwrite replaces it"},
		{standIn, []string{file, "-o", out, "--begin", "23:00"}, "the log has samples from 2024-01-17 22:20:00"},
		{standIn, []string{filepath.Join(dir, "missing.blg"), "-o", out}, "missing.blg"},
		{standIn, []string{file, "-o", out, "--keep", "1h"}, "--keep is for a page that is served, not for -o"},
		{standIn, []string{file, "-o", out, "--listen", ":80", "--unprotected"}, "is for a page that is served"},
		{standIn, []string{file, "-o", out, "-i", "2"}, "--interval is for"},
		{standIn, []string{file, "-o", out, "--no-browser"}, "--no-browser is for"},
		{standIn, []string{file, "--overwrite"}, "--overwrite replaces the file of -o"},
		{"", []string{file, "-o", out}, "scripts/build-page"},
		{"<html>", []string{file, "-o", out}, "no line"},
	} {
		var stdout bytes.Buffer
		err := run(t.Context(), &stdout, tt.page, "local:", tt.args...)
		if err == nil || !strings.Contains(err.Error(), tt.want) || stdout.Len() > 0 {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, io.Discard, standIn, "local:", file, "-o", out); err == nil {
		t.Error("written after an interrupt")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
	if err := run(t.Context(), io.Discard, standIn, "local:", file, "-o", exists, "--overwrite"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(exists); err != nil || !strings.HasPrefix(string(text), "<html>\n<script") {
		t.Errorf("%s %v", text, err)
	}
}

// TestNoMachine: without a source of this machine, view serves the page that opens logs, if it has it.
func TestNoMachine(t *testing.T) {
	const none = "none:" // no system has this source
	err := run(t.Context(), io.Discard, "", none, "--no-browser")
	if err == nil || !strings.Contains(err.Error(), "name a log: winperf view load.blg") {
		t.Errorf("%v", err)
	}

	ctx, stop := context.WithCancel(t.Context())
	var stdout buffer
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, &stdout, standIn, none, "--no-browser") }()
	var address string
	deadline := time.Now().Add(time.Minute)
	for address == "" && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
		address = regexp.MustCompile(`(?m)^http://127\.0\.0\.1:\d+/$`).FindString(stdout.String())
	}
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || string(text) != standIn || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%s %v %v", text, answer.Header, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
