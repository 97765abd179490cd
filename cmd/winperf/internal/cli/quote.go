package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// quoteHint says which path was meant where the shell took the backslashes from one that
// stood without quotes. err is what is wrong otherwise.
func (a *app) quoteHint(ctx context.Context, f *sourceFlags, args []string, err error) error {
	if len(args) == 0 || strings.Contains(strings.Join(args, ""), `\`) {
		return err
	}

	asked := append([]string{strings.Join(args, " ")}, args...)
	f.look(ctx, true, func(c *catalogue) {
		for object, counter := range c.pairs() {
			for _, arg := range asked {
				if path := unquoted(arg, object, counter); path != "" {
					err = fmt.Errorf("%q is no counter path; quote the path: '%s'", arg, path)
					return
				}
			}
		}
	})
	return err
}

// unquoted is the path of a counter that an argument was, "" where it was none of it.
func unquoted(arg, object, counter string) string {
	instance := ""
	plain := arg
	if from, to := strings.Index(arg, "("), strings.LastIndex(arg, ")"); from > 0 && from < to {
		instance, plain = arg[from:to+1], arg[:from]+arg[to+1:]
	}
	if !strings.EqualFold(plain, object+counter) {
		return ""
	}
	return `\` + object + instance + `\` + counter
}

// pairs yields the names of all objects and counters.
func (c *catalogue) pairs() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, o := range c.logged {
			for _, name := range o.counters {
				if !yield(o.name, name) {
					return
				}
			}
		}
		for o, names := range c.all() {
			for _, k := range shown(o) {
				if !yield(names.Title(o.ID().Index), names.Title(o.Counter(k).ID.Index)) {
					return
				}
			}
		}
	}
}
