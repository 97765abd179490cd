package publish

import "os"

// moreOf tells nothing: no account can mount a file system on a file here, and an owner
// can set the time when a file was made.
func moreOf(*os.File) (mounted bool, born int64) { return false, 0 }
