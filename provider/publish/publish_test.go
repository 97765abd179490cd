package publish

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/registration"
)

func TestPublish(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect()
	p := start(t, dir, schemaText)
	w.expect("Transfer 0 0 0")
	single, err := must(t, p.Object, "transfer").Single()
	if err != nil {
		t.Fatal(err)
	}
	must(t, single.Counter, "Bytes Sent").Set(5)
	must(t, single.Counter, "available bandwidth").Set(20)
	base := must(t, single.Base, "Available Bandwidth")
	base.Add(60)
	base.AddSigned(-15)
	base.AddSigned(5)
	if base.Load() != 50 || base.Size() != 4 {
		t.Errorf("base %d of %d bytes", base.Load(), base.Size())
	}
	one := add(t, p, "Peer", "Peer 1", nil)
	two := add(t, p, "Peer", "Peer 2", nil)
	must(t, one.Counter, "Bytes Served").Add(15)
	must(t, two.Counter, "Bytes Served").Add(30)
	w.expect("Transfer 5 20 50", "Peer(Peer 1) 15", "Peer(Peer 2) 30")
	job := add(t, p, "Job", "täglich 𝄞", two)
	must(t, job.Counter, "Done").Add(1 << 40)
	must(t, job.Counter, "Time").Add(7)
	must(t, job.Base, "Time").Set(1<<32 + 3) // keeps the low 32 bits
	w.expect("Transfer 5 20 50", "Peer(Peer 1) 15", "Peer(Peer 2) 30",
		"Job(Peer 2/täglich 𝄞) 1099511627776 7 3")
	if err := one.Remove(); err != nil {
		t.Error(err)
	}
	w.expect("Transfer 5 20 50", "Peer(Peer 2) 30", "Job(Peer 2/täglich 𝄞) 1099511627776 7 3")
	if err := errors.Join(two.Remove(), two.Remove(), job.Remove()); err != nil {
		t.Error(err)
	}
	must(t, two.Counter, "Bytes Served").Add(1) // to no effect
	w.expect("Transfer 5 20 50")
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	base.Add(1)
	w.expect()
	if list := files(t, dir); len(list) > 0 && runtime.GOOS != "windows" {
		t.Errorf("files %q are left", list)
	}
	w.expectProblems()
}

// Parents' objects come along with those that are asked for, and definitions
// without instances.
func TestQueries(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := start(t, dir, schemaText)
	add(t, p, "Peer", "a", nil)
	add(t, p, "Job", "x", add(t, p, "Peer", "b", nil))
	prov := w.Refresh()
	index := map[string]uint32{}
	for _, o := range prov.Objects() {
		index[o.Name] = o.Index
	}
	for query, want := range map[string]string{
		fmt.Sprint(index["Job"]):                     "Peer(a) 0\nPeer(b) 0\nJob(b/x) 0 0 0\n",
		fmt.Sprint(index["Peer"], index["Transfer"]): "Transfer 0 0 0\nPeer(a) 0\nPeer(b) 0\n",
		"Costly":         "",
		"MetadataGlobal": "",
	} {
		f, names := w.block(prov, query)
		if got := text(f, names); got != want {
			t.Errorf("query %s:\n%swant\n%s", query, got, want)
		}
		if f.NumObjects() == 0 && query != "Costly" {
			t.Errorf("query %s: no objects", query)
		}
	}
}

// A library may count at the address of a counter: readers see it, and the counter has it.
func TestAddress(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := start(t, dir, schemaText)
	single, err := must(t, p.Object, "Transfer").Single()
	if err != nil {
		t.Fatal(err)
	}

	sent, done := must(t, single.Counter, "Bytes Sent"), must(t, add(t, p, "Job", "x", nil).Counter, "Done")
	if sent.Size() != 4 || done.Size() != 8 {
		t.Fatalf("counters of %d and %d bytes", sent.Size(), done.Size())
	}
	atomic.AddUint32((*uint32)(sent.Address()), 7)
	atomic.AddUint64((*uint64)(done.Address()), 1<<40)
	if sent.Load() != 7 || done.Load() != 1<<40 {
		t.Errorf("counters %d and %d", sent.Load(), done.Load())
	}
	w.expect("Transfer 7 0 0", "Job(x) 1099511627776 0 0")
}

