package cli

import (
	"net"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestSupervised: as services of systemd the commands say when they are ready, answer the watchdog, and
// say that they stop.
func TestSupervised(t *testing.T) {
	schema, err := filepath.Abs("publishing/example_schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"serve":   {"serve", "--web.listen-address", "127.0.0.1:0", "--object", "System"},
		"record":  {"record", `\System\Processes`, "-o", filepath.Join(t.TempDir(), "x.capture")},
		"publish": {"publish", "--schema", schema, "--keep"},
	} {
		t.Run(name, func(t *testing.T) {
			said, socket := notifySocket(t)
			cmd := process(t, "winperf", args...)
			stderr := &sharedBuffer{}
			cmd.Stderr = stderr
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(stderr.String())
				}
			})
			cmd.Env = append(cmd.Environ(), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=100000")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			hangs := time.AfterFunc(hostileLimit, func() { _ = cmd.Process.Kill() })
			defer hangs.Stop()

			var all []string
			for len(all) < 4 {
				all = append(all, said())
			}
			if want := []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"}; !slices.Equal(all, want) {
				t.Errorf("it said %q, not %q", all, want)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			last := "WATCHDOG=1"
			for last == "WATCHDOG=1" {
				last = said()
			}
			if last != "STOPPING=1" {
				t.Errorf("at the end it said %q", last)
			}
			_ = cmd.Wait() // publish may end with the status of its input
		})
	}
}

// notifySocket returns the path of a socket as systemd has it, and a function that reads what programs say
// there.
func notifySocket(t *testing.T) (said func() string, path string) {
	path = filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	if err := socket.SetReadDeadline(time.Now().Add(hostileLimit)); err != nil {
		t.Fatal(err)
	}

	return func() string {
		buf := make([]byte, 1000)
		n, err := socket.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		return string(buf[:n])
	}, path
}
