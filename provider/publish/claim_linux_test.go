package publish

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/pubfile"
	"golang.org/x/sys/unix"
)

// waitTick waits until the clock of a file system has gone on.
func waitTick(t *testing.T, dir string) {
	t.Helper()
	now := func() unix.Timespec {
		path := filepath.Join(dir, "tick")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var st unix.Stat_t
		if err := errors.Join(unix.Lstat(path, &st), os.Remove(path)); err != nil {
			t.Fatal(err)
		}
		return st.Ctim
	}
	for before := now(); now() == before; {
		time.Sleep(time.Millisecond)
	}
}

// whose is a reader that takes files for those of accounts; claims are the system's.
func whose(t *testing.T, dir string, of map[string]int64) *watcher {
	t.Helper()
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.open = func(path string) (*os.File, identity, error) {
		f, id, err := openIdentified(path)
		if owner, ok := of[path]; ok {
			id.owner = owner
		}
		return f, id, err
	}
	w.claims = func(path string) claim {
		c := readClaim(path)
		if owner, ok := of[claimedFile(path)]; ok && c.owner == int64(os.Geteuid()) {
			c.owner = owner
		}
		return c
	}
	return w
}

// A thief has an old file and old claims of every kind, and tries to make of them
// one that looks older than the victim's.
func TestForgedClaims(t *testing.T) {
	for _, dir := range []string{tempDir(t), sharedMemory(t)} {
		for name, forge := range forgeries {
			t.Run(name, func(t *testing.T) {
				dir, err := os.MkdirTemp(dir, "forged")
				if err != nil {
					t.Fatal(err)
				}
				same := fmt.Sprintf(peers, "", rawCount)
				old := start(t, dir, strings.ReplaceAll(same, `"Peer"`, `"Pear"`))
				add(t, old, "Pear", "thief", nil)
				stolen := bytes.ReplaceAll(old.memory.static, []byte(`"Pear"`), []byte(`"Peer"`))
				f := forgery{
					old:   claimName(old.Path(), old.memory.static),
					early: filepath.Join(dir, "early"),
					claim: claimName(old.Path(), stolen),
				}
				if err := os.Symlink("nothing", f.early); err != nil {
					t.Fatal(err)
				}
				waitTick(t, dir)
				victim := start(t, dir, same)
				add(t, victim, "Peer", "victim", nil)
				waitTick(t, dir)

				// The definitions become those of the victim's object, behind the back of
				// the file's times: the pages are mapped and dirty.
				copy(old.memory.pieces.list[0].bytes[pubfile.HeaderStarted:], stolen[pubfile.HeaderStarted:])
				if err := forge(f); err != nil {
					t.Fatal(err)
				}

				// On equal terms the thief would be first.
				w := whose(t, dir, map[string]int64{old.Path(): 61001, victim.Path(): 61002})
				w.expect("Peer(victim) 0")
				w.expectProblems(`object "Peer" of uid 61001 belongs to uid 61002`)

				// It may be shown where nobody else has the object.
				if err := victim.Close(); err != nil {
					t.Error(err)
				}
				w.expect("Peer(thief) 0")
				_, _ = os.Remove(f.claim), os.Remove(f.early) // what there is of them
			})
		}
	}
}

// An account whose objects are older and fill a sample leaves those of others their
// share of it.
func TestShareOfSample(t *testing.T) {
	dir := tempDir(t)
	older := bytes.ReplaceAll(manyInstances(t, 900_000), []byte(`"Peer"`), []byte(`"Pear"`))
	lay(t, dir, "older", older, true)
	lay(t, dir, "newer", manyInstances(t, 300_000), true)
	w := whose(t, dir, map[string]int64{
		filepath.Join(dir, "older"+pubfile.Suffix): 61001, filepath.Join(dir, "newer"+pubfile.Suffix): 61002,
	})
	p := w.Refresh()
	if p == nil || len(p.Objects()) != 2 || p.Objects()[0].Name != "Pear" {
		t.Fatal("not both objects, the older one first", w.problems)
	}

	block := newQuery(t, p)(nil)
	f := instancesOf(t, block)
	for name, want := range map[string]int{"Pear": 0, "Peer": 300_000} {
		for _, o := range p.Objects() {
			if got, ok := f[o.Index]; o.Name == name && (!ok || got != want) {
				t.Errorf("object %s has %d instances, want %d", name, got, want)
			}
		}
	}
	w.expectProblems("but the sample has room for")
}

// instancesOf returns how many instances each object of a block has.
func instancesOf(t *testing.T, block []byte) map[uint32]int {
	t.Helper()
	var ix index.Index
	if err := datablock.Decode(block, &ix, datablock.Options{}); err != nil {
		t.Fatal(err)
	}
	n := map[uint32]int{}
	for _, o := range ix.Objects {
		n[o.Title] = int(o.InstanceEnd - o.Instance0)
	}
	return n
}

