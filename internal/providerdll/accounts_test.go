//go:build !windows

package providerdll

import (
	"encoding/binary"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider/registration"
)

// otherAccount is the trouble of an object that is another account's (core.h: enum wp_trouble).
const otherAccount = 1 << 8

// onePeer is a file with an object Peer and one instance in it.
func onePeer(t testing.TB, account uint32, name string, value uint64) copied {
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
	return copied{data: data, account: account}
}

// backdated says in the file's header that its publisher began before all others.
func (c copied) backdated() copied {
	c.data = append([]byte(nil), c.data...)
	clear(c.data[pubfile.HeaderStarted : pubfile.HeaderStarted+8])
	return c
}

func (c copied) by(account uint32) copied {
	c.account = account
	return c
}

// look is a look at the published files, after others.
type look struct {
	files    []copied
	partial  bool
	want     string
	troubles uint32
}

// TestAccounts has several accounts publish one object: it is one's, and what the
// others say about themselves does not change whose.
func TestAccounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	c := startCore(t)
	own := onePeer(t, plain, "one", 1)
	other := onePeer(t, plain+1, "two", 2).backdated()
	const ones, twos = "8006[one=1]", "8006[two=2]"
	alone := look{files: []copied{own}, want: ones}

	for name, looks := range map[string][]look{
		"one account's processes": {{files: []copied{own, other.by(plain)}, want: "8006[one=1 two=2]"}},
		"accounts that are named": {{files: []copied{own.by(named), other.by(named)},
			want: "8006[one=1 two=2]"}},
		"nobody was first":   {{files: []copied{own, other}, want: ones, troubles: otherAccount}},
		"in the other order": {{files: []copied{other, own}, want: twos, troubles: otherAccount}},
		"one was first":      {alone, {files: []copied{other, own}, want: ones, troubles: otherAccount}},
		"the first one is gone, and comes back": {
			alone, {files: []copied{other}, want: twos},
			{files: []copied{own, other}, want: twos, troubles: otherAccount}},
		"the first one is not read once": {
			alone, {files: []copied{other}, partial: true, troubles: otherAccount},
			{partial: true}, {files: []copied{other, own}, want: ones, troubles: otherAccount}},
		"nothing is read, then all": {
			alone, {}, {files: []copied{other, own}, want: twos, troubles: otherAccount}},
		"an administrator comes": {
			alone, {files: []copied{own, other.by(administrators)}, want: twos, troubles: otherAccount}},
		"SYSTEM beside an administrator": {
			alone, {files: []copied{own.by(administrators), other.by(system)}, want: twos,
				troubles: otherAccount}},
		"an administrator was first": {
			{files: []copied{own.by(administrators)}, want: ones},
			{files: []copied{other, own.by(administrators)}, want: ones, troubles: otherAccount}},
	} {
		t.Run(name, func(t *testing.T) {
			var owners []owner
			for i, l := range looks {
				r := request{query: utf16z("Global"), room: plenty, most: limit}
				r.owners, r.partial, r.files = owners, l.partial, l.files
				a, now, err := c.request(r)
				if err != nil {
					t.Fatal(err)
				}
				if got := a.show(t); got != l.want || a.troubles != l.troubles {
					t.Errorf("look %d: %s, want %s; troubles %#x, want %#x", i, got, l.want,
						a.troubles, l.troubles)
				}
				owners = now
			}
		})
	}
}

// TestAccountsApart gives each account what is its own: the objects that nobody else
// had before, and no parent in another's.
func TestAccountsApart(t *testing.T) {
	c := startCore(t)
	own := onePeer(t, plain, "one", 1)
	p := publisher(t, t.TempDir(), schema(t))
	instance(t, p, "Part", "x", "Bytes", 3, peer(t, p, "two", 2))
	other := copied{data: used(t, p), account: plain + 1}

	r := request{query: utf16z("Global"), room: plenty, most: limit, files: []copied{own, other}}
	a, owners, err := c.request(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = "8000[=0,0,0] 8006[one=1] 8010[x=3]"
	if got := a.show(t); got != want || a.troubles != otherAccount {
		t.Errorf("%s, want %s; troubles %#x", got, want, a.troubles)
	}
	const theirs = plain + 1
	compareOwners(t, owners, map[uint32]uint32{transferObject: theirs, peerObject: plain, partObject: theirs})
}

// TestManyAccounts has a thousand accounts publish an object.
func TestManyAccounts(t *testing.T) {
	c := startCore(t)
	file := onePeer(t, plain, "one", 1)
	r := request{query: utf16z("Global"), room: plenty, most: limit,
		owners: []owner{{peerObject, plain + 700}}}
	for i := range pubfile.MaxFiles {
		f := file.by(plain + uint32(i))
		f.data = append([]byte(nil), file.data...)
		slot := int(binary.LittleEndian.Uint32(f.data[pubfile.HeaderSlots:]))
		// behind PERF_INSTANCE_DEFINITION, the name and ByteLength
		value := slot + pubfile.SlotBody + 24 + 8 + 4
		binary.LittleEndian.PutUint32(f.data[value:], uint32(i))
		r.files = append(r.files, f)
	}
	a, owners, err := c.request(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.show(t); got != "8006[one=700]" || len(owners) != 1 || owners[0] != r.owners[0] {
		t.Errorf("%s, owners %v", got, owners)
	}
}
