// Peak runs a command and writes the most memory that it had, in KiB, to the file
// that its first argument names. The system counts what a process had before it
// became another program, so the one that starts the command must be small: a test's
// own program is not.
package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func main() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	_ = cmd.Run() // the status is handed on below
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(os.Args[1], strconv.AppendInt(nil, most, 10), 0o666); err != nil {
		panic(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
