package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// maxFile is the largest file in bytes that is read: 1 GiB, about 70 times the block of a large
// server with all its objects.
const maxFile = 1 << 30

// maxText is the largest text form of a block in bytes that is read: 64 MiB, about twice the text
// of a large server's block.
const maxText = 64 << 20

// form is the form of a spec, for messages.
const form = "FILE[,FILE...][?names=FILE[&names=FILE...]]"

// OpenPerfdata opens performance data blocks as a source. spec is FILE[,FILE...][?names=FILE...].
// Each file is one sample, in the given order. names is a file with the names of objects and
// counters, in the form of nametable.ReadFile; it may occur several times, separated by &. Files
// may be compressed with gzip or zstd, or contain blocks as text. A comma or a question mark in a
// file's name can be written as % and two hexadecimal digits, as in a URL.
//
// The error wraps winperf.ErrNotSupported if spec has another form.
func OpenPerfdata(spec string) (winperf.Source, error) {
	files, names, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	return OpenFiles(files, names)
}

// OpenFiles opens performance data blocks, one sample per file, as a source. The files in names
// hold names of objects and counters; missing and damaged names are reported in the schema's
// Damage.
//
// OpenFiles reads the first sample for the machine's name, which also detects wrong files early.
// Errors wrap fs.ErrNotExist, winperf.ErrBadData or winperf.ErrNotSupported. The other files are
// read when they are sampled.
func OpenFiles(files, names []string) (winperf.Source, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("no file with a sample was given: %w", winperf.ErrNotSupported)
	}
	schema := &winperf.Schema{Interface: "file"}
	for _, name := range names {
		table, damage, err := readNames(name)
		if err != nil {
			return nil, err
		}
		schema.Names = append(schema.Names, table)
		schema.Damage = append(schema.Damage, damage...)
	}

	var all []File
	for _, name := range files {
		all = append(all, At(name))
	}
	return openBlocks(all, schema)
}

// OpenBlock opens a performance data block as a source of one sample.
func OpenBlock(file File) (winperf.Source, error) {
	return openBlocks([]File{file}, &winperf.Schema{Interface: "file"})
}

// openBlocks opens files. It reads the first for the machine's name, which also detects a missing
// or wrong file early.
func openBlocks(files []File, schema *winperf.Schema) (winperf.Source, error) {
	raw := winperf.Raw{Format: winperf.FormatV1, Schema: schema}
	var err error
	if raw.Bytes, _, err = readBlock(files[0], nil); err != nil {
		return nil, err // damage is reported with the sample
	}

	var pool frame.Pool
	f, err := pool.Decode(raw.Sample(), frame.Frame{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[0].Name, err)
	}
	return &record{
		schema: schema,
		is:     winperf.Description{Machine: f.Machine(), Recorded: true, Samples: len(files)},
		open: func(winperf.Selection) (reader, error) {
			return &blockReader{files: files, schema: schema}, nil
		},
	}, nil
}

// blockReader reads one file after the other.
type blockReader struct {
	files  []File // files still to be read
	schema *winperf.Schema
}

// next implements reader. If a file cannot be read, the next call tries it again.
func (r *blockReader) next(_ context.Context, s *winperf.Sample) (err error) {
	if len(r.files) == 0 {
		return io.EOF
	}
	b := s.Begin()
	b.Format, b.Schema, s.Schema = winperf.FormatV1, r.schema, r.schema
	var damage error
	b.Bytes, damage, err = readBlock(r.files[0], b.Bytes[:0])
	if err != nil {
		return err
	}

	if damage != nil {
		s.Damage = append(s.Damage, damage)
	}
	r.files = r.files[1:]
	return nil
}

func (r *blockReader) damage() []error { return nil }

func (r *blockReader) position() (at, of int64) { return 0, 0 }

// Close implements reader. No file is open.
func (r *blockReader) Close() error { return nil }

// parseSpec splits the spec of OpenPerfdata into files with samples and files with names.
func parseSpec(spec string) (files, names []string, err error) {
	list, options, hasOptions := strings.Cut(spec, "?")
	for name := range strings.SplitSeq(list, ",") {
		if name == "" {
			const text = "the name of file %d is empty, expected %s: %w"
			return nil, nil, fmt.Errorf(text, len(files)+1, form, winperf.ErrNotSupported)
		}
		files = append(files, fileName(name))
	}

	if !hasOptions {
		return files, nil, nil
	}
	for option := range strings.SplitSeq(options, "&") {
		key, value, _ := strings.Cut(option, "=")
		if key != "names" || value == "" {
			return nil, nil, fmt.Errorf("option %q is %w, expected %s", option, winperf.ErrNotSupported, form)
		}
		names = append(names, fileName(value))
	}
	return files, names, nil
}

