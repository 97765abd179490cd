package registry_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/registry"
)

// Another machine's registry is read with its name.
func ExampleOpen() {
	src, err := registry.Open(context.Background(), registry.Options{Machine: `\\no such machine`})
	switch {
	case errors.Is(err, winperf.ErrNotSupported):
		fmt.Println("not on this system, or no such machine")
		return
	case err != nil: // the network says what is wrong
		fmt.Println("not on this system, or no such machine")
		return
	}
	defer src.Close()
	fmt.Println(src.Describe().Machine)
	// Output: not on this system, or no such machine
}
