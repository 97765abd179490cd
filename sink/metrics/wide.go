package metrics

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// wide has the totals of a cumulative counter of 4 bytes for all instances: 8 bytes that continue
// beyond 2^32.
type wide struct {
	k     int
	id    definitionID
	total []uint64 // by instance; the low 32 bits are the last raw value
	spare []uint64 // memory for the next totals
	whole bool     // the last sample had all values
}

func (st *object) wideOf(k int) *wide {
	if k >= len(st.wideAt) || st.wideAt[k] == 0 {
		return nil
	}
	return &st.wides[st.wideAt[k]-1]
}

// definitionID identifies a counter in changed definitions.
type definitionID struct {
	index, id uint32
	kind      counter.Type
}

// unwrap starts to unwrap a counter if necessary, from its old state.
func (st *object) unwrap(l *layout, k int, old []wide) {
	d := &l.Counters[k]
	if d.Size != 4 || !grows(l, k) || st.wideOf(k) != nil {
		return
	}

	w := wide{k: k, id: definitionID{d.ID.Index, d.ID.ID, d.Type}}
	for i := range old {
		if old[i].id == w.id {
			w.total, w.spare = old[i].total, old[i].spare
			old[i].id = definitionID{} // of two counters with one identity, the first gets it
			break
		}
	}
	st.wides = append(st.wides, w)
	if st.wideAt == nil {
		st.wideAt = make([]int32, len(l.Counters))
	}
	st.wideAt[k] = int32(len(st.wides))
}

// grows reports whether a counter is cumulative. The bases of sample fractions and averages are.
func grows(l *layout, k int) bool {
	switch t := l.Counters[k].Type; t {
	case counter.SampleBase, counter.AverageBase:
		return true
	default:
		return t.Cumulative()
	}
}

// widen updates the totals from a new sample. If a raw value became smaller, it passed 2^32 if that
// is plausible, as in [counter.WrapPlausible]; otherwise the counter restarted.
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
					w.spare[i] = w.total[j] // continues when the value is known again
					continue
				}
			}
			w.spare[i] = continued(w.total[j], raw, match)
		}
		w.total, w.spare = w.spare, w.total
	}
}

// continued returns the total that follows total for a new raw value.
func continued(total, raw uint64, match counter.Match) uint64 {
	const wrap = 1 << 32
	low := total % wrap
	switch high := total - low; {
	case raw >= low:
		return high + raw
	case match == counter.Verified && (raw-low)%wrap < wrap/2:
		return high + wrap + raw
	case match == counter.Verified && high > 0 && raw >= low/2:
		return high + raw // a correction; see hold
	}
	return raw
}

// Continue copies the totals of cumulative counters of 4 bytes and the values kept in place of smaller ones
// from last, which mapped earlier samples of the same machines, and continues its groups of processes if
// the options are the same. Without it these counters fall to the raw value, and the groups to 0; rate()
// treats this as a restart from 0. Call it before the first Map, while last is not in use. Do not use last
// afterwards. After Map has been called the error wraps winperf.ErrState.
func (m *Mapper) Continue(last *Mapper) error {
	if m.uses > 0 {
		return fmt.Errorf("metrics: %w: samples were mapped already", winperf.ErrState)
	}
	if last.prev.IsZero() {
		return nil
	}

	m.prev, m.held = last.prev, last.heldValues()
	if m.groups != nil && last.groups != nil && m.groups.opt.same(&last.groups.opt) {
		m.groups = last.groups
	}

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