// fileName decodes %XX, unless a file with the undecoded name exists.
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

// readBlock reads a file, which may be compressed or contain the text form of a block, into dst's
// memory if that is large enough. damage is the error that ended decompression early.
func readBlock(file File, dst []byte) (block []byte, damage, err error) {
	block, damage, err = readFile(file, dst)
	if err != nil || !IsBlockText(block) {
		return block, damage, err
	}

	if len(block) > maxText {
		return dst, damage, tooLarge(file, len(block), maxText)
	}
	parsed, err := perfdata.ParseText(block)
	if err == nil {
		block, err = parsed.Encode()
	}
	if err != nil {
		return dst, damage, fmt.Errorf("%s: %w", file.Name, err)
	}
	return block, damage, nil
}

// IsBlockText reports whether a file that begins with start contains the text form of a block: the
// first word outside a comment is a keyword of that form.
func IsBlockText(start []byte) bool {
	for line := range bytes.Lines(start) {
		text, _, _ := bytes.Cut(line, []byte("#"))
		words := bytes.Fields(text)
		if len(words) > 0 {
			return string(words[0]) == "block" || string(words[0]) == "object"
		}
	}
	return false
}

// isBlock reports whether a file that begins with start may contain a block, as bytes or as text.
func isBlock(start []byte) bool {
	_, ok := datablock.HeadOf(start)
	return ok || IsBlockText(start)
}

// readFile reads the content of a file. If a file does not begin like a block, it reads only the
// beginning; decoding that fails.
func readFile(file File, dst []byte) (content []byte, damage, err error) {
	f, err := file.open()
	if err != nil {
		return dst, nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	switch {
	case err != nil:
		return dst, nil, err
	case info.Size() > maxFile:
		return dst, nil, tooLarge(file, info.Size(), maxFile)
	}

	size := int(info.Size())
	dst, err = appendUpTo(dst, f, min(size, beginning))
	if p := packed(dst); p != nil && err == nil {
		return unpackBlock(file, p, io.MultiReader(bytes.NewReader(bytes.Clone(dst)), f), dst[:0])
	}
	if err != nil || !isBlock(dst) {
		return dst, nil, err
	}
	content, err = appendUpTo(dst, f, size-len(dst))
	return content, nil, err
}

func tooLarge[size int | int64](file File, n, most size) error {
	const form = "%s has %d bytes, expected at most %d: %w"
	return fmt.Errorf(form, file.Name, n, most, winperf.ErrBadData)
}

// unpackBlock is like readFile for a compressed file.
func unpackBlock(file File, p *packing, r io.Reader, dst []byte) (block []byte, damage, err error) {
	bad := func(err error) error { return fmt.Errorf("%s: %w: %w", file.Name, winperf.ErrBadData, err) }
	unpacker, err := p.open(r)
	if err != nil {
		return dst, nil, bad(err)
	}
	defer unpacker.Close()

	out := bytes.NewBuffer(dst)
	_, err = io.CopyN(out, unpacker, beginning)
	if err == nil && isBlock(out.Bytes()) {
		_, err = io.CopyN(out, unpacker, maxFile+1-beginning)
	}
	switch {
	case out.Len() > maxFile:
		return dst, nil, tooLarge(file, out.Len(), maxFile)
	case err == nil || errors.Is(err, io.EOF):
		return out.Bytes(), nil, nil
	case out.Len() == 0:
		return dst, nil, bad(err)
	}
	return out.Bytes(), bad(err), nil
}

// beginning is the number of bytes that are read before the file is known to contain a block.
const beginning = 512

// appendUpTo appends the next n bytes of r, or all if they are fewer, to dst.
func appendUpTo(dst []byte, r io.Reader, n int) ([]byte, error) {
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	m, err := io.ReadFull(r, dst[at:])
	if err == io.EOF || err == io.ErrUnexpectedEOF { // the file was truncated after its size was read
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
