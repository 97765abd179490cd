package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
)

func TestParseMoment(t *testing.T) {
	zone := time.FixedZone("X", 2*3600)
	for text, want := range map[string]string{
		"":                               "0001-01-01T00:00:00Z",
		"6/30/2007 15:40:38":             "2007-06-30T15:40:38+02:00",
		"06/30/2007 15:40:38.659":        "2007-06-30T15:40:38.659+02:00",
		"6/30/2007 3:40:38 pm":           "2007-06-30T15:40:38+02:00",
		"2007-06-30T15:40:38":            "2007-06-30T15:40:38+02:00",
		"2007-06-30 15:40":               "2007-06-30T15:40:00+02:00",
		"2007-06-30T15:40:38Z":           "2007-06-30T15:40:38Z",
		"2007-06-30T15:40:38.5-05:0":     "",
		"2007-06-30T15:40:38-05:00":      "2007-06-30T15:40:38-05:00",
		"2007-06-30 15:40:38.659 +02:00": "2007-06-30T15:40:38.659+02:00", // as tables show it
		"2007-06-30T13:40:38.6590000Z":   "2007-06-30T13:40:38.659Z",      // as JSON does
		"6/30/2007 3:40:38 pm -05:00":    "2007-06-30T15:40:38-05:00",
		"2007-06-30":                     "2007-06-30T00:00:00+02:00",
		"6/30/2007":                      "2007-06-30T00:00:00+02:00",
		"6/30/2007 15:40":                "", // relog's minutes and seconds, anyone else's hours and minutes
		"30.6.2007":                      "", "2/30/2007": "", "yesterday": "",
	} {
		got, err := input.ParseMoment(text, zone, false)
		if err != nil && want != "" || err == nil && got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v %v, want %q", text, got, err, want)
		}
	}
	end, err := input.ParseMoment("6/30/2007", zone, true)
	if err != nil || end.Format(time.RFC3339Nano) != "2007-06-30T23:59:59.999999999+02:00" {
		t.Errorf("the end of a day: %v %v", end, err)
	}

	// What is shown lost digits: an end is behind all that it may stand for.
	end, err = input.ParseMoment("2007-06-30 15:40:38.659 +02:00", zone, true)
	if err != nil || end.Format(time.RFC3339Nano) != "2007-06-30T15:40:38.659999999+02:00" {
		t.Errorf("an end as it is shown: %v %v", end, err)
	}
}

// A file is there when it is complete, and not before.
func TestWholeFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	begin := func(text string) *output.File {
		t.Helper()
		f, err := output.Target{Name: name, Mode: output.Overwrite, Whole: true}.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		return f
	}
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if want == "" && !errors.Is(err, fs.ErrNotExist) || want != "" && (err != nil || string(got) != want) {
			t.Errorf("the file holds %q, %v, want %q", got, err, want)
		}
	}
	ends := func(end func() error) {
		t.Helper()
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	f := begin("one")
	holds("")
	ends(f.Abandon)
	holds("")
	f = begin("two")
	ends(f.Close)
	ends(f.Abandon)
	holds("two")
	f, other := begin("three"), begin("four")
	holds("two")
	ends(f.Close)
	holds("three")
	ends(other.Abandon)
	holds("three")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

// An interrupted conversion leaves nothing behind.
func TestConvertInterrupted(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "load.csv")
	var text strings.Builder
	text.WriteString(`"(PDH-CSV 4.0) (UTC)(0)","\\H\O\a"` + "\n")
	for range 100_000 {
		text.WriteString(`"01/02/2026 15:04:05.000","1"` + "\n")
	}
	if err := os.WriteFile(log, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if status := Run(ctx, []string{"convert", log, "-o", filepath.Join(dir, "out.csv")}, strings.NewReader(""), &stdout, &stderr); status != console.ExitFailed || stderr.String() != "winperf: interrupted; nothing was converted\n" {
		t.Errorf("status %d, %s", status, &stderr)
	}
	// A writer that stops reading ends it, too.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	out := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if status := Run(ctx, []string{"convert", log, "-o", "jsonl"}, strings.NewReader(""), out, &stderr); status != console.ExitFailed {
		t.Errorf("interrupted: status %d, want %d", status, console.ExitFailed)
	}
	if status := Run(t.Context(), []string{"convert", log, "-o", "jsonl"}, strings.NewReader(""), writerFunc(func([]byte) (int, error) {
		return 0, errors.New("disk full")
	}), &stderr); status != console.ExitFailed || !strings.Contains(stderr.String(), "disk full") {
		t.Errorf("disk full: status %d, %s", status, &stderr)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}
