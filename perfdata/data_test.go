package perfdata_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

// undefined marks the bytes of a block that the format gives no meaning: the
// padding and the reserved fields of winperf.h, what no counter covers, and
// what follows the block. It walks the block by itself.
func undefined(b []byte) []bool {
	u := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	free := make([]bool, len(b))
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			free[i] = true
		}
	}
	block := func(at int, values [][2]int) {
		mark(at+4, at+u(at))
		for _, v := range values {
			for i := at + v[0]; i < at+v[0]+v[1]; i++ {
				free[i] = false
			}
		}
	}
	mark(52, 56)
	mark(88, u(24))
	for i := range u(80) {
		free[u(84)+i] = false
	}
	o := u(24)
	for range u(28) {
		mark(o+16, o+20)
		mark(o+24, o+28)
		var values [][2]int
		c := o + u(o+8)
		for range u(o + 32) {
			mark(c+8, c+12)
			mark(c+16, c+20)
			values = append(values, [2]int{u(c + 36), u(c + 32)})
			c += u(c)
		}
		at := o + u(o+4)
		if int32(u(o+40)) == -1 {
			block(at, values)
		}
		for range max(int32(u(o+40)), 0) {
			mark(at+24, at+u(at))
			for i := range u(at + 20) {
				free[at+u(at+16)+i] = false
			}
			at += u(at)
			block(at, values)
			at += u(at)
		}
		o += u(o)
	}
	mark(u(20), len(b))
	return free
}

// TestCapturesEncode encodes every real block again, directly and by way of
// its text form, and compares all bytes that mean anything.
func TestCapturesEncode(t *testing.T) {
	blocks, excepted, differ, compared := perftest.Captures(t), 0, 0, 0
	for name, b := range blocks {
		free := undefined(b)
		parsed, err := perfdata.Parse(bytes.Clone(b), 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		encoded := encode(t, parsed)
		fromText, err := perfdata.ParseText(format(parsed, nil))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(encode(t, fromText), encoded) {
			t.Errorf("%s: the text form does not give the same bytes", name)
		}
		if want := int(binary.LittleEndian.Uint32(b[20:])); len(encoded) != want {
			t.Errorf("%s: encoded to %d bytes, want %d", name, len(encoded), want)
			continue
		}
		for i := range b {
			switch {
			case free[i]:
				excepted++
				if i < len(encoded) && encoded[i] != b[i] {
					differ++
				}
			case encoded[i] != b[i]:
				t.Fatalf("%s: byte %d is %#x, want %#x", name, i, encoded[i], b[i])
			default:
				compared++
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d blocks: %d bytes compared and equal; %d bytes excepted because the format leaves them "+
		"undefined, %d of these differ",
		len(blocks), compared, excepted, differ)
}
