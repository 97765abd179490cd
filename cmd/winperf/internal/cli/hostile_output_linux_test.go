package cli

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// TestOutputBroken breaks standard output after some bytes.
func TestOutputBroken(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"watch", `\Processor(*)\*`, "-i", "0.01", "-o", "csv"},
		{"watch", `\Processor(*)\*`, "-i", "0.01", "-o", "json"},
		{"watch", "-i", "0.01"}, {"get", `\*(*)\*`, "-i", "0.01", "-o", "jsonl"},
		{"list"}, {"list", "-o", "paths"}, {"dump"}, {"cook", "--list"},
		{"help", "record"}, {"list", "--help"}, {"--version"}, {"provider", "init", "--example"},
	} {
		for _, room := range []int{0, 1, 100, 1000} {
			left := room
			out := writerFunc(func(p []byte) (int, error) {
				n := min(left, len(p))
				if left -= n; n < len(p) {
					return n, syscall.EIO
				}
				return n, nil
			})
			var stderr bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
			status := Run(ctx, args, strings.NewReader(""), out, &stderr)
			whole := status == console.ExitDone && left > 0 // there was room enough
			failed := status == console.ExitFailed && strings.Contains(stderr.String(), syscall.EIO.Error())
			if !whole && !failed || ctx.Err() != nil {
				text := tail(stderr.String())
				t.Errorf("%q with room for %d bytes: status %d, standard error %q", args, room, status, text)
			}
			cancel()
		}
	}
}
