package convert

import (
	"slices"

	"github.com/spf13/pflag"
)

// notChosen are the flags that neither choose samples nor say what they are called, and those that how reads
// otherwise. Of a flag that is not among them a position depends.
var notChosen = []string{
	"output", "resume", "quiet", "cap100", "path", "counters", "push-header", "push-bearer-file", "push-ca", "push-cert",
	"push-insecure", "push-names", "push-key", "push-password-file", "push-server-name",
}

// how says with which flags samples are chosen, named and labelled.
func (c *converter) how() map[string][]string {
	how := map[string][]string{}
	c.given.Visit(func(f *pflag.Flag) {
		list, several := f.Value.(pflag.SliceValue)
		switch {
		case slices.Contains(notChosen, f.Name):
		case several:
			how[f.Name] = list.GetSlice()
		default:
			how[f.Name] = []string{f.Value.String()}
		}
	})

	// Wherever a path stands it chooses the same.
	for _, p := range c.selection.Paths {
		how["path"] = append(how["path"], p.String())
	}
	if c.otherNames() {
		how["push-names"] = c.nameWords
	}
	if tenants := c.target.Tenants(); tenants != nil {
		how["push-header"] = tenants
	}
	return how
}
