package metrics

import (
	"math"
	"math/bits"
	"strings"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// Units of % Usage and % Free Space: pages and megabytes on Windows; kilobytes on Linux, where
// instances are paths with /. Linux fractions of at least unshifted may be shifted to fit 32 bits.
const (
	pageBytes = 4096
	kilobyte  = 1 << 10
	megabyte  = 1 << 20
	unshifted = 1 << 31
)

func isUnixPath(name string) bool { return strings.HasPrefix(name, "/") }

// pages is the size of paging files, or the used or free part, in bytes.
func pages(op tables.Op, k, base int) value {
	return func(in *inputs, out *Column) {
		bases := in.second(out, base)
		in.read(out, k)
		out.Form = Whole
		for i, v := range out.Bits {
			bytes, ok := fileBytes(op, v, bases[i], in.name(i))
			if !ok {
				in.setAbsent(out, i)
				continue
			}
			out.Bits[i] = bytes
		}
	}
}

func fileBytes(op tables.Op, used, all uint64, name string) (bytes uint64, ok bool) {
	unit := uint64(pageBytes)
	if isUnixPath(name) {
		unit = kilobyte
	}
	if used > all || unit == kilobyte && all >= unshifted {
		return 0, false
	}

	switch op {
	case tables.Used:
		return used * unit, true
	case tables.FreePages:
		return (all - used) * unit, true
	}
	return all * unit, true
}

func (in *inputs) name(row int) string {
	if in.object.Single() {
		return ""
	}
	return in.object.Labels().Name(in.instance(row))
}

// space is the size of file systems, or the used part, in bytes.
func space(op tables.Op, k, base, free int) value {
	return func(in *inputs, out *Column) {
		bases := in.second(out, base)
		in.read(out, k)
		out.Form = Whole
		for i, v := range out.Bits {
			megabytes, _ := in.object.Raw(in.instance(i), free)
			unit, ok := spaceUnit(in.name(i), v, bases[i], megabytes)
			if !ok || v > bases[i] {
				in.setAbsent(out, i)
				continue
			}
			if op == tables.Size {
				v = 0
			}
			out.Bits[i] = (bases[i] - v) * unit
		}
	}
}

// spaceUnit returns the unit of a file system's fraction of free space in bytes. A shifted fraction
// is compared with the free megabytes.
func spaceUnit(name string, free, all, megabytes uint64) (unit uint64, ok bool) {
	switch {
	case !isUnixPath(name):
		return megabyte, true
	case all < unshifted:
		return kilobyte, true
	case free == 0 || megabytes == 0 || megabytes > math.MaxUint64/megabyte:
		return 0, false
	}

	// The smallest power of 2 that is at least the quotient: megabytes are rounded down, by less than
	// half.
	quotient := (megabytes*megabyte + free - 1) / free
	return max(kilobyte, uint64(1)<<bits.Len64(quotient-1)), true
}

// summed returns the value of a row over all instances without totals; false if it is impossible.
func (s *tabled) summed(o *layout, r *tables.Row, ks []int) (value, bool) {
	if r.Convert.Op == tables.Count {
		return instances, true
	}
	if len(ks) == 0 {
		return nil, false
	}

	k, base := ks[0], o.Counters[ks[0]].Base
	switch c := r.Convert; c.Op {
	case tables.Raw:
		return sum(k, -1, func(v, _ uint64, _ string) (uint64, bool) { return v * uint64(c.Times), true }), true
	case tables.Pages, tables.FreePages:
		of := func(v, base uint64, name string) (uint64, bool) { return fileBytes(c.Op, v, base, name) }
		return sum(k, base, of), base >= 0
	}
	return nil, false
}

// instances is the number of instances, absent if only a total exists.
func instances(in *inputs, out *Column) {
	out.Form = Whole
	for i := range out.Bits {
		if out.Bits[i] = in.count(); out.Bits[i] == 0 {
			in.setAbsent(out, i)
		}
	}
}

// sum adds of(raw value, base) over all instances. It is absent if a value is missing or only
// totals exist.
func sum(k, base int, of func(v, base uint64, name string) (uint64, bool)) value {
	return func(in *inputs, out *Column) {
		out.Form = Whole
		total, whole := uint64(0), in.count() > 0
		for i := range in.object.Len() {
			name := ""
			if !in.object.Single() {
				name = in.object.Labels().Name(i)
			}
			if frame.IsTotal(name) {
				continue
			}

			v, has := in.object.Raw(i, k)
			b, hasBase := uint64(0), true
			if base >= 0 {
				b, hasBase = in.object.Raw(i, base)
			}
			made, ok := of(v, b, name)
			whole = whole && has && hasBase && ok
			total += made
		}
		for i := range out.Bits {
			out.Bits[i] = total
		}
		if !whole {
			in.setAllAbsent(out)
		}
	}
}
