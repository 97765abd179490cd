//go:build linux || windows

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// record writes blocks as files, with names for what they hold, and returns the URL of a source.
func record(t testing.TB, blocks ...[]byte) string {
	t.Helper()

	// Names with what stands for something else in the names of sensors.
	var names strings.Builder
	for index := uint32(2); index < 4000; index += 2 {
		fmt.Fprintf(&names, "%d\tName %d/%% of #x\n", index, index)
	}
	return recordNamed(t, names.String(), blocks...)
}

// recordNamed is record with names of the caller, a line each: index TAB name.
func recordNamed(t testing.TB, names string, blocks ...[]byte) string {
	t.Helper()
	at := t.TempDir()
	var files []string
	for i, b := range blocks {
		file := filepath.Join(at, fmt.Sprint("block", i))
		if err := os.WriteFile(file, b, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}

	file := filepath.Join(at, "names.txt")
	if err := os.WriteFile(file, []byte(names), 0o666); err != nil {
		t.Fatal(err)
	}
	return "perfdata:" + strings.Join(files, ",") + "?names=" + file
}

// churn is a record in which processes come and go, and one in which they do not.
func churn(t testing.TB, percent float64) string {
	t.Helper()
	var blocks [][]byte
	for _, s := range perftest.Series(perftest.Small, 2, percent, 1) {
		blocks = append(blocks, s.Bytes)
	}
	return record(t, blocks...)
}

// readings are what package measure has of the second sample.
func readings(t testing.TB, url string) []winperf.Reading {
	t.Helper()
	src, err := source.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	m := measure.New(src, winperf.Selection{Global: true}, measure.Options{})
	t.Cleanup(func() {
		if err := errors.Join(m.Close(), src.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := m.Cycle(context.Background()); err != nil {
		t.Fatal(err)
	}
	cycle, err := m.Cycle(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(cycle.Readings())
}

// value is a reading's value as the programs print it.
func value(r winperf.Reading) string {
	if r.Status != counter.OK {
		return fmt.Sprintf("[%v]", r.Status)
	}
	if n, ok := r.Value.Uint64(); ok {
		return fmt.Sprint(n)
	}
	f, _ := r.Value.Float64()
	return number(f)
}

// number writes a decimal as a whole number where it is one, and else as its bits, so that
// what several languages write can be compared.
func number(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%#x", math.Float64bits(f))
}

// wanted are the lines of c/print.c.
func wanted(all []winperf.Reading) []string {
	var lines []string
	for _, r := range all {
		instance := r.Path.Instance
		if r.Path.Index > 0 {
			instance += fmt.Sprintf("#%d", r.Path.Index)
		}
		lines = append(lines, strings.Join([]string{r.Path.Object, r.Path.Counter, instance, value(r)}, "\t"))
	}
	slices.Sort(lines)
	return lines
}

// printed are the sorted lines of a program with their decimals as number writes them.
func printed(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n") // as C ends lines on Windows, too
		at := strings.LastIndexByte(line, '\t') + 1
		_, notWhole := strconv.ParseUint(line[at:], 10, 64)
		if f, err := strconv.ParseFloat(line[at:], 64); notWhole != nil && err == nil {
			line = line[:at] + number(f)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func compare(t *testing.T, what string, want []string, text string) {
	t.Helper()
	got := printed(text)
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 100 {
		t.Errorf("%s, %d lines (-want +got):\n%.4000s", what, len(got), diff)
	}
}

// run runs a program and returns what it prints. It must succeed.
func run(t testing.TB, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out.String(), problems.String())
	}
	return out.String()
}
