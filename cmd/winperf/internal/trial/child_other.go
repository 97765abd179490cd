//go:build !unix

package trial

import "os"

// requestEnd kills the process, because signals are not supported.
func requestEnd(p *os.Process) error { return p.Kill() }

func systemUsage(*Exit, *os.ProcessState) {}
