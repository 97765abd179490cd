package experiment_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// tickInterval is that of the process that is stopped. Two events are never closer than 10 ms.
const tickInterval = 20 * time.Millisecond

// writeTicks is that process: it writes the time and what was missed of each event of an interval,
// until it is killed.
func writeTicks() error {
	e, err := experiment.New(experiment.Options{
		Program: &experiment.Program{}, Sources: []sensor.Origin{{Source: newFake(nil)}},
		Bindings: []experiment.Binding{bound("tick")},
		Events:   []experiment.EventSource{experiment.Interval{Name: "tick", Every: tickInterval}},
	})
	if err != nil {
		return err
	}
	if err := e.Attach(context.Background()); err != nil {
		return err
	}
	for {
		records, err := e.Next(context.Background(), 1)
		if err != nil {
			return err
		}
		if info := records[0].Event; info.Name == "tick" {
			fmt.Println(info.Time.UnixNano(), info.Missed)
		}
	}
}

// A process that is stopped for a while tells the events that it missed, and does not make up for them.
func TestLiveStopped(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WINPERF_TEST_TICKS=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()

	lines := bufio.NewScanner(out)
	var last time.Time
	next := func() (since time.Duration, missed int) {
		if !lines.Scan() {
			t.Fatalf("the process has ended: %v", lines.Err())
		}
		var ns int64
		if _, err := fmt.Sscan(lines.Text(), &ns, &missed); err != nil {
			t.Fatal(err)
		}
		since, last = time.Unix(0, ns).Sub(last), time.Unix(0, ns)
		return since, missed
	}
	next()

	for range 3 {
		stopped, continued := standStill(t, cmd.Process.Pid, 25*tickInterval)
		told := 0
		for last.Before(continued) {
			since, missed := next()
			told += missed
			if since < 9*time.Millisecond {
				t.Errorf("two events are %v apart", since)
			}
		}
		_, missed := next() // the process may have been stopped right before an event, which has its time
		told += missed

		if least := int(continued.Sub(stopped)/tickInterval) - 3; told < least {
			t.Errorf("%d events were told as missed in %v, want %d at least", told, continued.Sub(stopped), least)
		}
	}
}

// standStill stops a process of this one's for a time, and returns from when to when it surely was.
func standStill(t *testing.T, pid int, d time.Duration) (from, to time.Time) {
	t.Helper()
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the process has not stopped: %v, %v", status, err)
	}
	from = time.Now()
	time.Sleep(d)
	to = time.Now()
	must(t, syscall.Kill(pid, syscall.SIGCONT))
	return from, to
}
