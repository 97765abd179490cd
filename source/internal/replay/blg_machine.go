package replay

import (
	"strings"

	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/source/internal/pdhraw"
)

// machinesOf returns the machines of a list of counters and the positions of their entries, in the
// order of the list. It omits damaged entries.
func machinesOf(list []pdhlog.Counter) (names []string, entries [][]int) {
	at := map[string]int{}
	for i := range list {
		if list[i].Kind == 0 {
			continue
		}
		key := strings.ToLower(list[i].Path.Machine)
		n, found := at[key]
		if !found {
			n = len(names)
			at[key] = n
			names, entries = append(names, list[i].Path.Machine), append(entries, nil)
		}
		entries[n] = append(entries[n], i)
	}
	return names, entries
}

// blgMachine builds the blocks of one machine of a log.
type blgMachine struct {
	*pdhraw.Builder
	values  []int // entries of the list with raw values, in the order of the builder's counters
	blocks  []int // entries with whole objects
	orphans bool  // blocks without an entry belong to this machine
}

// newBLGMachine returns the blgMachine for the entries of a list that belong to one machine.
func newBLGMachine(
	name string, list []pdhlog.Counter, entries []int, perfFreq int64,
	titles *pdhraw.Titles, bad func(text string),
) blgMachine {
	var m blgMachine
	var counters []pdhraw.Counter
	for _, i := range entries {
		c := &list[i]
		if c.Kind == pdhlog.Object {
			m.blocks = append(m.blocks, i)
			continue
		}

		m.values = append(m.values, i)
		counters = append(counters, pdhraw.Counter{
			Path: c.Path, Array: c.Kind == pdhlog.Array,
			ObjectTitle: titles.Index(c.Path.Object), Title: titles.Index(c.Path.Counter),
			Type: c.Type, Scale: c.Scale, TimeBase: c.TimeBase,
		})
	}
	m.Builder = pdhraw.New(name, counters, pdhraw.Options{PerfFreq: perfFreq, Bad: bad})
	return m
}

// block appends the block of a sample whose values are in the order of the list.
func (m *blgMachine) block(dst []byte, s *pdhlog.Sample) []byte {
	m.Begin()
	for n, i := range m.values {
		if v := &s.Values[i]; v.Counter != nil {
			m.value(n, v)
		}
	}

	for _, i := range m.blocks {
		if v := &s.Values[i]; v.Counter != nil {
			m.Block(v.Counter.Path.Object, v.Block)
		}
	}

	if m.orphans {
		for i := range s.Values {
			if v := &s.Values[i]; v.Counter == nil {
				m.Block("", v.Block)
			}
		}
	}
	return m.Append(dst, s.Time)
}

// value passes a counter's value in a sample to the builder.
func (m *blgMachine) value(n int, v *pdhlog.Value) {
	valid, denied := v.Valid(), v.Denied()
	switch v.Kind {
	case pdhlog.Single:
		// An object without instances exists even if its values say otherwise.
		absent := v.NoInstance() && v.Counter.Path.HasInstance
		m.Set(n, pdhraw.Value{
			First: v.First, Second: v.Second, Multi: v.Multi, Valid: valid, Denied: denied, Absent: absent,
		})
	case pdhlog.Array:
		for i := range v.Items {
			it := &v.Items[i]
			m.Item(n, it.Name, pdhraw.Value{
				First: it.First, Second: it.Second, Multi: it.Multi, Valid: valid, Denied: denied,
			})
		}
	}
}
