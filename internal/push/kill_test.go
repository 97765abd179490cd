package push

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// TestMain is a program that pushes, where the environment says so.
func TestMain(m *testing.M) {
	if url := os.Getenv("PUSH_URL"); url != "" {
		pushUntilKilled(url, os.Getenv("PUSH_DIR"), os.Getenv("PUSH_FROM"))
	}
	os.Exit(m.Run())
}

// pushUntilKilled pushes numbers, and writes each to standard output when the next sample is due:
// it was sampled an interval ago.
func pushUntilKilled(url, dir, from string) {
	n, err := strconv.ParseUint(from, 10, 64)
	if err != nil {
		panic(err)
	}
	src := &counting{n: n}
	src.before = func(context.Context) error {
		_, err := fmt.Println(src.n)
		return err
	}
	p, err := New(Options{
		Target: Target{URL: url, Gap: time.Millisecond, MaxGap: 20 * time.Millisecond},
		Source: src, Dir: dir, Interval: 100 * time.Millisecond, NewMapper: newPlain,
	})
	if err != nil {
		panic(err)
	}
	p.Run(context.Background())
}

// TestKill kills a program that pushes, at any moment, while its target is there or not: all that
// was sampled an interval before each end comes, in order.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	kills(t, func(n int) bool { return n < 10 })
}

// TestSoakKill is TestKill for as long as WINPERF_SOAK says.
func TestSoakKill(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	begin := time.Now()
	kills(t, func(int) bool { return time.Since(begin) < duration })
}

func kills(t *testing.T, more func(n int) bool) {
	r := newReceiver(t, sometimes)
	dir, sampled, n := t.TempDir(), 0, 0
	for ; more(n) && !t.Failed(); n++ {
		sampled = pushAndKill(t, r.url("remote-write"), dir, sampled)
	}

	// What is left comes after the last start.
	r.answer = takes
	p, stop := begin(t, Options{
		Target: Target{URL: r.url("remote-write")}, Source: &counting{n: 1 << 40}, Dir: dir, Interval: time.Hour,
	})
	until(t, "an empty queue", func() bool { st := p.Stats(); return st.Queued.Items == 0 && st.Sent > 0 })
	stop()

	has, last := map[float64]bool{}, 0.0
	for _, p := range r.has() {
		if p.value < last && !has[p.value] {
			t.Errorf("%v came after %v", p.value, last)
		}
		has[p.value], last = true, max(last, p.value)
	}
	for i := 1; i <= sampled; i++ {
		if !has[float64(i)] {
			t.Errorf("%d is lost", i)
		}
	}
	if st := p.Stats(); st.Lost+st.Queued.Dropped > 0 {
		t.Errorf("%+v", st)
	}
	t.Logf("%d kills, %d samples, %d points", n, sampled, len(r.has()))
}

// pushAndKill runs a program for a while, and returns the last number that it sampled.
func pushAndKill(t *testing.T, url, dir string, from int) (last int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PUSH_URL="+url, "PUSH_DIR="+dir, "PUSH_FROM="+strconv.Itoa(from))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	kill := time.AfterFunc(time.Duration(rand.IntN(800))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	last = from
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Errorf("it wrote %q", lines.Text())
		}
	}
	_ = cmd.Wait() // it was killed
	return last
}
