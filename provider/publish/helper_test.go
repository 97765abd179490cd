package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/time/rate"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// The objects of the sample in Microsoft Learn, "Implementing
// CollectPerformanceData", and Job, whose instances have parents in Peer and
// values of 8 bytes.
const schemaText = `{"driver": "My App", "objects": [
	{"symbol": "TRANSFER", "name": "Transfer", "help": "About transfers.", "counters": [
		{"symbol": "SENT", "name": "Bytes Sent", "type": "PERF_COUNTER_RAWCOUNT", "detail": 200},
		{"symbol": "FREE", "name": "Available Bandwidth", "type": "PERF_RAW_FRACTION", "detail": 200}]},
	{"symbol": "PEER", "name": "Peer", "multi": true, "counters": [
		{"symbol": "SERVED", "name": "Bytes Served", "help": "Bytes to the peer.", "type": "PERF_COUNTER_RAWCOUNT", "detail": 200}]},
	{"symbol": "JOB", "name": "Job", "multi": true, "counters": [
		{"symbol": "DONE", "name": "Done", "type": "PERF_COUNTER_LARGE_RAWCOUNT"},
		{"symbol": "TIME", "name": "Time", "type": "PERF_AVERAGE_TIMER"}]}]}`

func schema(t testing.TB, text string) *registration.Declaration {
	t.Helper()
	s, err := registration.ParseDeclaration("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tempDir is a directory for published files, which only its owner may write to,
// whatever the umask says. Windows cannot remove files that
// are mapped, and they are as long as somebody has their counters; there it
// may outlast the test.
func tempDir(t testing.TB) string {
	if runtime.GOOS != "windows" {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dir, err := os.MkdirTemp("", "published")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		runtime.GC()
		_ = os.RemoveAll(dir)
	})
	return dir
}

// start publishes until the test ends.
func start(t testing.TB, dir, text string) *Publisher {
	t.Helper()
	p, err := New(schema(t, text), Options{Dir: dir})
	if errors.Is(err, winperf.ErrNotSupported) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	made.Store(p.Path(), turns.Add(1))
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// made are the files that start made, in which turn: clocks of file systems are
// too coarse to tell.
var (
	made  sync.Map
	turns atomic.Int64
)

// openMade opens a file and puts those that start made in their order.
func openMade(path string) (*os.File, identity, error) {
	f, id, err := openIdentified(path)
	if turn, ok := made.Load(path); ok {
		id.born = turn.(int64)
	}
	return f, id, err
}

// add adds an instance, with the parent unless it is nil.
func add(t testing.TB, p *Publisher, object, name string, parent *Instance) *Instance {
	t.Helper()
	in, err := must(t, p.Object, object).Instance(name, InstanceOptions{Parent: parent})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// must is a look-up by name that must succeed.
func must[T any](t testing.TB, f func(string) (T, error), name string) T {
	t.Helper()
	v, err := f(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// watcher reads what is published.
type watcher struct {
	*Reader
	view     *View
	t        testing.TB
	problems []string
	pool     frame.Pool
}

func watch(t testing.TB, opt ReaderOptions) *watcher {
	w := &watcher{t: t}
	opt.OnProblem = func(err error) { w.problems = append(w.problems, err.Error()) }
	w.Reader = NewReader(opt)
	w.times = rate.Sometimes{Every: 1} // tests look at all problems
	w.open = openMade
	w.trust.path = filepath.Join(t.TempDir(), "publishers")
	w.view = w.View(nil)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// Refresh is that of a view of all.
func (w *watcher) Refresh() provider.Provider {
	w.t.Helper()
	p, err := w.view.Refresh(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// block samples a query and decodes it; names are those of the dispatcher.
func (w *watcher) block(p provider.Provider, query string) (frame.Frame, *nametable.Names) {
	w.t.Helper()
	clocks := func() counter.Clocks { return counter.Clocks{PerfFreq: 1} }
	fail := func(p provider.Problem) { w.t.Errorf("%s: %v\n%s", p.Stage, p.Err, p.Stack) }
	d, err := provider.NewDispatcher(provider.Options{Clocks: clocks, OnProblem: fail}, p)
	if err != nil {
		w.t.Fatal(err)
	}
	defer d.Close()
	var raw winperf.Raw
	raw.Format, raw.Schema = winperf.FormatV1, &winperf.Schema{Names: d.Names()}
	if raw.Bytes, err = d.Collect(context.Background(), provider.ParseQuery(query), nil); err != nil {
		w.t.Fatal(err)
	}
	f, err := w.pool.Decode(raw.Sample(), frame.Frame{})
	if err != nil {
		w.t.Fatal(err)
	}
	if damage := f.Damage(); len(damage) > 0 {
		w.t.Errorf("damage: %v", damage)
	}
	names, damage := nametable.FromSchema(raw.Schema)
	if len(damage) > 0 {
		w.t.Errorf("names: %v", damage)
	}
	return f, names
}

// all is what is published now, a line for each instance with all values.
func (w *watcher) all() string {
	w.t.Helper()
	p := w.Refresh()
	if p == nil {
		return ""
	}
	f, names := w.block(p, "Global")
	return text(f, names)
}

func text(f frame.Frame, names *nametable.Names) string {
	var b strings.Builder
	for o := range f.Objects() {
		for i := range o.Len() {
			fmt.Fprintf(&b, "%s", names.Title(o.ID().Index))
			if !o.Single() {
				fmt.Fprintf(&b, "(%s)", o.Labels().Full(i))
			}
			for k := range o.NumCounters() {
				v, _ := o.Raw(i, k)
				fmt.Fprintf(&b, " %d", v)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// expect compares what is published now.
func (w *watcher) expect(want ...string) {
	w.t.Helper()
	all := ""
	if len(want) > 0 {
		all = strings.Join(want, "\n") + "\n"
	}
	if got := w.all(); got != all {
		w.t.Errorf("published are\n%swant\n%s", got, all)
	}
}

// expectProblems wants one problem for each of the parts of text, in any order.
func (w *watcher) expectProblems(parts ...string) {
	w.t.Helper()
	if len(w.problems) != len(parts) {
		w.t.Errorf("%d problems, want %d: %q", len(w.problems), len(parts), w.problems)
		return
	}
	for _, part := range parts {
		if !slices.ContainsFunc(w.problems, func(s string) bool { return strings.Contains(s, part) }) {
			w.t.Errorf("problems %q, none with %q", w.problems, part)
		}
	}
}

// inWindows runs a test with files that are copied, as small ones are, and with such
// that are read by small windows, as large ones are by large ones.
func inWindows(t *testing.T, test func(t *testing.T, window int)) {
	t.Run("copied", func(t *testing.T) { test(t, 0) })
	t.Run("by windows", func(t *testing.T) { test(t, smallWindow) })
}

// smallWindow is less than most slots.
const smallWindow = 64

// files returns the names of what is in a directory.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// content is a copy of a publisher's file.
func content(t testing.TB, p *Publisher) []byte {
	t.Helper()
	b, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fake reads a file's content as that of a foreign file.
func fake(b []byte) (*foreign, error) {
	f := &foreign{path: filepath.Join("dir", "fake"+pubfile.Suffix), dir: &watched{}, file: bytes.NewReader(b)}
	_, err := f.readStatic(defaultBudget)
	return f, err
}
