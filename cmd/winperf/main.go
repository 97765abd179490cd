// Command winperf reads, computes, records and shows performance counters in
// the Windows model. See `winperf help`.
package main

import (
	"os"

	"github.com/winperf/winperf/cmd/winperf/internal/cli"
)

func main() { os.Exit(cli.Main()) }
