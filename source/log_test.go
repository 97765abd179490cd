package source_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/source"
)

const textLog = `"(PDH-CSV 4.0) (X)(-120)","\\H\O\a"` + "\r\n" + `"01/02/2026 12:00:00.000","1"` + "\r\n"

// write makes files in a new directory that becomes the current one.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// captureOf is a capture with one sample.
func captureOf(t *testing.T, block []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Options{})
	if err := errors.Join(w.Write(winperf.Raw{Format: winperf.FormatV1, Bytes: block}.Sample()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A log's kind is told by its content, whatever its name is.
func TestOpenLogByContent(t *testing.T) {
	block := perftest.Block(perftest.Small)
	write(t, map[string]string{"a.csv": textLog, "b": textLog, "log": textLog, "c.blg": textLog, "d.csv": string(block), "e": captureOf(t, block)})
	whole, err := filepath.Abs("a.csv") // on Windows with a drive letter
	if err != nil {
		t.Fatal(err)
	}
	for url, machine := range map[string]string{
		"a.csv": "H", "b": "H", "log": "H", "c.blg": "H", "./a.csv": "H", whole: "H", "log:a.csv": "H", "LOG:" + whole: "H",
		"log:a.csv?zone=%2B05:30": "H", "log:a.csv?codepage=cp1251&zone=+05:30": "H", "d.csv": "REFERENCE",
		"e": "REFERENCE", "log:e": "REFERENCE",
	} {
		src, err := source.Open(t.Context(), url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if recorded := src.Describe().Recorded; !recorded || src.Describe().Machine != machine {
			t.Errorf("%s: machine %q, recorded %v", url, src.Describe().Machine, recorded)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenLogErrors(t *testing.T) {
	write(t, map[string]string{"text.txt": "hello", "empty": "", "bad.csv": "time,value\n1,2\n", "a.csv": textLog})
	for url, want := range map[string]error{
		"missing.csv": fs.ErrNotExist, "missing.TSV": fs.ErrNotExist, "log:missing": fs.ErrNotExist, `C:\missing.csv`: fs.ErrNotExist,
		"text.txt": winperf.ErrNotSupported, "empty": winperf.ErrNotSupported, ".": winperf.ErrNotSupported,
		"bad.csv": pdhtext.ErrNoHead, "log:a.csv?x=1": winperf.ErrNotSupported, "log:a.csv?zone=Nowhere/Else": winperf.ErrNotSupported,
		"log:a.csv?zone=": winperf.ErrNotSupported, "log:a.csv?codepage=0": winperf.ErrNotSupported, "log:a.csv?codepage=99": winperf.ErrNotSupported,
		"log:a.csv?%": winperf.ErrNotSupported,
	} {
		src, err := source.Open(t.Context(), url)
		if !errors.Is(err, want) || src != nil {
			t.Errorf("%s: error %v, want %v", url, err, want)
		}
	}
}

// The zone of the options takes the place of the head's.
func TestOpenLogZone(t *testing.T) {
	write(t, map[string]string{"a.csv": textLog})
	for url, want := range map[string]string{
		"a.csv":                    "10:00",
		"log:a.csv?zone=UTC":       "12:00",
		"log:a.csv?zone=-05:00":    "17:00",
		"log:a.csv?zone=%2B05:30":  "06:30",
		"log:a.csv?zone=Etc/GMT-1": "11:00",
	} {
		src, err := source.Open(t.Context(), url)
		if err != nil {
			if _, missing := time.LoadLocation("Etc/GMT-1"); missing != nil {
				t.Logf("skipped: %v", missing)
				continue
			}
			t.Fatal(err)
		}
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		readings, err := perftest.Readings(t.Context(), q)
		if err != nil || len(readings) != 1 || readings[0].Time.Format("15:04") != want {
			t.Errorf("%s: %v %v, want %s", url, readings, err, want)
		}
		if _, err := perftest.Readings(t.Context(), q); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, want io.EOF", url, err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What was unpacked is gone when the source is closed, and when it could not be opened.
func TestUnpackedIsRemoved(t *testing.T) {
	write(t, map[string]string{"a.gz": gzipped(t, textLog), "none.gz": gzipped(t, "nothing")})
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}

	left := func() int {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}

	src, err := source.Open(t.Context(), "a.gz")
	if err != nil {
		t.Fatal(err)
	}
	if n := left(); n != 1 {
		t.Errorf("%d copies while the log is open, want 1", n)
	}
	if err := src.Close(); err != nil || left() != 0 {
		t.Errorf("Close: %v, %d copies are left", err, left())
	}
	if _, err := source.Open(t.Context(), "none.gz"); !errors.Is(err, winperf.ErrNotSupported) || left() != 0 {
		t.Errorf("no log: %v, %d copies are left", err, left())
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
