package console

import (
	"bytes"
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestSupervisedHangs: the watchdog of systemd is not answered for a service that does not respond.
func TestSupervisedHangs(t *testing.T) {
	socket := notifySocket(t)
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

	notified(t, socket, "READY=1", "STOPPING=1")
	const told = "winperf: the watchdog of systemd is not answered: the last sample was 5m0s ago\n"
	if stderr.String() != told {
		t.Errorf("standard error has %q", stderr.String())
	}
}

// TestSupervisedEnd: a service that ends as soon as its context does still notifies systemd, although the
// context has not called its functions yet.
func TestSupervisedEnd(t *testing.T) {
	socket := notifySocket(t)
	a := &App{Stderr: t.Output()}
	a.Supervised(lateContext{t.Context()}, nil)()
	notified(t, socket, "READY=1", "STOPPING=1")
}

// A lateContext never calls the functions that wait for its end.
type lateContext struct{ context.Context }

func (lateContext) AfterFunc(func()) (stop func() bool) { return func() bool { return true } }

// notifySocket returns a socket as systemd has it, which the environment names.
func notifySocket(t *testing.T) *net.UnixConn {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	if err := socket.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTIFY_SOCKET", path)
	return socket
}

func notified(t *testing.T, socket *net.UnixConn, states ...string) {
	for _, want := range states {
		buf := make([]byte, 100)
		n, err := socket.Read(buf)
		if got := string(buf[:n]); err != nil || got != want {
			t.Errorf("it said %q, not %q; %v", got, want, err)
		}
	}
}
