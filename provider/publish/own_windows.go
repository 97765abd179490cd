package publish

import "os"

// admitReaders has nothing to do: a file has its rights from when it is made.
func admitReaders(*os.File, string) error { return nil }

// audienceOf tells in words which accounts may read a published file.
func audienceOf(*os.File) string {
	return "every program, where winperf provider install was run; else this account, administrators and " +
		"the performance groups"
}

// openOwn opens a file so that its lock can be taken.
func openOwn(path string) (*os.File, error) { return openFile(path) }

// reserve makes a file longer by n bytes. Windows makes no file shorter that is
// mapped.
func reserve(f *os.File, offset, n int64) error { return f.Truncate(offset + n) }
