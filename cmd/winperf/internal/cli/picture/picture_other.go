//go:build !linux && !darwin

package picture

import "os"

// terminalEvents would tell of the terminal's size and of jobs; on this system the next
// picture has the new size.
func terminalEvents(chan<- os.Signal) (stop func()) { return func() {} }

// isContinue would report whether the program goes on after it was stopped.
func isContinue(os.Signal) bool { return false }

// stopJob would stop the program; there are no jobs on this system.
func stopJob(<-chan os.Signal) {}

// abort would end the program as Ctrl-\ does elsewhere; here it means nothing.
func abort() {}
