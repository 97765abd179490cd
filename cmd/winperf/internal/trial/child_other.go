//go:build !unix

package trial

import "os"

// askToEnd kills the process, because signals are not supported.
func askToEnd(p *os.Process) error { return p.Kill() }

func systemUsage(*Exit, *os.ProcessState) {}
