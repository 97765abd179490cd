package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// forker publishes, starts children in several ways, which outlive it, and says
// which they are. Then it goes on starting short-lived ones until it is killed.
func forker() {
	s, err := registration.ParseDeclaration("test.json", fmt.Appendf(nil, publishedSchema, "Forker", "Forked"))
	exitOn(err)
	p, err := publish.New(s, publish.Options{})
	exitOn(err)
	peer, err := p.Object("Peer")
	exitOn(err)
	_, err = peer.Instance("forked", publish.InstanceOptions{})
	exitOn(err)

	sleep := exec.Command("sleep", "1000")
	exitOn(sleep.Start())
	null, err := os.Open(os.DevNull)
	exitOn(err)
	sleep2 := exec.Command("sleep", "1000")
	sleep2.ExtraFiles = []*os.File{null, null, null, null} // in the place of the publisher's own
	exitOn(sleep2.Start())
	script := []string{"sh", "-c", "sleep 1000 & echo $!; exec sleep 1000"}
	pid, err := syscall.ForkExec("/bin/sh", script, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2, null.Fd(), null.Fd(), null.Fd(), null.Fd(), null.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	exitOn(err)
	fmt.Println(sleep.Process.Pid)
	fmt.Println(sleep2.Process.Pid)
	fmt.Println(pid)
	for {
		_ = exec.Command("true").Run() // it is killed meanwhile
	}
}

// TestForkedPublisher kills publishers whose children live on: these keep neither
// the file nor the lock, and what was published is gone.
func TestForkedPublisher(t *testing.T) {
	forkedPublisher(t, perftest.SuiteCases(5))
}

// TestSoakForkedPublisher is TestForkedPublisher for as long as WINPERF_SOAK says.
func TestSoakForkedPublisher(t *testing.T) {
	forkedPublisher(t, perftest.SoakCases(t))
}

func forkedPublisher(t *testing.T, cases *perftest.Cases) {
	dir := filepath.Join(t.TempDir(), "published")
	t.Setenv(publish.Environment, dir)
	wanted := publishGood(t, dir)
	const path = `\Peer(*)\Bytes Served`
	for n, r := range cases.All() {
		cmd := process(t, "forker")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children := readPIDs(t, bufio.NewScanner(out), 4)
		t.Cleanup(func() { killAll(children) })
		if before := run(t, "get", path, "-o", "jsonl"); !bytes.Contains(before, []byte(`Peer(forked)`)) {
			t.Fatalf("round %d: nothing is published:\n%s", n, before)
		}

		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = out.Close()
		_ = cmd.Wait() // it was killed
		checkForked(t, children, dir)
		killAll(children)
		if t.Failed() {
			t.FailNow()
		}

		after := run(t, "get", path, `\Alone\N`, "-o", "jsonl")
		if bytes.Contains(after, []byte("forked")) {
			t.Errorf("round %d: the dead publisher's values are there:\n%s", n, after)
		}
		if fault := wrongReadings(after, wanted); fault != "" {
			t.Errorf("round %d: %s", n, fault)
		}
	}
	t.Logf("%d publishers were killed, each with four children that went on", cases.Done)
}

// readPIDs reads so many process ids, a line for each.
func readPIDs(t *testing.T, lines *bufio.Scanner, n int) (pids []int) {
	t.Helper()
	for len(pids) < n && lines.Scan() {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the publisher says %q", lines.Text())
		}
		pids = append(pids, pid)
	}
	if len(pids) < n {
		t.Fatalf("%d children", len(pids))
	}
	return pids
}

// checkForked checks that the children live, that none has a published file open
// or mapped, and that while they live the dead publisher's values are gone. A
// child that had just been forked when its parent was killed may have the lock
// until it has become another program.
func checkForked(t *testing.T, children []int, dir string) {
	t.Helper()
	for _, pid := range children {
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("child %d: %v", pid, err)
		}
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		if err != nil || bytes.Contains(maps, []byte(dir)) {
			t.Errorf("child %d has a published file mapped: %v\n%s", pid, err, maps)
		}
		fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil || len(fds) < 3 {
			t.Errorf("child %d has the files %q: %v", pid, fds, err)
		}
		for _, fd := range fds {
			if name, err := os.Readlink(fd); err == nil && strings.HasPrefix(name, dir) {
				t.Errorf("child %d has %s open", pid, name)
			}
		}
	}

	deadline := time.Now().Add(hostileLimit)
	for !t.Failed() && bytes.Contains(run(t, "get", `\Peer(*)\Bytes Served`, "-o", "jsonl"), []byte("forked")) {
		if time.Now().After(deadline) {
			t.Error("children keep a dead publisher's values alive")
			return
		}
	}
}

// killAll ends processes.
func killAll(pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}
