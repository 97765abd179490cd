package publish

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/provider"
)

const (
	peers     = `{"driver": "A", "objects": [{"symbol": "PEER", "name": "Peer", "help": "%s", "multi": true, "counters": [{"symbol": "SERVED", "name": "Served", "type": "%s"}]}]}`
	singles   = `{"driver": "B", "objects": [{"symbol": "ONE", "name": "One", "counters": [{"symbol": "N", "name": "N", "type": "PERF_COUNTER_RAWCOUNT"}]}]}`
	rawCount  = "PERF_COUNTER_RAWCOUNT"
	largeRate = "PERF_COUNTER_BULK_COUNT"
)

// Several processes publish one object, and one leaves. Positions of parents are
// those in the merged object.
func TestSeveral(t *testing.T) {
	inWindows(t, func(t *testing.T, window int) {
		dir, second := tempDir(t), tempDir(t)
		w := watch(t, ReaderOptions{Dirs: []string{dir, filepath.Join(dir, "none"), second}})
		w.window = window
		p := start(t, dir, schemaText)
		q := start(t, second, schemaText)
		add(t, p, "Peer", "a", nil)
		prov := w.Refresh()
		add(t, q, "Job", "x", add(t, q, "Peer", "b", nil))
		add(t, p, "Job", "y", add(t, p, "Peer", "c", nil))
		w.expect("Transfer 0 0 0", "Peer(a) 0", "Peer(c) 0", "Peer(b) 0", "Job(c/y) 0 0 0", "Job(b/x) 0 0 0")
		w.expectProblems(`object "Transfer", which has no instances, is already published by`)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		must(t, q.Counter2, "Bytes Sent").Set(3)
		w.expect("Transfer 3 0 0", "Peer(b) 0", "Job(b/x) 0 0 0")
		if w.Refresh() != prov {
			t.Error("the objects are the same, but not their provider")
		}
	})
}

// Counter2 is a counter of Transfer.
func (p *Publisher) Counter2(name string) (*Counter, error) { return p.Counter("Transfer", name) }

// Objects of one name with other counters are both served; with another help
// text they are one. The older one's index does not depend on the other.
func TestVariants(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	for i, text := range []string{fmt.Sprintf(peers, "first", rawCount),
		fmt.Sprintf(peers, "other", largeRate),
		strings.ReplaceAll(fmt.Sprintf(peers, "third", rawCount), "Peer", "PEER")} {
		p := start(t, dir, text)
		add(t, p, "Peer", fmt.Sprint(i), nil)
	}
	w.expect("Peer(0) 0", "Peer(2) 0", "Peer(1) 0")
	w.expectProblems(`object "Peer" has other counters than in`)
	objects := w.Refresh().Objects()
	if objects[0].Index != 1096292434 || objects[1].Index == objects[0].Index ||
		!strings.HasSuffix(objects[0].Help, "first") {
		t.Errorf("objects %+v, %+v", objects[0], objects[1])
	}
	if a, b := objects[0].Counters[0].Index, objects[1].Counters[0].Index; a != b {
		t.Errorf("one counter name has the indices %d and %d", a, b)
	}
}

func TestReserved(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir},
		Reserved: func(name string) bool { return strings.EqualFold(name, "peer") }})
	add(t, start(t, dir, fmt.Sprintf(peers, "", rawCount)), "Peer", "x", nil)
	start(t, dir, singles)
	w.expect("One 0")
	w.expectProblems(`object "Peer" is not shown: the name belongs to an object of the system`)
	// A child of one that is left out has no parent.
	p := start(t, dir, schemaText)
	add(t, p, "Job", "y", add(t, p, "Peer", "c", nil))
	w.problems = nil
	if got := w.all(); !strings.Contains(got, "Job(y) 0 0 0") {
		t.Errorf("published are\n%s", got)
	}
	w.expectProblems(`object "Peer" is not shown`, "the parent of an instance is missing")
}

