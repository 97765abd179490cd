//go:build !unix

package child

import "os"

// signalOf returns "": this system has no signals.
func signalOf(*os.ProcessState) string { return "" }

// SignalNumber returns 0: this system has no signals.
func SignalNumber(string) int { return 0 }
