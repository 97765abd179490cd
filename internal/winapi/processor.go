package winapi

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/winperf/winperf"
)

// Relations of GetLogicalProcessorInformationEx (winnt.h).
const (
	RelationProcessorCore    = 0
	RelationCache            = 2
	RelationProcessorPackage = 3
	RelationAll              = 0xffff
)

// SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX (winnt.h) begins a record. One of the relationships follows.
type SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX struct {
	Relationship uint32
	Size         uint32
}

// GROUP_AFFINITY (winnt.h) are processors of a group.
type GROUP_AFFINITY struct {
	Mask     uintptr
	Group    uint16
	Reserved [3]uint16
}

// PROCESSOR_RELATIONSHIP (winnt.h) is a core or a package. The array has GroupCount entries.
type PROCESSOR_RELATIONSHIP struct {
	Flags      uint8
	_          [21]uint8 // differs between headers
	GroupCount uint16
	GroupMask  [1]GROUP_AFFINITY
}

// CACHE_RELATIONSHIP (winnt.h) is a cache, with its first group of processors.
type CACHE_RELATIONSHIP struct {
	Level         uint8
	Associativity uint8
	LineSize      uint16
	CacheSize     uint32
	Type          uint32
	Reserved      [20]uint8
	GroupMask     GROUP_AFFINITY
}

// ProcessorPackage is a processor in a socket.
type ProcessorPackage struct {
	First       int // number of its first logical processor in the machine
	Cores       int
	Processors  int    // logical processors
	Level2Cache uint64 // bytes of all its caches
	Level3Cache uint64
	groups      []GROUP_AFFINITY
}

// has reports whether a processor of a group is in the package.
func (p *ProcessorPackage) has(g GROUP_AFFINITY) bool {
	for _, own := range p.groups {
		if own.Group == g.Group && own.Mask&g.Mask != 0 {
			return true
		}
	}
	return false
}

// ProcessorPackages returns the packages in records of a number of bytes, with their cores and caches.
func (m Memory) ProcessorPackages(size uint32) (all []ProcessorPackage, err error) {
	var cores []GROUP_AFFINITY
	var caches []CACHE_RELATIONSHIP
	for off := uintptr(0); off < uintptr(size); {
		record, err := at[SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX](m, m.base()+off)
		if err != nil {
			return nil, err
		}
		body := off + unsafe.Sizeof(*record)
		end := off + uintptr(record.Size)
		if end < body || end > uintptr(m.Bytes()) {
			return nil, fmt.Errorf("record of processors at byte %d claims %d bytes: %w", off, record.Size,
				winperf.ErrBadData)
		}

		switch record.Relationship {
		case RelationProcessorPackage, RelationProcessorCore:
			groups, err := m.groups(body, end)
			if err != nil {
				return nil, err
			}
			if record.Relationship == RelationProcessorCore {
				cores = append(cores, groups[0])
				break
			}
			all = append(all, ProcessorPackage{groups: groups})
		case RelationCache:
			cache, err := at[CACHE_RELATIONSHIP](m, m.base()+body)
			if err != nil {
				return nil, err
			}
			caches = append(caches, *cache)
		}
		off = end
	}
	count(all, cores, caches)
	return all, nil
}

// groups returns the processors of a PROCESSOR_RELATIONSHIP, at least one group.
func (m Memory) groups(body, end uintptr) (all []GROUP_AFFINITY, err error) {
	head, err := at[PROCESSOR_RELATIONSHIP](m, m.base()+body)
	if err != nil {
		return nil, err
	}
	first, size := body+unsafe.Offsetof(head.GroupMask), unsafe.Sizeof(head.GroupMask[0])
	if n := head.GroupCount; n == 0 || first+uintptr(n)*size > end {
		return nil, fmt.Errorf("%d groups of processors in a record of %d bytes: %w", n, end-body, winperf.ErrBadData)
	}

	for i := range uintptr(head.GroupCount) {
		g, err := at[GROUP_AFFINITY](m, m.base()+first+i*size)
		if err != nil {
			return nil, err
		}
		all = append(all, *g)
	}
	return all, nil
}

// count counts the processors, cores and caches of packages.
func count(all []ProcessorPackage, cores []GROUP_AFFINITY, caches []CACHE_RELATIONSHIP) {
	active := map[uint16]uintptr{} // by group
	for _, p := range all {
		for _, g := range p.groups {
			active[g.Group] |= g.Mask
		}
	}

	for i := range all {
		p := &all[i]
		p.First = position(p.groups[0], active)
		for _, g := range p.groups {
			p.Processors += bits.OnesCount64(uint64(g.Mask))
		}
		for _, c := range cores {
			if p.has(c) {
				p.Cores++
			}
		}
		for _, c := range caches {
			switch {
			case !p.has(c.GroupMask):
			case c.Level == 2:
				p.Level2Cache += uint64(c.CacheSize)
			case c.Level == 3:
				p.Level3Cache += uint64(c.CacheSize)
			}
		}
	}
}

// position returns the number of the first processor of g among the active processors of all groups.
func position(g GROUP_AFFINITY, active map[uint16]uintptr) (n int) {
	for group, mask := range active {
		switch {
		case group < g.Group:
			n += bits.OnesCount64(uint64(mask))
		case group == g.Group:
			n += bits.OnesCount64(uint64(mask & (g.Mask&-g.Mask - 1)))
		}
	}
	return n
}
