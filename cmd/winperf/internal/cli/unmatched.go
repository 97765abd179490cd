package cli

import (
	"context"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/missing"
	"github.com/winperf/winperf/internal/selection"
)

// unmatched returns for each path why it matches nothing that a source has now, "" for one that
// matches something; nil where the source does not tell what it has.
func unmatched(ctx context.Context, src winperf.Source, paths []winperf.Path) (reasons []string) {
	c := readCatalogueNow(ctx, src, false, paths...)
	defer c.close()
	if len(c.objects) == 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	parts, err := missing.Parts(ctx, src, paths, nil)
	if err != nil {
		return nil
	}
	for i, p := range paths {
		reason := ""
		if part := parts[i]; part != counter.OK && !(part == counter.NoInstance && c.mayHaveNone(p)) {
			reason = c.reason(p, part)
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// mayHaveNone reports whether a path asks for all instances of an object that has instances, of which there
// may be none now.
func (c *catalogue) mayHaveNone(p winperf.Path) bool {
	path := selection.NewPath(p)
	for o := range c.matching(p) {
		if o.multi && path.EveryInstance() {
			return true
		}
	}
	return false
}
