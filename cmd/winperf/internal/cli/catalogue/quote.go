package catalogue

import "strings"

// Unquoted returns the path of the counter or object that an unquoted argument names, or "".
func (c *Catalogue) Unquoted(arg string) string {
	instance := ""
	plain := arg
	if from, to := strings.Index(arg, "("), strings.LastIndex(arg, ")"); from > 0 && from < to {
		instance, plain = arg[from:to+1], arg[:from]+arg[to+1:]
	}

	for _, o := range c.Objects {
		for _, d := range append(o.Counters, KnownCounter{Name: "*"}) {
			if strings.EqualFold(plain, o.Name+d.Name) || strings.EqualFold(plain, "/"+o.Name+"/"+d.Name) {
				return `\` + o.Name + instance + `\` + d.Name
			}
		}
	}
	return ""
}
