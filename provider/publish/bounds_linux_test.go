package publish

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/pubfile"
)

// Sizes of PERF_OBJECT_TYPE and PERF_COUNTER_DEFINITION (winperf.h).
const (
	objectSize  = 64
	counterSize = 40
)

// bomb is a file whose schema has the elements, and heads of one counter for so
// many objects.
func bomb(elements string, objects int) []byte {
	le := binary.LittleEndian
	text := `{"driver":"B","objects":[` + elements + `]}`
	table, head := pubfile.HeaderSize, pubfile.HeaderSize+pubfile.ObjectSize*objects
	schema := head + (objectSize+counterSize)*objects
	slots := (schema + len(text) + pubfile.SlotAlign - 1) &^ (pubfile.SlotAlign - 1)
	p := make([]byte, slots)
	le.PutUint64(p, pubfile.Magic)
	le.PutUint64(p[pubfile.HeaderUsed:], uint64(slots))
	for field, v := range map[int]int{
		pubfile.HeaderVersion: int(pubfile.Version), pubfile.HeaderLength: pubfile.HeaderSize,
		pubfile.HeaderObjects: objects, pubfile.HeaderTable: table,
		pubfile.HeaderSchema: schema, pubfile.HeaderSchemaLen: len(text), pubfile.HeaderSlots: slots,
	} {
		le.PutUint32(p[field:], uint32(v))
	}
	for i := range objects {
		le.PutUint32(p[table+pubfile.ObjectSize*i+pubfile.ObjectHead:],
			uint32(head+(objectSize+counterSize)*i))
		le.PutUint32(p[table+pubfile.ObjectSize*i+pubfile.ObjectHeadLen:], objectSize+counterSize)
	}
	copy(p[schema:], text)
	return p
}

// lay puts a file into the directory, with a publisher that lives or without one.
func lay(t *testing.T, dir, name string, content []byte, living bool) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name+pubfile.Suffix), os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if living {
		if locked, err := tryLock(f, true); err != nil || !locked {
			t.Fatal(locked, err)
		}
	}
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if !living {
		_ = f.Close()
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Schemas that make much of little text take a small multiple of their bytes,
// whether somebody publishes them or not, and what is told of them is short.
func TestBombs(t *testing.T) {
	const size = pubfile.MaxSchema - 1024
	fill := func(s string) string { return strings.Repeat(s+",", size/(len(s)+1)-2) + s }
	counters := func(s string) string { return `{"name":"x","counters":[` + fill(s) + `]}` }
	for name, content := range map[string][]byte{
		"objects":         bomb(fill(`{}`), 1),
		"many objects":    bomb(fill(`{}`), pubfile.MaxObjects),
		"counters":        bomb(counters(`{}`), pubfile.MaxObjects),
		"equal counters":  bomb(counters(`{"name":"N","type":"PERF_COUNTER_RAWCOUNT"}`), 1),
		"bad counters":    bomb(counters(`{"name":"N","type":"PERF_COUNTER_RAWCOUNT","scale":99}`), 1),
		"languages":       bomb(`{"name":"x","languages":{`+fill(`"a":{}`)+`}}`, 1),
		"names":           bomb(`{"name":"`+strings.Repeat("x", size)+`"}`, 1),
		"number":          bomb(`{"name":`+strings.Repeat("9", size)+`}`, 1),
		"depth":           bomb(strings.Repeat(`{"a":`, size/5), 1),
		"keys":            bomb(`{`+fill(`"a":0`)+`}`, 1),
		"nothing at once": bomb(`null`, 1),
	} {
		for _, living := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, living %v", name, living), func(t *testing.T) {
				dir := tempDir(t)
				for i := range 3 {
					lay(t, dir, fmt.Sprint(i), content, living)
				}
				w := watch(t, ReaderOptions{Dirs: []string{dir}})
				start(t, dir, singles)

				bytes := allocated(func() { w.expect("One 0") })
				if limit := uint64(3*12*len(content) + 1<<20); bytes > limit || !living && bytes > 2<<20 {
					t.Errorf("%d bytes allocated for 3 files of %d", bytes, len(content))
				}
				told := strings.Join(w.problems, "\n")
				if living && len(w.problems) != 3 || !living && told != "" || len(told) > 3*1024 {
					t.Errorf("told are %d problems in %d bytes: %.500s", len(w.problems), len(told), told)
				}
				if damage := w.view.Damage(); living && len(damage) != 3 || !living && len(damage) > 0 {
					t.Errorf("damage %v", damage)
				}
			})
		}
	}
}

