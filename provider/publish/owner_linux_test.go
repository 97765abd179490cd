package publish

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ownedBy has a reader see files as the accounts', made at the times; others stay
// as they are.
func (w *watcher) ownedBy(of map[string]identity) {
	w.open = func(path string) (*os.File, identity, error) {
		f, id, err := openMade(path)
		if as, ok := of[path]; ok {
			id.owner, id.born = as.owner, as.born
		}
		return f, id, err
	}
}

// claim makes a publisher say that it began long before all others.
func (p *Publisher) claim() {
	binary.LittleEndian.PutUint64(p.memory.pieces.list[0][HeaderStarted:], 0)
}

// An object belongs to the account that published it first, as the system tells,
// and to nobody for what a file says of itself. Instances of others are not in it,
// nor do other counters under its name stand beside it.
func TestOwner(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	file := func(instance, text string) string {
		p := start(t, dir, text)
		p.claim()
		add(t, p, "Peer", instance, nil)
		return p.Path()
	}
	same, other := fmt.Sprintf(peers, "", rawCount), fmt.Sprintf(peers, "", largeRate)
	late, early, own := file("late", same), file("early", same), file("own", strings.ReplaceAll(same, "Peer", "PEER"))
	odd := file("odd", other)
	w.ownedBy(map[string]identity{
		late:  {owner: 1002, born: 300},
		early: {owner: 1001, born: 100},
		own:   {owner: 1001, born: 400},
		odd:   {owner: 1003, born: 200},
	})
	w.expect("Peer(early) 0", "Peer(own) 0")
	w.expectProblems(`object "Peer" of uid 1002 belongs to uid 1001, who publishes it in `+early, `object "Peer" of uid 1003 belongs to uid 1001`)
	if help := w.Refresh().Objects()[0].Help; help != "Published by uid 1001." {
		t.Errorf("help %q", help)
	}

	// What is another's is no damage to what is shown.
	if damage := w.view.Damage(); len(damage) > 0 {
		t.Errorf("damage %v", damage)
	}

	// The administrator's own comes before all others.
	root := file("root", same)
	w2 := watch(t, ReaderOptions{Dirs: []string{dir}})
	w2.ownedBy(map[string]identity{
		late: {owner: 1002, born: 300}, early: {owner: 1001, born: 100}, own: {owner: 1001, born: 400}, odd: {owner: 1003, born: 200},
		root: {owner: 0, born: 900},
	})
	w2.expect("Peer(root) 0")
}

// Where the system does not tell when files were made, what the reader has seen
// first is first.
func TestOwnerSeen(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	of := map[string]identity{}
	w.ownedBy(of)
	for i, name := range []string{"first", "second"} {
		p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
		p.claim()
		add(t, p, "Peer", name, nil)
		of[p.Path()] = identity{owner: int64(2000 - i)}
		w.expect("Peer(first) 0")
	}
}

// The order of objects and of instances is the system's, not that of a name or of
// a time that a file gives itself.
func TestOrder(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	of := map[string]identity{}
	w.ownedBy(of)
	for i, name := range []string{"c", "a", "b"} {
		p := start(t, dir, strings.ReplaceAll(fmt.Sprintf(peers, "", rawCount), `"A"`, fmt.Sprintf("%q", name)))
		if i == 2 {
			p.claim()
		}
		add(t, p, "Peer", name, nil)
		of[p.Path()] = identity{owner: 1000, born: int64(i + 1)}
	}
	w.expect("Peer(c) 0", "Peer(a) 0", "Peer(b) 0")
}

// The administrator of a directory says which accounts publish an object.
func TestOwnersFile(t *testing.T) {
	dir := tempDir(t)
	of := map[string]identity{}
	for i, account := range []int64{1001, 1002, 1003} {
		p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
		add(t, p, "Peer", fmt.Sprint(account), nil)
		of[p.Path()] = identity{owner: account, born: int64(i + 1)}
	}
	path := filepath.Join(dir, OwnersFile)
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
		{"1002 Peer\n", 0o666, "Peer(1001) 0\n", "counts for nothing"},
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

// A file that others may write to is nobody's, a second name of a file is none of
// its own, and a directory that everybody may empty does not count.
func TestOwnerRights(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := start(t, dir, fmt.Sprintf(peers, "", rawCount))
	add(t, p, "Peer", "a", nil)
	if err := os.Link(p.Path(), filepath.Join(dir, "again"+Suffix)); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(a) 0")
	w.expectProblems("is another name of a published file")

	q := start(t, dir, singles)
	if err := os.Chmod(q.Path(), 0o660); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(a) 0")
	w.expectProblems("is another name", "others than its owner may write to it")
	if damage := w.view.Damage(); len(damage) == 0 {
		t.Error("no damage")
	}

	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	w = watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect()
	w.expectProblems("everybody may remove files")
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	w.expect("Peer(a) 0")
}

// Names that look the same in another case are the same, as for whoever asks.
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

// Two accounts publish one object, the second with a claim to be the first.
func TestTwoAccounts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can run programs as two accounts")
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
	run := func(account uint32, instance string) {
		cmd := exec.Command(program, instance)
		cmd.Env = append(os.Environ(), publisherDir+"="+dir)
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
	run(61001, "victim")
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("Peer(victim) 0")
	run(61002, "thief")

	// The thief writes into its own file that it was there from the beginning.
	for _, name := range files(t, dir) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && strings.HasSuffix(name, Suffix) && ownerOf(info) == 61002 {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt(make([]byte, 8), HeaderStarted); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	for range 2 {
		w.expect("Peer(victim) 0")
		w.expectProblems(`object "Peer" of uid 61002 belongs to uid 61001`)
		w = watch(t, ReaderOptions{Dirs: []string{dir}})
	}
}
