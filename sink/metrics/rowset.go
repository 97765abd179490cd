package metrics

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strconv"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// rowSet are the rows of an object's selected instances under one labelling.
type rowSet struct {
	labelling *labelling
	choice    choice

	rows *Rows
	at   []int32 // by row: the position of the instance
	row  []int32 // by instance: the row, -1 for none
	run  bool    // the instances of the rows are adjacent
	// by row: the row of the same instance in the previous sample, -1 for none; empty if no row moved
	from []int32

	ids []uint64 // of all instances, for each of the labelling's IDs

	// Of the previous sample, while rows are made:
	prevRow []int32
	prevIDs []uint64
}

// renewRows updates the rows of an object if instances were added, removed, moved or renamed, or if
// labels may change. It stops when ctx ends.
func (m *Mapper) renewRows(ctx context.Context, st *object, o frame.Object) {
	labels := o.Labels()
	same := st.labels == labels && st.pair.InPlace()
	for _, r := range st.rows {
		if ctx.Err() != nil {
			return
		}
		sameIDs := r.readIDs(o)
		if !same || !sameIDs || r.rows == nil || r.labelling.Changing {
			m.makeRows(st, r, o)
			continue
		}
		r.from = r.from[:0]
	}
	st.labels = labels
}

// readIDs reads the values used in labels and reports whether they are unchanged.
func (r *rowSet) readIDs(o frame.Object) (same bool) {
	n := o.Len()
	r.ids, r.prevIDs = slices.Grow(r.prevIDs[:0], n*len(r.labelling.IDs)), r.ids
	for _, k := range r.labelling.IDs {
		at := len(r.ids)
		r.ids = r.ids[:at+n]
		o.ReadRaw(r.ids[at:], k, 0)
	}
	return slices.Equal(r.ids, r.prevIDs)
}

// makeRows makes rows. An unchanged instance keeps its labels.
func (m *Mapper) makeRows(st *object, r *rowSet, o frame.Object) {
	n, old := o.Len(), r.rows
	selected := m.filter.find(&r.choice, o, r.labelling.Totals)
	r.at, r.from = r.at[:0], r.from[:0]
	r.prevRow, r.row = r.row, slices.Grow(r.prevRow[:0], n)[:n]

	labels := make([][]Label, 0, n)
	var created []int64
	m.seen.begin()
	for i := range n {
		r.row[i] = -1
		if !selected[i] {
			continue
		}

		was := r.kept(st, o, i)
		ls, ok := m.labelsOf(st, r, o, i, was)
		if !ok {
			continue
		}
		if st.elapsed >= 0 {
			created = append(created, m.createdAt(st, r, o, i, was))
		}
		r.row[i] = int32(len(r.at))
		r.at, labels = append(r.at, int32(i)), append(labels, ls)
		if old != nil {
			r.from = append(r.from, int32(was))
		}
	}

	r.run = len(r.at) == 0 || int(r.at[len(r.at)-1]-r.at[0]) == len(r.at)-1
	if old != nil && r.labelling.Changing && slices.EqualFunc(old.labels, labels, slices.Equal) {
		return
	}
	r.rows = NewRows(labels, created)
}

// kept returns the previous row of instance i if its name is unchanged, else -1.
func (r *rowSet) kept(st *object, o frame.Object, i int) int {
	j, _ := st.pair.From(i)
	if j < 0 || j >= len(r.prevRow) || r.prevRow[j] < 0 || st.labels == nil || r.labelling.Changing {
		return -1
	}

	n, wasN := o.Len(), len(r.prevRow)
	for c := range r.labelling.IDs {
		if r.ids[c*n+i] != r.prevIDs[c*wasN+j] {
			return -1
		}
	}

	now := o.Labels()
	if now == st.labels && i == j {
		return int(r.prevRow[j])
	}
	if now.Full(i) != st.labels.Full(j) || now.Occurrence(i) != st.labels.Occurrence(j) {
		return -1
	}
	return int(r.prevRow[j])
}

// labelsOf returns the labels of instance i, reusing the labels of previous row was; false omits
// the instance.
func (m *Mapper) labelsOf(st *object, r *rowSet, o frame.Object, i, was int) ([]Label, bool) {
	var ls []Label
	if was >= 0 && !hasIndex(r.rows.labels[was]) {
		ls = r.rows.labels[was]
	} else {
		made, ok := r.labelling.Labels(o, i, m.seen.scratch[:0])
		m.seen.scratch = made
		if !ok {
			return nil, false
		}
		if m.several {
			made = append(made, Label{"machine", st.machine})
		}
		made = append(made, Label{"instance", m.opt.foreign(st.machine)})
		made = slices.DeleteFunc(made, func(l Label) bool { return l.Value == "" })
		sortLabels(made)
		ls = slices.Clone(made)
	}

	switch nth := m.seen.add(ls); {
	case nth == 0:
		return ls, true
	case r.labelling.Index:
		return indexed(ls, nth), true
	}
	return nil, false
}

const indexLabel = "index"

func hasIndex(ls []Label) bool {
	return slices.ContainsFunc(ls, func(l Label) bool { return l.Name == indexLabel })
}

func indexed(ls []Label, nth int) []Label {
	at := 0
	for at < len(ls) && ls[at].Name < indexLabel {
		at++
	}
	return slices.Insert(slices.Clone(ls), at, Label{indexLabel, strconv.Itoa(nth)})
}

// createdAt returns the start of instance i in nanoseconds since 1970, 0 if unknown. A known start
// is kept.
func (m *Mapper) createdAt(st *object, r *rowSet, o frame.Object, i, was int) int64 {
	_, match := st.pair.From(i)
	if was >= 0 && match == counter.Verified && r.rows.created != nil && r.rows.created[was] != 0 {
		return r.rows.created[was]
	}
	if frame.IsTotal(o.Labels().Name(i)) {
		return 0
	}

	raw, ok := o.Raw(i, st.elapsed)
	clock := startClockOf(o, i, st.elapsed)
	start, has := clock.began(raw)
	if !ok || !has || start > maxCreated {
		return 0
	}
	return int64(start) * 100
}

const maxCreated = math.MaxInt64 / 100

// seen counts equal labels.
type seen struct {
	seed    maphash.Seed
	first   map[uint64]seenLabels
	scratch []Label
	hash    maphash.Hash
}

type seenLabels struct {
	labels []Label
	n      int
}

func (s *seen) begin() {
	if s.first == nil {
		s.first = map[uint64]seenLabels{}
		s.hash.SetSeed(s.seed)
	}
	clear(s.first)
}

// add returns the number of earlier equal labels. The caller must not change ls afterwards.
func (s *seen) add(ls []Label) int {
	s.hash.Reset()
	for _, l := range ls {
		s.hash.WriteString(l.Name)
		s.hash.WriteByte(0)
		s.hash.WriteString(l.Value)
		s.hash.WriteByte(0)
	}

	// A colliding hash uses the next one.
	for at := s.hash.Sum64(); ; at++ {
		was, ok := s.first[at]
		if !ok {
			s.first[at] = seenLabels{ls, 1}
			return 0
		}
		if slices.Equal(was.labels, ls) {
			s.first[at] = seenLabels{was.labels, was.n + 1}
			return was.n
		}
	}
}
