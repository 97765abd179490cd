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
	"github.com/winperf/winperf/internal/missing"
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
	best   counter.Status
	found  bool // a source was asked
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

	for _, o := range sources {
		look(ctx, o, wants, names)
	}
	for i := range wants {
		w := &wants[i]
		a := protocol.Absent{Sensor: w.text, Path: w.path.String(), Status: w.best.String()}
		if w.found && w.best != counter.OK && len(all) < maxAbsent && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// look notes what of all that is wanted a source has. One that fails has nothing to say about that.
func look(ctx context.Context, o sensor.Origin, wants []wanted, names []measure.NameRule) {
	var paths []winperf.Path
	var asked []*wanted
	for i := range wants {
		if w := &wants[i]; w.source == "" || strings.EqualFold(w.source, o.Name) {
			asked = append(asked, w)
			paths = append(paths, w.path)
		}
	}
	if len(asked) == 0 {
		return
	}

	parts, err := missing.Parts(ctx, o.Source, paths, names)
	if err != nil {
		return
	}
	for i, w := range asked {
		if !w.found || parts[i] < w.best {
			w.best, w.found = parts[i], true
		}
	}
}