// What is no published file is passed over; what is damaged is told once and
// costs itself.
func TestForeignFiles(t *testing.T) {
	dir := tempDir(t)
	p := start(t, dir, singles)
	good := content(t, p)
	bad := func(change func([]byte) []byte) []byte { return change(append([]byte(nil), good...)) }
	for name, b := range map[string][]byte{
		"notes.txt":     []byte("nothing"),
		"new.winperf":   nil,
		"made.winperf":  make([]byte, 4096),
		"short.winperf": good[:100],
		"magic.winperf": bad(func(b []byte) []byte { b[0]++; return b }),
	} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write(b); err != nil {
			t.Fatal(err)
		}
		if locked, err := tryLock(f, true); !locked || err != nil {
			t.Fatal(locked, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.winperf"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	for range 3 {
		w.expect("One 0")
	}
	w.expectProblems("byte 100: the file is cut off within its header", "no WPERFPUB")
	if n := len(files(t, dir)); n != 7 {
		t.Errorf("%d files, want all 7", n)
	}
}

// A file whose lock nobody has is removed by a reader and by the next publisher.
func TestLeftovers(t *testing.T) {
	dir := tempDir(t)
	leave := func() {
		for _, name := range []string{"a", "b"} {
			if err := os.WriteFile(filepath.Join(dir, name+pubfile.Suffix), []byte(strings.Repeat(name, 200)),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	leave()
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect()
	if list := files(t, dir); len(list) > 0 {
		t.Errorf("a reader leaves %q", list)
	}
	leave()
	start(t, dir, singles)
	if list := files(t, dir); len(list) != 1 {
		t.Errorf("beside a new publisher there are %q", list)
	}
}

// The title indices are the same for ever.
func TestTitles(t *testing.T) {
	for text, want := range map[string]uint32{"Peer": 1096292434, "Bytes Served": 850966450, "": hash("")} {
		b := newTitleBook()
		if got := b.name(text); got != want || got%2 != 0 || got < titleBase || b.name(text) != got {
			t.Errorf("index of %q is %d, want %d", text, got, want)
		}
		if help := b.help(text); help != want+1 {
			t.Errorf("index of the help text %q is %d, want %d", text, help, want+1)
		}
	}
	b := newTitleBook()
	b.texts[hash("Peer")] = "another name with the same hash"
	if got := b.object("Peer", ""); got != 1096292434+2 {
		t.Errorf("index beside another name is %d", got)
	}
	if next := b.object("Peer", ""); next != 1096292434+4 {
		t.Errorf("index beside another object of the name is %d", next)
	}
	if top := next(titleBase + 2*titleCount - 2); top != titleBase {
		t.Errorf("behind the last index comes %d", top)
	}
}

// Names that somebody chose to fall on another's index do not keep it from being shown.
func TestTitlesTaken(t *testing.T) {
	b := newTitleBook()
	index := hash("Shop")
	for range 2 * probes {
		b.texts[index], b.texts[index+1], b.objects[index] = "x", "x", true
		index = next(index)
	}
	name, help, object, other := b.name("Shop"), b.help("Shop"), b.object("Shop", ""), b.object("Shop", "")
	for _, got := range []uint32{name, help &^ 1, object, other} {
		if got < beyondBase || got%2 != 0 {
			t.Errorf("index %d", got)
		}
	}
	if help%2 != 1 || name != object || object == other || help == object+1 {
		t.Errorf("name %d, help text %d, object %d, another %d", name, help, object, other)
	}
	if b.name("Shop") != name || b.help("Shop") != help || b.texts[name] != "Shop" ||
		b.texts[help] != "Shop" {
		t.Error("the next time it is another index")
	}
}

// changing is a file that changes each time when something was read.
type changing struct {
	content []byte
	reads   int
	change  func(reads int, content []byte)
}

func (c *changing) ReadAt(p []byte, at int64) (int, error) {
	n, err := bytes.NewReader(c.content).ReadAt(p, at)
	c.reads++
	c.change(c.reads, c.content)
	return n, err
}

// A slot that changes while it is read is left out; the others are not, even if
// the generation never stands still.
func TestChanging(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	for _, name := range []string{"a", "b", "c"} {
		add(t, p, "Peer", name, nil)
	}
	b := content(t, p)
	f, err := fake(b)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	slot := f.begin // of Transfer; the next ones are of the peers
	for range 2 {
		slot += int64(le.Uint32(b[slot+pubfile.SlotSize:]))
	}
	f.file = &changing{content: b, change: func(reads int, b []byte) {
		le.PutUint64(b[pubfile.HeaderGeneration:], le.Uint64(b[pubfile.HeaderGeneration:])+1)
		if reads == 4 { // the header, the end, the generation, then all slots
			le.PutUint32(b[slot+pubfile.SlotSequence:], le.Uint32(b[slot+pubfile.SlotSequence:])+2)
		}
	}}
	if _, err := f.sample(defaultBudget, false); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, in := range f.of(1) {
		s, ok, err := f.filled(in)
		if err != nil || !ok {
			t.Error(ok, err)
		}
		names = append(names, string(bytes.ReplaceAll(s.name, []byte{0}, nil)))
	}
	if fmt.Sprint(names) != "[a c]" || len(f.of(0)) != 1 || f.fault != nil {
		t.Errorf("instances %q, fault %v", names, f.fault)
	}
}

// Several goroutines use one Reader and one of its views, while publishers start and end: the race detector watches.
func TestManyUsers(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				_, err := w.view.Refresh(t.Context())
				_, own := w.View(nil).Refresh(t.Context())
				if err := errors.Join(err, own, errors.Join(w.view.Damage()...)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		if err := start(t, dir, schemaText).Close(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	w.expect()
}

// Everything at once: publishers, instances, values and readers.
func TestRace(t *testing.T) {
	inWindows(t, func(t *testing.T, window int) {
		dir := tempDir(t)
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.window = window
		p := start(t, dir, schemaText)
		shared := must(t, p.Counter2, "Bytes Sent")
		var all sync.WaitGroup
		const rounds = 100
		for g := range 4 {
			all.Go(func() {
				for i := range rounds {
					parent, err := p.objects[1].Instance(fmt.Sprint(g), InstanceOptions{})
					if err != nil {
						t.Error(err)
						return
					}
					child, err := p.objects[2].Instance(fmt.Sprint(i), InstanceOptions{Parent: parent})
					if err != nil {
						t.Error(err)
						return
					}
					if c, err := child.Counter("Done"); err == nil {
						c.Add(1)
					}
					shared.Add(1)
					if err := parent.Remove(); err != nil {
						t.Error(err)
					}
					if i%10 == 0 {
						runtime.GC()
					}
				}
			})
		}
		for range 2 {
			all.Go(func() {
				for range rounds / 5 {
					q, err := New(schema(t, singles), Options{Dir: dir})
					if err != nil {
						t.Error(err)
						return
					}
					if err := q.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
				w.all()
			}
		}
		w.expect(fmt.Sprintf("Transfer %d 0 0", 4*rounds))
	})
}

// A file that has another fault each time causes one report a second, from the first one on.
func TestReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		r := NewReader(ReaderOptions{
			Dirs: []string{tempDir(t)}, OnProblem: func(err error) { reports = append(reports, err.Error()) },
		})
		for second := range 3 {
			for n := range 1000 {
				r.report("a file", fmt.Errorf("fault %d.%d", second, n))
			}
			time.Sleep(time.Second)
		}
		if want := []string{"fault 0.0", "fault 1.0", "fault 2.0"}; !slices.Equal(reports, want) {
			t.Errorf("reports %q, want %q", reports, want)
		}
	})
}

// A closed reader finds nothing, and a provider that is not the latest delivers
// nothing.
func TestClosedReader(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	start(t, dir, singles)
	var prov provider.Provider = w.Refresh()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if w.Refresh() != nil {
		t.Error("a closed reader finds something")
	}
	if f, _ := w.block(prov, "Global"); f.NumObjects() != 0 {
		t.Errorf("%d objects of a closed reader", f.NumObjects())
	}
}
