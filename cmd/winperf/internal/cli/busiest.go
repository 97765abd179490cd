package cli

import (
	"cmp"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/titles"
)

// mostProcesses is how many processes the standard table shows.
const mostProcesses = 10

// narrowStandard keeps of the readings of the standard paths those of the
// busiest processes, the busiest first, and all that are not of processes.
func narrowStandard(v *logs.View) {
	rank := rankProcesses(v)
	place := func(at uint32) int { return rank[v.Of.At(int(at)).Path.InstanceText()] }
	v.Positions = slices.DeleteFunc(v.Positions, func(at uint32) bool {
		return isProcess(v.Of.At(int(at))) && place(at) == 0
	})

	kept := v.Positions
	for from := 0; from < len(kept); {
		r := v.At(from)
		object, counter, process := r.ObjectID, r.CounterID, isProcess(r)
		to := from + 1
		for to < len(kept) && v.At(to).ObjectID == object && v.At(to).CounterID == counter {
			to++
		}
		if process {
			slices.SortStableFunc(kept[from:to], func(a, b uint32) int {
				return cmp.Compare(place(a), place(b))
			})
		}
		from = to
	}
}

func isProcess(r *winperf.Reading) bool { return r.ObjectID.Index == titles.Process }

// rankProcesses returns the places, from 1 on, of the instances that are shown:
// by processor time, then by memory. What has the id 0 is no process: Idle and
// _Total.
func rankProcesses(readings winperf.Readings) map[string]int {
	type process struct {
		name       string
		id         bool // it has one, and it is not 0
		busy, size float64
	}

	byName := map[string]*process{}
	var list []*process
	for i := range readings.Len() {
		r := readings.At(i)
		if !isProcess(r) || r.Status != counter.OK {
			continue
		}

		name := r.Path.InstanceText()
		p := byName[name]
		if p == nil {
			p = &process{name: name, busy: -1} // less than 0 for one that began just now
			byName[name] = p
			list = append(list, p)
		}

		switch n, _ := r.Value.Float64(); r.CounterID.Index {
		case titles.ProcessorTime:
			p.busy = n
		case titles.WorkingSet:
			p.size = n
		case titles.IDProcess:
			p.id = n != 0
		}
	}

	list = slices.DeleteFunc(list, func(p *process) bool { return !p.id })
	slices.SortStableFunc(list, func(a, b *process) int {
		return cmp.Or(cmp.Compare(b.busy, a.busy), cmp.Compare(b.size, a.size))
	})
	rank := map[string]int{}
	for i, p := range list[:min(len(list), mostProcesses)] {
		rank[p.name] = i + 1
	}
	return rank
}
