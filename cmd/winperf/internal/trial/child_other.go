//go:build !unix

package trial

import "os"

// askToEnd kills, as no signal can be sent.
func askToEnd(p *os.Process) error { return p.Kill() }

// systemUsage adds nothing: the system counts no more than times.
func systemUsage(*Exit, *os.ProcessState) {}
