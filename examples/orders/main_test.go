package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/experiment"
)

// Each order gives two records, the event in it and the region, with the order's number.
func TestRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it measures a counter of Linux")
	}
	dir := t.TempDir()
	t.Setenv("WINPERF_EXPERIMENTS", filepath.Join(dir, "s"))
	opt := options{orders: 3, dir: dir, path: `\System\Context Switches/sec`}
	for run1 := range 2 {
		var out bytes.Buffer
		if err := run(t.Context(), opt, &out); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("has %d records of served orders\n", 3*(run1+1))
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("it says %q, want %q", out.String(), want)
		}
		f, err := os.Open(filepath.Join(dir, "records.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var orders []int64
		events := 0
		for rec, err := range experiment.ReadRecords(f) {
			if err != nil {
				t.Fatal(err)
			}
			switch rec.Event.Name {
			case "order":
				orders = append(orders, rec.Event.Attrs[0].Value.(int64))
				if rec.Kind != experiment.Span || len(rec.Values) != 1 || rec.Err != "" {
					t.Errorf("%+v", rec)
				}
			case "order packed":
				events++
			}
		}
		numbers := slices.Repeat([]int64{1, 2, 3}, run1+1)
		if !slices.Equal(orders, numbers) || events != len(numbers) {
			t.Errorf("orders %v, %d events, want %v", orders, events, numbers)
		}
	}
}
