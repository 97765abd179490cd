package publish

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider"
)

// foreign is another process's file. Nothing in it is trusted, and it may change at any time: it is
// copied to private memory, never mapped. It is opened for each use, so that many files keep no
// descriptors open.
type foreign struct {
	path string
	dir  *watched
	id   identity
	open fileOf

	probed uint64
	pauses call.Pauses // between checks of an invalid file
	file   io.ReaderAt
	window int // number of slot bytes read at once; 0 means windowBytes

	cost    int64
	objects []*provider.Object // with ascending relative titles; nil before they are read
	images  []*provider.Image
	begin   int64
	wrong   error

	sampled
}

// errNotReady means that the file is being created, or that its publisher is ending.
var errNotReady = errors.New("not published yet")

var errRemoved = errors.New("the published file is gone")

func (r *foreign) use(f func() error) error {
	if r.open == nil {
		return f()
	}
	file, id, err := r.open(r.path)
	if absent(err) || err == nil && !id.same(r.id) {
		err = errors.Join(errRemoved, err)
	}

	if err == nil {
		r.file = file
		err = f()
		r.file = nil
	}

	if file != nil {
		_ = file.Close()
	}
	return err
}

func (r *foreign) bad(offset int64, format string, args ...any) error {
	return &winperf.DataError{Source: r.path, Offset: offset, Msg: brief(fmt.Sprintf(format, args...))}
}

func (r *foreign) read(p []byte, offset int64) error {
	n, err := r.file.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return r.bad(offset+int64(n), "the file is cut off: %d bytes are missing", len(p)-n)
	}
	return &winperf.DataError{Err: err, Source: r.path, Offset: offset, Msg: err.Error()}
}

// header reads and checks the header only. used is the number of bytes in use.
func (r *foreign) header() (h [pubfile.HeaderSize]byte, used int64, err error) {
	le := binary.LittleEndian
	n, err := r.file.ReadAt(h[:], 0)
	if n < pubfile.HeaderSize && !errors.Is(err, io.EOF) {
		return h, 0, fmt.Errorf("%s: %w", r.path, err)
	}

	// A publisher writes the magic number last, and clears it first when it ends.
	if le.Uint64(h[pubfile.HeaderMagic:]) == 0 {
		return h, 0, errNotReady
	}

	version, length := le.Uint32(h[pubfile.HeaderVersion:]), le.Uint32(h[pubfile.HeaderLength:])
	slots := int64(le.Uint32(h[pubfile.HeaderSlots:]))
	end := le.Uint64(h[pubfile.HeaderUsed:])
	switch {
	case n < pubfile.HeaderSize:
		return h, 0, r.bad(int64(n), "the file is cut off within its header")
	case le.Uint64(h[pubfile.HeaderMagic:]) != pubfile.Magic:
		return h, 0, r.bad(pubfile.HeaderMagic, "not a file of published counters: no WPERFPUB")
	case version != pubfile.Version || length != pubfile.HeaderSize:
		return h, 0, fmt.Errorf("%s: version %d with a header of %d bytes, want version %d: %w", r.path,
			version, length, pubfile.Version, winperf.ErrNotSupported)
	case end > pubfile.MaxFile || end%pubfile.SlotAlign != 0:
		return h, 0, r.bad(pubfile.HeaderUsed, "%d bytes in use, want a multiple of %d up to %d", end,
			pubfile.SlotAlign, pubfile.MaxFile)
	case slots < pubfile.HeaderSize || slots%pubfile.SlotAlign != 0 || slots > int64(end):
		return h, 0, r.bad(pubfile.HeaderSlots, "slots begin at byte %d of %d", slots, end)
	}
	return h, int64(end), nil
}

// definitionCost is the memory of an object or counter without its texts, in bytes: the declaration, its
// image, a layout and title indices.
const definitionCost = 512

const maxLanguages = 256

// readStatic reads the constant part, if it needs at most limit bytes of memory.
func (r *foreign) readStatic(limit int64) (cost int64, err error) {
	p, err := r.static()
	cost = int64(len(p))
	if err != nil {
		return cost, err
	}

	heads, err := r.readHeads(p)
	if err != nil {
		return cost, err
	}

	text, err := r.part(p, pubfile.HeaderSchema, pubfile.HeaderSchemaLen, pubfile.MaxSchema)
	if err != nil {
		return cost, err
	}

	// The heads limit the number of objects and counters. Braces limit the cost of parsing the schema,
	// which has one for each of them and for each translation.
	counters, things := definitions(heads)
	schema := int64(binary.LittleEndian.Uint32(p[pubfile.HeaderSchema:]))
	braces := bytes.Count(text, []byte("{"))
	if most := (1 + things) * maxLanguages; braces > most {
		return cost, r.bad(schema, "a schema with %d braces, want at most %d", braces, most)
	}
	cost += definitionCost * int64(max(things, braces-1))
	if cost > limit {
		return cost, r.tooMuch("definitions", cost, limit)
	}

	objects, err := readSchema(text, counters)
	if err != nil {
		return cost, r.bad(schema, "%v", err)
	}
	if err := r.compare(p, objects, heads); err != nil {
		return cost, err
	}

	r.objects = objects
	r.begin = int64(len(p))
	return cost, nil
}

