package providerdll

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider/registration"
)

// answer is what Collect gave.
type answer struct {
	more     bool // ERROR_MORE_DATA
	objects  int
	troubles uint32 // of the core alone
	data     []byte
}

// collector asks the provider for what is published in a directory: the core in a
// process of its own, or on Windows the DLL.
type collector func(t testing.TB, query string, room int) answer

// block puts the objects of an answer behind a PERF_DATA_BLOCK.
func (a answer) block() []byte {
	le := binary.LittleEndian
	b := make([]byte, 88)
	copy(b, "P\x00E\x00R\x00F\x00")
	le.PutUint32(b[8:], 1)
	le.PutUint32(b[12:], 1)
	le.PutUint32(b[16:], 1)
	le.PutUint32(b[20:], uint32(len(b)+len(a.data)))
	le.PutUint32(b[24:], uint32(len(b)))
	le.PutUint32(b[28:], uint32(a.objects))
	le.PutUint64(b[56:], 1)
	le.PutUint64(b[64:], 1)
	return append(b, a.data...)
}

// check makes the tests of ExtCounterTestLevel 1 (Microsoft Learn, "Error Handling")
// and tells what the decoder finds.
func (a answer) check() (*perfdata.Block, error) {
	if a.more && (len(a.data) > 0 || a.objects > 0) {
		return nil, errors.New("a part was written")
	}
	at, objects := 0, 0
	for ; at < len(a.data); objects++ {
		if len(a.data)-at < 64 {
			return nil, fmt.Errorf("object at %d of %d bytes", at, len(a.data))
		}
		n := int(binary.LittleEndian.Uint32(a.data[at:]))
		if n < 64 || n%8 != 0 || n > len(a.data)-at {
			return nil, fmt.Errorf("object at %d has %d bytes of %d", at, n, len(a.data))
		}
		at += n
	}
	if objects != a.objects {
		return nil, fmt.Errorf("%d objects in the data, but %d reported", objects, a.objects)
	}
	if objects == 0 {
		return &perfdata.Block{}, nil
	}
	return perfdata.Parse(a.block(), 0)
}

// show is an answer in one line: object title(instances: name=value...).
func (a answer) show(t testing.TB) string {
	t.Helper()
	if a.more {
		return "more"
	}
	b, err := a.check()
	if err != nil {
		t.Fatalf("%v\n%x", err, a.data)
	}
	var parts []string
	for k := range b.Objects {
		o := &b.Objects[k]
		if o.Raw != nil {
			t.Fatalf("object %d is damaged", o.Title)
		}
		var instances []string
		for i := range o.Instances {
			var values []string
			for k := range o.Counters {
				v, _ := o.Value(i, k)
				values = append(values, fmt.Sprint(v))
			}
			name := o.InstanceName(i)
			if in := o.Instances[i]; in.ParentObject != 0 {
				name = fmt.Sprintf("%d#%d/%s", in.ParentObject, in.ParentInstance, name)
			}
			instances = append(instances, name+"="+strings.Join(values, ","))
		}
		parts = append(parts, fmt.Sprintf("%d[%s]", o.Title, strings.Join(instances, " ")))
	}
	return strings.Join(parts, " ")
}

const plenty = 1 << 16

// TestExample compares every byte of the worked example.
func TestExample(t *testing.T) {
	dir, collect := provider(t)
	example(t, publisher(t, dir, schema(t, func(s *registration.Declaration) { s.Objects = s.Objects[:2] })))
	got := collect(t, "Global", plenty)
	if len(got.data) != 400 || got.objects != 2 {
		t.Fatalf("%d bytes, %d objects", len(got.data), got.objects)
	}
	le := binary.LittleEndian
	for _, at := range []int{0, 200} { // the clock
		clear(got.data[at+48 : at+64])
	}
	want := make([]byte, 400)
	words := func(at int, v ...uint32) {
		for i, w := range v {
			le.PutUint32(want[at+4*i:], w)
		}
	}
	const none = ^uint32(0)
	words(0, 200, 184, 64, 8000, 0, 8001, 0, 200, 3, none, none)
	words(64, 40, 8002, 0, 8003, 0, 0, 200, 0x00010000, 4, 4)
	words(104, 40, 8004, 0, 8005, 0, 0, 200, 0x20020400, 4, 8)
	words(144, 40, 0, 0, 0, 0, 0, 200, 0x40030403, 4, 12)
	words(184, 16, 5, 20, 50)
	words(200, 200, 104, 64, 8006, 0, 8007, 0, 200, 1, none, 2)
	words(264, 40, 8008, 0, 8009, 0, 0, 200, 0x00010000, 4, 4)
	for i, v := range []uint32{15, 30} {
		at := 304 + 48*i
		words(at, 40, 0, 0, none, 24, 14)
		copy(want[at+24:], "P\x00e\x00e\x00r\x00 \x00")
		want[at+34] = '1' + byte(i)
		words(at+40, 8, v)
	}
	if !bytes.Equal(got.data, want) {
		t.Errorf("got\n%x\nwant\n%x", got.data, want)
	}
}

