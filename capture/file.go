package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
)

// File is an open capture. It is immutable except for Grow: any number of goroutines may
// use it, each with its own Cursor, if the underlying reader allows that.
type File struct {
	r    io.ReaderAt
	size int64
	id   uint32
	// headless reports that the file head is damaged.
	headless bool
	version  uint32  // 1 or 2; 2 if the file head is damaged
	groups   []group // closed groups, and one of the records after them
	tail     Tail

	mu      sync.Mutex
	schemas map[uint64][]int64 // offsets of their records
	cached  []keptSchema       // the latest ones, shared by all samples
}

// maxCached is the number of cached schemas. Together they have at most maxBytes.
const maxCached = 4

// keep caches a schema and drops old ones. f.mu is locked.
func (f *File) keep(c keptSchema) {
	f.cached = append(f.cached, c)
	size := 0
	for i := len(f.cached) - 1; i >= 0; i-- {
		if size += f.cached[i].size; size > maxBytes || len(f.cached)-i > maxCached {
			f.cached = slices.Delete(f.cached, 0, i+1)
			return
		}
	}
}

// Tail is the end of a capture, where a [Writer] can continue.
type Tail struct {
	// Offset is the end of the last complete record. Truncate the file there before
	// appending.
	Offset int64
	// Broken is the number of bytes behind Offset: an incomplete record.
	Broken int64
	// Closed reports that the capture was closed and its index is complete.
	Closed bool

	id        uint32
	version   uint32
	number    uint64 // of the next record
	samples   int
	lastIndex int64
	group     group // samples after the last index
	schemas   []definition
}

// Open reads the index of the capture of size bytes in r, or the heads of all records if
// the index is missing or damaged. An error wraps winperf.ErrBadData if r is no capture (an
// empty file is a capture without samples), winperf.ErrNotSupported if its version is
// later, and otherwise the error of r. Damage is no error; see Cursor.Damage.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size, version: version, schemas: map[uint64][]int64{}}
	if err := f.readFileHead(); err != nil {
		return nil, err
	}

	indexed, err := f.readIndex()
	if err == nil && !indexed {
		err = f.scan()
	}

	if err != nil {
		return nil, err
	}
	return f, nil
}

// readFileHead reads the file head. If it is damaged, the file id is from the first record.
func (f *File) readFileHead() error {
	var b [fileHeadSize]byte
	n, err := f.readAt(b[:], 0)
	if err != nil {
		return err
	}

	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	switch {
	case isFileHead(b[:n]):
		if v := u32(8); v == 0 || v > version {
			return fmt.Errorf("capture of version %d, expected at most %d: %w",
				v, version, winperf.ErrNotSupported)
		}
		f.version, f.id = u32(8), u32(12)
		return nil
	case n == 0:
		return nil // the writer was stopped before the file head
	case n < fileHeadSize && !bytes.HasPrefix(b[:n], magic[:min(n, 8)]):
		return &winperf.DataError{Msg: fmt.Sprintf("not a capture: it has %d bytes", n)}
	}

	w := walk{f: f, at: -1, anyFile: true}
	h, err := w.resync()
	if err == nil {
		f.id, f.headless = h.file, true
		return nil
	}

	if errors.Is(err, io.EOF) && n < fileHeadSize {
		f.headless = true // cut off within the file head
		return nil
	}

	if errors.Is(err, io.EOF) {
		return &winperf.DataError{Len: f.size, Msg: "not a capture: no record found"}
	}
	return err
}

// readAt reads up to len(b) bytes.
func (f *File) readAt(b []byte, offset int64) (int, error) {
	if offset < 0 || offset >= f.size {
		return 0, nil
	}
	b = b[:min(int64(len(b)), f.size-offset)]
	n, err := f.r.ReadAt(b, offset)
	if errors.Is(err, io.EOF) {
		err = nil // the file was truncated
	}
	return n, err
}

