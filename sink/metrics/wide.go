package metrics

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// wide is a counter of 4 bytes that only grows, continued over 2^32: what an
// instance counted since it is known.
type wide struct {
	k     int
	id    definitionID
	total []uint64 // by instance; the low 32 bits are the last raw value
	spare []uint64
	whole bool // the last sample had all values
}

// wideOf returns the counter at position k if it is unwrapped, else nil.
func (st *object) wideOf(k int) *wide {
	if k >= len(st.wideAt) || st.wideAt[k] == 0 {
		return nil
	}
	return &st.wides[st.wideAt[k]-1]
}

// definitionID finds a counter again in other definitions.
type definitionID struct {
	index, id uint32
	kind      counter.Type
}

// unwrap has a counter unwrapped where that is needed, with what is known of it.
func (st *object) unwrap(l *layout, k int, old []wide) {
	d := &l.Counters[k]
	if d.Size != 4 || !grows(l, k) || st.wideOf(k) != nil {
		return
	}

	w := wide{k: k, id: definitionID{d.ID.Index, d.ID.ID, d.Type}}
	for i := range old {
		if old[i].id == w.id {
			w.total, w.spare = old[i].total, old[i].spare
			old[i].id = definitionID{} // of two counters with one identity the first is the first
			break
		}
	}
	st.wides = append(st.wides, w)
	if st.wideAt == nil {
		st.wideAt = make([]int32, len(l.Counters))
	}
	st.wideAt[k] = int32(len(st.wides))
}

// grows reports whether the raw value of a counter only grows. A base does what its
// counter needs: those of fractions over samples and of averages count.
func grows(l *layout, k int) bool {
	switch t := l.Counters[k].Type; t {
	case counter.SampleBase, counter.AverageBase:
		return true
	default:
		return t.Cumulative()
	}
}

// widen takes the raw values of a new sample. A value that fell wrapped where that is
// plausible, as [counter.WrapPlausible] has it; else it began again.
func (st *object) widen() {
	n := st.now.Len()
	for c := range st.wides {
		w := &st.wides[c]
		w.spare = slices.Grow(w.spare[:0], n)[:n]
		w.whole = st.now.ReadRaw(w.spare, w.k, 0)

		for i, raw := range w.spare {
			j, match := st.pair.From(i)
			if st.same {
				j = i
			}
			if j < 0 || j >= len(w.total) {
				continue
			}
			if !w.whole {
				if _, ok := st.now.Raw(i, w.k); !ok {
					w.spare[i] = w.total[j] // it goes on from there when it is known again
					continue
				}
			}
			w.spare[i] = continued(w.total[j], raw, match)
		}
		w.total, w.spare = w.spare, w.total
	}
}

// continued is a count of 4 bytes after it stood at total.
func continued(total, raw uint64, match counter.Match) uint64 {
	const wrap = 1 << 32
	low := total % wrap
	switch high := total - low; {
	case raw >= low:
		return high + raw
	case match == counter.Verified && (raw-low)%wrap < wrap/2:
		return high + wrap + raw
	}
	return raw
}

// Continue has the counts of 4 bytes go on that another Mapper knows, one of earlier samples of the same
// machines: a Mapper that knew nothing would begin with the raw value, and rate() would take all of that as
// counted since. It comes before the first Map, while nobody uses the other one.
func (m *Mapper) Continue(last *Mapper) error {
	if m.uses > 0 {
		return fmt.Errorf("metrics: %w: samples were mapped already", winperf.ErrState)
	}
	if last.prev.IsZero() {
		return nil
	}
	m.prev = last.prev
	for _, st := range last.objects {
		known := &object{objectKey: st.objectKey}
		for i := range st.wides {
			w := &st.wides[i]
			known.wides = append(known.wides, wide{id: w.id, total: slices.Clone(w.total)})
		}
		m.objects = append(m.objects, known)
	}
	return nil
}
