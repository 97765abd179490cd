package input

// StandardPaths are the default paths of watch. The counters of an object fit a line of 80 columns, and a
// terminal of 24 lines shows some of each object.
var StandardPaths = []string{
	`\Processor(*)\% Processor Time`,
	`\Processor(*)\% User Time`,
	`\Processor(*)\% Privileged Time`,
	`\Processor(*)\% I/O Wait Time`,
	`\Memory\Available MBytes`,
	`\Memory\% Committed Bytes In Use`,
	`\Memory\Pages/sec`,
	`\Memory\Page Faults/sec`,
	`\Process(*)\% Processor Time`,
	`\Process(*)\ID Process`,
	`\Process(*)\Working Set`,
	`\PhysicalDisk(*)\% Idle Time`,
	`\PhysicalDisk(*)\Disk Reads/sec`,
	`\PhysicalDisk(*)\Disk Writes/sec`,
	`\PhysicalDisk(*)\Disk Bytes/sec`,
	`\Network Interface(*)\Bytes Received/sec`,
	`\Network Interface(*)\Bytes Sent/sec`,
}
