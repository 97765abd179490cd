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

// Bounds of looking for what is not there: how many are told, and how long it may take.
const (
	maxAbsent  = 50
	absentTime = 5 * time.Second
)

// wanted is what a binding measures, as it was named.
type wanted struct {
	text   string
	path   winperf.Path
	source string // "" is any
}

// absent takes a sample of what bindings measure, with instances named by a word that measure.ParseNaming
// takes, and returns what of it names nothing now. That is no error: it may come later.
func absent(
	ctx context.Context, sources []sensor.Origin, bindings []experiment.Binding, naming string,
) (all []protocol.Absent) {
	names, err := measure.ParseNaming(naming)
	if err != nil {
		return nil // the experiment says so
	}
	ctx, cancel := context.WithTimeout(ctx, absentTime)
	defer cancel()
	var wants []wanted
	for i := range bindings {
		for _, p := range bindings[i].Paths {
			wants = append(wants, wanted{text: p.String(), path: p})
		}
		for _, n := range bindings[i].Sensors {
			wants = append(wants, wanted{text: n.String(), path: n.Path(), source: n.Source})
		}
	}

	paths := make([]winperf.Path, len(wants))
	for i := range wants {
		paths[i] = wants[i].path
	}
	in := func(i int, o sensor.Origin) bool {
		return wants[i].source == "" || strings.EqualFold(wants[i].source, o.Name)
	}

	// A source that fails has nothing to say about them.
	parts, _, _ := sensor.Missing(ctx, sources, paths, in, names)
	for i, part := range parts {
		a := protocol.Absent{Sensor: wants[i].text, Path: paths[i].String(), Status: part.String()}
		if part != counter.OK && len(all) < maxAbsent && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}
