// Command libwinperf is a library for programs in C and in languages that can call C. libwinperf.h
// declares its functions; docs/libwinperf.md describes how to build and use it.
//
// Its functions convert arguments and call package cmd/libwinperf/internal/foreign. They need cgo;
// without it this is a program that prints how to build the library.
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

// library has the open handles. A C library has no other place for them.
var library = foreign.Library{Events: foreign.Events{
	Emit: experiment.Event, Begin: begin, Declare: experiment.Process().Declare, Listen: listen,
}}

func begin(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(...slog.Attr)) {
	ctx, region := experiment.Region(ctx, name, attrs...)
	return ctx, region.End
}

func listen(ctx context.Context, name string) (io.Closer, error) {
	return control.Listen(ctx, control.Options{Name: name})
}

func main() {
	fmt.Fprintln(os.Stderr, &library, "is a library: build it with scripts/build-libwinperf")
	os.Exit(1)
}
