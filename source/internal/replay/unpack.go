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

// File is a file with a log in it.
type File struct {
	Name string // for messages
	path string // where its bytes are
}

// At is the file of a name.
func At(name string) File { return File{Name: name, path: name} }

// open opens a file that is no directory, pipe or device.
func (f File) open() (*os.File, error) {
	info, err := os.Stat(f.path) // before it is opened, as opening a pipe waits for its writer
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file (%v): %w", f.Name, info.Mode(), winperf.ErrNotSupported)
	}
	return os.Open(f.path)
}

// Start reads the first bytes of the file, no more than size.
func (f File) Start(size int) ([]byte, error) {
	file, err := f.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return appendUpTo(nil, file, size)
}

// Copied reports whether the bytes are those of a copy, which is to be removed.
func (f File) Copied() bool { return f.path != f.Name }

// Remove removes the copy that was made of a file.
func (f File) Remove() error {
	if !f.Copied() {
		return nil
	}
	return os.Remove(f.path)
}

// packing is a way to compress files.
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

// maxWindow bounds the memory for a file that zstd made; its --long needs as much.
const maxWindow = 128 << 20

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// BareName is a file's name without the extension that says how it is compressed.
func BareName(name string) string {
	extension := filepath.Ext(name)
	for _, p := range packings() {
		if strings.EqualFold(extension, p.extension) {
			return strings.TrimSuffix(name, extension)
		}
	}
	return name
}

// Unpack returns the file of a name or, where that is compressed with gzip or zstd, a copy
// that is not, as logs are read at any place. Damage is what ended the copy before its end;
// what stands before that can be read.
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

// Spool copies a log that comes through a reader, compressed or not, to a file.
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

	// What cannot be unpacked is damage behind what could be.
	if p != nil && from.err != nil && n > 0 && ctx.Err() == nil {
		damage, err = fmt.Errorf("%s: %w: %w", name, winperf.ErrBadData, from.err), nil
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return file, nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Remove())
	}
	return file, damage, nil
}

// startSize is enough to tell how a file is compressed.
const startSize = 4

// maxUnpacked bounds what a file unpacks to: a few kilobytes could fill the disk.
const maxUnpacked = 64 << 30

// packed tells by the first bytes how a file is compressed; nil is not at all.
func packed(start []byte) *packing {
	for _, p := range packings() {
		if bytes.HasPrefix(start, []byte(p.magic)) {
			return &p
		}
	}
	return nil
}

// copied is what is copied. It keeps the error of reading, which tells it from that of
// writing.
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
