package server

import (
	"net"
	"slices"
	"testing"
)

// address is a listener that has only an address.
type address struct {
	net.Listener
	addr net.Addr
}

func (a address) Addr() net.Addr { return a.addr }

// The server reports URLs that can be opened.
func TestURLs(t *testing.T) {
	file, _ := secure(t, t.TempDir(), "secret", "")
	listeners := []net.Listener{
		address{addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9182}},
		address{addr: &net.TCPAddr{IP: net.IPv6zero, Port: 1}},
		address{addr: &net.TCPAddr{IP: net.IPv6loopback, Port: 2}},
		address{addr: &net.UnixAddr{Name: "/run/winperf.sock"}},
	}
	for file, want := range map[string][]string{
		"": {
			"http://127.0.0.1:9182/metrics", "http://localhost:1/metrics", "http://[::1]:2/metrics", "/run/winperf.sock",
		},
		file: {
			"https://127.0.0.1:9182/metrics", "https://localhost:1/metrics", "https://[::1]:2/metrics", "/run/winperf.sock",
		},
	} {
		if got := urls(listeners, &Web{ConfigFile: file, TelemetryPath: "/metrics"}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}

	s := start(t, Config{})
	if status, text := s.ask("GET", "/metrics"); status != 200 || value(text, free) == "" || s.urls[0] != s.url+"/metrics" {
		t.Errorf("%s: status %d", s.urls[0], status)
	}
}
