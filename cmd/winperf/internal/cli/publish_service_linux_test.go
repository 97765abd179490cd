package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/provider/publish"
)

// TestPublishService: the command of dist/winperf-publish@.service reports that it is ready before the first
// line, adds the lines of several programs that open and close its pipe, and ends only when it is stopped.
// systemd opens the pipe of ListenFIFO= for reading and writing, and passes it as standard input. With
// --input the command opens the pipe.
func TestPublishService(t *testing.T) {
	unit, err := os.ReadFile("../../../../dist/winperf-publish@.service")
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=\S*winperf (.*)$`).FindSubmatch(unit)
	if start == nil || !bytes.Contains(unit, []byte("\nStandardInput=socket\n")) {
		t.Fatal("the unit starts another program, or does not read from its socket")
	}

	for _, opens := range []bool{false, true} {
		t.Run(fmt.Sprintf("opens=%v", opens), func(t *testing.T) {
			publishService(t, string(start[1]), opens)
		})
	}
}

func publishService(t *testing.T, args string, opens bool) {
	dir := t.TempDir()
	schema, published := filepath.Join(dir, "shop.json"), filepath.Join(dir, "published")
	const declaration = `{"objects": [{"name": "Shop", "counters": [
		{"name": "Orders", "type": "PERF_COUNTER_LARGE_RAWCOUNT"}]}]}`
	if err := os.WriteFile(schema, []byte(declaration), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := fifo(t, filepath.Join(dir, "shop"))

	args = strings.NewReplacer("/etc/winperf/%i.json", schema, "/run/winperf", published).Replace(args)
	cmd := process(t, "winperf", strings.Fields(args)...)
	if opens {
		cmd.Args = append(cmd.Args, "--input", pipe)
	} else {
		both, err := os.OpenFile(pipe, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer both.Close()
		cmd.Stdin = both
	}
	said, socket := notifySocket(t)
	stderr := &sharedBuffer{}
	cmd.Stderr = stderr
	cmd.Env = append(cmd.Environ(), "NOTIFY_SOCKET="+socket)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hangs := time.AfterFunc(hostileLimit, func() { _ = cmd.Process.Kill() })
	defer hangs.Stop()
	if got := said(); got != "READY=1" {
		t.Errorf("it said %q; %s", got, stderr)
	}

	t.Setenv(publish.Environment, published)
	for i, want := range []string{"5", "12"} {
		writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(writer, "\\Shop\\Orders +%d\n", 5+2*i)
		_ = writer.Close()
		awaitOutput(t, `"value":`+want+",", "get", `\Shop\Orders`, "-o", "jsonl")
	}

	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := said(); got != "STOPPING=1" {
		t.Errorf("at the end it said %q", got)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v; %s", err, stderr)
	}
}

// awaitOutput runs a command until its output contains text.
func awaitOutput(t *testing.T, text string, args ...string) {
	t.Helper()
	for end := time.Now().Add(hostileLimit); ; time.Sleep(50 * time.Millisecond) {
		var stdout, stderr bytes.Buffer
		Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		if strings.Contains(stdout.String(), text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q never prints %s but %s%s", args, text, &stdout, &stderr)
		}
	}
}
