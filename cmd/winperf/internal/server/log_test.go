package server

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Each message is logged once a second, whatever else a record says.
func TestSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		buffer := &logBuffer{}
		log := seldom(slog.New(slog.NewTextHandler(buffer, &slog.HandlerOptions{Level: slog.LevelDebug})))
		check := func(what string, want int) {
			t.Helper()
			if got := strings.Count(buffer.String(), what); got != want {
				t.Errorf("%d lines with %s, want %d", got, what, want)
			}
		}
		flood := func() {
			for i := range 100 {
				log.Warn("not reloaded", "err", errors.New(fmt.Sprint("reason ", i)))
				log.With("place", i).WithGroup("g").Info("reloaded")
				fmt.Fprintf(errorLog{log}, "http: TLS handshake error from 127.0.0.1:%d: EOF\n", i)
			}
		}

		flood()
		check("not reloaded", 1)
		check("msg=reloaded", 1)
		check(`err="http: TLS handshake error from 127.0.0.1:0: EOF"`, 1)
		check("handshake", 1)
		time.Sleep(time.Second)
		flood()
		check("not reloaded", 2)
		check("msg=reloaded", 2)
		check("handshake", 2)
	})
}

// Requests and connections that fail write at most one line of a kind a second.
func TestClientsFillNoLog(t *testing.T) {
	file, _ := secure(t, t.TempDir(), "secret", "")
	s := start(t, Config{Web: Web{Lifecycle: true}})
	secured := start(t, Config{Web: Web{ConfigFile: file}})
	s.set(func() { s.err = errors.New("it is wrong") })

	const requests = 100
	begin := time.Now()
	for range requests {
		if status, _ := s.ask("POST", "/-/reload"); status != 500 {
			t.Errorf("status %d", status)
		}
		resp, err := client().Get(secured.url + "/metrics") // it does not trust the certificate
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	if err := secured.stop(); err != nil {
		t.Error(err)
	}
	most := int(time.Since(begin)/time.Second) + 1
	for what, log := range map[string]*logBuffer{"reload failed": s.log, "handshake": secured.log} {
		if got := strings.Count(log.String(), what); got == 0 || got > most {
			t.Errorf("%d lines with %q, want 1 to %d", got, what, most)
		}
	}
}
