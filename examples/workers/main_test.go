package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider/publish"
)

// lines is a Writer that hands on what is written.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// The workers are published as soon as the program says so, and gone when it has
// ended.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: a directory of mapped files cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "published")
	ctx, cancel := context.WithCancel(t.Context())
	out := make(lines, 10)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"red", "green"}, publish.Options{Dir: dir}, time.Millisecond, out) }()
	for begun := false; !begun; {
		select {
		case text := <-out:
			begun = strings.HasPrefix(text, "Workers are")
		case err := <-ended:
			if errors.Is(err, winperf.ErrNotSupported) {
				t.Skipf("skipped: %v", err)
			}
			t.Fatalf("ended before anything was published: %v", err)
		}
	}

	r := publish.NewReader(publish.ReaderOptions{
		Dirs:      []string{dir},
		OnProblem: func(err error) { t.Error(err) },
	})
	defer r.Close()
	view := r.View(nil)
	shown, err := view.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if shown == nil || len(shown.Objects()) != 1 || shown.Objects()[0].Name != object {
		t.Fatalf("%v is published", shown)
	}

	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if shown, err := view.Refresh(t.Context()); shown != nil || err != nil {
		t.Errorf("%v is still published, %v", shown, err)
	}
}

// On Windows the worker is an instance of the counter set. The system wants a
// provider that is registered, and only Wine takes any; it takes one instance.
func TestCounterSet(t *testing.T) {
	if runtime.GOOS != "windows" || os.Getenv("WINPERF_WINTEST") == "" {
		t.Skip("skipped: this is not Wine")
	}
	dir, err := os.MkdirTemp("", "workers")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is mapped stays

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	out := make(lines, 10)
	if err := run(ctx, []string{"red"}, publish.Options{Dir: dir}, time.Millisecond, out); err != nil {
		t.Fatal(err)
	}
	if text := <-out; !strings.HasPrefix(text, "Workers are at work") {
		t.Errorf("the first line is %q", text)
	}
}