// An object answers what it was declared with. Instances of one name are told apart by their ids.
func TestDeclared(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := start(t, dir, schemaText)
	transfer, peer := must(t, p.Object, "Transfer"), must(t, p.Object, "Peer")
	if transfer.Multi() || !peer.Multi() {
		t.Errorf("instances: Transfer %v, Peer %v", transfer.Multi(), peer.Multi())
	}
	if !peer.Has("bytes served") || peer.Has("Bytes Sent") || transfer.Has("") {
		t.Error("objects have other counters than declared")
	}

	for _, opt := range []InstanceOptions{{UniqueID: 7, HasUniqueID: true}, {UniqueID: 8}, {HasUniqueID: true}} {
		if _, err := peer.Instance("same", opt); err != nil {
			t.Fatal(err)
		}
	}
	f, _ := w.block(w.Refresh(), "Global")
	var ids []string
	for o := range f.Objects() {
		for in := range o.Instances() {
			if in.Name() == "same" {
				id, ok := in.UniqueID()
				ids = append(ids, fmt.Sprint(id, ok))
			}
		}
	}
	if want := []string{"7 true", "-1 false", "0 true"}; !slices.Equal(ids, want) {
		t.Errorf("unique ids %q, want %q", ids, want)
	}
}

// Every type that a schema may have can be read.
func TestTypes(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	for info := range counter.Types() {
		declared := fmt.Sprintf(`{"objects": [{"name": %q, "counters": [{"name": "N", "type": %q}]}]}`,
			info.Name, info.Name)
		if _, err := registration.ParseDeclaration("test.json", []byte(declared)); err == nil {
			start(t, dir, declared)
		}
	}

	prov := w.Refresh()
	for _, query := range []string{"Global", "MetadataGlobal"} {
		if f, _ := w.block(prov, query); f.NumObjects() < 30 {
			t.Errorf("%s: %d objects", query, f.NumObjects())
		}
	}
}

func TestMistakes(t *testing.T) {
	dir := tempDir(t)
	p, other := start(t, dir, schemaText), start(t, dir, schemaText)
	peer, transfer := must(t, p.Object, "Peer"), must(t, p.Object, "Transfer")
	one := add(t, p, "Peer", "one", nil)
	instance := func(o *Object, name string, opt InstanceOptions) error {
		_, err := o.Instance(name, opt)
		return err
	}
	_, noObject := p.Object("Per")
	_, notSingle := peer.Single()
	_, noCounter := one.Counter("Bytes")
	_, noBase := one.Base("Bytes Served")
	single, _ := transfer.Single()
	long := strings.Repeat("x", pubfile.MaxName)
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"object", noObject, winperf.ErrNoObject},
		{"object with instances", notSingle, winperf.ErrState},
		{"counter", noCounter, winperf.ErrNoCounter},
		{"base", noBase, winperf.ErrNoCounter},
		{"removing a single", single.Remove(), winperf.ErrState},
		{"instance of a single", instance(transfer, "x", InstanceOptions{}), winperf.ErrState},
		{"no name", instance(peer, "", InstanceOptions{}), winperf.ErrState},
		{"a NUL", instance(peer, "a\x00b", InstanceOptions{}), winperf.ErrState},
		{"no UTF-8", instance(peer, "a\xff", InstanceOptions{}), winperf.ErrState},
		{"a long name", instance(peer, long, InstanceOptions{}), winperf.ErrState},
		{"another's parent", instance(peer, "x", InstanceOptions{Parent: add(t, other, "Peer", "x", nil)}),
			winperf.ErrState},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	if err := instance(peer, long[1:], InstanceOptions{}); err != nil {
		t.Errorf("the longest name: %v", err)
	}
	if w := watch(t, ReaderOptions{Dirs: []string{dir}}); !strings.Contains(w.all(), "("+long[1:]+")") {
		t.Error("the longest name is not read")
	}
	if err := one.Remove(); err != nil {
		t.Error(err)
	}
	if err := instance(peer, "x", InstanceOptions{Parent: one}); !errors.Is(err, winperf.ErrState) {
		t.Errorf("child of a removed instance: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := instance(peer, "x", InstanceOptions{}); !errors.Is(err, winperf.ErrState) {
		t.Errorf("instance of a closed publisher: %v", err)
	}
	if _, err := New(&registration.Declaration{}, Options{Dir: dir}); !errors.Is(err, registration.ErrInvalid) {
		t.Errorf("empty schema: %v", err)
	}
}

