//go:build !windows

package providerdll

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/registration"
)

// onePeer is a file with an object Peer and one instance in it.
func onePeer(t testing.TB, name string, value uint64) copied {
	t.Helper()
	p := publisher(t, t.TempDir(), schema(t, func(s *registration.Declaration) { s.Objects = s.Objects[1:2] }))
	peer(t, p, name, value)
	data := used(t, p)

	// The file has one object, whose titles begin anew: it is to be the Peer of the others.
	le := binary.LittleEndian
	head := le.Uint32(data[le.Uint32(data[pubfile.HeaderTable:])+pubfile.ObjectHead:])
	for _, at := range []uint32{head + 12, head + 20, head + 64 + 4, head + 64 + 12} {
		le.PutUint32(data[at:], le.Uint32(data[at:])+peerObject-firstCounter)
	}
	return copied{data: data}
}

// TestOrder has several files with one object: its instances are in the order of the files, whatever
// the files say about themselves, and the first file is its owner.
func TestOrder(t *testing.T) {
	c := startCore(t)
	one, two := onePeer(t, "one", 1), onePeer(t, "two", 2)
	clear(two.data[pubfile.HeaderStarted : pubfile.HeaderStarted+8])
	p := publisher(t, t.TempDir(), schema(t))
	instance(t, p, "Part", "x", "Bytes", 3, peer(t, p, "three", 3))
	three := copied{data: used(t, p)}

	for want, tt := range map[string]struct {
		files  []copied
		owners []owner
	}{
		"8006[one=1 two=2]": {[]copied{one, two}, []owner{{peerObject, 0}}},
		"8006[two=2 one=1]": {[]copied{two, one}, []owner{{peerObject, 0}}},
		"8000[=0,0,0] 8006[one=1 three=3] 8010[8006#1/x=3]": {
			[]copied{one, three}, []owner{{transferObject, 1}, {peerObject, 0}, {partObject, 1}}},
		"": {nil, nil},
	} {
		a, owners, err := c.request(request{query: utf16z("Global"), room: plenty, most: limit, files: tt.files})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.show(t); got != want || a.troubles != 0 || !slices.Equal(owners, tt.owners) {
			t.Errorf("%s, want %s; owners %v, troubles %#x", got, want, owners, a.troubles)
		}
	}
}

// TestManyFiles has a thousand files with one object.
func TestManyFiles(t *testing.T) {
	c := startCore(t)
	file := onePeer(t, "one", 1)
	r := request{query: utf16z("Global"), room: plenty, most: limit}
	for range pubfile.MaxFiles {
		r.files = append(r.files, copied{data: bytes.Clone(file.data)})
	}
	a, owners, err := c.request(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.check()
	if err != nil {
		t.Fatal(err)
	}
	if o := b.Object(peerObject); o == nil || len(o.Instances) != pubfile.MaxFiles || len(owners) != 1 {
		t.Errorf("not %d instances: owners %v", pubfile.MaxFiles, owners)
	}
}
