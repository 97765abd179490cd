package delivery

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A program that was started as a sink ends with the program that started it, also when that is killed and
// the sink reads no input.
func TestProgramEndsWithUs(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), program+"=parent")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	pid, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	pid = strings.TrimSpace(pid)
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it tells that it was killed

	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
		if err != nil || strings.Contains(string(text), "(zombie)") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %s goes on:\n%s", pid, text)
		}
	}
}
