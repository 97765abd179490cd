package winapi

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// processors are records of two packages. The second one has processors of two groups. It returns the memory,
// the bytes used, and the byte of the second package's record.
func processors() (m Memory, used uint32, second uintptr) {
	m = make(Memory, 128)
	heap = m
	base := unsafe.Pointer(&m[0])
	off := uintptr(0)
	record := func(relation uint32, size uintptr) unsafe.Pointer {
		size += unsafe.Sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX{})
		*(*SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX)(unsafe.Add(base, off)) =
			SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX{relation, uint32(size)}
		off += size
		return unsafe.Add(base, off-size+unsafe.Sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX{}))
	}
	processor := func(relation uint32, groups ...GROUP_AFFINITY) {
		size := unsafe.Sizeof(PROCESSOR_RELATIONSHIP{})
		p := record(relation, size+uintptr(len(groups)-1)*unsafe.Sizeof(groups[0]))
		r := (*PROCESSOR_RELATIONSHIP)(p)
		r.GroupCount = uint16(len(groups))
		copy(unsafe.Slice(&r.GroupMask[0], len(groups)), groups)
	}
	cache := func(level uint8, size uint32, g GROUP_AFFINITY) {
		*(*CACHE_RELATIONSHIP)(record(RelationCache, unsafe.Sizeof(CACHE_RELATIONSHIP{}))) =
			CACHE_RELATIONSHIP{Level: level, CacheSize: size, GroupMask: g}
	}

	processor(RelationProcessorPackage, GROUP_AFFINITY{Mask: 0b11})
	processor(RelationProcessorCore, GROUP_AFFINITY{Mask: 0b11})
	cache(2, 1<<20, GROUP_AFFINITY{Mask: 0b11})
	record(1, 16) // a NUMA node
	second = off
	processor(RelationProcessorPackage, GROUP_AFFINITY{Mask: 0b1100}, GROUP_AFFINITY{Mask: 1, Group: 1})
	processor(RelationProcessorCore, GROUP_AFFINITY{Mask: 0b1100})
	processor(RelationProcessorCore, GROUP_AFFINITY{Mask: 1, Group: 1})
	cache(2, 1<<20, GROUP_AFFINITY{Mask: 0b1100})
	cache(2, 1<<20, GROUP_AFFINITY{Mask: 1, Group: 1})
	cache(3, 8<<20, GROUP_AFFINITY{Mask: 0b1100})
	cache(1, 1<<15, GROUP_AFFINITY{Mask: 0b1100})
	return m, uint32(off), second
}

// TestProcessorPackages counts what belongs to each package, and refuses damaged records.
func TestProcessorPackages(t *testing.T) {
	m, used, second := processors()
	got, err := m.ProcessorPackages(used)
	for i := range got {
		got[i].groups = nil
	}
	want := []ProcessorPackage{
		{First: 0, Cores: 1, Processors: 2, Level2Cache: 1 << 20},
		{First: 2, Cores: 2, Processors: 3, Level2Cache: 2 << 20, Level3Cache: 8 << 20},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}

	head := (*SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX)(unsafe.Add(unsafe.Pointer(&m[0]), second))
	size := head.Size
	for _, bad := range []uint32{0, 7, size - 1, 1 << 16, 1<<32 - 1} {
		head.Size = bad
		if _, err := m.ProcessorPackages(used); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("a record of %d bytes: error %v", bad, err)
		}
	}
	head.Size = size
	groups := (*PROCESSOR_RELATIONSHIP)(unsafe.Add(unsafe.Pointer(head), unsafe.Sizeof(*head)))
	for _, bad := range []uint16{0, 3, 1<<16 - 1} {
		groups.GroupCount = bad
		if _, err := m.ProcessorPackages(used); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%d groups: error %v", bad, err)
		}
	}
	if _, err := m[:2].ProcessorPackages(used); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("a short memory: error %v", err)
	}
	if got, err := (Memory)(nil).ProcessorPackages(0); got != nil || err != nil {
		t.Errorf("no records: %v, error %v", got, err)
	}
}