// A file that says that it holds more than it does takes no memory for that.
func TestClaim(t *testing.T) {
	p := start(t, tempDir(t), fmt.Sprintf(peers, "", rawCount))
	add(t, p, "Peer", "a", nil)
	content, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	used := binary.LittleEndian.Uint64(content[pubfile.HeaderUsed:])
	binary.LittleEndian.PutUint64(content[pubfile.HeaderUsed:], pubfile.MaxFile)

	dir := tempDir(t)
	lay(t, dir, "claim", content[:used], true)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	if bytes := allocated(func() { w.expect() }); bytes > 1<<20 {
		t.Errorf("%d bytes allocated for a file of %d", bytes, used)
	}
	w.expectProblems("the file is cut off")
}

// What is over the budget of a directory is left out, the newest files first, and
// told with its name; it is back when there is space.
func TestBudget(t *testing.T) {
	dir := tempDir(t)
	w := watch(t, ReaderOptions{Dirs: []string{dir}, budget: definitionShare * 4096})
	first := start(t, dir, fmt.Sprintf(peers, "", rawCount))
	add(t, first, "Peer", "a", nil)
	second := start(t, dir, singles)
	third := start(t, dir, strings.ReplaceAll(singles, "One", "Two"))
	w.expect("Peer(a) 0", "One 0")
	w.expectProblems(third.Path() + ": its definitions need")
	if damage := w.view.Damage(); len(damage) != 1 || !errors.Is(damage[0], errTooMuch) {
		t.Errorf("damage %v", damage)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	w.expect("Peer(a) 0", "Two 0")
	if damage := w.view.Damage(); len(damage) > 0 {
		t.Errorf("damage %v", damage)
	}

	// Instances that are too many cost those of their file, and not the others.
	for i := range 500 {
		add(t, first, "Peer", fmt.Sprint(i), nil)
	}
	w.expect("Two 0")
	w.expectProblems(third.Path()+": its definitions need", first.Path()+": its instances need")
}

// publishMany publishes n files of objects that are all different.
func publishMany(t *testing.T, dir string, n, objects int) {
	t.Helper()
	for i := range n {
		var list []string
		for k := range objects {
			list = append(list,
				fmt.Sprintf(
					`{"symbol":"O%d","name":"Object %d %d","counters":[{"symbol":"C%d","name":"N","type":"PERF_COUNTER_RAWCOUNT"}]}`, k, i, k, k))
		}
		start(t, dir, `{"driver":"D","objects":[`+strings.Join(list, ",")+`]}`)
	}
}

// A view puts together what it wants, in steps that grow with the objects and not
// with their square, opens no file that has nothing of that, and keeps none open.
func TestMany(t *testing.T) {
	work := func(n int) (all, one int) {
		dir := tempDir(t)
		publishMany(t, dir, n, 10)
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		open := descriptors(t)
		count := func(wants func(string) bool) (steps, objects int) {
			var files []*foreign
			for _, f := range w.dirs[0].files {
				files = append(files, f)
			}
			m := w.newMerger()
			if err := m.merge(t.Context(), files, wants); err != nil {
				t.Fatal(err)
			}
			return m.steps, len(m.objects)
		}
		if got := len(w.Refresh().Objects()); got != 10*n {
			t.Errorf("%d objects of %d files", got, n)
		}
		all, objects := count(func(string) bool { return true })
		if objects != 10*n {
			t.Errorf("%d objects, want %d", objects, 10*n)
		}
		one, objects = count(func(name string) bool { return name == "Object 3 3" })
		if objects != 1 {
			t.Errorf("%d objects, want 1", objects)
		}

		// From now on only the file of what is wanted is opened.
		w.dirs[0].trusted = true
		narrow := w.View(func(name string) bool { return name == "Object 3 3" })
		for range 2 {
			before := w.opened
			p, err := narrow.Refresh(t.Context())
			if err != nil || len(p.Objects()) != 1 || w.opened-before > 1 {
				t.Errorf("provider %v, error %v, %d files opened", p, err, w.opened-before)
			}
		}
		if now := descriptors(t); now > open {
			t.Errorf("%d descriptors more for %d files", now-open, n)
		}
		return all, one
	}
	fewAll, fewOne := work(10)
	manyAll, manyOne := work(100)
	if manyAll > 25*fewAll || manyOne > 12*fewOne { // n log n would be 20 times, n² 100 times
		t.Errorf("%d and %d steps for 10 files, %d and %d for 100", fewAll, fewOne, manyAll, manyOne)
	}
}

// descriptors is how many descriptors this process has.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// stopping is a context that ends when it was asked for a number of times.
type stopping struct {
	context.Context
	left int
}

func (s *stopping) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}

