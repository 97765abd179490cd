package linuxhost

import (
	"context"
	"errors"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Memory object: of /proc/meminfo in bytes, of /proc/vmstat
// in events or pages.
const (
	memAvailable fields = 1 << iota
	memFree
	memDirty
	memWriteback
	memCommitted
	memLimit
	memBuffers
	memCached
	memShared
	memSlab
	memFixedSlab
	memPageTables
	memKernelStack
	memAnonymous
	memMapped
	memHuge
	memCommittedPages
	memLimitPages
	memFaults
	memMajorFaults
	memPagesIn // first in KiB, as the kernel counts it, then in pages
	memSwapIn
	memSwapOut
	memStealAnonymous
	memStealFile
	memKills
)

var meminfoKeys = []key{
	{"MemFree", memFree, kib},
	{"MemAvailable", memAvailable, kib},
	{"Buffers", memBuffers, kib},
	{"Cached", memCached, kib},
	{"Dirty", memDirty, kib},
	{"Writeback", memWriteback, kib},
	{"AnonPages", memAnonymous, kib},
	{"Mapped", memMapped, kib},
	{"Shmem", memShared, kib},
	{"SReclaimable", memSlab, kib},
	{"SUnreclaim", memFixedSlab, kib},
	{"KernelStack", memKernelStack, kib},
	{"PageTables", memPageTables, kib},
	{"CommitLimit", memLimit, kib},
	{"Committed_AS", memCommitted, kib},
	{"Hugetlb", memHuge, kib},
}

var vmstatKeys = []key{
	{"pgpgin", memPagesIn, 1},
	{"pswpin", memSwapIn, 1},
	{"pswpout", memSwapOut, 1},
	{"pgfault", memFaults, 1},
	{"pgmajfault", memMajorFaults, 1},
	{"pgsteal_anon", memStealAnonymous, 1},
	{"pgsteal_file", memStealFile, 1},
	{"oom_kill", memKills, 1},
}

// memFromVmstat are the figures that /proc/vmstat gives.
const memFromVmstat = memFaults | memMajorFaults | memPagesIn | memSwapIn | memSwapOut | memStealAnonymous |
	memStealFile | memKills

var memorySpec = spec{
	number: 2, index: 4, name: "Memory", first: 8,
	help: "The machine's memory. Inside a container these are the host's figures; the container's limits " +
		"are those of its control group.",
	rows: []row{
		{28, "Page Faults/sec", counter.CounterCounter, -1, provider.Novice, memFaults, nil,
			"Page faults, minor and major. From /proc/vmstat, pgfault."},
		{24, "Available Bytes", counter.LargeRawCount, -6, provider.Expert, memAvailable, nil,
			"Memory that new programs can have without swapping. From /proc/meminfo, MemAvailable. Unlike " +
				"on Windows an estimate by the kernel: free memory and what can be reclaimed, " +
				"less reserves."},
		{26, "Committed Bytes", counter.LargeRawCount, -6, provider.Expert, memCommitted, nil,
			"Memory promised to programs. From /proc/meminfo, Committed_AS. Unlike on Windows it may pass " +
				"the limit: most of it need never be touched."},
		{30, "Commit Limit", counter.LargeRawCount, -6, provider.Wizard, memLimit, nil,
			"How much memory can be promised. From /proc/meminfo, CommitLimit. Unlike on Windows it is " +
				"enforced only where vm.overcommit_memory is 2."},
		{1406, "% Committed Bytes In Use", counter.RawFraction, 0, provider.Expert, memCommittedPages |
			memLimitPages, committedShare,
			"Committed Bytes as a share of Commit Limit, in pages. From /proc/meminfo, Committed_AS and " +
				"CommitLimit. Unlike on Windows it may pass 100."},
		{1380, "Available KBytes", counter.LargeRawCount, 0, provider.Expert, memAvailable,
			func(v *values) (uint64, uint64) { return v.sum(memAvailable) >> 10, 0 },
			"Available Bytes in units of 1,024 bytes. From /proc/meminfo, MemAvailable, an estimate by " +
				"the kernel."},
		{1382, "Available MBytes", counter.LargeRawCount, 0, provider.Expert, memAvailable,
			func(v *values) (uint64, uint64) { return v.sum(memAvailable) >> 20, 0 },
			"Available Bytes in units of 1,048,576 bytes, cut. From /proc/meminfo, MemAvailable, an " +
				"estimate by the kernel."},
		{42, "Page Reads/sec", counter.CounterCounter, 0, provider.Expert, memMajorFaults, nil,
			"Page faults that had to wait for a device; operations, not pages. From /proc/vmstat, " +
				"pgmajfault."},
		{40, "Pages/sec", counter.CounterCounter, 0, provider.Novice, memPagesIn | memSwapOut, nil,
			"Pages Input/sec and Pages Output/sec together, with the differences from Windows that these " +
				"have. From /proc/vmstat, pgpgin and pswpout."},
		{822, "Pages Input/sec", counter.CounterCounter, 0, provider.Novice, memPagesIn, nil,
			"Pages read from block devices. From /proc/vmstat, pgpgin. Unlike on Windows direct I/O is " +
				"among them. Swap Pages Input/sec is swap alone."},
		{48, "Pages Output/sec", counter.CounterCounter, 0, provider.Advanced, memSwapOut, nil,
			"Pages written to swap; bo of vmstat(8) is all that was written to block devices. From " +
				"/proc/vmstat, pswpout. Unlike on Windows pages written back to mapped files are not " +
				"among them."},
		{58, "Pool Nonpaged Bytes", counter.LargeRawCount, -5, provider.Advanced, memFixedSlab, nil,
			"Kernel memory that cannot be reclaimed. From /proc/meminfo, SUnreclaim. Unlike on Windows " +
				"only the part kept in slabs."},
		{818, "Cache Bytes", counter.LargeRawCount, -5, provider.Advanced, memBuffers | memCached |
			memShared, cacheBytes,
			"Memory that holds contents of files. From /proc/meminfo, Buffers + Cached - Shmem. Unlike on " +
				"Windows not the system's working set; shared memory and tmpfs are taken out, which buff " +
				"and cache of vmstat(8) hold, as they do reclaimable slabs."},
		{1676, "Free & Zero Page List Bytes", counter.LargeRawCount, 0, provider.Wizard, memFree, nil,
			"Memory that nothing uses. From /proc/meminfo, MemFree."},
		{1678, "Modified Page List Bytes", counter.LargeRawCount, 0, provider.Wizard, memDirty |
			memWriteback, nil,
			"Memory that waits to be written to files. From /proc/meminfo, Dirty + Writeback. Unlike on " +
				"Windows pages on their way to swap are not among them."},
		{titleSwapIn, "Swap Pages Input/sec", counter.CounterCounter, 0, provider.Advanced, memSwapIn, nil,
			"Pages read from swap. From /proc/vmstat, pswpin."},
		{titleSwapOut, "Swap Pages Output/sec", counter.CounterCounter, 0, provider.Advanced, memSwapOut, nil,
			"Pages written to swap. From /proc/vmstat, pswpout."},
		{titleReclaimed, "Pages Reclaimed/sec", counter.CounterCounter, -1, provider.Expert,
			memStealAnonymous | memStealFile, nil,
			"Pages taken from programs and from the file cache to be used anew. From /proc/vmstat, " +
				"pgsteal_anon + pgsteal_file."},
		{titleOOMKills, "OOM Kills", counter.RawCount, 0, provider.Advanced, memKills, nil,
			"Processes that the kernel ended for want of memory, since the machine started. From " +
				"/proc/vmstat, oom_kill."},
		{titleSlab, "Slab Reclaimable Bytes", counter.LargeRawCount, -5, provider.Expert, memSlab, nil,
			"Kernel memory kept in slabs that can be reclaimed. From /proc/meminfo, SReclaimable."},
		{titlePageTable, "Page Table Bytes", counter.LargeRawCount, -5, provider.Expert, memPageTables, nil,
			"Memory that holds page tables. From /proc/meminfo, PageTables."},
		{titleKernelStack, "Kernel Stack Bytes", counter.LargeRawCount, -5, provider.Expert,
			memKernelStack, nil,
			"Memory that holds the kernel stacks of threads. From /proc/meminfo, KernelStack."},
		{titleAnonymous, "Anonymous Bytes", counter.LargeRawCount, -6, provider.Expert, memAnonymous, nil,
			"Anonymous (not file-backed) memory of processes. From /proc/meminfo, AnonPages."},
		{titleMapped, "Mapped Bytes", counter.LargeRawCount, -6, provider.Expert, memMapped, nil,
			"Memory of files that programs have mapped. From /proc/meminfo, Mapped."},
		{titleShared, "Shared Bytes", counter.LargeRawCount, -6, provider.Expert, memShared, nil,
			"Shared memory and the contents of tmpfs. From /proc/meminfo, Shmem."},
		{titleHugePage, "Huge Page Bytes", counter.LargeRawCount, -6, provider.Expert, memHuge, nil,
			"Memory set aside for huge pages of all sizes. From /proc/meminfo, Hugetlb."},
	},
}

// cacheBytes is the file cache without shared memory. The kernel reads the
// three figures one after the other, so it may come out below 0.
func cacheBytes(v *values) (uint64, uint64) {
	all, shared := v.sum(memBuffers|memCached), v.sum(memShared)
	return all - min(all, shared), 0
}

// committedShare is the share of what can be promised that has been.
func committedShare(v *values) (uint64, uint64) {
	return fraction(v.sum(memCommittedPages), v.sum(memLimitPages))
}

// memorySource reads the Memory object.
type memorySource struct {
	meminfo, vmstat file
	values          values
}

func newMemorySource() source {
	return &memorySource{meminfo: file{name: "proc/meminfo"},
		vmstat: file{name: "proc/vmstat", records: true}}
}

func (m *memorySource) probe(s *session) fields {
	m.read(s, ^fields(0))
	return m.values.have
}

func (m *memorySource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	m.read(s, o.wanted)
	out := w.Object(o.layout)
	o.write(&out, &m.values)
	out.End()
	return nil
}

func (m *memorySource) close(s *session) error {
	return errors.Join(s.reader.close(&m.meminfo.h), s.reader.close(&m.vmstat.h))
}

// read reads what the wanted figures come from. A file that cannot be read
// leaves its figures out.
func (m *memorySource) read(s *session, wanted fields) {
	v := &m.values
	v.have = 0
	if wanted&^memFromVmstat != 0 {
		if text, err := s.reader.read(&m.meminfo); err == nil {
			parseMeminfo(v, text, s.page)
		}
	}
	if wanted&memFromVmstat != 0 {
		if text, err := s.reader.read(&m.vmstat); err == nil {
			parseVmstat(v, text, s.page)
		}
	}
}

func parseMeminfo(v *values, text []byte, page uint64) {
	v.setKeys(text, meminfoKeys)
	if v.has(memCommitted) {
		v.set(memCommittedPages, v.sum(memCommitted)/page)
	}
	if v.has(memLimit) {
		v.set(memLimitPages, v.sum(memLimit)/page)
	}
}

func parseVmstat(v *values, text []byte, page uint64) {
	v.setKeys(text, vmstatKeys)
	if v.has(memPagesIn) {
		n := v.sum(memPagesIn)
		v.have &^= memPagesIn
		v.setScaled(memPagesIn, n, kib, page)
	}
}
