package publish

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/pubfile"
)

// ownedBy has a reader see files as the accounts'. Other files keep their owners.
func (w *watcher) ownedBy(of map[string]int64) {
	w.open = func(path string) (*os.File, identity, error) {
		f, id, err := openMade(path)
		if owner, ok := of[path]; ok {
			id.owner = owner
		}
		return f, id, err
	}
}

// trusting writes the file of trusted accounts.
func (w *watcher) trusting(text string) {
	w.t.Helper()
	_ = os.Remove(w.trust.path) // so that it is another file each time
	if err := os.WriteFile(w.trust.path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// The objects of root and of the account that reads are shown, then those of the accounts in
// the file in the order of its lines, whatever the age of files. The file is read again when it changes.
func TestTrust(t *testing.T) {
	dir := tempDir(t)
	of := map[string]int64{}
	for _, account := range []int64{1003, 1002, 1001, 1000, 0} {
		p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
		add(t, p, "Peer", fmt.Sprint(account), nil)
		of[p.Path()] = account
	}
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.trust.own = 1000
	w.ownedBy(of)
	w.expect("Peer(0) 0", "Peer(1000) 0")

	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"# nothing\n\n", nil},
		{"1002", []string{"1002"}},
		{"1003 # the first\n\t1001\r\n", []string{"1003", "1001"}},
		{"1001\n1003\n1001\n1000\n", []string{"1001", "1003"}},
		{"*\n", []string{"1001", "1002", "1003"}},
		{"1002\n*\n1001\n", []string{"1002", "1001", "1003"}},
		{"1009\n", nil},
	} {
		w.trusting(tt.text)
		want := []string{"Peer(0) 0", "Peer(1000) 0"}
		for _, name := range tt.want {
			want = append(want, "Peer("+name+") 0")
		}
		w.expect(want...)
	}
	if err := os.Remove(w.trust.path); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(0) 0", "Peer(1000) 0")
	if help := w.Refresh().Objects()[0].Help; !strings.HasPrefix(help, "Published by root.") {
		t.Errorf("help %q", help)
	}
}

