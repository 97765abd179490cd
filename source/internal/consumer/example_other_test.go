//go:build !windows

package consumer_test

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/consumer"
)

func ExampleOpen_otherSystems() {
	_, err := consumer.Open(consumer.Options{})
	fmt.Println(errors.Is(err, winperf.ErrNotSupported))
	// Output: true
}