// The file grows with the instances; what there is stays in its place.
func TestGrow(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := start(t, dir, schemaText)
	var handles []*Counter
	var want []string
	const n = 3000
	for i := range n {
		in := add(t, p, "Peer", fmt.Sprintf("p%d %s", i, strings.Repeat("x", i%90)), nil)
		c := must(t, in.Counter, "Bytes Served")
		c.Set(uint64(i))
		handles = append(handles, c)
	}
	for i, c := range handles {
		c.Add(n)
		want = append(want, fmt.Sprintf("Peer(p%d %s) %d", i, strings.Repeat("x", i%90), i+n))
	}
	if mapping := len(p.memory.mapping.list); mapping < 3 {
		t.Errorf("only %d pieces", mapping)
	}
	got := strings.Split(strings.TrimSpace(w.all()), "\n")[1:]
	slices.Sort(got) // a slot in what was left of a piece comes earlier
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
	w.expectProblems()
}

// The room of an instance is another's only when nobody has a counter of it any
// more.
func TestReuse(t *testing.T) {
	inWindows(t, func(t *testing.T, window int) {
		dir := tempDir(t)
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.window = window
		p := start(t, dir, schemaText)
		old := add(t, p, "Peer", "old", nil)
		late := must(t, old.Counter, "Bytes Served")
		if err := old.Remove(); err != nil {
			t.Fatal(err)
		}
		old = nil
		for range 3 {
			runtime.GC()
		}
		add(t, p, "Peer", "new", nil)
		late.Add(99)
		w.expect("Transfer 0 0 0", "Peer(new) 0")
		runtime.KeepAlive(late)
		used := p.memory.used
		for round := 0; p.free() == 0; round++ {
			if round == 1000 {
				t.Fatal("the room of an instance that nobody has is never free")
			}
			runtime.GC()
		}
		add(t, p, "Peer", "yet", nil)
		if p.memory.used != used {
			t.Error("a free slot was not used again")
		}
		w.expect("Transfer 0 0 0", "Peer(yet) 0", "Peer(new) 0")
	})
}

// free is the number of free slots.
func (p *Publisher) free() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.memory.free {
		n += len(list)
	}
	return n
}

func TestFull(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	p.memory.size = pubfile.MaxFile - regionUnit/2 // as if it were nearly full
	p.memory.used = p.memory.size
	if _, err := must(t, p.Object, "Peer").Instance("x", InstanceOptions{}); !errors.Is(err, ErrFull) {
		t.Errorf("error %v", err)
	}
}

// The bytes are those of the document, and the objects those of the sample: 184
// and 104 bytes of definitions, 40 and 8 bytes for the instance "Peer 1", whose
// name takes no more than it needs here.
func TestLayout(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	peer := add(t, p, "Peer", "Peer 1", nil)
	must(t, peer.Counter, "Bytes Served").Add(15)
	b := content(t, p)
	le := binary.LittleEndian
	u32 := func(at int) int { return int(le.Uint32(b[at:])) }
	if string(b[:8]) != "WPERFPUB" || u32(8) != 1 || u32(12) != 128 || len(b)%regionUnit != 0 {
		t.Errorf("header % x", b[:16])
	}
	table := u32(pubfile.HeaderTable)
	for i, want := range []struct{ head, block, flags, title int }{{184, 16, 0, 2}, {104, 8, 1, 8},
		{64 + 3*40, 32, 1, 12}} {
		o := table + i*pubfile.ObjectSize
		head := u32(o + pubfile.ObjectHead)
		if u32(o+pubfile.ObjectHeadLen) != want.head || u32(o+pubfile.ObjectBlock) != want.block ||
			u32(o+pubfile.ObjectFlags) != want.flags {
			t.Errorf("object %d: % x, want %+v", i, b[o:o+pubfile.ObjectSize], want)
		}
		if head%8 != 0 || u32(head+4) != want.head || u32(head+8) != 64 || u32(head+12) != want.title ||
			u32(head+20) != want.title+1 || le.Uint32(b[head+36:]) != 0xFFFFFFFF {
			t.Errorf("head of object %d: % x", i, b[head:head+64])
		}
	}
	slot := u32(pubfile.HeaderSlots)
	if u32(slot+pubfile.SlotSequence) != 1 || u32(slot+pubfile.SlotObject) != 0 ||
		u32(slot+pubfile.SlotLength) != 16 {
		t.Errorf("slot of Transfer: % x", b[slot:slot+pubfile.SlotBody])
	}
	slot += u32(slot + pubfile.SlotSize)
	body := slot + pubfile.SlotBody
	if slot%pubfile.SlotAlign != 0 || u32(slot+pubfile.SlotObject) != 1 ||
		u32(slot+pubfile.SlotLength) != 48 || u32(body) != 40 || u32(body+16) != 24 || u32(body+20) != 14 {
		t.Errorf("slot of Peer 1: % x", b[slot:body+48])
	}
	if u32(body+40) != 8 || u32(body+44) != 15 {
		t.Errorf("counter block of Peer 1: % x", b[body+40:body+48])
	}
	if end := slot + u32(slot+pubfile.SlotSize); u32(pubfile.HeaderUsed) != end {
		t.Errorf("used %d, want %d", u32(pubfile.HeaderUsed), end)
	}
}

