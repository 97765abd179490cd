package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// TestMain is also the program that ends, with a status or by a signal.
func TestMain(m *testing.M) {
	end, err := strconv.Atoi(os.Getenv("CHILD_END"))
	if err != nil {
		os.Exit(m.Run())
	}
	if end >= 0 {
		os.Exit(end)
	}
	_ = syscall.Kill(os.Getpid(), syscall.Signal(-end))
	select {}
}

// What is told of a process that is still there is what is told of it when it is gone.
func TestAwaitExit(t *testing.T) {
	for _, c := range []struct {
		end  int
		want Exit
	}{
		{0, Exit{}}, {7, Exit{Status: 7}}, {255, Exit{Status: 255}},
		{-int(syscall.SIGTERM), Exit{-1, "SIGTERM"}}, {-int(syscall.SIGKILL), Exit{-1, "SIGKILL"}},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CHILD_END="+strconv.Itoa(c.end))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		got, there := AwaitExit(cmd.Process.Pid)
		_ = cmd.Wait() // it may have failed
		if n := SignalNumber(got.Signal); n != max(0, -c.end) {
			t.Errorf("end %d: signal %d", c.end, n)
		}
		if after := ExitOf(cmd.ProcessState); got != c.want || !there || after != c.want {
			t.Errorf("end %d: %+v, %v, afterwards %+v", c.end, got, there, after)
		}
	}
	if name := signalName(40); name != "signal 40" || SignalNumber(name) != 40 { // real-time signals have no names
		t.Errorf("signal 40 is %q, number %d", name, SignalNumber(name))
	}
	if _, there := AwaitExit(os.Getpid()); there {
		t.Error("this process is no child of its own")
	}
}