// Mistakes in the file of trusted accounts are reported, and cost their line; a file that another
// account may have written costs itself.
func TestPublishersFile(t *testing.T) {
	dir := tempDir(t)
	p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
	add(t, p, "Peer", "a", nil)
	for _, tt := range []struct {
		text  string
		mode  os.FileMode
		owner int
		shown bool
		told  string
	}{
		{"1002\n", 0o644, -1, true, ""},
		{"no-account-of-that-name\n1002\n", 0o644, -1, true, `:1: unknown account "no-account-of-that-name"`},
		{"-1\n1002\n", 0o644, -1, true, "unknown account"},
		{"1002 1003\n", 0o644, -1, false, "unknown account"},
		{"1002\n", 0o666, -1, false, "is ignored"},
		{"1002\n", 0o664, -1, false, "is ignored"},
		{"1002\n", 0o644, 1002, false, "is ignored"},
		{"1002\n" + strings.Repeat("#", maxPublishers), 0o644, -1, false, "more than 65536 bytes"},
	} {
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.ownedBy(map[string]int64{p.Path(): 1002})
		w.trusting(tt.text)
		if err := os.Chmod(w.trust.path, tt.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(w.trust.path, tt.owner, -1); err != nil {
			t.Skipf("skipped: only root can give a file away: %v", err)
		}
		if got := w.all() != ""; got != tt.shown {
			t.Errorf("%.40q: shown %v", tt.text, got)
		}
		faulty := slices.ContainsFunc(w.view.Damage(), func(err error) bool {
			var n *notice
			return errors.As(err, &n) && n.Kind == publishersFault && strings.Contains(n.Error(), tt.told)
		})
		told := strings.Contains(strings.Join(w.problems, "\n"), tt.told)
		if faulty != (tt.told != "") || !told {
			t.Errorf("%.40q: damage %v, problems %q", tt.text, w.view.Damage(), w.problems)
		}
	}
}

// An object that is left out is named once, with its account and the line that shows it. Only
// views that want it name it.
func TestLeftOut(t *testing.T) {
	dir := tempDir(t)
	of := map[string]int64{}
	for _, account := range []int64{61002, 61002, 61003} {
		of[start(t, dir, schemaText).Path()] = account
	}
	reserved := func(name string) bool { return name == "Job" }
	w := watch(t, ReaderOptions{Dirs: []string{dir}, Reserved: reserved})
	w.ownedBy(of)
	peer := w.View(func(name string) bool { return name == "Peer" })
	w.view = peer
	const message = `object "Peer" of uid %d is not shown: to show it, add the line %[1]d to %s`
	for range 3 {
		w.expect()
		w.expectNotices(notice{Kind: omittedObject}, notice{Kind: omittedObject})
		w.expectProblems(fmt.Sprintf(message, 61002, w.trust.path), fmt.Sprintf(message, 61003, w.trust.path))
	}

	w.view = w.View(nil)
	w.expect()
	w.expectNotices(slices.Repeat([]notice{{Kind: omittedObject}}, 4)...) // Peer and Transfer
	w.view = w.View(func(name string) bool { return name == "Other" })
	w.expect()
	w.expectNotices()

	w.view = peer
	w.trusting("61002\n")
	w.expect()
	w.expectNotices(notice{Kind: takenObject, More: 1}, notice{Kind: omittedObject})
	var n *notice
	if !errors.As(w.view.Damage()[1], &n) || !strings.Contains(n.Topic(), "61003") {
		t.Errorf("notice %v", n)
	}
}

// Very many objects that are left out make a few notices, and the last one has their number.
func TestManyLeftOut(t *testing.T) {
	dir := tempDir(t)
	publishMany(t, dir, 3, 20)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	of := map[string]int64{}
	for _, name := range files(t, dir) {
		of[filepath.Join(dir, name)] = 1002
	}
	w.ownedBy(of)
	w.expect()
	want := slices.Repeat([]notice{{Kind: omittedObject}}, maxDamage)
	want[maxDamage-1].More = 60 - maxDamage
	w.expectNotices(want...)
}

// All accounts outside of a user namespace have one number there, so that number names no
// account. Only the line * shows what they publish.
func TestOutsideAccounts(t *testing.T) {
	dir := tempDir(t)
	p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
	add(t, p, "Peer", "a", nil)
	for _, own := range []int64{0, 65534} {
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.trust.own, w.trust.outside = own, 65534
		w.ownedBy(map[string]int64{p.Path(): 65534})
		w.expect()
		w.trusting("65534\n")
		w.expect()
		w.expectProblems("its account has no number in this user namespace")
		w.trusting("*\n")
		w.expect("Peer(a) 0")
	}
}

// A program in a user namespace without any account finds the number of the accounts outside.
func TestOutsideNumber(t *testing.T) {
	if os.Getenv(inNamespace) != "" {
		fmt.Println("outside", outsideAccount())
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestOutsideNumber$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("skipped: %v", err)
	}
	number, _ := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil || !bytes.Contains(out, append([]byte("outside "), number...)) {
		t.Errorf("%v\n%s", err, out)
	}
}

// inNamespace is set in the environment of a test that runs in a user namespace.
const inNamespace = "WINPERF_TEST_NAMESPACE"

// expectNotices wants no damage but the notices, whatever their errors.
func (w *watcher) expectNotices(want ...notice) {
	w.t.Helper()
	got := w.view.Damage()
	for i, err := range got {
		var n *notice
		if i >= len(want) || !errors.As(err, &n) || n.Kind != want[i].Kind || n.More != want[i].More ||
			n.Err == nil {
			w.t.Errorf("damage %v, want %+v", got, want)
			return
		}
	}
	if len(got) != len(want) {
		w.t.Errorf("damage %v, want %+v", got, want)
	}
}

// A file that others may write to is nobody's, a second name of a file is none of
// its own, and a directory that others may empty does not count.
func TestOwnerRights(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
	add(t, p, "Peer", "a", nil)
	if err := os.Link(p.Path(), filepath.Join(dir, "again"+pubfile.Suffix)); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(a) 0")
	w.expectProblems("is a second name of a published file")

	q := start(t, dir, singles)
	if err := os.Chmod(q.Path(), 0o660); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(a) 0")
	w.expectProblems("is a second name", "accounts other than its owner may write to it")
	if damage := w.view.Damage(); len(damage) == 0 {
		t.Error("no damage")
	}

	for _, mode := range []os.FileMode{0o777, 0o775, 0o757} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		w = watch(t, ReaderOptions{Dirs: []string{dir}})
		w.expect()
		w.expectProblems("other accounts may remove files")
		if _, err := New(schema(t, singles), Options{Dir: dir}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("mode %v: publishing there: %v", mode, err)
		}

		if err := os.Chmod(dir, mode|os.ModeSticky); err != nil {
			t.Fatal(err)
		}
		w.expect("Peer(a) 0")
	}
}

