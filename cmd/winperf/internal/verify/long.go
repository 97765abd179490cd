package verify

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/titles"
)

// Limits of the check with many queries. The program itself needs some more of both, for example for threads.
// One handle that stays open for each query, or for each compiled query, exceeds mostHandles.
const (
	longQueries  = 10_000
	longWarmUp   = 1_000
	longCompiled = 100 // queries after which the selection is compiled again
	mostHandles  = 50
	mostMemory   = 8 << 20
)

// long checks that many queries of an object leave no handles or memory behind.
func (r *Report) long(ctx context.Context, d *driver, object string, opt Options) {
	what := fmt.Sprintf("%d queries of %s", longQueries, d.name)
	before, err := usage{}, error(nil)
	var q winperf.Query
	defer func() {
		if q != nil {
			_ = q.Close() // after the check
		}
	}()

	var s winperf.Sample
	for n := range longQueries {
		if n%longCompiled == 0 {
			if opt.Progress != nil {
				opt.Progress(fmt.Sprintf("%s: %d", what, n))
			}
			if q != nil {
				err = q.Close()
			}
			if err == nil {
				q, err = d.src.Compile(ctx, winperf.Selection{Paths: []winperf.Path{wholeObject(object)}})
			}
		}
		if n == longWarmUp && err == nil {
			before, err = used()
		}
		if err == nil {
			err = q.Next(ctx, &s)
		}
		if err != nil {
			r.check(what, "", fmt.Errorf("query %d: %w", n, err))
			return
		}
	}

	after, err := used()
	r.check(what, after.since(before).String(), err)
	if grown := after.since(before); err == nil && (grown.handles > mostHandles || grown.bytes > mostMemory) {
		r.Checks[len(r.Checks)-1].Failed = true
	}
}

// usage is what this process uses.
type usage struct {
	handles int
	bytes   int64
}

func used() (usage, error) {
	debug.FreeOSMemory()
	return usageNow()
}

func (u usage) since(older usage) usage {
	return usage{u.handles - older.handles, u.bytes - older.bytes}
}

func (u usage) String() string {
	return fmt.Sprintf("%+d handles and %+d KiB in the last %d", u.handles, u.bytes>>10, longQueries-longWarmUp)
}

// small returns an object that is read fast: System, or the first one; "" for none.
func (d *driver) small() string {
	system := d.names.Title(titles.System)
	first := ""
	if d.global == nil {
		return ""
	}
	for name := range d.global.Counters {
		if name.Object == system {
			return system
		}
		if first == "" || name.Object < first {
			first = name.Object
		}
	}
	return first
}
