package linuxhost

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/provider"
)

// rig is a host over files in memory, asked through a dispatcher.
type rig struct {
	t        testing.TB
	root     *MapRoot
	times    Times
	d        *provider.Dispatcher
	problems []provider.Problem
	// lacking tells that not all can be read: the provider reports that, and
	// reports has it.
	lacking bool
	reports []error
}

// second is a second of Times.
const second = 1_000_000_000

// testTimes are 1000 s after the start of the machine in testdata/small.txtar.
var testTimes = Times{Boot: 1000 * second, Monotonic: 1000 * second, Real: 1_700_001_000 * second}

// fixture returns the files of an archive in testdata.
func fixture(t testing.TB, name string) *MapRoot {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	m := NewMapRoot(nil)
	for _, f := range txtar.Parse(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))).Files {
		m.Set(f.Name, string(f.Data))
	}
	return m
}

// onlyRoot returns what makes a session's root, for one session: it is always the
// same.
func onlyRoot(root Root) func() Root { return func() Root { return root } }

// newRig returns a host over root. change, if not nil, may change the system.
func newRig(t testing.TB, root *MapRoot, change func(*System)) *rig {
	t.Helper()
	r := &rig{t: t, root: root, times: testTimes}
	sys := System{Root: root.Root, Now: func() Times { return r.times }}
	if change != nil {
		change(&sys)
	}
	d, err := provider.NewDispatcher(provider.Options{
		Machine: "HOST",
		// A machine that is busy is no failure: no test looks at the time.
		OpenTimeout: time.Hour, CollectTimeout: time.Hour,
		Clocks: func() counter.Clocks { return r.times.Clocks() },
		OnProblem: func(p provider.Problem) {
			if r.lacking && p.Failures == 0 {
				r.reports = append(r.reports, p.Err)
				return
			}
			r.problems = append(r.problems, p)
		},
	}, NewHost(sys))
	if err != nil {
		t.Fatal(err)
	}
	r.d = d
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if n := root.Handles(); n != 0 {
			t.Errorf("%d files and directories are still open after close", n)
		}
	})
	return r
}

// pass lets time go by.
func (r *rig) pass(ns int64) {
	r.times.Boot += ns
	r.times.Monotonic += ns
	r.times.Real += ns
}

// ask takes a sample of a query such as "2 238".
func (r *rig) ask(query string) sampleBlock {
	r.t.Helper()
	return r.askFor(provider.ParseQuery(query))
}

func (r *rig) askFor(q *provider.Query) sampleBlock {
	r.t.Helper()
	p, err := r.d.Collect(r.t.Context(), q, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(r.problems) > 0 {
		r.t.Fatalf("problem: %+v", r.problems[0])
	}
	return readBlock(r.t, p)
}

// object takes a sample of one object.
func (r *rig) object(index uint32) *sampleObject {
	r.t.Helper()
	o := r.askFor(&provider.Query{Objects: []uint32{index}})[index]
	if o == nil {
		r.t.Fatalf("object %d is not in the sample", index)
	}
	return o
}

// raws are raw values of one instance by title index.
type raws map[uint32]int64

// missing stands for a value that is not there, for whatever reason.
const missing = -1

// denied stands for a value that is not there because the reader has no right to it.
const denied = -2

// check compares raw values of one instance with what is wanted.
func (o *sampleObject) check(t testing.TB, instance string, want raws) {
	t.Helper()
	for title, n := range want {
		raw, ok := o.value(instance, title)
		absent := n == missing || n == denied && raw == index.AccessDenied
		if ok == absent || ok && raw != uint64(n) {
			t.Errorf("%q, counter %d: %d (there: %v), want %d", instance, title, raw, ok, n)
		}
	}
}
