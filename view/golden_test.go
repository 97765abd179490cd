package view_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/view"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden compares the answers about the small log with files: which value belongs to which instance at
// which time.
func TestGolden(t *testing.T) {
	v := small(t)
	paths := func(paths ...string) view.Request { return view.Request{Paths: paths} }
	within := func(r view.Request, begin, end int) view.Request {
		r.Begin, r.End = at(begin), at(end)
		return r
	}
	everything := paths(`\Processor(*)\% Processor Time`, `\Process(*)\Working Set`, `\System\Context Switches/sec`)
	tests := map[string]func(ctx context.Context) (any, error){
		"sources":        func(ctx context.Context) (any, error) { return v.Sources(ctx) },
		"objects":        func(ctx context.Context) (any, error) { return v.Objects(ctx, view.Request{}) },
		"instances":      func(ctx context.Context) (any, error) { return v.Instances(ctx, view.Request{}, "process") },
		"instances_late": func(ctx context.Context) (any, error) { return v.Instances(ctx, within(paths(), 16, 19), "Process") },
		"values":         func(ctx context.Context) (any, error) { return v.Values(ctx, everything) },
		"values_early":   func(ctx context.Context) (any, error) { return v.Values(ctx, within(everything, 0, 12)) },
		"range_samples":  func(ctx context.Context) (any, error) { return v.Range(ctx, everything, view.Steps{}) },
		"range_step": func(ctx context.Context) (any, error) {
			return v.Range(ctx, everything, view.Steps{Step: 5 * time.Second})
		},
		"range_points": func(ctx context.Context) (any, error) {
			return v.Range(ctx, within(everything, 4, 19), view.Steps{Points: 8, Top: 2})
		},
		"statistics":       func(ctx context.Context) (any, error) { return v.Statistics(ctx, everything) },
		"statistics_range": func(ctx context.Context) (any, error) { return v.Statistics(ctx, within(everything, 5, 9)) },
		"events":           func(ctx context.Context) (any, error) { return v.Events(ctx, view.Request{}) },
		"changed":          func(ctx context.Context) (any, error) { return v.Changed(ctx, view.Request{}, "") },
	}
	for name, ask := range tests {
		t.Run(name, func(t *testing.T) {
			answer, err := ask(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(answer, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, append(got, '\n'), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}
