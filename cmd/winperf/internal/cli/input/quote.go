package input

import (
	"context"
	"fmt"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
)

// QuoteHint suggests the quoted path if the shell removed backslashes from an unquoted path, or if it has
// slashes, and a source has the counter. behind are the following arguments, which may belong to the path.
// Otherwise it returns err.
func QuoteHint(ctx context.Context, urls, paths, behind []string, err error) error {
	candidates := append([]string{strings.Join(paths, " ")}, paths...)
	for _, path := range paths {
		for i := range behind {
			candidates = append(candidates, path+" "+strings.Join(behind[i:], " "))
		}
	}

	for _, url := range urls {
		if len(paths) == 0 || url == "-" || strings.Contains(candidates[0], `\`) {
			continue
		}
		look(ctx, url, true, func(c *catalogue.Catalogue) {
			for _, arg := range candidates {
				if path := c.Unquoted(arg); path != "" {
					err = fmt.Errorf("%q is not a counter path; quote the path: '%s'", arg, path)
					return
				}
			}
		})
	}
	return err
}
