//go:build !unix

package queuedir

import "io/fs"

// foreign returns "": modes and owners of this system are not known here.
func foreign(fs.FileInfo) string { return "" }
