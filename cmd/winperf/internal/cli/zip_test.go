package cli

import (
	"compress/gzip"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// mkzip compresses a file into others: mkzip FILE OUT..., by their extension .gz or .zst.
func mkzip(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	for _, name := range args[1:] {
		f, err := os.Create(ts.MkAbs(name))
		ts.Check(err)

		var w io.WriteCloser = gzip.NewWriter(f)
		if strings.HasSuffix(name, ".zst") {
			w, err = zstd.NewWriter(f)
			ts.Check(err)
		}
		_, err = io.WriteString(w, data)
		ts.Check(err)
		ts.Check(w.Close())
		ts.Check(f.Close())
	}
}

// truncate copies a file without its last bytes: truncate FILE OUT.
func truncate(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data[:len(data)-len(data)/4]), 0o600))
}
