//go:build linux || windows

package delivery

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
)

// A program that was started as a sink ends with the program that started it, also when that is killed and
// the sink reads no input. Both have the pipe, which is at its end when both have ended.
func TestProgramEndsWithUs(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), program+"=parent")
	read, write, err := os.Pipe()
	must(t, err)
	defer read.Close()
	cmd.Stdout = write
	must(t, cmd.Start())
	must(t, write.Close())

	lines := bufio.NewReader(read)
	line, err := lines.ReadString('\n')
	if err != nil || line != "sleeps\n" {
		t.Errorf("the sink wrote %q, error %v", line, err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it tells that it was killed
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("the sink goes on and wrote %q, error %v", rest, err)
	}
}
