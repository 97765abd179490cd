package v1

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/winperf/winperf"
)

// TestDamagedObject asks for an object whose own damage costs only itself, so
// that it is told.
func TestDamagedObject(t *testing.T) {
	b := block(2, 4)
	at := int(binary.LittleEndian.Uint32(b[atHeader:]))
	binary.LittleEndian.PutUint32(b[at+32:], 1<<31) // PERF_OBJECT_TYPE.NumCounters
	m := system()
	m.values["Global"], m.values["2 4 900"] = data(b), data(b)
	s := start(t, m, Options{})
	q := compile(t, s, winperf.Selection{Global: true, Costly: true})
	m.asked()
	if got, damage := objectsOf(t, q); !slices.Equal(got, []uint32{4}) || m.asked() != "2 4 900" ||
		len(damage) != 1 {
		t.Errorf("objects %v, damage %v", got, damage)
	}
}
