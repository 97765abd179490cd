package viewing

import (
	"context"
	"os"
	"os/exec"
	"runtime"
)

// hasDisplay reports whether a browser could show a page to the user of this program.
func hasDisplay() bool {
	if os.Getenv("SSH_CONNECTION") != "" {
		return false
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// openBrowser opens an address in the browser. It does not wait for the browser to end.
func openBrowser(ctx context.Context, address string) error {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		command = []string{"open"}
	}
	c := exec.CommandContext(context.WithoutCancel(ctx), command[0], append(command[1:], address)...)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }()
	return nil
}
