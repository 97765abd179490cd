package delivery

import (
	"os/exec"
	"syscall"
)

// startWithUs starts a program that ends when the thread that calls this ends. Programs that read their input
// end with it; others would go on for ever.
func startWithUs(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd.Start()
}
