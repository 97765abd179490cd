//go:build !windows

package perflib_test

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/driver/perflib"
)

func ExampleOpen_otherSystems() {
	_, err := perflib.Open(perflib.Options{})
	fmt.Println(errors.Is(err, winperf.ErrNotSupported))
	// Output: true
}