// sharedMemory is a directory in memory, whose file system does not move a file's
// times when it is changed through a mapping.
func sharedMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "claims")
	if err != nil {
		return tempDir(t)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// forgery is what a thief has to make a claim of.
type forgery struct {
	old   string // the claim to what the thief's file held
	early string // a link that is as old, with another name
	claim string // the path of a claim to what it holds now
}

// forgeries make what is an old claim at first sight.
var forgeries = map[string]func(f forgery) error{
	"no claim":             func(forgery) error { return nil },
	"the old claim, moved": func(f forgery) error { return os.Rename(f.old, f.claim) },
	"an old link, moved":   func(f forgery) error { return os.Rename(f.early, f.claim) },
	"a new link":           func(f forgery) error { return makeClaim(f.claim) },
	"a file":               func(f forgery) error { return os.WriteFile(f.claim, nil, 0o644) },
	"a directory":          func(f forgery) error { return os.Mkdir(f.claim, 0o755) },
	"a pipe":               func(f forgery) error { return syscall.Mkfifo(f.claim, 0o644) },
	"a second name":        func(f forgery) error { return os.Link(f.early, f.claim) },
	"a second name, alone": func(f forgery) error {
		return errors.Join(os.Link(f.early, f.claim),
			os.Remove(f.early))
	},
	"a new link, exchanged": func(f forgery) error {
		return errors.Join(makeClaim(f.claim),
			exchange(f.early, f.claim))
	},
	"a new link with old times": func(f forgery) error {
		old := []unix.Timespec{{Sec: 1}, {Sec: 1}}
		return errors.Join(makeClaim(f.claim),
			unix.UtimesNanoAt(unix.AT_FDCWD, f.claim, old, unix.AT_SYMLINK_NOFOLLOW))
	},
	"an old file": func(f forgery) error { // whose own time is old, and is not looked at
		return errors.Join(os.WriteFile(f.claim, nil, 0o644),
			os.Chtimes(f.claim, time.Unix(1, 0), time.Unix(1, 0)))
	},
}

func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// A claim that another account has made does not count.
func TestClaimOfAnother(t *testing.T) {
	p := start(t, tempDir(t), singles)
	static := p.memory.static
	me := int64(os.Geteuid())
	c := readClaim(claimName(p.Path(), static))
	if c.owner != me || c.at == 0 {
		t.Fatalf("claim %+v", c)
	}
	f := &foreign{path: p.Path(), id: identity{owner: me}, claims: readClaim}
	if at := f.claimed(static); at != c.at {
		t.Errorf("claimed at %d, want %d", at, c.at)
	}

	other := bytes.Clone(static)
	other[len(other)-1]++
	if at := f.claimed(other); at != unclaimed {
		t.Errorf("other definitions were claimed at %d", at)
	}
	f.id.owner++
	if at := f.claimed(static); at != unclaimed {
		t.Errorf("another account's file was claimed at %d", at)
	}

	// Only a link cannot be covered by a file system that tells any time and owner.
	f.id.owner = me
	name := claimName(p.Path(), other)
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if at := f.claimed(other); at != unclaimed {
		t.Errorf("a file is a claim of %d", at)
	}
}

// What changes while something is published is not in the claim: instances, values,
// and the file that was made whole again.
func TestClaimStays(t *testing.T) {
	dir := tempDir(t)
	p := start(t, dir, schemaText)
	add(t, p, "Job", "x", add(t, p, "Peer", "a", nil))
	must(t, p.Counter2, "Bytes Sent").Set(3)
	if err := os.Truncate(p.Path(), 40); err != nil {
		t.Fatal(err)
	}
	if !p.restore() {
		t.Fatal("the file is not whole")
	}

	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.claims = readClaim
	if w.Refresh() == nil {
		t.Fatal(w.problems)
	}
	want := readClaim(claimName(p.Path(), p.memory.static))
	if f := w.dirs[0].files[p.Path()]; f.since != want.at || want.at == 0 {
		t.Errorf("published since %d, want %d", f.since, want.at)
	}
}

// A claim goes with its file, and one whose file somebody has removed with the next
// publisher.
func TestClaimLeft(t *testing.T) {
	dir := tempDir(t)
	left := claimName(filepath.Join(dir, "gone"+pubfile.Suffix), make([]byte, pubfile.HeaderSize))
	if err := makeClaim(left); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "link"+claimSuffix) // of something else
	if err := os.Symlink("text", kept); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, strings.ReplaceAll(singles, `"B"`, fmt.Sprintf("%q", strings.Repeat("driver", 40))))
	if _, err := os.Lstat(left); !absent(err) {
		t.Errorf("a claim without a file: %v", err)
	}
	if to, err := os.Readlink(claimName(p.Path(), p.memory.static)); err != nil ||
		to != filepath.Base(p.Path()) {
		t.Errorf("the claim points to %q, %v", to, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if list := files(t, dir); len(list) != 1 || list[0] != filepath.Base(kept) {
		t.Errorf("a publisher leaves %q", list)
	}
}

// A file system of the thief's own on the thief's file would tell any owner.
func TestMountedFile(t *testing.T) {
	if os.Getenv(mountedDir) != "" {
		testMounted(t, os.Getenv(mountedDir))
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMountedFile$", "-test.v")
	cmd.Env = append(os.Environ(), mountedDir+"="+tempDir(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// mountedDir names the directory of a test that runs where it may mount.
const mountedDir = "WINPERF_TEST_MOUNTED"

func testMounted(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		t.Fatal(err)
	}
	start(t, dir, singles)
	other := start(t, tempDir(t), fmt.Sprintf(peers, "", rawCount))
	add(t, other, "Peer", "a", nil)
	path := filepath.Join(dir, "mounted"+pubfile.Suffix)
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(other.Path(), path, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}

	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("One 0")
	w.expectProblems("another file system is mounted on it")
}
