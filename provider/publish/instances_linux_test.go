package publish

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
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

// TestKept: of the memory of samples little is kept for the next ones, however the files
// take turns in having many instances.
func TestKept(t *testing.T) {
	const files, instances = 10, 3000
	dir := tempDir(t)
	whole := manyInstances(t, instances)
	le := binary.LittleEndian
	large := le.AppendUint64(nil, uint64(len(whole)))
	small := le.AppendUint64(nil, uint64(le.Uint32(whole[pubfile.HeaderSlots:])))
	name := func(k int) string { return "file" + strconv.Itoa(k) }
	use := func(k int, used []byte) {
		f, err := os.OpenFile(filepath.Join(dir, name(k)+pubfile.Suffix), os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt(used, pubfile.HeaderUsed)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for k := range files {
		lay(t, dir, name(k), whole, true)
		use(k, small)
	}
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	query := newQuery(t, w.Refresh())

	sample := func(when string) {
		t.Helper()
		query(nil)
		held := int64(0)
		for _, f := range w.dirs[0].files {
			held += f.held()
		}
		if held == 0 || held > keepAll+files*keepData {
			t.Errorf("%s: %d bytes are kept, want at most %d", when, held, keepAll+files*keepData)
		}
	}
	for k := files - 1; k >= 0; k-- { // the one that is read last has many instances first
		use(k, large)
		sample("one after the other")
		use(k, small)
	}
	for k := range files {
		use(k, large)
	}
	sample("all at once")
	w.expectProblems()
}

// TestAskedOnce: in one refresh each file is opened once to ask for its publisher, also
// where the directory is read again, as it has just changed.
func TestAskedOnce(t *testing.T) {
	const files = 10
	dir := tempDir(t)
	publishMany(t, dir, files, 1)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.Refresh()
	w.dirs[0].trusted = false
	before := w.opened
	w.Refresh()
	if n := w.opened - before; n != files {
		t.Errorf("%d openings of %d files", n, files)
	}
}
