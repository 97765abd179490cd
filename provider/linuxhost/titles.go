package linuxhost

// Title indices of names that Windows does not have. They are fixed for ever:
// new ones go to the end, and none is taken out.
const (
	titleProcessesCreated = 100_000 + 2*iota // "Processes Created/sec"
	titleRunnableTasks                       // "Runnable Tasks"
	titleBlockedTasks                        // "Blocked Tasks"
	titleLoad1                               // "Load Average 1 min in Hundredths"
	titleLoad5                               // "Load Average 5 min in Hundredths"
	titleLoad15                              // "Load Average 15 min in Hundredths"
	titleSteal                               // "% Steal Time"
	titleIOWait                              // "% I/O Wait Time"
	titleNice                                // "% Nice Time"
	titleGuest                               // "% Guest Time"
	titleSwapIn                              // "Swap Pages Input/sec"
	titleSwapOut                             // "Swap Pages Output/sec"
	titleReclaimed                           // "Pages Reclaimed/sec"
	titleOOMKills                            // "OOM Kills"
	titleSlab                                // "Slab Reclaimable Bytes"
	titlePageTable                           // "Page Table Bytes"
	titleKernelStack                         // "Kernel Stack Bytes"
	titleAnonymous                           // "Anonymous Bytes"
	titleMapped                              // "Mapped Bytes"
	titleShared                              // "Shared Bytes"
	titleHugePage                            // "Huge Page Bytes"
	titleSwap                                // "Swap Bytes"
	titleMajorFaults                         // "Major Faults/sec"
	titleBlockDelay                          // "% Block I/O Delay Time"
	titlePriority                            // "Scheduler Priority"
	titleWait                                // "% Processor Wait Time"
)

// helpIndex returns the title index of a help text. Windows' help texts and
// their indices are Windows' own. One name stands for different figures in
// different objects, so every object has a range of 1,000: position 0 is the
// object itself, position i+1 its row i.
func helpIndex(object, position int) uint32 {
	return uint32(500_001 + 2*(1000*object+position))
}