// A caller that does not wait any more ends a refresh, wherever it is.
func TestStopped(t *testing.T) {
	dir := tempDir(t)
	publishMany(t, dir, 10, 3)
	stops := 0
	for ; ; stops++ {
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		ctx := &stopping{t.Context(), stops}
		p, err := w.view.Refresh(ctx)
		if err == nil {
			if len(p.Objects()) != 30 {
				t.Errorf("%d objects", len(p.Objects()))
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if got := strings.Count(w.all(), "\n"); got != 30 {
			t.Errorf("after a stop at the %d. look: %d objects", stops, got)
		}
	}
	if stops < 30 { // every file is met and read, and every object put together
		t.Errorf("a refresh looks %d times whether it is waited for", stops)
	}
}

// A reader that waits for another one can be stopped, too.
func TestBusy(t *testing.T) {
	w := watch(t, ReaderOptions{Dirs: []string{tempDir(t)}})
	if err := w.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer w.release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.view.Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Very many instances take a few bytes each beyond the block while they are read, and
// none after.
func TestInstances(t *testing.T) {
	const n = 200_000
	dir := tempDir(t)
	whole := manyInstances(t, n)
	lay(t, dir, "many", whole, true)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	p := w.Refresh()
	if p == nil {
		t.Fatal(w.problems)
	}
	query := newQuery(t, p)
	var block []byte
	for round := range 3 {
		bytes := int64(allocated(func() { block = query(block[:0]) }))
		if round == 0 {
			bytes -= int64(len(block))
		}
		for _, f := range w.dirs[0].files {
			if f.data != nil || f.buf != nil || f.live != nil || f.lent != nil {
				t.Errorf("%d bytes and %d instances are kept", len(f.buf), len(f.lent))
			}
			if f.copied {
				bytes += int64(len(whole))
			}
			bytes += int64(n*instanceCost + windowBytes) // lent meanwhile
		}
		if most := int64(20*n + 2<<20); bytes > most {
			t.Errorf("round %d: %d bytes beyond a block of %d, want no more than %d", round, bytes,
				len(block), most)
		}
	}
	if last := binary.LittleEndian.Uint32(block[len(block)-12:]); last != n-1 {
		t.Errorf("the last value is %d", last)
	}
	w.expectProblems()
}

// What is wrong with a file that somebody publishes is found once, and not with every
// sample of everybody, while another file has the directory looked through each time.
func TestWrongOnce(t *testing.T) {
	dir := tempDir(t)
	lay(t, dir, "wrong", bomb(strings.Repeat(`{"a":`, pubfile.MaxSchema/8), 1), true)
	lay(t, dir, "unready", make([]byte, pubfile.HeaderSize), true)
	start(t, dir, singles)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("One 0")

	for _, f := range w.dirs[0].files {
		if f.wrong != nil {
			f.pauses.First = time.Hour
			f.pauses.Fail(time.Now())
		}
	}
	most := uint64(0)
	for range 5 {
		most = max(most, allocated(func() { w.expect("One 0") }))
	}
	if most > 1<<20 {
		t.Errorf("a later sample takes %d bytes", most)
	}
}

// A file that cannot be opened for a while has not lost its publisher.
func TestNoDescriptors(t *testing.T) {
	dir := tempDir(t)
	start(t, dir, singles)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	w.expect("One 0")
	for path, f := range w.dirs[0].files {
		open := f.open
		f.open = func(string) (*os.File, identity, error) {
			return nil, identity{}, &fs.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
		}
		if w.Refresh() == nil || w.dirs[0].files[path] != f {
			t.Fatal("the file was given up")
		}
		f.open = open
	}
	w.expect("One 0")
}

// A file system that never answers holds up neither a caller with a context nor Close.
func TestHangingFile(t *testing.T) {
	dir := tempDir(t)
	start(t, dir, singles)
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	open, answer, hangs := w.open, make(chan struct{}), make(chan struct{})
	w.open = func(path string) (*os.File, identity, error) {
		close(hangs)
		<-answer
		return open(path)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-hangs
		cancel()
	}()
	if _, err := w.view.Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := w.view.Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of one that comes later", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}

	close(answer)
	if p, err := w.view.Refresh(t.Context()); p != nil || err != nil {
		t.Errorf("a reader that is closed finds %v, %v", p, err)
	}
}