func TestQueries(t *testing.T) {
	dir, collect := provider(t)
	p := publisher(t, dir, schema(t))
	example(t, p)
	o := instance(t, p, "Peer", "Peer 3", "Bytes Served", 7, nil)
	instance(t, p, "Part", "a", "Bytes", 1<<40, o)
	const (
		transfer = "8000[=5,20,50]"
		peers    = "8006[Peer 1=15 Peer 2=30 Peer 3=7]"
		parts    = "8010[8006#2/a=1099511627776]"
		all      = transfer + " " + peers + " " + parts
	)
	for query, want := range map[string]string{
		"Global": all, "gLoBaL": all, " Global ": all, "Global x": "", "Globa": "", "Globals": "",
		"Costly": "", "Foreign": "", "Foreign HOST 8000": "", "nonsense": "", "8000 nonsense": "",
		"8000": transfer, "8006": peers, "8000 8006": transfer + " " + peers,
		"  8006\t8000  ": transfer + " " + peers,
		"08000":          transfer, "7100 8000 4294967295": transfer, "4294975296": "",
		"8000 99999999999999999999": "",
		"8010":                      peers + " " + parts, // with the parents
		"8002":                      "", "8": "", "80000": "", "18000": "", "800": "", "-8000": "", "0": "",
		"MetadataCostly": "",
	} {
		got := collect(t, query, plenty)
		if s := got.show(t); s != want || got.troubles != 0 {
			t.Errorf("%q: %s, want %s; troubles %#x", query, s, want, got.troubles)
		}
	}
}

// TestMetadata asks for definitions only.
func TestMetadata(t *testing.T) {
	dir, collect := provider(t)
	example(t, publisher(t, dir, schema(t)))
	for _, query := range []string{"MetadataGlobal", "METADATAGLOBAL"} {
		got := collect(t, query, plenty)
		b, err := got.check()
		if err != nil || len(b.Objects) != 3 {
			t.Fatalf("%d objects, error %v", len(b.Objects), err)
		}
		le := binary.LittleEndian
		for at := 0; at < len(got.data); at += int(le.Uint32(got.data[at:])) {
			o := got.data[at:]
			want := int32(-2)
			if le.Uint32(o[12:]) == transferObject {
				want = -3
			}
			if n := int32(le.Uint32(o[40:])); n != want || le.Uint32(o) != le.Uint32(o[4:]) {
				t.Errorf("object %d: NumInstances %d, want %d; %d bytes, definitions %d", le.Uint32(o[12:]),
					n, want, le.Uint32(o), le.Uint32(o[4:]))
			}
		}
	}
}

// TestRoom gives just enough space, and a byte less.
func TestRoom(t *testing.T) {
	dir, collect := provider(t)
	example(t, publisher(t, dir, schema(t)))
	full := len(collect(t, "Global", plenty).data)
	if got := collect(t, "Global", full); len(got.data) != full || got.more {
		t.Errorf("%d bytes, more %v", len(got.data), got.more)
	}
	for _, room := range []int{full - 1, full - 8, 200, 1, 0} {
		if got := collect(t, "Global", room); got.show(t) != "more" {
			t.Errorf("room of %d: %s", room, got.show(t))
		}
	}
	if got := collect(t, "Costly", 0); got.show(t) != "" {
		t.Error(got.show(t))
	}
}

// TestProcesses merges what several processes publish.
func TestProcesses(t *testing.T) {
	dir, collect := provider(t)
	one := publisher(t, dir, schema(t))
	peer(t, one, "one", 1)
	two := publisher(t, dir, schema(t))
	gone := peer(t, two, "gone", 9)
	b := peer(t, two, "two", 2)
	instance(t, two, "Part", "x", "Bytes", 3, b)
	publisher(t, dir, schema(t, func(s *registration.Declaration) { s.Driver = "Other" }))
	if got := collect(t, "8010", plenty).show(t); got != "8006[one=1 gone=9 two=2] 8010[8006#2/x=3]" {
		t.Error(got)
	}
	if err := gone.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, "8010", plenty).show(t); got != "8006[one=1 two=2] 8010[8006#1/x=3]" {
		t.Error(got)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, "Global", plenty).show(t); got != "8000[=0,0,0] 8006[two=2] 8010[8006#0/x=3]" {
		t.Error(got)
	}
	if err := two.Close(); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, "Global", plenty).show(t); got != "" {
		t.Error(got)
	}
}

// TestDifferent publishes an object with other counters than an earlier process.
func TestDifferent(t *testing.T) {
	dir, collect := provider(t)
	peer(t, publisher(t, dir, schema(t)), "one", 1)
	time.Sleep(20 * time.Millisecond) // the clock tells which began first
	other := schema(t,
		func(s *registration.Declaration) { s.Objects[1].Counters[0].Type = "PERF_COUNTER_COUNTER" })
	p := publisher(t, dir, other)
	peer(t, p, "two", 2)
	instance(t, p, "Part", "x", "Bytes", 3, nil)
	if got := collect(t, "8006 8010", plenty).show(t); got != "8006[one=1] 8010[x=3]" {
		t.Error(got)
	}
}

// TestManyInstances asks for more than a first buffer holds.
func TestManyInstances(t *testing.T) {
	dir, collect := provider(t)
	p := publisher(t, dir, schema(t))
	for i := range 3000 {
		peer(t, p, fmt.Sprintf("peer %d", i), uint64(i))
	}
	b, err := collect(t, "8006", 1<<20).check()
	if err != nil || len(b.Objects[0].Instances) != 3000 {
		t.Fatalf("error %v", err)
	}
	for i := range 3000 {
		if v, ok := b.Objects[0].Value(i, 0); !ok || v != uint64(i) ||
			b.Objects[0].InstanceName(i) != fmt.Sprintf("peer %d", i) {
			t.Errorf("instance %d: %d", i, v)
		}
	}
}
