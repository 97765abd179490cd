//go:build !linux && !darwin

package picture

import "os"

// terminalEvents does nothing on this system; the next picture has the new size.
func terminalEvents(chan<- os.Signal) (stop func()) { return func() {} }

func isContinue(os.Signal) bool { return false }

func stopJob(<-chan os.Signal) {}

func abort() {}
