package control

import (
	"context"
	"slices"
	"strings"
	"time"

	protocol "github.com/winperf/winperf/internal/control"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
)

// Limits of absent: reported sensors, and time.
const (
	maxAbsent  = 50
	absentTime = 5 * time.Second
)

type requested struct {
	text   string
	path   winperf.Path
	source string
}

// absent takes a sample of the bindings' sensors and returns the sensors that match nothing now. This is
// not an error: they may appear later. naming is a word of measure.ParseNaming.
func absent(
	ctx context.Context, sources []sensor.Origin, bindings []experiment.Binding, naming string,
) (all []protocol.Absent) {
	names, err := measure.ParseNaming(naming)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, absentTime)
	defer cancel()
	var requests []requested
	for i := range bindings {
		for _, p := range bindings[i].Paths {
			requests = append(requests, requested{text: p.String(), path: p})
		}
		for _, n := range bindings[i].Sensors {
			requests = append(requests, requested{text: n.String(), path: n.Path(), source: n.Source})
		}
	}

	paths := make([]winperf.Path, len(requests))
	for i := range requests {
		paths[i] = requests[i].path
	}
	in := func(i int, o sensor.Origin) bool {
		return requests[i].source == "" || strings.EqualFold(requests[i].source, o.Name)
	}

	parts, _, _ := sensor.Missing(ctx, sources, paths, in, names)
	for i, part := range parts {
		a := protocol.Absent{Sensor: requests[i].text, Path: paths[i].String(), Status: part.String()}
		if part != counter.OK && len(all) < maxAbsent && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}
