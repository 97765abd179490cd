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

// Those of disks.
const (
	titleMerges     = 100_200 + 2*iota // "Merges/sec"
	titleDiscards                      // "Discards/sec"
	titleFlushes                       // "Flushes/sec"
	titleFreeInodes                    // "% Free Inodes"
)

// Those of processors, threads, processes' memory, pressure and control groups.
const (
	titleProcessorInformation  = 100_400 + 2*iota // "Processor Information"
	titleProcessorNumber                          // "Processor Number"
	titleFrequency                                // "Processor Frequency"
	titleFrequencyShare                           // "% of Maximum Frequency"
	titlePriorityTime                             // "% Priority Time"
	titleClockInterrupts                          // "Clock Interrupts/sec"
	titleIdleBreaks                               // "Idle Break Events/sec"
	titleRunQueueWait                             // "% Run Queue Wait Time"
	titleMemoryDetails                            // "Process Memory Details"
	titleProportional                             // "Proportional Set Bytes"
	titleProportionalAnonymous                    // "Proportional Anonymous Bytes"
	titleProportionalFile                         // "Proportional File Bytes"
	titleProportionalShared                       // "Proportional Shared Memory Bytes"
	titlePrivateClean                             // "Private Clean Bytes"
	titlePrivateDirty                             // "Private Dirty Bytes"
	titleSharedClean                              // "Shared Clean Bytes"
	titleSharedDirty                              // "Shared Dirty Bytes"
	titleSwapProportional                         // "Proportional Swap Bytes"
	titleLocked                                   // "Locked Bytes"
	titlePressure                                 // "Pressure Stall"
	titleSomeStalled                              // "% Some Stalled Time"
	titleFullStalled                              // "% Full Stalled Time"
	titleSome10                                   // "% Some Stalled Time 10 s Mean"
	titleSome60                                   // "% Some Stalled Time 60 s Mean"
	titleSome300                                  // "% Some Stalled Time 300 s Mean"
	titleFull10                                   // "% Full Stalled Time 10 s Mean"
	titleFull60                                   // "% Full Stalled Time 60 s Mean"
	titleFull300                                  // "% Full Stalled Time 300 s Mean"
	titleControlGroup                             // "Control Group"
	titleThrottled                                // "Throttled Periods/sec"
	titleThrottledTime                            // "% Throttled Time"
	titleMemory                                   // "Memory Bytes"
	titleMemoryLimit                              // "Memory Limit Bytes"
	titleTasks                                    // "Tasks"
	titleCPUSome                                  // "% Some Processor Stalled Time"
	titleCPUFull                                  // "% Full Processor Stalled Time"
	titleMemorySome                               // "% Some Memory Stalled Time"
	titleMemoryFull                               // "% Full Memory Stalled Time"
	titleIOSome                                   // "% Some I/O Stalled Time"
	titleIOFull                                   // "% Full I/O Stalled Time"
)

// helpIndex returns the title index of a help text. Windows' help texts and
// their indices are Windows' own. One name stands for different figures in
// different objects, so every object has a range of 1,000: position 0 is the
// object itself, position i+1 its row i.
func helpIndex(object, position int) uint32 {
	return uint32(500_001 + 2*(1000*object+position))
}
