package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/control"
)

// tellAbsent tells which sensors name nothing in a program now, and what may have been meant.
func (a *app) tellAbsent(ctx context.Context, p control.Program, absent []control.Absent) {
	if len(absent) == 0 {
		return
	}
	c := sensorsOf(ctx, p)
	for _, s := range absent {
		path, err := winperf.ParsePath(s.Path)
		status, known := counter.ParseStatus(s.Status)
		if err != nil || !known {
			a.complain(fmt.Errorf("%s: %s; it may come later", s.Sensor, s.Status))
			continue
		}
		a.complain(fmt.Errorf("%s: %s; it may come later", s.Sensor, c.reason(path, status)))
	}
}

// sensorsOf is what a program can measure, by name; nothing where it does not say so soon.
func sensorsOf(ctx context.Context, p control.Program) *catalogue {
	const patience = 5 * time.Second
	var all control.Sensors
	c := &catalogue{}
	if askProgram(ctx, p, control.Request{Op: "sensors"}, &all, patience) != nil {
		return c // there are no suggestions
	}

	places := map[string]int{}
	for _, s := range all.Sensors {
		path, err := winperf.ParsePath(s.Path)
		if err != nil {
			continue
		}
		at, known := places[path.Object]
		if !known {
			at = len(c.objects)
			places[path.Object] = at
			c.objects = append(c.objects, knownObject{
				name: path.Object, multi: s.Instances, instances: func() []string { return nil },
			})
		}
		o := &c.objects[at]
		o.counters = append(o.counters, knownCounter{name: path.Counter})
	}
	return c
}
