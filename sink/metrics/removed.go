package metrics

import (
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// removedRows keeps objects that are missing in the latest samples, with their last frame. A late provider
// or a damaged sample removes an object from one sample; when it returns, its counters continue.
// Only objects that disappeared together are kept, so that at most one frame is held.
type removedRows struct {
	objects []*object
	last    frame.Frame
	samples int // since the last frame
	cooker  frame.Cooker
}

// keepRemoved is the number of samples for which missing objects are kept.
const keepRemoved = 20

func (g *removedRows) begin(f frame.Frame) error {
	if len(g.objects) == 0 {
		return nil
	}
	return g.cooker.Set(g.last, f, counter.Options{})
}

func (g *removedRows) take(key objectKey) *object {
	at := slices.IndexFunc(g.objects, func(st *object) bool { return st.objectKey == key })
	if at < 0 {
		return nil
	}
	st := g.objects[at]
	g.objects = slices.Delete(g.objects, at, at+1)
	st.back = true
	return st
}

// end keeps the objects that are missing since the previous frame, except duplicates, which could
// not be distinguished later.
func (g *removedRows) end(m *Mapper) error {
	left := 0
	for _, st := range m.before {
		if st.uses == m.uses {
			continue
		}
		if m.indexBefore(); m.byKey[st.objectKey].n > 1 {
			continue
		}

		if left == 0 {
			g.forget()
			g.last = m.prev
			if err := g.last.Keep(); err != nil {
				return err
			}
		}
		g.objects = append(g.objects, st)
		left++
	}

	if g.samples++; len(g.objects) == 0 || g.samples > keepRemoved {
		g.forget()
	}
	return nil
}

func (g *removedRows) forget() {
	clear(g.objects)
	g.objects, g.last, g.samples = g.objects[:0], frame.Frame{}, 0
}
