package publish

import (
	"bufio"
	"bytes"
	"encoding/binary"
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

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pubfile"
)

// claimed is whose a file is, and since when; 0 is without a claim.
type claimed struct{ owner, at int64 }

// ownedBy has a reader see files as the accounts', claimed at the times; others stay
// as they are.
func (w *watcher) ownedBy(of map[string]claimed) {
	w.open = func(path string) (*os.File, identity, error) {
		f, id, err := openMade(path)
		if as, ok := of[path]; ok {
			id.owner = as.owner
		}
		return f, id, err
	}
	w.claims = func(path string) claim {
		if as, ok := of[claimedFile(path)]; ok {
			return claim(as)
		}
		return claimMade(path)
	}
}

// backdate makes a publisher say that it began long before all others.
func (p *Publisher) backdate() {
	binary.LittleEndian.PutUint64(p.memory.pieces.list[0].bytes[pubfile.HeaderStarted:], 0)
}

// An object belongs to the account that published it first, as the system tells,
// and to nobody for what a file says of itself. Instances of others are not in it,
// nor do other counters under its name stand beside it.
func TestOwner(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	file := func(instance, text string) string {
		p := start(t, dir, text)
		p.backdate()
		add(t, p, "Peer", instance, nil)
		return p.Path()
	}
	same, other := fmt.Sprintf(peers, "", rawCount), fmt.Sprintf(peers, "", largeRate)
	late, early, own := file("late", same), file("early", same),
		file("own", strings.ReplaceAll(same, "Peer", "PEER"))
	odd := file("odd", other)
	w.ownedBy(map[string]claimed{
		late:  {owner: 1002, at: 300},
		early: {owner: 1001, at: 100},
		own:   {owner: 1001, at: 400},
		odd:   {owner: 1003, at: 200},
	})
	w.expect("Peer(early) 0", "Peer(own) 0")
	w.expectProblems(`object "Peer" of uid 1002 belongs to uid 1001, which publishes it in `+early,
		`object "Peer" of uid 1003 belongs to uid 1001`)
	if help := w.Refresh().Objects()[0].Help; help != "Published by uid 1001." {
		t.Errorf("help %q", help)
	}

	// What is another's is no damage to what is shown.
	w.expectNotices(Notice{Kind: othersObject, More: 1})

	// The administrator's own comes before all others.
	root := file("root", same)
	w2 := watch(t, ReaderOptions{Dirs: []string{dir}})
	w2.ownedBy(map[string]claimed{
		late: {owner: 1002, at: 300}, early: {owner: 1001, at: 100}, own: {owner: 1001, at: 400},
		odd:  {owner: 1003, at: 200},
		root: {owner: 0, at: 900},
	})
	w2.expect("Peer(root) 0")
}

// What nobody has claimed counts as the youngest, whichever reader saw it first; between
// accounts that came in the same moment the number decides, not a name.
func TestOwnerTies(t *testing.T) {
	for _, tt := range []struct {
		of   []claimed
		want string
	}{
		{[]claimed{{2000, 0}, {2001, 700}}, "Peer(2001) 0"},
		{[]claimed{{2001, 700}, {2000, 0}}, "Peer(2001) 0"},
		{[]claimed{{2001, 0}, {2000, 0}}, "Peer(2000) 0"},
		{[]claimed{{2001, 700}, {2000, 700}}, "Peer(2000) 0"},
		{[]claimed{{2000, 700}, {2001, 700}}, "Peer(2000) 0"},
		{[]claimed{{2000, 700}, {0, 0}}, "Peer(0) 0"},
	} {
		dir := tempDir(t)
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		of := map[string]claimed{}
		w.ownedBy(of)
		for _, c := range tt.of {
			p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
			p.backdate()
			add(t, p, "Peer", fmt.Sprint(c.owner), nil)
			of[p.Path()] = c
		}
		w.expect(tt.want)
	}
}