// A private directory that somebody else has made first spoils nothing.
func TestOthersDirectory(t *testing.T) {
	dir := tempDir(t)
	if err := os.Chown(dir, 61002, -1); err != nil {
		t.Skipf("skipped: only root can give a directory away: %v", err)
	}
	link := filepath.Join(tempDir(t), "link")
	if err := errors.Join(os.Symlink(dir, link), os.Lchown(link, 61002, -1)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, link} {
		w := watch(t, ReaderOptions{Dirs: []string{path}})
		w.dirs[0].private = true
		w.expect()
		w.expectNotices(notice{Kind: othersDamage})
	}
}

// Names that look the same in another case are the same, as they are in queries.
func TestFoldName(t *testing.T) {
	for _, pair := range [][2]string{{"System", "ſyſtem"}, {"Kelvin", "\u212aELVIN"}, {"Straße", "STRAßE"}} {
		if foldName(pair[0]) != foldName(pair[1]) || !strings.EqualFold(pair[0], pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
	if foldName("a") == foldName("b") {
		t.Error("a is b")
	}
}

// accountsDir is a directory that accounts publish in, and run has one of them
// publish an object with an instance there, until the test ends.
func accountsDir(t *testing.T) (dir string, run func(account uint32, object, instance string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can run programs as several accounts")
	}
	dir, err := os.MkdirTemp("", "published")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "publisher")
	if text, err := os.ReadFile(os.Args[0]); err != nil || os.WriteFile(program, text, 0o755) != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}

	return dir, func(account uint32, object, instance string) {
		t.Helper()
		cmd := exec.Command(program, instance)
		cmd.Env = append(os.Environ(), publisherDir+"="+dir, publisherObject+"="+object)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: account, Gid: account}}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if errors.Is(err, syscall.EPERM) {
			t.Skipf("skipped: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "published: <nil>\n" {
			t.Fatal(line, err)
		}
	}
}

