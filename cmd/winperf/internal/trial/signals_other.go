//go:build !unix

package trial

import (
	"fmt"
	"os"
	"strings"
)

// signalNamed returns the signal with a name: only Ctrl-C's is supported.
func signalNamed(name string) (os.Signal, error) {
	if strings.TrimPrefix(strings.ToUpper(name), "SIG") == "INT" {
		return os.Interrupt, nil
	}
	return nil, fmt.Errorf("%q is not a signal of this system; expected INT", name)
}
