package server

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// A socket or file of systemd that cannot accept connections is an error.
func TestSystemdWrongSocket(t *testing.T) {
	if n := os.Getenv("WINPERF_TEST_SYSTEMD"); n != "" {
		_ = os.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
		_ = os.Setenv("LISTEN_FDS", n)
		err := Run(t.Context(), Options{
			Load: func(context.Context) (Config, error) { return Config{Web: Web{SystemdSocket: true}}, nil },
			Open: func(context.Context, string) (winperf.Source, error) { return &fake{t: t}, nil },
		})
		if err == nil || strings.Count(err.Error(), "is not a listening stream socket") != 2 {
			t.Errorf("error %v", err)
		}
		return
	}

	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	var files []*os.File
	for _, open := range []func() (*os.File, error){udp.File, tcp.File, func() (*os.File, error) { return os.Open(os.DevNull) }} {
		f, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}

	cmd := exec.Command(os.Args[0], "-test.run", "^TestSystemdWrongSocket$")
	cmd.Env = append(os.Environ(), "WINPERF_TEST_SYSTEMD="+strconv.Itoa(len(files)))
	cmd.ExtraFiles = files
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
