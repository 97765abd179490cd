package pdhlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/nametable"
)

// Reader reads a binary performance log (.blg) of Windows Vista and later. Its memory is
// limited to a few buffers and samples:
//
//	r, err := pdhlog.NewReader(file)
//	var s pdhlog.Sample
//	for r.Next(&s) == nil {
//		for _, v := range s.Values { ... }
//	}
//
// Behind damage it continues at the next valid structure; incomplete samples are returned
// as far as readable. [Reader.Damage] returns the damage.
//
// Older formats (NT 4, PDH-BIN 4.0), circular logs and compressed buffers are untested.
type Reader struct {
	records  records
	rec      record       // the current record
	sample   sampleReader // its reader
	damage   damageList
	head     Header
	location *time.Location
	list     []Counter
	gap      int // of the list, see listReader
	lists    int
	names    []byte // MULTI_SZ without its end
	sampled  bool   // a sample was read since the last names
	samples  int    // number read
	listed   int    // number in the catalogue, -1 if unknown
	last     time.Time
	ended    bool
	anyOrder bool // times that go back are no damage
}

// NewReader reads the head of a log. The error wraps ErrNoLog and winperf.ErrBadData if r
// is not a log; otherwise it is the error of r.
func NewReader(r io.Reader) (*Reader, error) {
	b := &Reader{gap: -1, listed: -1}
	e := &b.records.events
	e.damage = &b.damage
	if err := e.open(r); err != nil {
		return nil, err
	}
	b.head = e.readHead()
	if b.location = b.head.zone.Location(); b.location == nil {
		b.damage.at(bufferHead, "a time zone of %d minutes with invalid rules", b.head.zone.Bias)
	}
	return b, nil
}

// IsLog reports whether a file is an event trace file, as binary logs are. It needs the
// first 76 bytes.
func IsLog(start []byte) bool {
	const at = bufferHead
	return len(start) >= at+4 && start[at+3] == marker && (start[at+2] == system32 || start[at+2] == system64)
}

// Header returns the description of the log.
func (r *Reader) Header() Header { return r.head }

// Location returns the time zone of the log's local times, or nil if its rules are invalid.
func (r *Reader) Location() *time.Location { return r.location }

// Counters returns the counter list of the current sample; before the first one and in a
// log without samples, the last list read. A damaged entry has Kind 0.
func (r *Reader) Counters() []Counter { return r.list }

// Lists returns the number of counter lists read. It changes when Counters does.
func (r *Reader) Lists() int { return r.lists }

// Names returns the names of title indices, which logs of whole objects have before their
// samples, as a name table in the machine's language. The log does not contain the
// language: English is assumed.
func (r *Reader) Names() winperf.NameTable {
	t := winperf.NameTable{Language: nametable.English}
	if len(r.names) > 0 {
		t.Counter = append(slices.Clone(r.names), 0, 0)
	}
	return t
}

// Samples returns the number of samples in the catalogue, which is at the end of a closed
// log of whole objects, or -1 if it has not been read.
func (r *Reader) Samples() int { return r.listed }

// Position returns the number of bytes read so far.
func (r *Reader) Position() int64 { return r.records.events.read }

// Damage returns the damage found since the last call, nearly always as a
// *winperf.DataError. If there is much, the last error counts the rest.
func (r *Reader) Damage() []error { return r.damage.Take() }

// Next reads the next sample. Its content is valid until the next call, except the entries
// of the counter list. At the end of the log it returns io.EOF; other errors are from the
// underlying reader.
func (r *Reader) Next(s *Sample) error {
	for {
		var err error
		rec := &r.rec
		if *rec, err = r.records.record(); err != nil {
			if errors.Is(err, io.EOF) {
				r.end()
			}
			return err
		}

		switch rec.typ {
		case typeSample:
			r.readSample(rec, s)
			return nil
		case typeList:
			r.readList(rec)
		case typeCatalogue:
			r.readCatalogue(rec)
		case typeNames:
			r.readNames(rec)
		default:
			r.damage.at(rec.offset+4, "an event of the unknown type %d; it is skipped", rec.typ)
		}
	}
}

// readList reads a counter list. Entries of the previous list stay valid.
func (r *Reader) readList(rec *record) {
	l := listReader{b: rec.data, offset: rec.offset, damage: &r.damage}
	if !rec.whole {
		r.damage.at(rec.offset, "an incomplete counter list")
	}
	r.list = l.read()
	r.gap = l.unsure
	r.lists++
	if r.head.Machine == "" && len(r.list) > 0 {
		r.head.Machine = r.list[0].Path.Machine
	}
}

// readNames reads pairs of index and name. They are checked on lookup.
func (r *Reader) readNames(rec *record) {
	if r.sampled { // another log was appended
		r.names, r.sampled = nil, false
	}
	machine, pairs, ok := wire.CutUTF16(rec.data)
	if !ok {
		r.damage.at(rec.offset, "names without a machine's name; they are skipped")
		return
	}

	if r.head.Machine == "" {
		r.head.Machine = strings.TrimPrefix(wire.Text(machine, wire.UTF16LE), `\\`)
	}
	pairs = pairs[:len(pairs)&^1]
	for bytes.HasSuffix(pairs, []byte{0, 0, 0, 0}) {
		pairs = pairs[:len(pairs)-2] // padding of an event that was damaged
	}

	if len(r.names)+len(pairs)+4 > nametable.MaxBytes {
		r.damage.at(rec.offset, "more than %d bytes of names; they are skipped", nametable.MaxBytes)
		return
	}

	r.names = append(r.names, pairs...)
	if n := len(pairs); n > 0 && (pairs[n-1] != 0 || pairs[n-2] != 0) {
		r.names = append(r.names, 0, 0)
	}
}

// readCatalogue reads the number of samples from a valid catalogue. Its other content is
// also in the samples.
func (r *Reader) readCatalogue(rec *record) {
	b := rec.data
	if len(b) < catalogueHead {
		r.damage.at(rec.offset, "a catalogue of %d bytes, expected %d at least; it is skipped",
			len(b), catalogueHead)
		return
	}

	for at := catalogueHead; at < len(b); {
		length := 0
		if isRecordHead(b, at) {
			length = int(binary.LittleEndian.Uint32(b[at+4:]) & math.MaxInt32)
		}
		if length < recordHead || length > len(b)-at {
			r.damage.at(rec.offset, "no whole record at %d of a catalogue of %d bytes; it is skipped",
				at, len(b))
			return
		}
		at += length
	}
	r.listed = int(binary.LittleEndian.Uint32(b[atSamples:]) & math.MaxInt32)
}

func (r *Reader) readSample(rec *record, s *Sample) {
	r.samples++
	r.sampled = true
	s.Offset, s.Local = rec.offset, rec.local
	reader := &r.sample
	*reader = sampleReader{rec: rec, list: r.list, gap: r.gap, damage: &r.damage, s: s}
	reader.read()
	if reader.times > 1 && !reader.differ && reader.local != s.Local {
		const form = "a sample of the local time %#x, but its records have %#x; theirs is used"
		r.damage.at(rec.offset+0x10, form, s.Local, reader.local)
		s.Local = reader.local
	}
	r.settleTime(rec, s)
}

// end compares the samples and buffers read with the numbers in the log.
func (r *Reader) end() {
	if r.ended {
		return
	}
	r.ended = true
	e := &r.records.events
	if e.count < r.head.Buffers {
		r.damage.at(e.read, "the file has %d buffers, but should have %d", e.count, r.head.Buffers)
	}
	if r.samples < r.listed {
		r.damage.at(e.read, "the log has %d samples, but should have %d", r.samples, r.listed)
	}
}
