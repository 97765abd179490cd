package cli

import (
	"context"
	"fmt"
	"strings"
)

// quoteHint says which path was meant where the shell took the backslashes from one that
// stood without quotes, or where it has slashes in their place, as far as one of the sources has
// its counter; what stands behind the path are the arguments that it may have fallen apart into.
// err is what is wrong otherwise.
func quoteHint(ctx context.Context, urls, paths, behind []string, err error) error {
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
		look(ctx, url, true, func(c *catalogue) {
			for _, arg := range asked {
				if path := c.unquoted(arg); path != "" {
					err = fmt.Errorf("%q is no counter path; quote the path: '%s'", arg, path)
					return
				}
			}
		})
	}
	return err
}

// unquoted is the path of a counter, or of all of an object, that an argument was; "" where it
// was none.
func (c *catalogue) unquoted(arg string) string {
	instance := ""
	plain := arg
	if from, to := strings.Index(arg, "("), strings.LastIndex(arg, ")"); from > 0 && from < to {
		instance, plain = arg[from:to+1], arg[:from]+arg[to+1:]
	}

	for _, o := range c.objects {
		for _, d := range append(o.counters, knownCounter{name: "*"}) {
			if strings.EqualFold(plain, o.name+d.name) || strings.EqualFold(plain, "/"+o.name+"/"+d.name) {
				return `\` + o.name + instance + `\` + d.name
			}
		}
	}
	return ""
}
