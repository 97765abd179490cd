//go:build !linux

package live

import "io"

func onHangup(io.Writer, func()) {}
