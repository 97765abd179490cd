//go:build !unix

package trial

import (
	"fmt"
	"os"
	"strings"
)

// signalNamed is the signal of a name: what Ctrl-C sends is the only one here.
func signalNamed(name string) (os.Signal, error) {
	if strings.TrimPrefix(strings.ToUpper(name), "SIG") == "INT" {
		return os.Interrupt, nil
	}
	return nil, fmt.Errorf("%q is no signal of this system; expected INT", name)
}
