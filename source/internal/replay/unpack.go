package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/winperf/winperf"
)

// File is a file that contains a log.
type File struct {
	Name string // for messages
	path string // the file with its bytes
}

// At returns the file with a name.
func At(name string) File { return File{Name: name, path: name} }

// open opens a regular file, and refuses directories, pipes and devices.
func (f File) open() (*os.File, error) {
	info, err := os.Stat(f.path) // before opening, because opening a pipe waits for its writer
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: name a file in it: %w", f.Name, winperf.ErrNotSupported)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file (%v): %w", f.Name, info.Mode(), winperf.ErrNotSupported)
	}
	return os.Open(f.path)
}

// Start reads the first bytes of the file, at most size.
func (f File) Start(size int) ([]byte, error) {
	file, err := f.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return appendUpTo(nil, file, size)
}

// Copied reports whether the file is a copy, which must be removed.
func (f File) Copied() bool { return f.path != f.Name }

// Remove removes the copy, if the file is one.
func (f File) Remove() error {
	if !f.Copied() {
		return nil
	}
	return os.Remove(f.path)
}

// packing is a compression format.
type packing struct {
	extension string
	magic     string
	open      func(io.Reader) (io.ReadCloser, error)
}

func packings() []packing {
	return []packing{
		{".gz", "\x1f\x8b", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
		{".zst", "\x28\xb5\x2f\xfd", openZstd},
	}
}

// maxWindow limits the memory for a zstd file; zstd --long needs as much.
const maxWindow = 128 << 20

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// BareName returns a file's name without the extension of a compression format.
func BareName(name string) string {
	extension := filepath.Ext(name)
	for _, p := range packings() {
		if strings.EqualFold(extension, p.extension) {
			return strings.TrimSuffix(name, extension)
		}
	}
	return name
}

// Unpack returns the file with a name. If the file is compressed with gzip or zstd, it returns a
// decompressed copy, because logs are read with random access. damage is the error that ended the
// copy early; the data before it can be read.
func Unpack(ctx context.Context, name string) (file File, damage, err error) {
	file = At(name)
	start, err := file.Start(startSize)
	if err != nil || packed(start) == nil {
		return file, nil, err
	}

	f, err := file.open()
	if err != nil {
		return file, nil, err
	}
	defer f.Close()
	return Spool(ctx, name, f)
}

// Spool copies a log from a reader, compressed or not, to a file.
func Spool(ctx context.Context, name string, r io.Reader) (file File, damage, err error) {
	start, err := appendUpTo(nil, r, startSize)
	if err != nil {
		return file, nil, err
	}

	r = io.MultiReader(bytes.NewReader(start), r)
	p := packed(start)
	if p != nil {
		unpacker, err := p.open(r)
		if err != nil {
			return file, nil, fmt.Errorf("%s: %w: %w", name, winperf.ErrBadData, err)
		}
		defer unpacker.Close()
		r = unpacker
	}

	out, err := os.CreateTemp("", "winperf-*.log")
	if err != nil {
		return file, nil, err
	}
	file = File{Name: name, path: out.Name()}
	from := &copied{ctx: ctx, r: r}
	n, err := io.Copy(out, io.LimitReader(from, maxUnpacked))
	if n == maxUnpacked {
		from.err = fmt.Errorf("more than %d bytes: %w", int64(maxUnpacked), winperf.ErrNotSupported)
	}

	// A decompression error after some data is damage at that position.
	if p != nil && from.err != nil && n > 0 && ctx.Err() == nil {
		damage, err = fmt.Errorf("%s: %w: %w", name, winperf.ErrBadData, from.err), nil
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return file, nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Remove())
	}
	return file, damage, nil
}

// startSize is the number of bytes that identify the compression.
const startSize = 4

// maxUnpacked limits the decompressed size: a few kilobytes could fill the disk.
const maxUnpacked = 64 << 30

// packed returns the compression of a file that begins with start, nil for none.
func packed(start []byte) *packing {
	for _, p := range packings() {
		if bytes.HasPrefix(start, []byte(p.magic)) {
			return &p
		}
	}
	return nil
}

// copied is the input of a copy. It keeps read errors, to distinguish them from write errors.
type copied struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (c *copied) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}
