package cli_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/cli"
)

func ExampleRun() {
	in := strings.NewReader(`{"type":"PERF_RAW_FRACTION","cur":{"value":20,"base":50}}`)
	status := cli.Run(context.Background(), []string{"cook"}, in, os.Stdout, os.Stderr)
	fmt.Println(status)
	// Output:
	// {"value":40,"unit":"percent","status":"ok"}
	// 0
}
