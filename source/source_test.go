package source_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source"
)

func TestOpenPerfdata(t *testing.T) {
	block := perftest.Block(perftest.Small)
	t.Chdir(t.TempDir())
	for name, b := range map[string][]byte{"a.bin": block, "cut.bin": block[:50], "names.tsv": []byte("230\tProcess\n")} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := filepath.Abs("a.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"perfdata:a.bin", "PerfData:a.bin,a.bin", "perfdata:a.bin?names=names.tsv", "perfdata:" + whole} {
		src, err := source.Open(t.Context(), url)
		if err != nil {
			t.Error(err)
			continue
		}
		if ok := src.Describe().Recorded; !ok || src.Describe().Machine != "REFERENCE" {
			t.Errorf("%s: machine %q, recorded %v", url, src.Describe().Machine, ok)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	for url, want := range map[string]error{
		"perfdata:":            winperf.ErrNotSupported,
		"perfdata:a.bin?x=y":   winperf.ErrNotSupported,
		"perfdata:missing.bin": fs.ErrNotExist,
		"perfdata:cut.bin":     winperf.ErrBadData,
		"perfdata:a.bin,":      winperf.ErrNotSupported,
		"perfdata:.":           winperf.ErrNotSupported,
	} {
		src, err := source.Open(t.Context(), url)
		if !errors.Is(err, want) || src != nil || !strings.Contains(err.Error(), url) {
			t.Errorf("%s: error %v, want %v", url, err, want)
		}
	}
}

// TestErrorNamesFileOnce: an error names the file once, before the reason.
func TestErrorNamesFileOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cut.bin", perftest.Block(perftest.Small)[:50], 0o600); err != nil {
		t.Fatal(err)
	}
	stat := "stat"
	if runtime.GOOS == "windows" {
		stat = "GetFileAttributesEx"
	}

	for url, want := range map[string]string{
		"perfdata:cut.bin":         "source perfdata:cut.bin: truncated",
		"log:cut.bin":              "source log:cut.bin: truncated",
		"perfdata:.":               "source perfdata:. is a directory: name a file in it",
		"perfdata:cut.bin,cut.bin": "source perfdata:cut.bin,cut.bin: cut.bin: truncated",
		"perfdata:x:":              "source perfdata:x: " + stat + " x:",
		"perfdata:":                "source perfdata: the name of file 1 is empty",
	} {
		_, err := source.Open(t.Context(), url)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", url, err, want)
		}
	}
}

func TestOpenLocal(t *testing.T) {
	for _, url := range []string{"", "local:", "LOCAL:"} {
		src, err := source.Open(t.Context(), url)
		if errors.Is(err, winperf.ErrNotSupported) {
			if runtime.GOOS == "linux" {
				t.Skipf("skipped: %v", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", url, err)
			continue
		}
		if ok := src.Describe().Recorded; ok || src.Describe().Machine == "" {
			t.Errorf("%q: machine %q, recorded %v", url, src.Describe().Machine, ok)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := source.Open(t.Context(), "local:there"); !errors.Is(err, winperf.ErrNotSupported) || !strings.Contains(err.Error(), `"there"`) {
		t.Errorf("local:there: %v", err)
	}
}

// Providers of the program are asked by this machine only, and so far on Linux only.
func TestOpenProviders(t *testing.T) {
	opt := source.Options{Providers: []provider.Provider{memory{}}}
	for _, url := range []string{"pdh:", "perfdata:missing.bin", "log:missing.csv", "missing.csv"} {
		_, err := source.OpenWith(t.Context(), url, opt)
		if !errors.Is(err, winperf.ErrNotSupported) || !strings.Contains(err.Error(), "local") {
			t.Errorf("%s: error %v", url, err)
		}
	}

	if runtime.GOOS != "linux" {
		if _, err := source.OpenWith(t.Context(), "local:", opt); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("error %v", err)
		}
	}
}

func TestOpenUnknown(t *testing.T) {
	for _, url := range []string{"nothing:", "x", ":", "perf data:", " local:"} {
		src, err := source.Open(t.Context(), url)
		if !errors.Is(err, winperf.ErrNotSupported) || src != nil {
			t.Fatalf("%q: error %v", url, err)
		}
		for _, s := range source.Schemes() {
			if !strings.Contains(err.Error(), s.Usage) {
				t.Errorf("%q: error %q does not name %s", url, err, s.Usage)
			}
		}
	}
}

func TestOpenContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.Open(ctx, "local:"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSchemes(t *testing.T) {
	for _, s := range source.Schemes() {
		if !strings.HasPrefix(s.Usage, s.Name+":") || s.Brief == "" || s.Name != strings.ToLower(s.Name) {
			t.Errorf("scheme %+v", s)
		}
	}
}
