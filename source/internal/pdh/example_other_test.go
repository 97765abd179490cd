//go:build !windows

package pdh_test

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/pdh"
)

func ExampleOpen_otherSystems() {
	_, err := pdh.Open(pdh.Options{})
	fmt.Println(errors.Is(err, winperf.ErrNotSupported))
	// Output: true
}
