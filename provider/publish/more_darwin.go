package publish

import "os"

// moreOf tells nothing: no account can have a file system begin at a file here, and
// the time when a file was made its owner can set.
func moreOf(*os.File) (mounted bool, born int64) { return false, 0 }