func definitions(heads [][]byte) (counters []int, all int) {
	for _, head := range heads {
		n := datablock.NumDefinitions(len(head))
		counters = append(counters, n)
		all += 1 + n
	}
	return counters, all
}

func (r *foreign) static() ([]byte, error) {
	h, _, err := r.header()
	if err != nil {
		return nil, err
	}
	begin := binary.LittleEndian.Uint32(h[pubfile.HeaderSlots:])
	if begin > 2*pubfile.MaxSchema {
		return nil, r.bad(pubfile.HeaderSlots, "definitions of %d bytes, want at most %d", begin,
			2*pubfile.MaxSchema)
	}
	p := make([]byte, begin)
	return p, r.read(p, 0)
}

// errTooMuch is wrapped by the error about a file that exceeds the memory budget.
var errTooMuch = errors.New("it is omitted")

func (r *foreign) tooMuch(what string, cost, limit int64) error {
	const message = "%s: its %s need %d bytes, but %d remain for all files in the directory: %w"
	return fmt.Errorf(message, r.path, what, cost, limit, errTooMuch)
}

func (r *foreign) part(p []byte, offset, length int, limit uint32) ([]byte, error) {
	from, n := binary.LittleEndian.Uint32(p[offset:]), binary.LittleEndian.Uint32(p[length:])
	if n > limit || uint64(from)+uint64(n) > uint64(len(p)) {
		return nil, r.bad(int64(offset), "%d bytes at %d, want at most %d before byte %d", n, from,
			limit, len(p))
	}
	return p[from:][:n], nil
}

func (r *foreign) readHeads(p []byte) (heads [][]byte, err error) {
	le := binary.LittleEndian
	count := le.Uint32(p[pubfile.HeaderObjects:])
	table := uint64(le.Uint32(p[pubfile.HeaderTable:]))
	if count == 0 || count > pubfile.MaxObjects {
		return nil, r.bad(pubfile.HeaderObjects, "%d objects, want 1 to %d", count, pubfile.MaxObjects)
	}
	if table+uint64(count)*pubfile.ObjectSize > uint64(len(p)) {
		return nil, r.bad(pubfile.HeaderTable, "%d objects at %d do not end before byte %d", count,
			table, len(p))
	}

	all := 0
	for i := range int(count) {
		at := int(table) + pubfile.ObjectSize*i
		head, err := r.part(p, at+pubfile.ObjectHead, at+pubfile.ObjectHeadLen, uint32(len(p)))
		if err != nil {
			return nil, err
		}
		if all += len(head); datablock.NumDefinitions(len(head)) == 0 || all > len(p) {
			return nil, r.bad(int64(at), "a head of %d bytes, all heads so far of %d", len(head), all)
		}
		heads = append(heads, head)
	}
	return heads, nil
}

func (r *foreign) compare(p []byte, objects []*provider.Object, heads [][]byte) error {
	le := binary.LittleEndian
	r.images = r.images[:0]
	for i, o := range objects {
		m, err := provider.NewImage(o)
		if err != nil {
			return fmt.Errorf("%s: %w: %s", r.path, winperf.ErrBadData, brief(err.Error()))
		}
		at := int(le.Uint32(p[pubfile.HeaderTable:])) + pubfile.ObjectSize*i
		multi := le.Uint32(p[at+pubfile.ObjectFlags:])&pubfile.HasInstances != 0
		if !bytes.Equal(heads[i], m.Head) || int64(le.Uint32(p[at+pubfile.ObjectBlock:])) != int64(m.Block) ||
			multi != o.Multi {
			return r.bad(int64(at), "object %q differs from the schema", o.Name)
		}
		r.images = append(r.images, m)
	}
	return nil
}

func (r *foreign) titled(title uint32) int {
	i, found := slices.BinarySearchFunc(r.objects, title,
		func(o *provider.Object, title uint32) int { return cmp.Compare(o.Index, title) })
	if !found {
		return -1
	}
	return i
}
