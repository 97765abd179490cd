package providerdll

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/provider/registration"
)

// TestOpens opens the provider several times, with and without a context, and closes it more
// often than that.
func TestOpens(t *testing.T) {
	l := load(t)
	install(t)
	dir := published(t)
	p := publisher(t, dir, schema(t))
	peer(t, p, "one", 1)
	const want = "8006[one=1]"
	expect := func(when, want string) {
		t.Helper()
		if got := l.ask(t, "8006", plenty).show(t); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	expect("before Open", "")
	t.Run("opened", func(t *testing.T) {
		l.start(t)
		expect("without a context", "")
		l.start(t, "NotInstalled")
		expect("with another driver", "")
		t.Run("again", func(t *testing.T) {
			l.start(t, "NotInstalled", "winperflibrary", "WinperfLibrary")
			l.start(t, "WinperfLibrary")
			expect("with the driver", want)
		})
		expect("while others have it open", want)
	})
	expect("after the last Close", "")
	l.start(t, "WinperfLibrary")
	expect("opened again", want)
}

// TestFiles has everything in the directory that may be there.
func TestFiles(t *testing.T) {
	dir, collect := provider(t)
	p := publisher(t, dir, schema(t))
	peer(t, p, "one", 1)
	data, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"left.winperf": data, "empty.winperf": nil, "short.winperf": data[:64], "other.txt": data,
		"winperf": data, "zero.winperf": make([]byte, 4096),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "directory.winperf"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, "8006", plenty).show(t); got != "8006[one=1]" {
		t.Error(got)
	}
}

// register enters the provider as a service of its own, that Windows asks for data.
func register(t testing.TB) {
	t.Helper()
	install(t)
	set(t, service+`WinperfLibrary\Performance`, typeText, map[string][]byte{
		"Library": utf16z(wintest.DLL(t, "winperf-provider")),
		"Open":    utf16z("WinperfOpen"), "Collect": utf16z("WinperfCollect"),
		"Close": utf16z("WinperfClose"),
	})
	set(t, service+`WinperfLibrary\Linkage`, typeTexts,
		map[string][]byte{"Export": append(utf16z("WinperfLibrary"), 0, 0)})
}

// query reads a value of HKEY_PERFORMANCE_DATA.
func query(t testing.TB, name string) []byte {
	t.Helper()
	r := winapi.NewRegistry(winapi.NewDLL("advapi32.dll"))
	text := append(winapi16(name), 0)
	buf := make([]byte, 1<<20)
	var value winapi.RegValue
	if err := r.QueryValue(winapi.HKEY_PERFORMANCE_DATA, text, buf, &value); err != nil {
		t.Fatal(err)
	}
	return buf[:value.Size]
}

func winapi16(s string) (units []uint16) {
	for _, c := range s {
		units = append(units, uint16(c))
	}
	return units
}

// objectsOf takes a performance data block apart as an answer.
func objectsOf(t testing.TB, block []byte) answer {
	t.Helper()
	le := binary.LittleEndian
	if len(block) < 88 || int(le.Uint32(block[20:])) > len(block) {
		t.Fatalf("block of %d bytes", len(block))
	}
	return answer{objects: int(le.Uint32(block[28:])),
		data: block[le.Uint32(block[24:]):le.Uint32(block[20:])]}
}

// TestRegistry reads the published counters 300 times through HKEY_PERFORMANCE_DATA,
// together with those of the test provider, while they change.
func TestRegistry(t *testing.T) {
	wintest.Provider(t)
	register(t)
	dir := published(t)
	p := publisher(t, dir, schema(t))
	example(t, p)
	sent, err := p.Counter("Transfer", "Bytes Sent")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		sent.Set(uint64(i))
		in := peer(t, p, "Peer 3", uint64(i))
		a := objectsOf(t, query(t, "8000 8006 7110"))
		b, err := a.check()
		if err != nil {
			t.Fatalf("query %d: %v", i, err)
		}
		transfer, peers, other := b.Object(transferObject), b.Object(peerObject), b.Object(7110)
		if transfer == nil || peers == nil || other == nil || len(b.Objects) != 3 {
			t.Fatalf("query %d: %s", i, a.show(t))
		}
		if v, _ := transfer.Value(0, 0); v != uint64(i) || len(peers.Instances) != 3 ||
			len(other.Instances) != 3 {
			t.Fatalf("query %d: %s", i, a.show(t))
		}
		if v, _ := peers.Value(2, 0); v != uint64(i) {
			t.Fatalf("query %d: %s", i, a.show(t))
		}
		if err := in.Remove(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostileFile reads while a file of the directory is overwritten with random
// numbers and changes its length: the host lives on, and the good file is served.
func TestHostileFile(t *testing.T) {
	dir, collect := provider(t)
	p := publisher(t, dir, schema(t))
	example(t, p)
	data, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	data = data[:binary.LittleEndian.Uint64(data[pubfile.HeaderUsed:])]
	path := filepath.Join(dir, "hostile.winperf")
	f, err := winapi.CreateShared(path, "D:P(A;;FA;;;OW)")
	if err != nil {
		t.Fatal(err)
	}
	if locked, err := winapi.TryLock(f, true); err != nil || !locked {
		t.Fatalf("locked %v, error %v", locked, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		random := rand.New(rand.NewPCG(3, 4))
		for ctx.Err() == nil {
			bad := append([]byte(nil), data...)
			// so that the other file comes first
			binary.LittleEndian.PutUint64(bad[pubfile.HeaderStarted:], 1<<62)
			for range random.IntN(8) {
				binary.LittleEndian.PutUint32(bad[random.IntN(len(bad)/4)*4:],
					random.Uint32()>>random.IntN(32))
			}
			_, _ = f.WriteAt(bad, 0)
			_ = f.Truncate(int64(random.IntN(2 * len(bad))))
		}
	}()
	for range 500 {
		if _, err := collect(t, "Global", plenty).check(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	<-done
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := collect(t, "8000", plenty).show(t); got != "8000[=5,20,50]" {
		t.Error(got)
	}
}

// TestAnswerLimit sets the bound on answers in the registry: what is beyond it is left
// out, and so are files that are larger than several answers.
func TestAnswerLimit(t *testing.T) {
	const (
		transfer = "8000[=5,20,50]"
		peers    = "8006[Peer 1=15 Peer 2=30]"
	)
	for _, tt := range []struct {
		limit uint32
		more  int // instances that no test looks at, which make the file longer
		want  string
	}{
		{4 << 20, 0, transfer + " " + peers},
		{400, 0, transfer + " " + peers},
		{399, 0, transfer},
		{0, 0, ""},
		{1 << 31, 0, transfer + " " + peers},
		{1 << 20, 60_000, ""}, // which is more than is read at all
	} {
		l := load(t)
		t.Run(fmt.Sprint(tt.limit), func(t *testing.T) {
			install(t)
			set(t, service+`WinperfLibrary\Performance`, typeNumber,
				map[string][]byte{"Answer Limit": number(tt.limit)})
			dir := published(t)
			p := publisher(t, dir,
				schema(t, func(s *registration.Declaration) { s.Objects[2].Counters[0].Name = "Other" }))
			example(t, p)
			for i := range tt.more {
				instance(t, p, "Part", fmt.Sprint("part ", i), "Other", 1, nil)
			}
			l.start(t, "WinperfLibrary")
			if got := l.ask(t, "8000 8006", plenty).show(t); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
