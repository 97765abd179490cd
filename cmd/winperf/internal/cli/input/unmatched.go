package input

import (
	"context"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
)

// Unmatched returns for each path the reason why it matches nothing, or ""; nil if the source cannot list
// its contents.
func Unmatched(ctx context.Context, src winperf.Source, paths []winperf.Path) (reasons []string) {
	c := catalogue.ReadCatalogueNow(ctx, src, false, paths...)
	defer c.Close()
	if len(c.Objects) == 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, catalogue.Timeout)
	defer cancel()
	parts, _, err := sensor.Missing(ctx, []sensor.Origin{{Source: src}}, paths, nil, nil)
	if err != nil {
		return nil
	}
	for i, p := range paths {
		reason := ""
		if part := parts[i]; part != counter.OK && !(part == counter.NoInstance && c.MayHaveNone(p)) {
			reason = c.Reason(p, part)
		}
		reasons = append(reasons, reason)
	}
	return reasons
}
