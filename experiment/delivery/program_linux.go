package delivery

import (
	"os/exec"
	"syscall"
)

// startWithUs starts a program that ends when the calling thread ends. Programs that read their input end
// with it anyway; others would run forever.
func startWithUs(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd.Start()
}
