package diagnosis

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// transfer is an object without instances: a definition of a counter of 4 bytes, and its value
// (winperf.h, PERF_OBJECT_TYPE).
func transfer(title uint32) []byte {
	b := make([]byte, 64+40+8)
	put := func(offset int, n uint32) { binary.LittleEndian.PutUint32(b[offset:], n) }
	put(0, uint32(len(b)))
	put(4, 104) // DefinitionLength
	put(8, 64)  // HeaderLength
	put(12, title)
	put(20, title+1)
	put(32, 1)          // NumCounters
	put(40, 0xffffffff) // NumInstances: -1, none
	put(64, 40)
	put(64+4, title+2)
	put(64+28, 0x00010000) // PERF_COUNTER_RAWCOUNT
	put(64+32, 4)
	put(64+36, 4)
	put(104, 8)
	put(108, 5)
	return b
}

func TestAnswer(t *testing.T) {
	two := slices.Concat(transfer(2000), transfer(2006))
	size := uint32(len(two))
	good := Answer{Data: two, Bytes: size, Room: 1 << 16, Moved: len(two), Objects: 2}
	change := func(f func(a *Answer)) Answer {
		a := good
		a.Data = slices.Clone(two)
		f(&a)
		return a
	}

	for name, c := range map[string]struct {
		a       Answer
		lie     string // contained in the first contradiction
		objects []uint32
	}{
		"good":    {good, "", []uint32{2000, 2006}},
		"none":    {Answer{Room: 1 << 16}, "", nil},
		"overrun": {change(func(a *Answer) { a.Overrun = true }), "it wrote outside of the buffer", []uint32{2000, 2006}},
		"room":    {change(func(a *Answer) { a.Room = 200 }), "it returned 224 bytes for a buffer of 200", []uint32{2000, 2006}},
		"pointer": {change(func(a *Answer) { a.Moved = 0 }), "it returned 224 bytes, but moved the pointer by 0", []uint32{2000, 2006}},
		"odd": {change(func(a *Answer) { a.Data, a.Bytes, a.Moved = a.Data[:220], 220, 220 }),
			"it returned 220 bytes, which is no multiple of 8", []uint32{2000}},
		"count":      {change(func(a *Answer) { a.Objects = 3 }), "it returned 3 objects, but their lengths lead to 2", []uint32{2000, 2006}},
		"length":     {change(func(a *Answer) { a.Data[112] = 0 }), "at byte 112 of the answer: ", []uint32{2000}},
		"definition": {change(func(a *Answer) { a.Data[64] = 0 }), "", []uint32{2000, 2006}},
	} {
		objects, lies := c.a.Check()
		if !slices.Equal(objects, c.objects) {
			t.Errorf("%s: objects %v", name, objects)
		}
		switch {
		case name == "good" || name == "none":
			if len(lies) > 0 {
				t.Errorf("%s: %q", name, lies)
			}
		case len(lies) == 0 || !strings.HasPrefix(lies[0], c.lie):
			t.Errorf("%s: %q, want %q", name, lies, c.lie)
		}
	}
}