// No two fields of the layout overlap, and each is aligned.
func TestFields(t *testing.T) {
	ends := map[string]int{}
	for _, f := range pubfile.Fields() {
		if f.Offset < ends[f.Struct] || f.Offset%min(f.Size, 4) != 0 || f.Size == 8 && f.Offset%8 != 0 {
			t.Errorf("%s.%s at %d, the one before ends at %d", f.Struct, f.Name, f.Offset, ends[f.Struct])
		}
		ends[f.Struct] = f.Offset + f.Size
	}
	if ends["Header"] > pubfile.HeaderSize || ends["Object"] > pubfile.ObjectSize ||
		ends["Slot"] > pubfile.SlotBody {
		t.Errorf("structures end at %v", ends)
	}
}

// A counter without a schema is read under its names, and its file is there as long as the program,
// with or without a handle.
func TestNewCounter(t *testing.T) {
	dir := tempDir(t)
	t.Setenv(Environment, dir)
	c, err := NewCounter("Shop", `Orders/sec \ "new"`, counter.BulkCount)
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.instance.object.publisher.Close(); err != nil {
			t.Error(err)
		}
	})
	c.Add(3)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("Shop 3")
	if got := w.Refresh().Objects()[0].Counters[0]; got.Name != `Orders/sec \ "new"` || got.Type != counter.BulkCount {
		t.Errorf("counter %q of type %v", got.Name, got.Type)
	}

	for _, names := range [][2]string{{"", "a"}, {"a", ""}, {"a", "b\x00"}} {
		if _, err := NewCounter(names[0], names[1], counter.BulkCount); !errors.Is(err, registration.ErrInvalid) {
			t.Errorf("%q: error %v", names, err)
		}
	}
	if _, err := NewCounter("a", "b", counter.Type(0x7F)); !errors.Is(err, registration.ErrInvalid) {
		t.Errorf("unknown type: error %v", err)
	}
}

// A value that falls below 0 goes on from the largest one of its size.
func TestBelowZero(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	single, err := must(t, p.Object, "Transfer").Single()
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []*Counter{must(t, single.Base, "Available Bandwidth"), must(t, add(t, p, "Job", "a", nil).Counter, "Done")} {
		c.Set(5)
		c.AddSigned(-7)
		if got, want := c.Load(), uint64(1)<<(8*c.Size()-1)<<1-2; got != want {
			t.Errorf("%d of %d bytes, want %d", got, c.Size(), want)
		}
	}
}

// A file's name says whose it is: letters, digits, dots and dashes of the driver's name, and no more than a file may have.
func TestFileName(t *testing.T) {
	const all = "azAZ09.-"
	if got := fileName(all + "_/\\ä"); !strings.HasPrefix(got, all+"____-") {
		t.Errorf("file %q", got)
	}
	if got := fileName(strings.Repeat("x", 1000)); len(got) > 255 || strings.Count(got, "x") != maxDriver {
		t.Errorf("file %q", got)
	}
}

// Counting allocates nothing.
func TestAddAllocates(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	c := must(t, p.Counter2, "Bytes Sent")
	all := testing.AllocsPerRun(100, func() {
		c.Add(1)
		c.AddSigned(-1)
		c.Set(c.Load())
	})
	if all != 0 {
		t.Errorf("%v allocations", all)
	}
}
