package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

const procDetails = procShare | procShareAnonymous | procShareFile | procShareMemory | procSharedClean |
	procSharedDirty |
	procPrivateClean | procPrivateDirty | procDetailSwap | procSwapShare | procLocked

var memoryDetailsSpec = spec{
	number: 32, index: titleMemoryDetails, name: "Process Memory Details", multi: true, costly: true,
	identity: procID | procStarted,
	help: "How much memory each process that has memory of its own really takes, and _Total. From " +
		"/proc/PID/smaps_rollup, which walks through all its memory and locks it meanwhile: it disturbs " +
		"what it measures. " +
		"Not permitted for processes of others without CAP_SYS_PTRACE, and for _Total over them.",
	rows: []row{
		{titleProportional, "Proportional Set Bytes", counter.LargeRawCount, -5, provider.Novice,
			procShare, nil,
			"Its memory in RAM, each page divided by the number of processes that share it. From " +
				"/proc/PID/smaps_rollup, Pss."},
		{titleProportionalAnonymous, "Proportional Anonymous Bytes", counter.LargeRawCount, -5,
			provider.Advanced, procShareAnonymous, nil,
			"The anonymous (not file-backed) part of Proportional Set Bytes. From " +
				"/proc/PID/smaps_rollup, Pss_Anon."},
		{titleProportionalFile, "Proportional File Bytes", counter.LargeRawCount, -5, provider.Advanced,
			procShareFile, nil,
			"The part of Proportional Set Bytes that holds contents of files. From " +
				"/proc/PID/smaps_rollup, Pss_File."},
		{titleProportionalShared, "Proportional Shared Memory Bytes", counter.LargeRawCount, -5,
			provider.Advanced, procShareMemory, nil,
			"The part of Proportional Set Bytes that is shared memory or of tmpfs. From " +
				"/proc/PID/smaps_rollup, Pss_Shmem."},
		{titlePrivateClean, "Private Clean Bytes", counter.LargeRawCount, -5, provider.Advanced,
			procPrivateClean, nil,
			"Its memory in RAM that no other process has mapped and that it has not changed. From " +
				"/proc/PID/smaps_rollup, Private_Clean."},
		{titlePrivateDirty, "Private Dirty Bytes", counter.LargeRawCount, -5, provider.Novice,
			procPrivateDirty, nil,
			"Its memory in RAM that no other process has mapped and that it has changed. From " +
				"/proc/PID/smaps_rollup, Private_Dirty."},
		{titleSharedClean, "Shared Clean Bytes", counter.LargeRawCount, -5, provider.Advanced,
			procSharedClean, nil,
			"Its memory in RAM that other processes have mapped too and that is not changed. From " +
				"/proc/PID/smaps_rollup, Shared_Clean."},
		{titleSharedDirty, "Shared Dirty Bytes", counter.LargeRawCount, -5, provider.Advanced,
			procSharedDirty, nil,
			"Its memory in RAM that other processes have mapped too and that is changed. From " +
				"/proc/PID/smaps_rollup, Shared_Dirty."},
		{titleSwap, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, procDetailSwap, nil,
			"Its memory in swap. From /proc/PID/smaps_rollup, Swap."},
		{titleSwapProportional, "Proportional Swap Bytes", counter.LargeRawCount, -5, provider.Advanced,
			procSwapShare, nil,
			"Its memory in swap, each page divided by the number of processes that share it. From " +
				"/proc/PID/smaps_rollup, SwapPss."},
		{titleLocked, "Locked Bytes", counter.LargeRawCount, -5, provider.Expert, procLocked, nil,
			"Its memory that is locked in RAM, each page divided by the number of processes that share it. " +
				"From /proc/PID/smaps_rollup, Locked."},
		{684, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, procStarted, nil,
			"Seconds since it started. From /proc/PID/stat, starttime, and /proc/stat, btime."},
		{784, "ID Process", counter.RawCount, -1, provider.Novice, procID, nil,
			"Its process id in the process namespace of /proc. The name of the directory /proc/PID."},
	},
}

// detailFiles are the files of the Process Memory Details object.
var detailFiles = []pidFile{
	pidFiles[0],
	{name: "smaps_rollup", gives: procDetails, parse: parseRollup, memory: true},
}

func newMemoryDetailsSource() source {
	return &processSource{kinds: detailFiles, withMemory: true, totals: totals{gauges: procDetails}}
}

var rollupKeys = []key{
	{"Pss", procShare, kib},
	{"Pss_Anon", procShareAnonymous, kib},
	{"Pss_File", procShareFile, kib},
	{"Pss_Shmem", procShareMemory, kib},
	{"Shared_Clean", procSharedClean, kib},
	{"Shared_Dirty", procSharedDirty, kib},
	{"Private_Clean", procPrivateClean, kib},
	{"Private_Dirty", procPrivateDirty, kib},
	{"Swap", procDetailSwap, kib},
	{"SwapPss", procSwapShare, kib},
	{"Locked", procLocked, kib},
}

// parseRollup reads the lines "name: value kB" behind a line that says what
// range of addresses they are about.
func parseRollup(v *values, text []byte, _ units) { v.setKeys(text, rollupKeys) }