// readIndex reads the chain of indices from the end of a closed capture. whole is false if
// the chain is incomplete.
func (f *File) readIndex() (whole bool, err error) {
	w := walk{f: f, at: f.size - endRecord, field: headRead} // indices are short and far apart
	end, payload, err := w.plain(kindEnd)
	if err != nil || len(payload) != endSize {
		return false, err
	}

	last, samples := int64(u64at(payload, 0)), u64at(payload, 8)
	var groups []group
	found := uint64(0)
	for at, until := last, w.at; at != 0; {
		if at < fileHeadSize || at >= until {
			return false, nil
		}
		w.at = at
		_, payload, err := w.plain(kindIndex)
		if err != nil || payload == nil {
			return false, err
		}

		g, before, err := parseIndex(payload, at)
		if err != nil {
			return false, nil
		}

		groups = append(groups, g)
		found += uint64(g.samples)
		at, until = before, g.start
	}

	if found != samples {
		return false, nil
	}
	for i := len(groups) - 1; i >= 0; i-- {
		f.groups = append(f.groups, groups[i])
		for _, d := range groups[i].schemas {
			f.addSchema(d.id, d.offset)
		}
	}
	f.tail = Tail{Offset: f.size, Closed: true, lastIndex: last, number: end.number + 1}
	f.tail.group.start = f.size
	return true, nil
}

// scan rebuilds the index from the heads of the records.
func (f *File) scan() error {
	f.groups = nil
	w := walk{f: f, at: f.start()}
	g := group{start: w.at}
	var last head
	f.tail = Tail{}
	if f.size >= fileHeadSize {
		f.tail.Offset = fileHeadSize
	}

	for {
		h, err := w.next()
		if errors.Is(err, io.EOF) {
			more, err := w.within(&last)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			last = head{}
			continue
		}

		if err != nil {
			return err
		}
		last = h
		f.scanned(&h, &g)
	}

	f.tail.Broken, f.tail.group = f.size-f.tail.Offset, g
	if g.samples > 0 {
		f.groups = append(f.groups, g)
	}
	return nil
}

// start returns the offset of the first record.
func (f *File) start() int64 {
	if f.headless {
		return 0
	}
	return fileHeadSize
}

// scanned registers a record of the current group. An index ends the group.
func (f *File) scanned(h *head, g *group) {
	f.tail.Offset, f.tail.number, f.tail.Closed = h.end(), h.number+1, h.kind == kindEnd
	switch h.kind {
	case kindSample:
		g.add(int64(h.key))
	case kindSchema:
		f.addSchema(h.key, h.offset)
		if len(g.schemas) < maxInIndex {
			g.use(h.key, h.offset)
		}

	case kindIndex:
		f.tail.lastIndex = h.offset
		if g.samples > 0 {
			f.groups = append(f.groups, *g)
		}
		*g = group{start: h.end()}
	}
}

func (f *File) addSchema(id uint64, offset int64) {
	const most = 16
	switch at := f.schemas[id]; {
	case slices.Contains(at, offset):
	case len(at) < most:
		f.schemas[id] = append(at, offset)
	default:
		at[most-1] = max(at[most-1], offset)
	}
}

// Span returns the times of the earliest and the latest sample; zero if unknown.
func (f *File) Span() (begin, end time.Time) {
	for _, g := range f.groups {
		if g.min != 0 && (begin.IsZero() || winperf.FromFiletime(g.min).Before(begin)) {
			begin = winperf.FromFiletime(g.min)
		}
		if g.max != 0 && winperf.FromFiletime(g.max).After(end) {
			end = winperf.FromFiletime(g.max)
		}
	}
	return begin, end
}

// Samples returns the number of samples in the file.
func (f *File) Samples() int {
	n := 0
	for i := range f.groups {
		n += f.groups[i].samples
	}
	return n
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Grow extends the file by samples that a Writer appended; size is the Writer's Size.
// Cursors then also read the new samples. It must not be called while a Cursor is in use.
// Samples and SeekTime do not include the new samples.
func (f *File) Grow(size int64) { f.size = max(f.size, size) }

// Tail returns the place where a Writer can continue.
func (f *File) Tail() *Tail {
	t := f.tail
	t.id, t.version, t.samples = f.id, f.version, f.Samples()
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, at := range f.schemas {
		t.schemas = append(t.schemas, definition{id, at[len(at)-1]})
	}
	return &t
}
