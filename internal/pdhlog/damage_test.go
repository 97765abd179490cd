package pdhlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// readDamaged reads a log that may be damaged and returns its samples by where
// they are.
func readDamaged(t testing.TB, b []byte) (samples map[int64]Sample, damage []error) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		if !errors.Is(err, winperf.ErrBadData) {
			t.Fatal(err)
		}
		return nil, []error{err}
	}
	samples = map[int64]Sample{}
	var s Sample
	for {
		if err := r.Next(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		samples[s.Offset] = copySample(&s)
	}
	damage = r.Damage()
	for _, err := range damage {
		if !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("damage is no bad data: %v", err)
		}
	}
	return samples, damage
}

// TestFlipped damages every byte of a small log in several ways. It may cost
// the record that it is in, and of the list of counters the entry.
func TestFlipped(t *testing.T) {
	list := testList()
	head := testHead()
	head.BufferSize = 1 << 10
	log := makeBLG(t, head, list, testSamples(list, 3))
	want := readWhole(t, log)
	first, end := want.samples[0].Offset, int64(len(log))
	for at := range end {
		for _, mask := range []byte{0x01, 0x80, 0xFF} {
			b := bytes.Clone(log)
			b[at] ^= mask
			samples, damage := readDamaged(t, b)
			for i := range want.samples {
				w := &want.samples[i]
				next := end
				if i+1 < len(want.samples) {
					next = want.samples[i+1].Offset
				}
				touched := w.Offset <= at && at < next
				got, found := samples[w.Offset]
				if !found && touched {
					continue
				}
				if !found {
					t.Errorf("byte %#x ^ %#x: sample %d is lost: %v", at, mask, i, damage)
					continue
				}
				lost := 0
				for k := range got.Values {
					if v := &got.Values[k]; v.Err != nil || v.Counter == nil {
						lost++
					} else if !touched && !sameValue(v, &w.Values[k]) {
						t.Errorf("byte %#x ^ %#x: sample %d, value %d is %+v, expected %+v", at, mask, i, k, v, &w.Values[k])
					}
				}
				if len(got.Values) != len(w.Values) || !touched && lost > 1 || !touched && lost > 0 && at >= first {
					t.Errorf("byte %#x ^ %#x: %d of %d values are lost in sample %d: %v", at, mask, lost, len(got.Values), i, damage)
				}
				if lost > 0 && len(damage) == 0 {
					t.Errorf("byte %#x ^ %#x: %d values are lost in sample %d, and nothing tells", at, mask, lost, i)
				}
			}
		}
	}
}

// TestCut cuts a small log at every byte: all that is there of it must be
// read, and that something is missing be told.
func TestCut(t *testing.T) {
	list := testList()
	head := testHead()
	head.BufferSize = 1 << 10
	log := makeBLG(t, head, list, testSamples(list, 3))
	want := readWhole(t, log)
	for at := minBuffer; at < len(log); at++ {
		samples, damage := readDamaged(t, log[:at])
		if len(damage) == 0 {
			t.Errorf("cut at %d: no damage", at)
		}
		for i := range want.samples {
			w := &want.samples[i]
			b := log[w.Offset:]
			payload := int(binary.LittleEndian.Uint16(b)) - eventHead - prefixLen
			there := at - int(w.Offset) - eventHead - prefixLen
			got, found := samples[w.Offset]
			if found != (there >= 0) {
				t.Errorf("cut at %d: sample %d at %d: %t", at, i, w.Offset, found)
			}
			if !found {
				continue
			}
			if message := partOf(&got, w); message != "" {
				t.Errorf("cut at %d: sample %d: %s", at, i, message)
			}
			// The three single values are behind the head, the array behind them.
			n := 0
			for n < 3 && there >= recordHead+(n+1)*singleLen {
				n++
			}
			if there >= payload {
				n = 4
			}
			for k := range got.Values {
				if ok := got.Values[k].Err == nil; ok != (k < n) {
					t.Errorf("cut at %d, %d of %d bytes of sample %d: value %d: %v", at, there, payload, i, k, got.Values[k].Err)
				}
			}
		}
	}
}

// edit changes a log.
type edit func(log []byte, samples []Sample) []byte

func put32(at func(samples []Sample) int64, v uint32) edit {
	return func(log []byte, samples []Sample) []byte {
		binary.LittleEndian.PutUint32(log[at(samples):], v)
		return log
	}
}

