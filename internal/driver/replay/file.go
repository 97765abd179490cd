package replay

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// MaxFile is the size in bytes above which a file is not read: 1 GiB, some 70
// times the block of a large server with all its objects.
const MaxFile = 1 << 30

// form is what a spec looks like, for messages.
const form = "FILE[,FILE...][?names=FILE[&names=FILE...]]"

// parseSpec splits what OpenPerfdata takes into the files with samples and
// those with names.
func parseSpec(spec string) (files, names []string, err error) {
	list, options, hasOptions := strings.Cut(spec, "?")
	for name := range strings.SplitSeq(list, ",") {
		if name == "" {
			return nil, nil, fmt.Errorf("the name of file %d is empty, expected %s: %w", len(files)+1, form, winperf.ErrNotSupported)
		}
		files = append(files, fileName(name))
	}

	if !hasOptions {
		return files, nil, nil
	}
	for option := range strings.SplitSeq(options, "&") {
		key, value, _ := strings.Cut(option, "=")
		if key != "names" || value == "" {
			return nil, nil, fmt.Errorf("option %q, expected %s: %w", option, form, winperf.ErrNotSupported)
		}
		names = append(names, fileName(value))
	}
	return files, names, nil
}

// fileName undoes %XX where the name as it stands is no file.
func fileName(name string) string {
	if !strings.Contains(name, "%") {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// readFile reads a file into dst's memory where that is large enough. Of a
// file that does not begin as a block does it reads the beginning only; decoding that fails.
func readFile(file File, dst []byte) ([]byte, error) {
	f, err := file.open()
	if err != nil {
		return dst, err
	}
	defer f.Close()

	info, err := f.Stat()
	switch {
	case err != nil:
		return dst, err
	case info.Size() > MaxFile:
		const form = "%s has %d bytes, expected at most %d: %w"
		return dst, fmt.Errorf(form, file.Name, info.Size(), MaxFile, winperf.ErrBadData)
	}

	size := int(info.Size())
	dst, err = appendUpTo(dst, f, min(size, beginning))
	if _, ok := perfdata.HeadOf(dst); err != nil || !ok {
		return dst, err
	}
	return appendUpTo(dst, f, size-len(dst))
}

// beginning is how many bytes of a file are read before it is known to hold a
// block.
const beginning = 512

// appendUpTo appends the next n bytes of r to dst, or as many as there are.
func appendUpTo(dst []byte, r io.Reader, n int) ([]byte, error) {
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	m, err := io.ReadFull(r, dst[at:])
	if err == io.EOF || err == io.ErrUnexpectedEOF { // it became shorter since it was looked at
		err = nil
	}
	return dst[:at+m], err
}

// readNames reads a file with names of objects and counters.
func readNames(name string) (winperf.NameTable, []error, error) {
	f, err := os.Open(name)
	if err != nil {
		return winperf.NameTable{}, nil, err
	}
	defer f.Close()
	return nametable.ReadFile(name, f)
}
