package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"syscall"
	"testing"
	"time"
)

// TestStall stops the program for a while, again and again: no two samples
// are closer than half an interval, and nothing is ever busier than it can be.
func TestStall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const interval = 200 * time.Millisecond
	cmd := process(t, "winperf", "watch", "-i", "0.2", "-o", "jsonl", "-n", "16",
		`\Processor(_Total)\% Processor Time`, `\System\Context Switches/sec`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()

	type reading struct {
		Time   time.Time `json:"time"`
		Status string    `json:"status"`
	}
	var times []time.Time
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		var r reading
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if r.Status != "ok" {
			t.Errorf("%s", lines.Bytes())
		}
		if n := len(times); n > 0 && times[n-1].Equal(r.Time) {
			continue
		}
		if times = append(times, r.Time); len(times)%4 == 0 {
			stop(t, cmd.Process.Pid, 3*interval+time.Duration(len(times))*10*time.Millisecond)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}

	if len(times) != 16 {
		t.Errorf("%d samples, want 16", len(times))
	}
	for i := range times[1:] {
		if d := times[i+1].Sub(times[i]); d < interval/2-time.Millisecond { // as their text is rounded
			t.Errorf("samples %d and %d are %v apart", i, i+1, d)
		}
	}
	if !bytes.Contains(stderr.Bytes(), []byte("samples were missed")) {
		t.Errorf("standard error does not tell of missed samples: %s", stderr.Bytes())
	}
}

// stop makes a process stand still for a time.
func stop(t *testing.T, pid int, d time.Duration) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}
