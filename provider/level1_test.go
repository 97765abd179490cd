package provider_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf/provider"
)

// level1 makes the checks of ExtCounterTestLevel 1 (Microsoft Learn, "Error
// Handling" of performance DLLs) on a block, without the decoder: the objects'
// TotalByteLength add up to the block, the ByteLengths of an object's instances
// lead exactly to its end, and everything has a multiple of 8 bytes.
func level1(block []byte) error {
	if len(block) < 88 {
		return fmt.Errorf("block of %d bytes", len(block))
	}
	header, rest := field(block, 24), len(block)
	if total := field(block, 20); total != rest {
		return fmt.Errorf("block of %d bytes says %d", rest, total)
	}
	at := header
	for i := range field(block, 28) {
		if at+64 > len(block) {
			return fmt.Errorf("object %d at %d of %d bytes", i, at, len(block))
		}
		length := field(block, at)
		if at%8 != 0 || length%8 != 0 || length < 64 || length > len(block)-at {
			return fmt.Errorf("object %d at %d has %d bytes", i, at, length)
		}
		if err := level1Object(block[at : at+length]); err != nil {
			return fmt.Errorf("object %d at %d: %w", i, at, err)
		}
		at += length
	}
	if at != len(block) {
		return fmt.Errorf("objects end at %d, the block at %d", at, len(block))
	}
	return nil
}

// level1Object checks what is inside one object.
func level1Object(o []byte) error {
	at := field(o, 4) // DefinitionLength
	blocks := int(int32(binary.LittleEndian.Uint32(o[40:])))
	named := blocks > 0
	switch blocks {
	case -1:
		blocks = 1
	case -2, -3:
		blocks = 0
	}
	var structures []int
	for range blocks {
		if named {
			structures = append(structures, 24)
		}
		structures = append(structures, 4)
	}
	for _, least := range structures {
		if at+least > len(o) {
			return errors.New("instances run past the end")
		}
		length := field(o, at)
		if at%8 != 0 || length%8 != 0 || length < least {
			return fmt.Errorf("structure at %d has %d bytes", at, length)
		}
		at += length
	}
	if at != len(o) {
		return fmt.Errorf("instances end at %d of %d", at, len(o))
	}
	return nil
}

// field reads 4 bytes.
func field(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }

// TestLevel1 shows that the checks made on every block of these tests find
// what they are for.
func TestLevel1(t *testing.T) {
	l := layout(t, peer())
	d := dispatcher(t, nil, writes(func(w *provider.Writer) { writePeers(w, l, 15, 30) }, l))
	good, err := d.Collect(t.Context(), everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := level1(good); err != nil {
		t.Fatal(err)
	}
	header := field(good, 24)
	first := header + field(good, header+4)    // instance definition
	values := first + field(good, first)       // its counter block
	change := func(at int, by uint32) []byte { // changes one field of the block
		b := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])+by)
		return b
	}
	for _, tt := range []struct {
		name  string
		block []byte
		want  string
	}{
		{"short", good[:80], "block of 80 bytes"},
		{"bytes behind the block", append(change(20, 8), make([]byte, 8)...), "objects end at"},
		{"TotalByteLength of the block", change(20, 8), "says"},
		{"one object too many", change(28, 1), "object 1 at"},
		{"one object too few", change(28, ^uint32(0)), "objects end at"},
		{"TotalByteLength of the object", change(header, 8), "has"},
		{"TotalByteLength not of 8 bytes", change(header, ^uint32(3)), "has"},
		{"one instance too many", change(header+40, 1), "past the end"},
		{"one instance too few", change(header+40, ^uint32(0)), "instances end at"},
		{"ByteLength of an instance", change(first, 8), "structure at"},
		{"ByteLength of a counter block", change(values, 4), "structure at"},
	} {
		if err := level1(tt.block); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}
