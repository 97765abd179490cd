package publish

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
)

// TestSizes publishes a counter of every type that has a value of 4 or 8 bytes, and
// then says in its definition that it has another size, or another type: such a file
// is refused, whatever the counter block has space for.
func TestSizes(t *testing.T) {
	le := binary.LittleEndian
	// winperf.h: behind PERF_OBJECT_TYPE, in PERF_COUNTER_DEFINITION
	const definition, typeAt, sizeAt = 64, 28, 32
	tried := 0
	for info := range counter.Types() {
		if info.Type.IsBase() || info.Bytes != 4 && info.Bytes != 8 {
			continue
		}
		tried++
		s := schema(t, fmt.Sprintf(`{"driver": "x", "objects": [{"symbol": "O", "name": "O", "multi": true, "counters": [
			{"symbol": "C", "name": "C", "type": "%#x"}]}]}`, uint32(info.Type)))
		pl, err := newFileImage(s)
		if err != nil {
			t.Fatal(err)
		}
		b := pl.static
		le.PutUint64(b, pubfile.Magic)
		if _, err := fake(b); err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}

		at := int(le.Uint32(b[int(le.Uint32(b[pubfile.HeaderTable:]))+pubfile.ObjectHead:])) + definition
		if n := le.Uint32(b[at+sizeAt:]); n != uint32(info.Bytes) {
			t.Errorf("%s: size %d, want %d", info.Name, n, info.Bytes)
		}
		other := map[int]uint32{4: 8, 8: 4}[info.Bytes]
		for _, v := range []struct {
			field int
			value uint32
		}{{sizeAt, 0}, {sizeAt, other}, {typeAt, uint32(info.Type) ^ 0x100}, {typeAt, 0x7F}} {
			bad := bytes.Clone(b)
			le.PutUint32(bad[at+v.field:], v.value)
			if _, err := fake(bad); !errors.Is(err, winperf.ErrBadData) {
				t.Errorf("%s, field %d is %#x: error %v", info.Name, v.field, v.value, err)
			}
		}
	}
	if tried < 30 {
		t.Errorf("%d types", tried)
	}
}
