package console

import (
	"bytes"
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// TestSupervisedHangs: the watchdog of systemd is not answered for a service that does not respond.
func TestSupervisedHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "60000000")

	var stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := &App{Stderr: &stderr}
		a.Supervised(ctx, func(context.Context) error { return errors.New("the last sample was 5m0s ago") })
		synctest.Wait()
		cancel()
		synctest.Wait()
	})

	for _, want := range []string{"READY=1", "STOPPING=1"} {
		buf := make([]byte, 100)
		n, err := socket.Read(buf)
		if got := string(buf[:n]); err != nil || got != want {
			t.Errorf("it said %q, not %q; %v", got, want, err)
		}
	}
	const told = "winperf: the watchdog of systemd is not answered: the last sample was 5m0s ago\n"
	if stderr.String() != told {
		t.Errorf("standard error has %q", stderr.String())
	}
}