// overwrite writes into a file where it is, as its owner can.
func overwrite(t *testing.T, path string, at int64, p []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(p, at)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// What is left out is told: the second of two objects without instances, one of the
// system's own, and files that are not for this account.
func TestLeftOutIsTold(t *testing.T) {
	dir := tempDir(t)
	reserved := func(name string) bool { return name == "Job" }
	w := watch(t, ReaderOptions{Dirs: []string{dir}, Reserved: reserved})
	w.expectNotices()
	first := start(t, dir, schemaText)
	start(t, dir, schemaText)
	closed := start(t, dir, schemaText)
	open := w.open
	w.open = func(path string) (*os.File, identity, error) {
		if path == closed.Path() {
			return nil, identity{}, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return open(path)
	}
	for range 2 { // as long as it is so
		w.Refresh()
		w.expectNotices(notice{Kind: takenObject, More: 2}, notice{Kind: othersClosed})
	}
	if err := errors.Join(first.Close(), closed.Close()); err != nil {
		t.Fatal(err)
	}
	w.Refresh()
	w.expectNotices(notice{Kind: takenObject}) // that is the system's
	w.problems = nil
}

// The accounts that see the counters are told in words.
func TestAudience(t *testing.T) {
	dir := tempDir(t)
	where := ", where " + Environment + " names " + dir
	p := start(t, dir, schemaText)
	if got := p.Audience(); got != "this account and root"+where {
		t.Error(got)
	}
	for _, dir := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.Audience(); !strings.HasPrefix(got, "this account, root and the members of the group ") ||
		!strings.HasSuffix(got, where) {
		t.Error(got)
	}
	dir = t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv(Environment, "")
	if _, err := os.Stat("/run/winperf"); err == nil {
		t.Skip("there is a directory for all")
	}
	if err := os.Mkdir(filepath.Join(dir, "winperf"), 0o700); err != nil {
		t.Fatal(err)
	}
	p = start(t, filepath.Join(dir, "winperf"), schemaText)
	if got := p.Audience(); got != "only this account; to admit others, an administrator must create /run/winperf" {
		t.Error(got)
	}
}

// The order of objects and of instances follows from accounts and the age of files, and not from
// a name or a time in the file.
func TestOrder(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	for i, name := range []string{"c", "a", "b"} {
		p := start(t, dir, strings.ReplaceAll(fmt.Sprintf(peers, "", rawCount), `"A"`,
			fmt.Sprintf("%q", name)))
		if i == 2 { // it says that it began long before all others
			clear(p.memory.mapping.list[0].bytes[pubfile.HeaderStarted:][:8])
		}
		add(t, p, "Peer", name, nil)
	}
	w.expect("Peer(c) 0", "Peer(a) 0", "Peer(b) 0")
}

// Real accounts publish one object: it is shown for the accounts that a line names.
func TestRealAccounts(t *testing.T) {
	dir, run := accountsDir(t)
	run(61001, "Peer", "first")
	run(61002, "Peer", "second")
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect()
	w.trusting("61002\n")
	w.expect("Peer(second) 0")
	w.trusting("61002\n61001\n")
	w.expect("Peer(second) 0", "Peer(first) 0")
	w.expectProblems(`object "Peer" of uid 61001 is not shown`, `object "Peer" of uid 61002 is not shown`)
}

// An account that is not trusted takes no memory of others with the definitions of its files,
// though all of them are older.
func TestUntrustedDefinitions(t *testing.T) {
	dir := tempDir(t)
	of := map[string]int64{}
	publish := func(owner int64, name string) string {
		p := start(t, dir, strings.ReplaceAll(singles, "One", name))
		of[p.Path()] = owner
		return p.Path()
	}
	left := []string{publish(61001, "A"), publish(61001, "B"), publish(61001, "C")}
	publish(int64(os.Geteuid()), "Late")
	publish(int64(os.Geteuid()), "Later")

	w := watch(t, ReaderOptions{Dirs: []string{dir}, budget: definitionShare * 4096})
	w.ownedBy(of)
	w.expect("Late 0", "Later 0")
	var told []string
	for _, path := range left {
		told = append(told, path+": its definitions need")
	}
	w.expectProblems(told...)
}

// Accounts of later lines get the part of a sample that earlier ones leave.
func TestOrderOfSample(t *testing.T) {
	dir := tempDir(t)
	older := bytes.ReplaceAll(manyInstances(t, 900_000), []byte(`"Peer"`), []byte(`"Pear"`))
	lay(t, dir, "older", older, true)
	lay(t, dir, "newer", manyInstances(t, 300_000), true)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.trusting("61002\n61001\n")
	w.ownedBy(map[string]int64{
		filepath.Join(dir, "older"+pubfile.Suffix): 61001, filepath.Join(dir, "newer"+pubfile.Suffix): 61002,
	})
	p := w.Refresh()
	if p == nil || len(p.Objects()) != 2 || p.Objects()[0].Name != "Peer" {
		t.Fatal("not both objects, that of the first line first", w.problems)
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

// A file of another account that cannot be read is reported to a query, but is no damage: any
// publisher could spoil all queries. It is damage in files of the account that reads, of
// root and of accounts that a line names.
func TestOthersDamage(t *testing.T) {
	dir := tempDir(t)
	broken := start(t, dir, singles).Path()
	overwrite(t, broken, pubfile.HeaderSchema, []byte("xxxx"))
	second := start(t, dir, singles).Path()
	overwrite(t, second, pubfile.HeaderSchema, []byte("xxxx"))
	slot := start(t, dir, fmt.Sprintf(peers, "", rawCount))
	add(t, slot, "Peer", "a", nil)
	overwrite(t, slot.Path(), int64(len(slot.memory.static))+pubfile.SlotLength, []byte{0xFF})

	for _, tt := range []struct {
		name           string
		account, owner int64
		publishers     string
		damage         int
	}{
		{"own", 1001, 1001, "", 3},
		{"the administrator's", 1001, 0, "", 3},
		{"another's", 1001, 1002, "", 0},
		{"another's for the administrator", 0, 1002, "", 0},
		{"named", 1001, 1002, "1003\n1002\n", 3},
		{"of all", 1001, 1002, "*\n", 0},
		{"others named", 1001, 1002, "1003\n", 0},
	} {
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.trust.own = tt.account
		w.trusting(tt.publishers)
		w.ownedBy(map[string]int64{broken: tt.owner, second: tt.owner, slot.Path(): tt.owner})
		w.expect()
		if tt.publishers == "*\n" {
			w.expectNotices(notice{Kind: othersDamage, More: 2})
		} else if tt.damage == 0 { // of the third file the definitions can be read
			w.expectNotices(notice{Kind: othersDamage, More: 1}, notice{Kind: omittedObject})
		} else if got := w.view.Damage(); len(got) != tt.damage || !errors.Is(got[0], winperf.ErrBadData) {
			t.Errorf("%s: damage %v", tt.name, got)
		}
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
