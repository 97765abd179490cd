//go:build !windows

package providerdll

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/publish"
)

// used returns a publisher's file up to where its last slot ends.
func used(t testing.TB, p *publish.Publisher) []byte {
	t.Helper()
	data, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	return data[:binary.LittleEndian.Uint64(data[pubfile.HeaderUsed:])]
}

// seed returns a file with everything in it: a single instance, instances, one that
// is gone, parents.
func seed(t testing.TB) []byte {
	t.Helper()
	p := publisher(t, t.TempDir(), schema(t))
	example(t, p)
	gone := peer(t, p, "gone", 9)
	if err := gone.Remove(); err != nil {
		t.Fatal(err)
	}
	instance(t, p, "Part", "x", "Bytes", 3, peer(t, p, "Peer 3", 3))
	return used(t, p)
}

// hostile asks the core for a good file and a hostile one, which may cost itself but
// nothing else.
func hostile(t *testing.T, c core, good []byte, bad copied, query []byte) {
	t.Helper()
	a, err := c.ask(query, 1<<20, copied{data: good}, bad)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.check(); err != nil {
		t.Fatalf("%v\n%x", err, a.data)
	}
	a, err = c.ask(utf16z("8000"), 1<<20, copied{data: good}, bad)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.show(t); got != "8000[=5,20,50]" {
		t.Fatalf("the good file's object is %s", got)
	}
	a, err = c.ask(utf16z("Global"), 1<<20, bad, copied{data: good})
	if err != nil {
		t.Fatal(err)
	}
	a.show(t) // fails where an object is damaged
	if want, err := c.ask(utf16z("Global"), len(a.data), bad, copied{data: good}); err != nil || want.more ||
		len(want.data) != len(a.data) {
		t.Fatalf("%d bytes with just enough room, want %d; error %v", len(want.data), len(a.data), err)
	}
	stranger(t, c, good, bad)
}

// byTitle returns the objects of an answer by their titles.
func (a answer) byTitle() map[uint32][]byte {
	objects := map[uint32][]byte{}
	for p := a.data; len(p) > 0; {
		n := binary.LittleEndian.Uint32(p)
		objects[binary.LittleEndian.Uint32(p[12:])] = p[:n]
		p = p[n:]
	}
	return objects
}

// stranger puts the hostile file behind the good one, as a file of an account of a later line: the
// objects of the good file are the same, except that further instances may follow.
func stranger(t *testing.T, c core, good []byte, bad copied) {
	t.Helper()
	r := request{query: utf16z("Global"), room: 1 << 21, most: limit, files: []copied{{data: good}}}
	alone, _, err := c.request(r)
	if err != nil {
		t.Fatal(err)
	}
	r.files = append(r.files, bad)
	both, owners, err := c.request(r)
	if err != nil {
		t.Fatal(err)
	}
	both.show(t)

	all := both.byTitle()
	for title, mine := range alone.byTitle() {
		const size, count, instances = 4, 40, 44 // TotalByteLength and NumInstances may grow
		got := all[title]
		if !slices.Contains(owners, owner{title, 0}) || len(got) < len(mine) ||
			!bytes.Equal(got[size:count], mine[size:count]) ||
			!bytes.Equal(got[instances:len(mine)], mine[instances:]) {
			t.Fatalf("object %d is\n%x, want\n%x", title, got, mine)
		}
	}
}

// FuzzCore gives the core an arbitrary file.
func FuzzCore(f *testing.F) {
	data := seed(f)
	f.Add(data, []byte(nil), utf16z("Global"))
	f.Add(data, data[:len(data)-32], utf16z("8010"))
	f.Add(data[:pubfile.HeaderSize], data, utf16z("MetadataGlobal"))
	f.Add([]byte(nil), []byte(nil), utf16z("8000 8006"))
	c := startCore(f)
	f.Fuzz(func(t *testing.T, file, later, query []byte) {
		if len(file) > 1<<20 || len(query) > 1<<12 {
			t.Skip()
		}
		hostile(t, c, data, copied{data: file, later: later},
			append(query[:len(query)&^1:len(query)&^1], 0, 0))
	})
}

