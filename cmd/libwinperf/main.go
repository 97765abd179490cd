// Command libwinperf is a library for programs in other languages: C, and all that can call C.
// libwinperf.h declares its functions; docs/libwinperf.md tells how to build and use it.
//
// Its functions take arguments apart and call package cmd/libwinperf/internal/foreign, which has the rest.
// They need cgo: without it this is a program that says how the library is built.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/control"
)

// library is what the functions have open. A C library has no other place for that.
var library = foreign.Library{Events: foreign.Events{
	Emit: experiment.Event, Begin: begin, Declare: experiment.Process().Declare, Listen: listen,
}}

// begin begins a region of the program.
func begin(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(...slog.Attr)) {
	ctx, region := experiment.Region(ctx, name, attrs...)
	return ctx, region.End
}

// listen lets experiments be attached to the program.
func listen(ctx context.Context, name string) (io.Closer, error) {
	return control.Listen(ctx, control.Options{Name: name})
}

func main() {
	fmt.Fprintln(os.Stderr, &library, "is a library: build it with scripts/build-libwinperf")
	os.Exit(1)
}
