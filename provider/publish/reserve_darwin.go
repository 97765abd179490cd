package publish

import "os"

// reserve makes a file longer by n bytes.
func reserve(f *os.File, offset, n int64) error { return f.Truncate(offset + n) }
