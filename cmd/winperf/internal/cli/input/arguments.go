package input

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/internal/call"
)

// SplitArguments separates names of logs and sources from counter paths. An argument that begins with \ is
// a path, unless a file of that name exists. For an argument that lost its backslashes the error suggests
// the path, if one of the sources has the counter.
func SplitArguments(ctx context.Context, args, others []string) (names, paths []string, err error) {
	var unknown []string
	for _, arg := range args {
		there := arg == "-" || IsURL(arg) || isThere(ctx, arg)
		switch {
		case !there && strings.HasPrefix(arg, `\`):
			paths = append(paths, arg)
			continue
		case !there:
			unknown = append(unknown, arg)
		}
		names = append(names, arg)
	}

	sources := append(append([]string{}, others...), names...)
	return names, paths, QuoteHint(ctx, sources, unknown, nil, nil)
}

func isThere(ctx context.Context, name string) bool {
	_, err := call.Once(ctx, func() (os.FileInfo, error) { return os.Stat(name) })
	return err == nil
}

// CompleteLogs completes file names and, after a backslash, counter paths of the first log.
func CompleteLogs(
	cmd *cobra.Command, args []string, text string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if !strings.HasPrefix(text, `\`) || len(args) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return CompletePath(&SourceFlags{Source: args[0]})(cmd, args, text)
}
