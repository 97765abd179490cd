//go:build !unix

package child

import "os"

// signalOf is "": no signals end programs here.
func signalOf(*os.ProcessState) string { return "" }
