package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// TestRecordKill kills recordings at random moments: every file opens and has
// all samples that were acknowledged.
func TestRecordKill(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source")
	}
	for i := range 10 {
		killRecording(t, i)
	}
}

// TestSoakRecordKill is TestRecordKill 200 times, or for as long as
// WINPERF_SOAK says where that is longer.
func TestSoakRecordKill(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source")
	}
	kills := 0
	for begin := time.Now(); kills < 200 || time.Since(begin) < duration; kills++ {
		killRecording(t, kills)
	}
	t.Logf("%d recordings were killed", kills)
}

// killRecording kills one recording, looks at its file, goes on with it and
// looks again.
func killRecording(t *testing.T, i int) {
	t.Helper()
	format := []string{"capture", "jsonl", "capture", "csv"}[i%4]
	name := filepath.Join(t.TempDir(), "killed."+format)
	acknowledged := recordAndKill(t, name)
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 && format != "capture" {
		if acknowledged > 0 {
			t.Fatalf("%d samples were acknowledged, and there is nothing", acknowledged)
		}
		return
	}
	held, damage := samplesIn(t, name)
	if held < acknowledged || held > acknowledged+1 || damage > 1 {
		t.Errorf("%s: %d samples and %d places of damage; %d were acknowledged", format, held, damage, acknowledged)
	}
	more := process(t, "winperf", "record", `\Memory\Available MBytes`, "-i", "0.001", "-n", "3", "--append", "-o", name)
	if out, err := more.CombinedOutput(); err != nil {
		t.Fatalf("going on: %v\n%s", err, out)
	}
	again, damage := samplesIn(t, name)
	if again != held+3 || damage > 0 {
		t.Errorf("%s: %d samples and %d places of damage after going on with %d", format, again, damage, held)
	}
}

// recordAndKill starts a recording, kills it and returns how many samples it
// said it had.
func recordAndKill(t *testing.T, name string) (acknowledged int) {
	t.Helper()
	cmd := process(t, "winperf", "record", `\Memory\Available MBytes`, "-i", "0.001", "--progress", "-o", name)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		number, _, _ := strings.Cut(lines.Text(), " sample")
		if acknowledged, err = strconv.Atoi(number); err != nil {
			t.Fatalf("standard error has %q", lines.Text())
		}
	}
	_ = cmd.Wait() // it was killed
	return acknowledged
}

// samplesIn counts the samples in a file and the places where it is damaged.
func samplesIn(t *testing.T, name string) (samples, damage int) {
	t.Helper()
	if strings.HasSuffix(name, ".jsonl") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		return strings.Count(text, "}\n"), strings.Count(text, "{") - strings.Count(text, "}\n")
	}
	src, err := source.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true, Costly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for ; ; samples++ {
		if err := takeAny(t.Context(), q); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if d, ok := q.(winperf.DamagedQuery); ok {
		damage = len(d.Damage())
	}
	return samples, damage
}

// takeAny takes a sample of a query, whatever kind it is.
func takeAny(ctx context.Context, q winperf.Query) error {
	if cooked, ok := q.(winperf.CookedQuery); ok {
		_, err := cooked.Readings(ctx, nil)
		return err
	}
	return q.Sample(ctx, new(winperf.Raw))
}
