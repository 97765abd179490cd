//go:build !unix

package child

import "os"

// signalOf is "": no signals end programs here.
func signalOf(*os.ProcessState) string { return "" }

// SignalNumber returns 0: no signals end programs here.
func SignalNumber(string) int { return 0 }
