package pdhlog

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/winperf/winperf"
)

// FuzzBLG reads any bytes as a log. What is read must be inside of the file, in
// order, and not more than the bytes can hold; it must be the same when the log
// is read again.
func FuzzBLG(f *testing.F) {
	list := testList()
	head := testHead()
	head.BufferSize = 768 // small ones make more of them
	samples := testSamples(list, 2)
	small := makeBLG(f, head, list, samples)
	f.Add(small)
	f.Add(small[:len(small)/2])
	f.Add(makeBLG(f, head, []Counter{{Kind: Object, Path: winperf.Path{Machine: "H", Object: "O", Instance: "*", HasInstance: true, Counter: "*"}}},
		[]Sample{{Values: []Value{{Kind: Object, Block: append([]byte("P\x00E\x00R\x00F\x00"), make([]byte, 120)...)}}}}))
	f.Add([]byte("no log"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<20 {
			t.Skip("too long to be of use")
		}
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, winperf.ErrBadData) {
				t.Fatalf("an error that is no bad data: %v", err)
			}
			return
		}
		again, err := NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		var s, s2 Sample
		before := int64(-1)
		for {
			err, err2 := r.Next(&s), again.Next(&s2)
			if !errors.Is(err, err2) {
				t.Fatalf("read again: %v, and first %v", err2, err)
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				break
			}
			checkSample(t, r, &s, b, before)
			before = s.Offset
			if message := partOf(&s, &s2); message != "" {
				t.Fatalf("read again: %s", message)
			}
		}
		for _, err := range r.Damage() {
			if !errors.Is(err, winperf.ErrBadData) || err.Error() == "" {
				t.Fatalf("damage that is no bad data: %v", err)
			}
		}
		if r.Position() != int64(len(b)) {
			t.Fatalf("%d bytes read of %d", r.Position(), len(b))
		}
		_ = r.Names()
	})
}

// checkSample checks what holds for every sample.
func checkSample(t *testing.T, r *Reader, s *Sample, b []byte, before int64) {
	if s.Offset <= before || s.Offset >= int64(len(b)) {
		t.Fatalf("a sample at %d of %d, after one at %d", s.Offset, len(b), before)
	}
	if list := r.Counters(); list != nil && len(s.Values) < len(list) {
		t.Fatalf("%d values of %d counters", len(s.Values), len(list))
	}
	bytes := 0
	for i := range s.Values {
		v := &s.Values[i]
		bytes += len(v.Items)*itemLen + len(v.Block)
		for k := range v.Items {
			bytes += len(v.Items[k].Name)
		}
		if v.Err != nil && (v.First != 0 || v.Items != nil || v.Block != nil) {
			t.Fatalf("value %d is damaged and has values: %+v", i, v)
		}
		if v.Counter != nil && v.Counter.Kind != v.Kind {
			t.Fatalf("value %d of kind %v belongs to a %v", i, v.Kind, v.Counter.Kind)
		}
		if v.Counter == nil && v.Err == nil && v.Kind == 0 {
			t.Fatalf("value %d is nothing", i)
		}
	}
	if bytes > len(b) {
		t.Fatalf("%d bytes of values in a log of %d", bytes, len(b))
	}
	if len(s.Values) > len(b) {
		t.Fatalf("%d values in a log of %d bytes", len(s.Values), len(b))
	}
}
