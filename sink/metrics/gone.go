package metrics

import (
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// gone are objects that were missing in the last samples, and the frame that had them
// last. A provider that is late or a damaged sample costs an object one sample: when it
// is back it goes on as if it had been there, and its counters do not begin again.
// Only those are kept that left together, so that no more than one frame is held.
type gone struct {
	objects []*object
	last    frame.Frame
	samples int // since then
	cooker  frame.Cooker
}

// goneFor is for how many samples objects that left are kept.
const goneFor = 20

// begin makes the objects ready to be compared with those of a frame.
func (g *gone) begin(f frame.Frame) error {
	if len(g.objects) == 0 {
		return nil
	}
	return g.cooker.Set(g.last, f, counter.Options{})
}

// take returns the object that is back, nil if it is none of them.
func (g *gone) take(key objectKey) *object {
	at := slices.IndexFunc(g.objects, func(st *object) bool { return st.objectKey == key })
	if at < 0 {
		return nil
	}
	st := g.objects[at]
	g.objects = slices.Delete(g.objects, at, at+1)
	st.back = true
	return st
}

// end takes note of the objects that left since the frame before. What was there twice is not
// kept: when one is back nothing tells which it is.
func (g *gone) end(m *Mapper) error {
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

	if g.samples++; len(g.objects) == 0 || g.samples > goneFor {
		g.forget()
	}
	return nil
}

// forget forgets the objects.
func (g *gone) forget() {
	clear(g.objects)
	g.objects, g.last, g.samples = g.objects[:0], frame.Frame{}, 0
}
