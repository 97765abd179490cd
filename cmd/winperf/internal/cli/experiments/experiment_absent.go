package experiments

import (
	"context"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/control"
)

func reportAbsent(ctx context.Context, a *console.App, p control.Program, absent []control.Absent) {
	if len(absent) == 0 {
		return
	}
	c := sensorsOf(ctx, p)
	for _, s := range absent {
		path, err := winperf.ParsePath(s.Path)
		status, known := counter.ParseStatus(s.Status)
		if err != nil || !known {
			a.Complain(fmt.Errorf("%s: %s; it may appear later", s.Sensor, s.Status))
			continue
		}
		a.Complain(fmt.Errorf("%s: %s; it may appear later", s.Sensor, c.Reason(path, status)))
	}
}

// sensorsOf returns the sensors of a program, empty if it does not answer soon.
func sensorsOf(ctx context.Context, p control.Program) *catalogue.Catalogue {
	const timeout = 5 * time.Second
	var all control.Sensors
	c := &catalogue.Catalogue{}
	if SendRequest(ctx, p, control.Request{Op: "sensors"}, &all, timeout) != nil {
		return c // without suggestions
	}

	places := map[string]int{}
	for _, s := range all.Sensors {
		path, err := winperf.ParsePath(s.Path)
		if err != nil {
			continue
		}
		at, known := places[path.Object]
		if !known {
			at = len(c.Objects)
			places[path.Object] = at
			c.Objects = append(c.Objects, catalogue.KnownObject{Name: path.Object, Multi: s.Instances})
		}
		o := &c.Objects[at]
		o.Counters = append(o.Counters, catalogue.KnownCounter{Name: path.Counter})
	}
	return c
}
