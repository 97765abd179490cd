package catalogue

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/selection"
)

// Paths returns the completions of text. If the only completion is an object or its instances, Paths
// completes the next part, too.
func (c *Catalogue) Paths(text string) []cobra.Completion {
	found := c.pathParts(text)
	if len(found) == 1 && strings.HasSuffix(found[0], `\`) {
		return c.pathParts(found[0])
	}
	return found
}

// pathParts completes the next part of a path: first \Object\ or \Object(*)\, after a parenthesis all
// instances, then the counters.
func (c *Catalogue) pathParts(text string) []cobra.Completion {
	var found []cobra.Completion
	for i := range c.Objects {
		o := &c.Objects[i]
		head := o.pathHead(text)
		if head == "" {
			found = o.appendHeads(found, text)
			continue
		}
		for _, d := range o.Counters {
			if p := head + d.Name; HasPrefixFold(p, text) {
				found = append(found, Describe(p, d.Help))
			}
		}
	}
	return found
}

// pathHead returns the part of text before the counter; "" if it is incomplete or names another object.
func (o *KnownObject) pathHead(text string) string {
	stem := `\` + o.Name
	if !HasPrefixFold(text, stem) {
		return ""
	}
	rest := text[len(stem):]
	if !o.Multi && strings.HasPrefix(rest, `\`) {
		return text[:len(stem)+1]
	}

	end := strings.LastIndex(rest, `)\`)
	if !o.Multi || end < 0 || rest[0] != '(' {
		return ""
	}
	return text[:len(stem)+end+len(`)\`)]
}

// appendHeads appends the possible parts before the object's counters that begin with text.
func (o *KnownObject) appendHeads(found []cobra.Completion, text string) []cobra.Completion {
	stem := `\` + o.Name
	heads := []string{stem + `\`}
	if o.Multi {
		heads[0] = stem + `(*)\`
	}
	if o.Multi && HasPrefixFold(text, stem+"(") {
		for in := range o.Instances() {
			heads = append(heads, stem+"("+in.String()+`)\`)
		}
	}

	for _, h := range heads {
		if HasPrefixFold(h, text) {
			found = append(found, h)
		}
	}
	return found
}

// Describe returns a completion with the first sentence of its help.
func Describe(name, help string) cobra.Completion {
	const columns = 80
	if help == "" {
		return name
	}
	return cobra.CompletionWithDesc(name, console.Shorten(console.FirstSentence(help), columns))
}

// HasPrefixFold reports whether s begins with prefix, ignoring case.
func HasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// MayHaveNone reports whether a path selects all instances of an object, which may have none now.
func (c *Catalogue) MayHaveNone(p winperf.Path) bool {
	path := selection.NewPath(p)
	for o := range c.matching(p) {
		if o.Multi && path.EveryInstance() {
			return true
		}
	}
	return false
}
