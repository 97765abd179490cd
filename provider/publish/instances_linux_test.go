package publish

import (
	"encoding/binary"
	"os"
	"strconv"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider"
)

// manyInstances is the file of a publisher with n instances, made from one with a
// few.
func manyInstances(t *testing.T, n int) []byte {
	t.Helper()
	dir := tempDir(t)
	p := start(t, dir,
		`{"driver": "A", "objects": [{"symbol": "PEER", "name": "Peer", "multi": true, "counters": [{"symbol": "SERVED", "name": "Served", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`)
	add(t, p, "Peer", "name", nil)
	b := content(t, p)[:p.memory.used]
	if err := os.Remove(p.Path()); err != nil {
		t.Fatal(err)
	}

	const instanceSize = 24 // PERF_INSTANCE_DEFINITION (winperf.h)
	le := binary.LittleEndian
	begin := int(le.Uint32(b[pubfile.HeaderSlots:]))
	slot := b[begin:]
	out := make([]byte, begin, begin+n*len(slot))
	copy(out, b)
	for i := range n {
		at := len(out)
		out = append(out, slot...)
		name := strconv.FormatInt(int64(i)+1<<20, 36)[:4]
		for k, c := range []byte(name) {
			out[at+pubfile.SlotBody+instanceSize+2*k] = c
		}
		le.PutUint32(out[at+pubfile.SlotBody+int(le.Uint32(slot[pubfile.SlotBody:]))+4:], uint32(i))
	}
	le.PutUint64(out[pubfile.HeaderUsed:], uint64(len(out)))
	return out
}

// newQuery returns what samples all objects of a provider.
func newQuery(t *testing.T, p provider.Provider) func(dst []byte) []byte {
	t.Helper()
	fail := func(p provider.Problem) { t.Errorf("%s: %v", p.Stage, p.Err) }
	d, err := provider.NewDispatcher(provider.Options{OnProblem: fail, CollectTimeout: 1 << 40}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return func(dst []byte) []byte {
		block, err := d.Collect(t.Context(), provider.ParseQuery("Global"), dst)
		if err != nil {
			t.Fatal(err)
		}
		return block
	}
}