// expectNotices wants no damage but the notices, whatever their errors.
func (w *watcher) expectNotices(want ...Notice) {
	w.t.Helper()
	got := w.view.Damage()
	for i, err := range got {
		var n *Notice
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

// The order of objects and of instances is the system's, not that of a name or of
// a time that a file gives itself.
func TestOrder(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	of := map[string]claimed{}
	w.ownedBy(of)
	for i, name := range []string{"c", "a", "b"} {
		p := start(t, dir, strings.ReplaceAll(fmt.Sprintf(peers, "", rawCount), `"A"`,
			fmt.Sprintf("%q", name)))
		if i == 2 {
			p.backdate()
		}
		add(t, p, "Peer", name, nil)
		of[p.Path()] = claimed{owner: 1000, at: int64(i + 1)}
	}
	w.expect("Peer(c) 0", "Peer(a) 0", "Peer(b) 0")
}

// The administrator of a directory says which accounts publish an object.
func TestOwnersFile(t *testing.T) {
	dir := tempDir(t)
	of := map[string]claimed{}
	for i, account := range []int64{1001, 1002, 1003} {
		p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
		add(t, p, "Peer", fmt.Sprint(account), nil)
		of[p.Path()] = claimed{owner: account, at: int64(i + 1)}
	}
	path := filepath.Join(dir, ownersFile)
	for _, tt := range []struct {
		text string
		mode os.FileMode
		want string
		told string
	}{
		{"# nothing\n", 0o644, "Peer(1001) 0\n", ""},
		{"1002 Peer\n", 0o644, "Peer(1002) 0\n", ""},
		{"1003,1002\tpeer\n1001 Peer\n", 0o644, "Peer(1002) 0\nPeer(1003) 0\n", ""},
		{"* P*r\n", 0o644, "Peer(1001) 0\nPeer(1002) 0\nPeer(1003) 0\n", ""},
		{"1009 Peer\n", 0o644, "", ""},
		{"nobody-of-that-name Peer\n1003\n", 0o644, "", "there is no account"},
		{"1002 Peer\n", 0o666, "Peer(1001) 0\n", "is ignored"},
		{"1002 Peer\n" + strings.Repeat("#", maxOwners), 0o644, "Peer(1001) 0\n", "more than 65536 bytes"},
	} {
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.ownedBy(of)
		if got := w.all(); got != tt.want {
			t.Errorf("%.40q: published are\n%swant\n%s", tt.text, got, tt.want)
		}
		if told := strings.Join(w.problems, "\n"); tt.told != "" && !strings.Contains(told, tt.told) {
			t.Errorf("%.40q: problems %s", tt.text, told)
		}
		faulty := slices.ContainsFunc(w.view.Damage(), func(err error) bool {
			var n *Notice
			return errors.As(err, &n) && n.Kind == ownersFault && strings.Contains(n.Error(), tt.told)
		})
		if faulty != (tt.told != "") {
			t.Errorf("%.40q: damage %v", tt.text, w.view.Damage())
		}
	}

	// A reader that is at work takes notice of what is written.
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.ownedBy(of)
	w.expect("Peer(1001) 0")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("1003 Peer"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(1003) 0")
}

// An owners file of some other account is ignored and is told only where it
// would have mattered: where an object is left out as another account's.
func TestOwnersSquatted(t *testing.T) {
	dir := tempDir(t)
	path := filepath.Join(dir, ownersFile)
	if err := os.WriteFile(path, []byte("61002 Peer\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 61002, -1); err != nil {
		t.Skipf("skipped: only root can give a file away: %v", err)
	}
	text := fmt.Sprintf(peers, "", rawCount)
	first := start(t, dir, text)
	add(t, first, "Peer", "first", nil)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	of := map[string]claimed{first.Path(): {1001, 1}}
	w.ownedBy(of)
	w.expect("Peer(first) 0")
	w.expectNotices()

	second := start(t, dir, text)
	add(t, second, "Peer", "second", nil)
	of[second.Path()] = claimed{61002, 2}
	w.expect("Peer(first) 0")
	w.expectNotices(Notice{Kind: othersObject}, Notice{Kind: ownersFault})
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
	w.expectProblems("is a second name", "others than its owner may write to it")
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

// Of what cannot be read in others' files a query is told, but it is no damage: else
// a publisher could spoil everybody's queries. It is damage in files of the
// reader's own account, of the administrator and of whom an owners file names.
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
		owners         string
		damage         int
	}{
		{"own", 1001, 1001, "", 3},
		{"the administrator's", 1001, 0, "", 3},
		{"another's", 1001, 1002, "", 0},
		{"another's for the administrator", 0, 1002, "", 0},
		{"named", 1001, 1002, "1003 Other\n1002 Another\n", 3},
		{"of all", 1001, 1002, "* Peer\n", 0},
		{"others named", 1001, 1002, "1003 Other\n", 0},
	} {
		if err := os.WriteFile(filepath.Join(dir, ownersFile), []byte(tt.owners), 0o644); err != nil {
			t.Fatal(err)
		}
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.account = tt.account
		w.ownedBy(map[string]claimed{broken: {tt.owner, 1}, second: {tt.owner, 2},
			slot.Path(): {tt.owner, 3}})
		w.expect()
		if tt.damage == 0 {
			w.expectNotices(Notice{Kind: othersDamage, More: 2})
		} else if got := w.view.Damage(); len(got) != tt.damage || !errors.Is(got[0], winperf.ErrBadData) {
			t.Errorf("%s: damage %v", tt.name, got)
		}
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
		w.expectNotices(Notice{Kind: othersDamage})
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

// fileOfAccount returns the published file of an account, which has one.
func fileOfAccount(t *testing.T, dir string, account int64) string {
	t.Helper()
	for _, name := range files(t, dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && strings.HasSuffix(name, pubfile.Suffix) &&
			ownerOf(info) == account {
			return path
		}
	}
	t.Fatalf("account %d has no file", account)
	return ""
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

// Two accounts publish one object, the second with a claim to be the first.
func TestTwoAccounts(t *testing.T) {
	dir, run := accountsDir(t)
	run(61001, "Peer", "victim")
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("Peer(victim) 0")
	run(61002, "Peer", "thief")

	// The thief writes into its own file that it was there from the beginning.
	overwrite(t, fileOfAccount(t, dir, 61002), pubfile.HeaderStarted, make([]byte, 8))
	for range 2 {
		w.expect("Peer(victim) 0")
		w.expectProblems(`object "Peer" of uid 61002 belongs to uid 61001`)
		w = watch(t, ReaderOptions{Dirs: []string{dir}})
	}
}

// An account that has an old file, which was published all the time, makes it one
// of another account's object.
func TestOldFileNewObject(t *testing.T) {
	dir, run := accountsDir(t)
	run(61002, "Pear", "thief")
	run(61001, "Peer", "victim")
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("Pear(thief) 0", "Peer(victim) 0")

	path := fileOfAccount(t, dir, 61002)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, []byte(`"name":"Pear"`))
	if at < 0 {
		t.Fatal("the file does not name its object")
	}
	overwrite(t, path, int64(at), []byte(`"name":"Peer"`))

	// A reader that has read the file goes on with what it was.
	w.expect("Pear(thief) 0", "Peer(victim) 0")
	w = watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("Peer(victim) 0")
	w.expectProblems(`object "Peer" of uid 61002 belongs to uid 61001`)
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
		w.expectNotices(Notice{Kind: takenObject, More: 2}, Notice{Kind: othersClosed})
	}
	if err := errors.Join(first.Close(), closed.Close()); err != nil {
		t.Fatal(err)
	}
	w.Refresh()
	w.expectNotices(Notice{Kind: takenObject}) // that is the system's
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
	if got := p.Audience(); got != "only this account; for others an administrator has to make /run/winperf" {
		t.Error(got)
	}
}
