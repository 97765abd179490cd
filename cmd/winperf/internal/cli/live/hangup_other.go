//go:build !linux

package live

import "io"

// onHangup would call f when the reader of w has gone away; on this system the
// next write tells.
func onHangup(io.Writer, func()) {}
