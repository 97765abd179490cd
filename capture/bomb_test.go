package capture

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

const mega = 1 << 20

// zeros is the deflate of first and some megabytes of zeros behind it.
func zeros(t *testing.T, first []byte, megabytes int) []byte {
	t.Helper()
	pack := func(b []byte, last bool) []byte {
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Write(b)
		end := w.Flush
		if last {
			end = w.Close
		}
		if err := errors.Join(err, end()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	all := pack(first, false)
	all = append(all, bytes.Repeat(pack(make([]byte, mega), false), megabytes)...) // each refers to itself only
	return append(all, pack(nil, true)...)
}

// bomb is a record whose claims need not be true.
type bomb struct {
	kind  kind
	key   uint64
	bytes []byte // as stored
	plain bool   // not compressed
	claim int
}

// bombs makes a capture of records.
func bombs(records ...bomb) []byte {
	file := appendFileHead(nil, 1)
	for i, r := range records {
		h := head{
			kind: r.kind, compression: deflated, file: 1, stored: uint32(len(r.bytes)), size: uint32(r.claim),
			sum: checksum(r.bytes), number: uint64(i), key: r.key,
		}
		if r.plain {
			h.compression = stored
		}
		at := len(file)
		file = append(append(file, make([]byte, headSize)...), r.bytes...)
		h.put(file[at:])
	}
	return file
}

// sampleOf is the beginning of the payload of a sample.
func sampleOf(length int, schema, reference uint64) []byte {
	b := appendSampleHead(nil, &winperf.Raw{Format: winperf.FormatV1}, schema, reference)
	binary.LittleEndian.PutUint32(b[4:], uint32(length))
	return b
}

// TestBombs reads captures of little that claim to be much. What is allocated is
// bounded by the file, or by the few records that a Cursor holds.
func TestBombs(t *testing.T) {
	few := sampleOf(0, 5, 0)
	long := zeros(t, sampleOf(1000*mega, 0, 0), 1000)
	short := zeros(t, sampleOf(64*mega, 0, 0), 1)
	differs := func(length int) bomb { // from a reference by nothing
		return bomb{kind: kindSample, bytes: append(sampleOf(length, 0, 7), 0), plain: true, claim: sampleHeadSize + 1}
	}
	tests := []struct {
		name  string
		file  []byte
		want  int    // samples that are read
		told  string // of the damage, or of the names' of the last sample
		limit uint64 // megabytes that are allocated beyond four times the file
	}{
		{
			"a sample of a gigabyte", bombs(bomb{kind: kindSample, bytes: long, claim: 1000*mega + sampleHeadSize}), 0,
			"the record is too long: 1048576064 bytes, expected at most 67108928", 1,
		},
		{
			"a sample that is longer than it claims", bombs(bomb{kind: kindSample, bytes: long, claim: 1000}), 0,
			"the compressed data is damaged, or its length is wrong", 1,
		},
		{
			"a sample that is shorter than it claims", bombs(bomb{kind: kindSample, bytes: short, claim: 64*mega + sampleHeadSize}), 0,
			"the compressed data is damaged, or its length is wrong", 8,
		},
		{
			"a reference of a gigabyte", bombs(
				bomb{kind: kindReference, key: 7, bytes: zeros(t, nil, 1000), claim: 1000 * mega},
				differs(mega)), 0,
			"a reference cannot be read: the record is too long: 1048576000 bytes, expected at most 67108864", 1,
		},
		{
			"names of a gigabyte", bombs(
				bomb{kind: kindSchema, key: 5, bytes: zeros(t, nil, 1000), claim: 1000 * mega},
				bomb{kind: kindSample, bytes: few, plain: true, claim: len(few)}), 1,
			"a record of names cannot be read: the record is too long: 1048576000 bytes, expected at most 67108864", 1,
		},
		{
			"names in millions of sections", bombs(
				bomb{kind: kindSchema, key: 5, bytes: zeros(t, nil, 64), claim: 64 * mega},
				bomb{kind: kindSample, bytes: few, plain: true, claim: len(few)}), 1,
			"the names of the following samples cannot be read", 5 * 64,
		},
		{
			"an index of a megabyte", bombs(
				bomb{kind: kindSample, bytes: sampleOf(0, 0, 0), plain: true, claim: sampleHeadSize},
				bomb{kind: kindIndex, bytes: zeros(t, nil, 1), claim: mega}), 1,
			"an index cannot be read: the record is too long: 1048576 bytes, expected at most 2088", 1,
		},
		{
			"a difference of more than there is", bombs(
				bomb{kind: kindReference, key: 7, bytes: make([]byte, 64), plain: true, claim: 64},
				differs(64*mega)), 0,
			"corrupt delta", 1,
		},
		{
			"a sample that says another length", bombs(differs(1000 * mega)), 0,
			"its payload is not a sample: 1048576000 bytes, expected at most 67108864", 1,
		},
	}
	// As large as can be, several times.
	whole := bomb{kind: kindSample, bytes: zeros(t, sampleOf(maxBytes, 0, 0), 64), claim: maxBytes + sampleHeadSize}
	tests = append(tests, struct {
		name  string
		file  []byte
		want  int
		told  string
		limit uint64
	}{"the largest samples", bombs(whole, whole, whole), 3, "", 6 * 64})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			samples, told := readAll(t, tt.file)
			runtime.ReadMemStats(&after)

			if samples != tt.want || !strings.Contains(told, tt.told) {
				t.Errorf("%d samples, damage %q; want %d and %q", samples, told, tt.want, tt.told)
			}
			limit := tt.limit*mega + 4*uint64(len(tt.file))
			if took := after.TotalAlloc - before.TotalAlloc; took > limit {
				t.Errorf("a file of %d bytes took %d bytes, expected at most %d", len(tt.file), took, limit)
			}
		})
	}
}

