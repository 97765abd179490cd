package cli

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/experiments"
	"github.com/winperf/winperf/internal/control"
)

// shortDir is where programs of this test listen: a socket's path has to be short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "wp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv(control.Environment, dir)
	return dir
}

// lying answers every request at a socket with the same text, and goes on with that for ever.
func lying(t *testing.T, dir, name, text string, again bool) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(dir, fmt.Sprintf("%s.%d.sock", name, os.Getpid())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := c.Read(make([]byte, 1<<10)); err != nil {
					return
				}
				for {
					if _, err := io.WriteString(c, text); err != nil || !again {
						return
					}
				}
			}()
		}
	}()
}

// What a program says of itself is no more than text: it takes bounded memory, steers no terminal and
// forges no line.
func TestLyingPrograms(t *testing.T) {
	dir := shortDir(t)
	for name, x := range map[string]struct {
		text, says string
		again      bool
	}{
		"garbage": {"HTTP/1.1 200 OK\n", "the program sent invalid JSON", false},
		"half":    {`{"id":1,"res`, "the program has closed the connection", false},
		"types":   {`{"id":1,"result":{"program":7}}` + "\n", "the program's answer: bad data", false},
		"deep":    {`{"id":1,"result":` + strings.Repeat("[", 100_000) + "\n", "exceeded max depth", false},
		"endless": {strings.Repeat("x", 1<<20), "a line of more than 67108864 bytes", true},
		"batches": {`{"experiment":"e","session":"s","through":1}` + "\n", "unacknowledged batches", true},
	} {
		lying(t, dir, name, x.text, x.again)
		if x.again { // on a busy machine the bound of time comes first, if it is the command's
			p, err := control.Find(t.Context(), "", name)
			if err != nil {
				t.Fatal(err)
			}
			err = experiments.SendRequest(t.Context(), p, control.Request{Op: "list"}, new(control.Listing), hostileLimit)
			if err == nil || !strings.Contains(err.Error(), x.says) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}

		var out, told strings.Builder
		if status := Run(t.Context(), []string{"experiment", "list", name}, nil, &out, &told); status != 1 {
			t.Errorf("%s: status %d", name, status)
		}
		if out.Len() > 0 || !strings.Contains(told.String(), x.says) {
			t.Errorf("%s: %q, %q", name, out.String(), told.String())
		}
	}

	const odd = `{"program":"\u001b[31mred\nx","events":["\u202e"],"experiments":[{"name":"a\nb"}]}`
	lying(t, dir, "names", `{"id":1,"result":`+odd+"}\n", false)
	var out strings.Builder
	if status := Run(t.Context(), []string{"experiment", "list", "names"}, nil, &out, io.Discard); status != 0 {
		t.Errorf("status %d", status)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 || strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Errorf("%q", out.String())
	}
}