// TestSpoiled writes every interesting number over every field of a file, and then
// several over several.
func TestSpoiled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	c, good := startCore(t), seed(t)
	le := binary.LittleEndian
	size := uint32(len(good))
	numbers := []uint32{0, 1, 7, 8, 16, 24, 40, 63, 64, size - 16, size - 8, size, size + 16, 1 << 20,
		1<<31 - 1, 1 << 31, ^uint32(15), ^uint32(7), ^uint32(0)}
	random := rand.New(rand.NewPCG(1, 2))
	static := le.Uint32(good[pubfile.HeaderSchema:]) + le.Uint32(good[pubfile.HeaderSchemaLen:])
	query := utf16z("Global")
	for at := 0; at+4 <= len(good); at += 4 {
		if at == int(le.Uint32(good[pubfile.HeaderSchema:])) {
			at = int(static) &^ 3 // the core passes over the schema
		}
		for range 2 {
			bad := append([]byte(nil), good...)
			le.PutUint32(bad[at:], numbers[random.IntN(len(numbers))])
			hostile(t, c, good, copied{data: bad}, query)
		}
	}
	for range 200 {
		bad := append([]byte(nil), good...)
		for range 1 + random.IntN(6) {
			at := 4 * random.IntN(len(bad)/4)
			le.PutUint32(bad[at:], numbers[random.IntN(len(numbers))])
		}
		hostile(t, c, good, copied{data: bad[:random.IntN(len(bad)+1)]}, query)
		hostile(t, c, good, copied{data: bad, later: good}, query)
	}
}