// TestManySchemas reads samples of many schemas, each of which is small enough:
// what is kept of them is bounded.
func TestManySchemas(t *testing.T) {
	const size = 24 * mega
	unknown := binary.LittleEndian.AppendUint32([]byte{99, 0, 0, 0}, size-8)
	payload := zeros(t, append(unknown, make([]byte, mega-8)...), 23)
	var records []bomb
	for id := range uint64(6) {
		sample := sampleOf(0, id+1, 0)
		records = append(records, bomb{kind: kindSchema, key: id + 1, bytes: payload, claim: size},
			bomb{kind: kindSample, bytes: sample, plain: true, claim: len(sample)})
	}
	file := bombs(records...)
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Cursor()
	for i := range 6 {
		var raw winperf.Raw
		if err := next(context.Background(), c, &raw); err != nil || len(raw.Schema.Damage) > 0 {
			t.Fatalf("sample %d: error %v, names %v", i, err, raw.Schema)
		}
	}
	sum := 0
	for _, kept := range f.cached {
		sum += kept.size
	}
	if sum > maxBytes || len(f.cached) != 2 {
		t.Errorf("%d schemas of %d bytes are kept, expected 2 of at most %d", len(f.cached), sum, maxBytes)
	}
}

// TestTooLargeToWrite refuses what no reader would take, and nothing else.
func TestTooLargeToWrite(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Options{})
	damaged := &winperf.Schema{Damage: make([]error, maxSections)}
	for i := range damaged.Damage {
		damaged.Damage[i] = errIndex
	}
	for name, raw := range map[string]*winperf.Raw{
		"a sample":   {Bytes: make([]byte, maxBytes+1)},
		"names":      {Schema: &winperf.Schema{Names: []winperf.NameTable{{Help: make([]byte, maxBytes)}}}},
		"many names": {Schema: damaged},
	} {
		if err := w.Write(raw.Sample()); !errors.Is(err, winperf.ErrNotSupported) || !strings.Contains(err.Error(), "expected at most") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := errors.Join(w.Write(winperf.Raw{Bytes: make([]byte, maxBytes)}.Sample()), w.Close()); err != nil {
		t.Error(err)
	}
	if samples, damage := readAll(t, out.Bytes()); samples != 1 || damage != "[]" {
		t.Errorf("%d samples, damage %s", samples, damage)
	}
}

// readAll reads a capture and returns how many samples it has, and all damage.
func readAll(t *testing.T, file []byte) (samples int, damage string) {
	t.Helper()
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Cursor()
	var s winperf.Sample
	var last *winperf.Schema
	for ; ; samples++ {
		err := c.Next(context.Background(), &s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		last = s.Schema
	}
	all := c.Damage()
	if last != nil {
		all = append(all, last.Damage...)
	}
	return samples, fmt.Sprint(all)
}
