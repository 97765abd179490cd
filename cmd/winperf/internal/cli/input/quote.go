package input

import (
	"context"
	"fmt"
	"strings"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
)

// QuoteHint says which path was meant where the shell took the backslashes from one that
// stood without quotes, or where it has slashes in their place, as far as one of the sources has
// its counter; what stands behind the path are the arguments that it may have fallen apart into.
// err is what is wrong otherwise.
func QuoteHint(ctx context.Context, urls, paths, behind []string, err error) error {
	asked := append([]string{strings.Join(paths, " ")}, paths...)
	for _, path := range paths {
		for i := range behind {
			asked = append(asked, path+" "+strings.Join(behind[i:], " "))
		}
	}

	for _, url := range urls {
		if len(paths) == 0 || url == "-" || strings.Contains(asked[0], `\`) {
			continue
		}
		look(ctx, url, true, func(c *catalogue.Catalogue) {
			for _, arg := range asked {
				if path := c.Unquoted(arg); path != "" {
					err = fmt.Errorf("%q is no counter path; quote the path: '%s'", arg, path)
					return
				}
			}
		})
	}
	return err
}