// TestSettle: an instance that changed between two copies of a file is omitted.
func TestSettle(t *testing.T) {
	c := startCore(t)
	p := publisher(t, t.TempDir(), schema(t))
	peer(t, p, "stays", 1)
	in := peer(t, p, "goes", 2)
	before := used(t, p)
	if err := in.Remove(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file copied
		want string
	}{
		{copied{data: before}, "8006[stays=1 goes=2]"},
		{copied{data: before, later: before}, "8006[stays=1 goes=2]"},
		{copied{data: before, later: used(t, p)}, "8006[stays=1]"},
	} {
		a, err := c.ask(utf16z("8006"), plenty, tt.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.show(t); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// TestTroubles: omitted data is reported.
func TestTroubles(t *testing.T) {
	c, good := startCore(t), seed(t)
	le := binary.LittleEndian
	spoil := func(at int, v uint32) copied {
		bad := append([]byte(nil), good...)
		le.PutUint32(bad[at:], v)
		return copied{data: bad}
	}
	// core.h: enum wp_trouble
	const badHeader, badObject, badSlot, other, second = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5
	table, slots := int(le.Uint32(good[pubfile.HeaderTable:])), int(le.Uint32(good[pubfile.HeaderSlots:]))
	head := int(le.Uint32(good[table+pubfile.ObjectHead:]))
	last := slots // the last slot, made to say that it is longer than the file
	for last+int(le.Uint32(good[last:])) < len(good) {
		last += int(le.Uint32(good[last:]))
	}
	long := spoil(last+pubfile.SlotLength, le.Uint32(good[last+pubfile.SlotLength:])+4096)
	body := long.data[last+pubfile.SlotBody:]
	le.PutUint32(body, le.Uint32(body)+4096)
	define := func(title, field int, v uint32) copied {
		at := head + 64
		for le.Uint32(good[at+4:]) != uint32(title) {
			at += 40
		}
		return spoil(at+field, v)
	}
	for name, tt := range map[string]struct {
		files []copied
		want  uint32
	}{
		"size 0":       {[]copied{define(4, 32, 0)}, badObject},
		"size 8":       {[]copied{define(4, 32, 8)}, badObject},
		"type of 8":    {[]copied{define(4, 28, uint32(counter.LargeRawCount))}, badObject},
		"unknown type": {[]copied{define(4, 28, 0x7F)}, badObject},
		"good":         {[]copied{{data: good}}, 0},
		"being made":   {[]copied{{data: make([]byte, 4096)}}, 0},
		"version":      {[]copied{spoil(pubfile.HeaderVersion, 2)}, badHeader},
		"too short":    {[]copied{{data: good[:len(good)-1]}}, badHeader},
		"object":       {[]copied{spoil(table+pubfile.ObjectBlock, 12)}, badObject},
		"title": {[]copied{spoil(head+12, lastCounter-firstCounter+pubfile.FirstTitle+2)},
			badObject},
		"counters":       {[]copied{spoil(head+32, 0)}, badObject},
		"counter title":  {[]copied{spoil(head+64+4, 1000)}, badObject},
		"slot size":      {[]copied{spoil(slots+pubfile.SlotSize, 8)}, badSlot},
		"slot":           {[]copied{spoil(slots+pubfile.SlotLength, 1<<20)}, badSlot},
		"long slot":      {[]copied{long}, badSlot},
		"flags":          {[]copied{{data: good}, spoil(table+pubfile.ObjectFlags, 1)}, other},
		"twice":          {[]copied{{data: good}, {data: good}}, second},
		"driver behind":  {[]copied{spoil(pubfile.HeaderDriver, uint32(len(good)))}, 0},
		"another driver": {[]copied{spoil(pubfile.HeaderSize, 'x')}, 0},
	} {
		a, err := c.ask(nil, plenty, tt.files...)
		if err != nil {
			t.Fatal(err)
		}
		a.show(t)
		if a.troubles != tt.want {
			t.Errorf("%s: troubles %#x, want %#x", name, a.troubles, tt.want)
		}
	}
}

// TestSizes gives a counter every type and several sizes. Consumers trust either, so
// only what agrees is delivered; a counter that does not costs its object, no other.
func TestSizes(t *testing.T) {
	c, good := startCore(t), seed(t)
	le := binary.LittleEndian
	table := int(le.Uint32(good[pubfile.HeaderTable:]))
	sent := int(le.Uint32(good[table+pubfile.ObjectHead:])) + 64
	types := map[counter.Type]int{0x7F: 0, 0x00000B00: 0, 0x40000200: 0} // unknown, a text, none
	for info := range counter.Types() {
		types[info.Type] = info.Bytes
	}
	for typ, bytes := range types {
		for _, size := range []int{0, 1, 2, 4, 8, 12, 16} {
			bad := append([]byte(nil), good...)
			le.PutUint32(bad[sent+28:], uint32(typ))
			le.PutUint32(bad[sent+32:], uint32(size))
			a, err := c.ask(utf16z("Global"), plenty, copied{data: bad})
			if err != nil {
				t.Fatal(err)
			}

			b, err := a.check()
			if err != nil {
				t.Fatal(err)
			}
			fits := size == bytes && (size == 4 || size == 8)
			if (b.Object(transferObject) != nil) != fits || b.Object(peerObject) == nil ||
				b.Object(partObject) == nil {
				t.Errorf("type %v of %d bytes with size %d: %s", typ, bytes, size, a.show(t))
			}
		}
	}
}

// TestPointers puts something where consumers of 32 bits have pointers to names.
func TestPointers(t *testing.T) {
	c, good := startCore(t), seed(t)
	le := binary.LittleEndian
	want, err := c.ask(nil, plenty, copied{data: good})
	if err != nil {
		t.Fatal(err)
	}
	head := int(le.Uint32(good[int(le.Uint32(good[pubfile.HeaderTable:]))+pubfile.ObjectHead:]))
	for _, at := range []int{head + 16, head + 24, head + 64 + 8, head + 64 + 16} {
		le.PutUint32(good[at:], 0xDEADBEEF)
	}
	if got, err := c.ask(nil, plenty, copied{data: good}); err != nil || !bytes.Equal(got.data, want.data) {
		t.Errorf("error %v, got\n%x\nwant\n%x", err, got.data, want.data)
	}
}

// TestLimit: objects above the limit of the answer are omitted as a whole and reported.
func TestLimit(t *testing.T) {
	c, good := startCore(t), seed(t)
	const tooLarge = 1 << 7 // core.h: enum wp_trouble
	full, err := c.ask(nil, plenty, copied{data: good})
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	transfer := int(le.Uint32(full.data))
	peers := int(le.Uint32(full.data[transfer:]))
	parts := len(full.data) - transfer - peers
	const (
		transferText = "8000[=5,20,50]"
		peerText     = "8006[Peer 1=15 Peer 2=30 Peer 3=3]"
		partText     = "8010[8006#2/x=3]"
	)
	for _, tt := range []struct {
		query    string
		most     int
		want     string
		troubles uint32
	}{
		{"Global", len(full.data), transferText + " " + peerText + " " + partText, 0},
		{"Global", len(full.data) - 1, transferText + " " + peerText, tooLarge},
		{"Global", transfer + peers - 1, transferText + " 8010[x=3]", tooLarge}, // the parent is omitted
		{"Global", transfer + parts - 1, transferText, tooLarge},
		{"Global", transfer - 1, "8010[x=3]", tooLarge}, // the smallest
		{"8010", peers + parts, peerText + " " + partText, 0},
		{"8000", transfer, transferText, 0},
		{"Global", 0, "", tooLarge},
	} {
		for _, room := range []int{plenty, tt.most} {
			r := request{query: utf16z(tt.query), room: room, most: tt.most, files: []copied{{data: good}}}
			a, _, err := c.request(r)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.show(t); got != tt.want || a.troubles != tt.troubles {
				t.Errorf("%s with at most %d bytes, room for %d: %s, want %s; troubles %#x", tt.query,
					tt.most, room, got, tt.want, a.troubles)
			}
		}
	}
}
