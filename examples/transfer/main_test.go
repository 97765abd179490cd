package main

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/publish"
)

// The program publishes until it is told to end, and leaves nothing behind.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: a directory of mapped files cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "published")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, publish.Options{Dir: dir}, time.Millisecond) }()
	r := publish.NewReader(publish.ReaderOptions{
		Dirs:      []string{dir},
		OnProblem: func(err error) { t.Error(err) },
	})
	defer r.Close()

	view := r.View(nil)
	published := func() provider.Provider {
		c, err := view.Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for published() == nil {
		select {
		case err := <-ended:
			if errors.Is(err, winperf.ErrNotSupported) {
				t.Skipf("skipped: %v", err)
			}
			t.Fatalf("ended before anything was published: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	var names []string
	for _, o := range published().Objects() {
		names = append(names, o.Name)
	}
	if len(names) != 2 || names[0] != "Transfer" || names[1] != "Peer" {
		t.Errorf("objects %q", names)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if published() != nil {
		t.Error("something is still published")
	}
}
