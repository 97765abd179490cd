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

// Reader reads a binary performance log (.blg) as PDH of Windows Vista and
// later writes it, in memory of a few buffers and samples whatever the log's
// length:
//
//	r, err := pdhlog.NewReader(file)
//	var s pdhlog.Sample
//	for r.Next(&s) == nil {
//		for _, v := range s.Values { ... }
//	}
//
// Damage costs what it touches: where a structure does not make sense the
// reader looks for the next one, and a sample that is there in part is given in
// part. [Reader.Damage] tells what was found.
//
// Forms of other times (NT 4, PDH-BIN 4.0), circular logs and compressed buffers
// were never seen and are not known to be read.
type Reader struct {
	records  records
	rec      record       // at hand
	sample   sampleReader // of it
	damage   damageList
	head     Header
	location *time.Location
	list     []Counter
	gap      int // of the list, see listReader
	lists    int
	names    []byte // MULTI_SZ without its end
	sampled  bool   // a sample was read since the last names
	samples  int    // read
	told     int    // by the catalogue, -1 as long as it was not read
	last     time.Time
	ended    bool
	anyOrder bool // times that go back are no damage
}

// NewReader reads the head of a log. The error wraps ErrNoLog and winperf.ErrBadData
// where r does not hold a log; otherwise it is that of r.
func NewReader(r io.Reader) (*Reader, error) {
	b := &Reader{gap: -1, told: -1}
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

// IsLog tells by the first bytes of a file, of which it needs 76, whether it is
// an event trace file, as binary logs are.
func IsLog(start []byte) bool {
	const at = bufferHead
	return len(start) >= at+4 && start[at+3] == marker && (start[at+2] == system32 || start[at+2] == system64)
}

// Header returns what the log says about itself.
func (r *Reader) Header() Header { return r.head }

// Location returns the zone of the log's local times with its rules, nil where
// the log does not tell them.
func (r *Reader) Location() *time.Location { return r.location }

// Counters returns the counter list of the sample that was read last; before the
// first one and in a log without samples, the last list that was read. An entry
// that is damaged has Kind 0.
func (r *Reader) Counters() []Counter { return r.list }

// Lists returns how many counter lists were read so far. It changes when
// Counters does.
func (r *Reader) Lists() int { return r.lists }

// Names returns the names of title indices that a log of whole objects has
// before its samples, as a name table in the machine's language. The log does
// not say which that is: it counts as English.
func (r *Reader) Names() winperf.NameTable {
	t := winperf.NameTable{Language: nametable.English}
	if len(r.names) > 0 {
		t.Counter = append(slices.Clone(r.names), 0, 0)
	}
	return t
}

// Samples returns how many samples the log says it has, -1 before that was read: it stands
// at the end of a log of whole objects that has an orderly one.
func (r *Reader) Samples() int { return r.told }

// Position returns the number of bytes read so far.
func (r *Reader) Position() int64 { return r.records.events.read }

// Damage returns what was found wrong since the last call, nearly always as a
// *winperf.DataError. Of much damage between two calls the last error counts what is left
// out.
func (r *Reader) Damage() []error { return r.damage.Take() }

// Next reads the next sample. What it holds is valid until the next call, but
// for the entries of the counter list. At the end of the log it returns io.EOF,
// another error is that of the underlying reader.
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
			r.damage.at(rec.offset+4, "an event of the unknown type %d; it is left out", rec.typ)
		}
	}
}

// readList reads a counter list. Entries of the list before stay valid.
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

// readNames reads some pairs of index and name. They are checked when names are looked
// up.
func (r *Reader) readNames(rec *record) {
	if r.sampled { // another log was appended
		r.names, r.sampled = nil, false
	}
	machine, pairs, ok := wire.CutUTF16(rec.data)
	if !ok {
		r.damage.at(rec.offset, "names without a machine's name; they are left out")
		return
	}

	if r.head.Machine == "" {
		r.head.Machine = strings.TrimPrefix(wire.Text(machine, wire.UTF16LE), `\\`)
	}
	pairs = pairs[:len(pairs)&^1]
	for bytes.HasSuffix(pairs, []byte{0, 0, 0, 0}) {
		pairs = pairs[:len(pairs)-2] // what fills an event that was damaged
	}

	if len(r.names)+len(pairs)+4 > nametable.MaxBytes {
		r.damage.at(rec.offset, "more than %d bytes of names; they are left out", nametable.MaxBytes)
		return
	}

	r.names = append(r.names, pairs...)
	if n := len(pairs); n > 0 && (pairs[n-1] != 0 || pairs[n-2] != 0) {
		r.names = append(r.names, 0, 0)
	}
}

// readCatalogue takes the number of samples out of a catalogue that is a row of whole
// records. What else stands in them the samples tell, too.
func (r *Reader) readCatalogue(rec *record) {
	b := rec.data
	if len(b) < catalogueHead {
		r.damage.at(rec.offset, "a catalogue of %d bytes, expected %d at least; it is left out",
			len(b), catalogueHead)
		return
	}

	for at := catalogueHead; at < len(b); {
		length := 0
		if isRecordHead(b, at) {
			length = int(binary.LittleEndian.Uint32(b[at+4:]) & math.MaxInt32)
		}
		if length < recordHead || length > len(b)-at {
			r.damage.at(rec.offset, "no whole record at %d of a catalogue of %d bytes; it is left out",
				at, len(b))
			return
		}
		at += length
	}
	r.told = int(binary.LittleEndian.Uint32(b[atSamples:]) & math.MaxInt32)
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

// end compares what was read with what the log says it holds.
func (r *Reader) end() {
	if r.ended {
		return
	}
	r.ended = true
	e := &r.records.events
	if e.count < r.head.Buffers {
		r.damage.at(e.read, "the file has %d buffers, but should have %d", e.count, r.head.Buffers)
	}
	if r.samples < r.told {
		r.damage.at(e.read, "the log has %d samples, but should have %d", r.samples, r.told)
	}
}
