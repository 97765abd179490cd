package cli

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/view/web"
)

const viewedLog = `"(PDH-CSV 4.0) (UTC)(0)","\\HOST\Memory\Available Bytes"
"01/17/2024 22:20:00.000","100"
"01/17/2024 22:20:01.000","300"
`

// TestView: the printed address leads to the values of a log and of a directory.
func TestView(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.csv")
	if err := os.WriteFile(file, []byte(viewedLog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, dir} {
		v := startView(t, name)
		answer, err := v.Get(v.address + "range?path=" + url.QueryEscape(`\Memory\Available Bytes`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !bytes.Contains(text, []byte(`"times":[1705530000000,1705530001000]`)) ||
			!bytes.Contains(text, []byte(`"average":[100,300]`)) {
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
}

// TestViewSave: view writes a page with the samples of a log, or says that it lacks the page.
func TestViewSave(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "small.csv"), filepath.Join(dir, "small.html")
	if err := os.WriteFile(file, []byte(viewedLog), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	n := Run(t.Context(), []string{"view", file, "-o", out}, strings.NewReader(""), &stdout, &stderr)
	if _, err := web.OnePage(); err != nil {
		if n != 1 || !strings.Contains(stderr.String(), "scripts/build-page") {
			t.Errorf("status %d, %s", n, stderr.String())
		}
		return
	}
	text, err := os.ReadFile(out)
	if err != nil || n != 0 || stdout.Len()+stderr.Len() > 0 {
		t.Errorf("status %d, %v, %s", n, err, stderr.String())
	}
	if !bytes.Contains(text, []byte(`class="saved-log">{"name":"small.csv","capture":"`)) {
		t.Errorf("%d bytes without the log", len(text))
	}
}

// TestViewRefused has command lines that must not serve anything.
func TestViewRefused(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", ":0"}, "--unprotected"},
		{[]string{"--listen", ":0", "--web.config.file", "missing.yml"}, "missing.yml: "},
		{[]string{"--web.config.file", "missing.yml"}, "missing.yml: "},
		{[]string{"missing.csv"}, "missing.csv: "},
		{[]string{`\Memory\*`}, "is not a log: choose counters in the page"},
		{[]string{"--begin", "15:40"}, "name one with --source"},
		{[]string{"--keep", "x"}, "expected a duration"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"view", "--no-browser"}, tt.args...)
		if n := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); n != 1 ||
			!strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
			t.Errorf("%q: status %d, %q %q, want %q", tt.args, n, stdout.String(), stderr.String(), tt.want)
		}
	}
}