// place is a place in the event of a sample.
func place(sample int, offset int64) func([]Sample) int64 {
	return func(samples []Sample) int64 { return samples[sample].Offset + offset }
}

const (
	inPrefix = eventHead
	inRecord = eventHead + prefixLen
)

func TestDamage(t *testing.T) {
	tests := []struct {
		name    string
		edit    edit
		samples int    // of 5
		values  int    // of 20 that are there
		text    string // in the damage
	}{
		{"nothing", func(log []byte, _ []Sample) []byte { return log }, 5, 20, ""},
		{"part 0", put32(place(1, inPrefix+16), 0), 5, 20, "part 0 of 1, but the record is complete"},
		{"parts beyond all", put32(place(1, inPrefix+20), 1<<31), 5, 20, "part 1 of 2147483648"},
		{"a size of 0", put32(place(1, 0), 0xC0140000), 5, 20, "an event of 0 bytes"},
		{"a size beyond the buffer", put32(place(1, 0), 0xC014FFFF), 5, 20, "an event of 65535 bytes, but the next one begins after %d"},
		{"a number of instances beyond the array", put32(place(1, inRecord+8+3*48+8+4), 1<<31), 5, 19, "2147483648 instances"},
		{"a name beyond the array", put32(place(1, inRecord+8+3*48+8+24), 1<<30), 5, 20, "an instance with its name"},
		{"a record of no length", put32(place(1, inRecord+8+4), 0), 5, 20, "a record of 0 bytes"},
		{"a record beyond the sample", put32(place(1, inRecord+8+48+4), 1<<31), 5, 20, "a record of 2147483648 bytes"},
		{"an unknown kind", put32(place(1, inRecord+8), 0x09034C42), 5, 20, "kind 9"},
		{"a sample beyond its record", put32(place(1, inRecord+4), 1<<31), 5, 20, "a sample of 2147483648 bytes"},
		{"an unknown type of event", put32(place(1, 4), 0x003C0063), 5, 20, "an event of type 99 holds a record of type 34"},
		{"an unknown record", func(log []byte, s []Sample) []byte {
			log[s[1].Offset+4], log[s[1].Offset+inRecord] = 99, 0
			return log
		}, 4, 16, "an event of the unknown type 99"},
		{"the used size beyond the buffer", func(log []byte, s []Sample) []byte {
			binary.LittleEndian.PutUint32(log[testHead().BufferSize+atUsed:], 1<<20)
			return log
		}, 5, 20, "1048576 bytes used"},
		{"the used size within an event", func(log []byte, s []Sample) []byte {
			binary.LittleEndian.PutUint32(log[testHead().BufferSize+atUsed:], uint32(s[2].Offset-int64(testHead().BufferSize))+100)
			return log
		}, 5, 20, "bytes used, but an event ends"},
		{"the buffer of the list is gone", func(log []byte, s []Sample) []byte {
			return append(log[:testHead().BufferSize:testHead().BufferSize], log[2*testHead().BufferSize:]...)
		}, 0, 0, "buffers, but should have"},
		{"two samples change places", func(log []byte, s []Sample) []byte {
			n := s[2].Offset - s[1].Offset
			one := bytes.Clone(log[s[1].Offset:][:n])
			copy(log[s[1].Offset:], log[s[2].Offset:][:n])
			copy(log[s[2].Offset:], one)
			return log
		}, 5, 20, "goes back by 1s"},
		{"the last sample twice", func(log []byte, s []Sample) []byte {
			n := s[4].Offset - s[3].Offset
			copy(log[s[4].Offset:], log[s[3].Offset:][:n])
			return log
		}, 5, 20, ""},
	}
	list := testList()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := makeBLG(t, testHead(), list, testSamples(list, 5))
			whole := readWhole(t, log).samples
			want := strings.Replace(test.text, "%d", fmt.Sprint(whole[2].Offset-whole[1].Offset), 1)
			samples, damage := readDamaged(t, test.edit(log, whole))
			values := 0
			for _, s := range samples {
				for i := range s.Values {
					if s.Values[i].Valid() {
						values++
					}
				}
			}
			if len(samples) != test.samples || values != test.values {
				t.Errorf("%d samples and %d values, want %d and %d; damage %v", len(samples), values, test.samples, test.values, damage)
			}
			text := errors.Join(damage...)
			if want == "" && text != nil || want != "" && (text == nil || !strings.Contains(text.Error(), want)) {
				t.Errorf("damage %v, expected %q", text, want)
			}
		})
	}
}

