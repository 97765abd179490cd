package source_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// opened calls use with a source of each kind that can be opened here.
func opened(t *testing.T, use func(t *testing.T, src winperf.Source)) {
	for _, name := range append(logs(t), "local:") {
		t.Run(name, func(t *testing.T) {
			src, err := source.Open(t.Context(), name)
			if name == "local:" && errors.Is(err, winperf.ErrNotSupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			use(t, src)
		})
	}
}

// bytesOf shows the blocks of a sample.
func bytesOf(s *winperf.Sample) (all []string) {
	for _, p := range s.Parts {
		if b := p.Block; b != nil {
			all = append(all, fmt.Sprintf("%d %d %x", b.Format, len(b.Bytes), sha256.Sum256(b.Bytes)))
		}
	}
	return all
}

// A sample stays as it is when its query is closed, and while another query of the source takes samples.
func TestSamplesStayAfterClose(t *testing.T) {
	opened(t, func(t *testing.T, src winperf.Source) {
		var s, other winperf.Sample
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Next(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
		want := bytesOf(&s)
		if err := q.Close(); err != nil {
			t.Error(err)
		}

		q, err = src.Compile(t.Context(), winperf.Selection{Global: true, Costly: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(q.Next(t.Context(), &other), q.Close()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, bytesOf(&s)); diff != "" || len(want) == 0 {
			t.Errorf("%d blocks (-taken +closed):\n%s", len(want), diff)
		}
	})
}

// Describe can be called while a query is compiled and takes samples: the race detector watches.
func TestDescribeAtAnyTime(t *testing.T) {
	opened(t, func(t *testing.T, src winperf.Source) {
		want := src.Describe().Machine
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for range 20 {
					if got := src.Describe().Machine; got != want {
						t.Errorf("machine %q, want %q", got, want)
					}
				}
			})
		}

		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		var s winperf.Sample
		if err := errors.Join(q.Next(t.Context(), &s), q.Close()); err != nil {
			t.Error(err)
		}
		wait.Wait()
	})
}
