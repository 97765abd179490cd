package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pdhtext"
)

// TestConvertMemory converts a log that is larger than the memory allowed.
func TestConvertMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	testConvert(t, 24<<20)
}

// TestConvertSoak does so with a log of 2 GB, once whatever WINPERF_SOAK says.
func TestConvertSoak(t *testing.T) {
	if os.Getenv("WINPERF_SOAK") == "" {
		t.Skip("skipped: WINPERF_SOAK is not set")
	}
	testConvert(t, 2<<30)
}

// TestConvertWideHead converts a log whose head has more columns than are read, each
// of a path of its own in 7 bytes, within the memory of a program that does nothing and
// what reading may allocate: six times the longest line and 400 bytes a column.
func TestConvertWideHead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const columns, digits = 1_370_000, "0123456789abcdefghijklmnopqrstuvwxyz"
	dir := t.TempDir()
	program, memory := buildProgram(t, dir), newMeter(t, dir)
	text := []byte(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for i := range columns {
		d := func(place int) byte { return digits[i/place%len(digits)] }
		text = append(text, ',', '\\', d(1), d(36), '\\', d(36*36), d(36*36*36))
	}
	head := len(text)
	for row := range 3 {
		text = fmt.Appendf(text, "\r\n\"01/02/2026 12:00:%02d.000\"", row)
		text = append(text, bytes.Repeat([]byte(`,"1"`), columns)...)
	}
	log := filepath.Join(dir, "wide.csv")
	if err := os.WriteFile(log, text, 0o600); err != nil {
		t.Fatal(err)
	}

	most := memory.peak(t, console.ExitDone, program, "version")<<10 + 6*head + 400*pdhtext.MaxColumns
	for _, name := range []string{"out.csv", "out.tsv", "out.jsonl"} {
		out := filepath.Join(dir, name)
		kib := memory.peak(t, console.ExitPartial, program, "convert", log, "-o", out) // columns are left out
		if kib<<10 > most {
			t.Errorf("%s: %d KiB of memory for a head of %d bytes, want at most %d", name, kib, head, most>>10)
		}
		if err := os.Remove(out); err != nil {
			t.Error(err)
		}
	}
}

// buildProgram builds winperf as users have it: a test's own program may have a race
// detector in it.
func buildProgram(t *testing.T, dir string) string {
	t.Helper()
	return build(t, filepath.Join(dir, "winperf"), "github.com/winperf/winperf/cmd/winperf")
}

// build builds a program and returns its name.
func build(t *testing.T, program, source string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// testConvert converts a log with at most 8 MiB more than a program has that does nothing.
func testConvert(t *testing.T, size int64) {
	dir := t.TempDir()
	program, memory := buildProgram(t, dir), newMeter(t, dir)
	log := filepath.Join(dir, "load.csv")
	if err := generateLog(log, size); err != nil {
		t.Fatal(err)
	}

	most := memory.peak(t, console.ExitDone, program, "version") + 8<<10
	for _, out := range []string{"out.tsv", "out.csv", "some.jsonl"} {
		args := []string{program, "convert", log, "-o", filepath.Join(dir, out)}
		if out == "some.jsonl" {
			args = append(args, "--path", `\Process(process1*)\Counter 1`, "--every", "7")
		}
		begin := time.Now()
		kib := memory.peak(t, console.ExitDone, args...)
		lasted := time.Since(begin)
		if kib > most {
			t.Errorf("%s: %d KiB of memory for a log of %d bytes, want at most %d", out, kib, size, most)
		}
		t.Logf("%s: %d bytes in %v (%.0f MB/s), %d KiB of memory", out, size, lasted, float64(size)/1e6/lasted.Seconds(), kib)
	}
	if err := sameFile(log, filepath.Join(dir, "out.csv")); err != nil {
		t.Error(err)
	}
}

// generateLog writes a text log of 1,000 columns that is about so long.
func generateLog(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	w := pdhtext.NewWriter(buffer, pdhtext.Options{Location: time.UTC, Zone: "UTC"})
	var readings []winperf.Reading
	for i := range 1000 {
		s := winperf.NewSeries(winperf.Path{
			Machine: "HOST", Object: "Process", HasInstance: true,
			Instance: fmt.Sprintf("process%d", i/10), Counter: fmt.Sprintf("Counter %d", i%10),
		})
		readings = append(readings, winperf.Reading{Series: s})
	}
	start := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for row, written := 0, int64(0); written < size; row++ {
		for i := range readings {
			readings[i].Value = counter.Float(float64(row*i) / 7)
			if i%2 == 0 {
				readings[i].Value = counter.Int(uint64(row) * uint64(i) * 4096)
			}
		}
		if err := w.Write(start.Add(time.Duration(row)*time.Second), winperf.ColumnsOf(readings)); err != nil {
			return err
		}
		if row%100 == 0 {
			if written, err = f.Seek(0, io.SeekCurrent); err != nil {
				return err
			}
		}
	}
	return errors.Join(w.Close(), buffer.Flush(), f.Close())
}

// sameFile compares two files piece by piece.
func sameFile(a, b string) error {
	fa, err := os.Open(a)
	if err != nil {
		return err
	}
	defer fa.Close()
	fb, err := os.Open(b)
	if err != nil {
		return err
	}
	defer fb.Close()
	bufA, bufB := make([]byte, 1<<20), make([]byte, 1<<20)
	for at := int64(0); ; {
		n, errA := io.ReadFull(fa, bufA)
		m, _ := io.ReadFull(fb, bufB)
		if n != m || string(bufA[:n]) != string(bufB[:m]) {
			return fmt.Errorf("%s and %s differ behind byte %d", a, b, at)
		}
		if at += int64(n); errA != nil {
			return nil
		}
	}
}
