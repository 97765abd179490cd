package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
)

// TestConvertMemory converts a log that is larger than the memory allowed.
func TestConvertMemory(t *testing.T) {
	testConvert(t, 24<<20, 20<<20)
}

// TestConvertSoak converts a log of 2 GB within 64 MB, once whatever WINPERF_SOAK
// says.
func TestConvertSoak(t *testing.T) {
	if os.Getenv("WINPERF_SOAK") == "" {
		t.Skip("skipped: WINPERF_SOAK is not set")
	}
	testConvert(t, 2<<30, 64<<20)
}

func testConvert(t *testing.T, size int64, memory int) {
	dir := t.TempDir()
	program := filepath.Join(dir, "winperf")
	build := exec.Command("go", "build", "-o", program, "github.com/winperf/winperf/cmd/winperf")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log := filepath.Join(dir, "load.csv")
	if err := generateLog(log, size); err != nil {
		t.Fatal(err)
	}
	// What starts the program counts, too (see peak), and is larger than what is
	// allowed where it has a race detector in it.
	starter := peakOf(t, program, "version")
	for _, out := range []string{"out.tsv", "out.csv", "some.jsonl"} {
		args := []string{program, "convert", log, "-o", filepath.Join(dir, out)}
		if out == "some.jsonl" {
			args = append(args, "--path", `\Process(process1*)\Counter 1`, "--every", "7")
		}
		begin := time.Now()
		kib := peakOf(t, args...)
		lasted := time.Since(begin)
		if most := max(memory>>10, starter+1024); kib > most {
			t.Errorf("%s: %d KiB of memory for a log of %d bytes, want at most %d", out, kib, size, most)
		}
		t.Logf("%s: %d bytes in %v (%.0f MB/s), %d KiB of memory", out, size, lasted, float64(size)/1e6/lasted.Seconds(), kib)
	}
	if err := sameFile(log, filepath.Join(dir, "out.csv")); err != nil {
		t.Error(err)
	}
}

// peakOf runs a command and returns the most memory that it had, in KiB.
func peakOf(t *testing.T, args ...string) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peak")
	cmd := process(t, "peak", args...)
	cmd.Env = append(os.Environ(), "PEAK="+file)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, text)
	}
	used, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.Atoi(string(used))
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

// generateLog writes a text log of 1,000 columns that is about so long.
func generateLog(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	w := pdhlog.NewWriter(buffer, pdhlog.Options{Location: time.UTC, Zone: "UTC"})
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
		if err := w.Write(start.Add(time.Duration(row)*time.Second), winperf.ReadingList(readings)); err != nil {
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
