package delivery

import (
	"errors"
	"os/exec"

	"github.com/winperf/winperf/internal/winapi"
)

// startWithUs starts a program that ends with this process.
func startWithUs(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := winapi.EndWithUs(cmd.Process); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return nil
}