// TestUnsureList damages all that says how long the second entry of a list is: those behind it are found again,
// and are those before which others may be lost.
func TestUnsureList(t *testing.T) {
	list := testList()
	b := appendList(nil, list)
	at := 8 + int(binary.LittleEndian.Uint32(b[8:])) // of the second entry
	binary.LittleEndian.PutUint32(b[at:], 7)
	binary.LittleEndian.PutUint32(b[at+atCounter:], 1<<20) // where its last string begins
	l := listReader{b: b, damage: new(damageList)}
	got := l.read()
	if len(got) != len(list) || l.unsure != 2 || got[0].Path != list[0].Path || got[1].Kind != 0 || got[2].Path != list[2].Path {
		t.Errorf("entries %+v, unsure before %d", got, l.unsure)
	}
}

// TestLostPart loses one part of a long record. What is in the parts
// before is read.
func TestLostPart(t *testing.T) {
	list := testList()
	samples := testSamples(list, 3)
	for n := range 1000 {
		samples[1].Values[3].Items = append(samples[1].Values[3].Items, Item{Name: utf16Name("name"), First: int64(n)})
	}
	log := makeBLG(t, testHead(), list, samples)
	want := readWhole(t, log)
	for lost := 1; lost <= 5; lost++ {
		b := bytes.Clone(log)
		events := 0
		for at := 0; at+8 < len(b); at += 8 { // find the part by its numbers
			e := b[at:]
			if len(e) > 64 && e[3] == marker && e[4] == typeSample && bytes.Equal(e[0x18:0x28], providerGUID[:]) &&
				binary.LittleEndian.Uint32(e[inPrefix+16:]) == uint32(lost) && binary.LittleEndian.Uint32(e[inPrefix+20:]) > 1 {
				e[4] = 99
				events++
			}
		}
		if events != 1 {
			t.Fatalf("part %d stands %d times in the log", lost, events)
		}
		got, damage := readDamaged(t, b)
		first, there := got[want.samples[1].Offset]
		if there != (lost > 1) || len(damage) == 0 {
			t.Errorf("without part %d: %t, damage %v", lost, there, damage)
		}
		if there && (first.Values[2].Err != nil || first.Values[3].Err == nil) {
			t.Errorf("without part %d: values %+v", lost, first.Values)
		}
		for _, i := range []int{0, 2} {
			s := got[want.samples[i].Offset]
			if message := partOf(&s, &want.samples[i]); message != "" {
				t.Errorf("without part %d: sample %d: %s", lost, i, message)
			}
		}
	}
}

// TestSharedNames gives every instance of an array the same long name: all
// names together must not be longer than the record.
func TestSharedNames(t *testing.T) {
	list := testList()
	samples := testSamples(list, 1)
	items := []Item{{Name: utf16Name(strings.Repeat("x", 400))}}
	for range 49 {
		items = append(items, Item{})
	}
	samples[0].Values[3].Items = items
	log := makeBLG(t, testHead(), list, samples)
	at := readWhole(t, log).samples[0].Offset + inRecord + recordHead + 3*singleLen + recordHead + arrayHead
	for i := range items {
		copy(log[at+int64(i*itemLen):][:4], log[at:][:4])
	}
	got, damage := readDamaged(t, log)
	for _, s := range got {
		if n := len(s.Values[3].Items); n != 1 || len(damage) != 49 {
			t.Errorf("%d instances, damage %v", n, damage)
		}
	}
	if len(got) != 1 {
		t.Errorf("%d samples", len(got))
	}
}

// TestAfterEnd asks for more behind the end of a log whose last buffer says that
// it is full, though its rest is empty.
func TestAfterEnd(t *testing.T) {
	list := testList()
	log := makeBLG(t, testHead(), list, testSamples(list, 2))
	size := testHead().BufferSize
	last := log[len(log)-size:]
	if !isFill(last[size-8:]) {
		t.Fatal("the last buffer has no empty rest")
	}
	binary.LittleEndian.PutUint32(last[atUsed:], uint32(size))
	r, err := NewReader(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var s Sample
	for range 2 {
		if err := r.Next(&s); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := r.Next(&s); !errors.Is(err, io.EOF) {
			t.Errorf("error %v, want the end", err)
		}
	}
	if len(r.Damage()) != 1 {
		t.Error("nothing was said of the empty rest")
	}
}
