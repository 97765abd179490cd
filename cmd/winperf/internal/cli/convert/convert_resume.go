package convert

import (
	"slices"

	"github.com/spf13/pflag"
)

// notChosen lists the flags that do not affect a stored position: flags that neither select nor name
// samples, and flags that how reads in another form.
var notChosen = []string{
	"output", "resume", "quiet", "cap100", "path", "counters", "push-header", "push-bearer-file",
	"push-ca", "push-cert", "push-insecure", "names", "push-key", "push-password-file", "push-server-name",
}

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

	// The order of paths does not matter.
	for _, p := range c.selection.Paths {
		how["path"] = append(how["path"], p.String())
	}
	if c.otherNames() {
		how["names"] = c.nameWords
	}
	if tenants := c.target.Tenants(); tenants != nil {
		how["push-header"] = tenants
	}
	return how
}
