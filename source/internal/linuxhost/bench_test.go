package linuxhost

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// crowd returns the small machine with n further processes, all alike.
func crowd(t testing.TB, n int) *MapRoot {
	root := fixture(t, "small.txtar")
	texts := map[string]string{}
	for _, f := range []string{"stat", "statm", "status", "io", "schedstat", "fd"} {
		texts[f] = root.entries["proc/1/"+f].text
	}
	for i := range n {
		dir := fmt.Sprintf("proc/%d/", 10_000+i)
		for name, text := range texts {
			root.Set(dir+name, text)
		}
		root.Set(dir+"stat", fmt.Sprintf("%d (worker %d%s", 10_000+i, i, texts["stat"][len("1 (systemd"):]))
	}
	return root
}

// warm returns a function that collects from a provider into one buffer, after
// the buffers have grown.
func warm(t testing.TB, p provider.Provider, q *provider.Query) func() {
	t.Helper()
	problem := func(p provider.Problem) { t.Errorf("problem: %+v", p) }
	d, err := provider.NewDispatcher(provider.Options{Clocks: func() (c counter.Clocks) { return c },
		OnProblem: problem}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	var block []byte
	collect := func() {
		if block, err = d.Collect(context.Background(), q, block[:0]); err != nil {
			t.Error(err)
		}
	}
	collect()
	collect()
	return collect
}

// silent is the same provider, but it writes nothing: what the dispatcher
// itself allocates.
type silent struct{ *Host }

func (silent) Open(context.Context) (provider.Session, error) { return silent{}, nil }

func (silent) Collect(context.Context, *provider.Query, *provider.Writer) error { return nil }

func (silent) Close() error { return nil }

func TestAllocations(t *testing.T) {
	root := crowd(t, 200)
	root.Fail("proc/10007/io", fs.ErrPermission)
	sys := System{Root: root.Root, Now: func() Times { return testTimes }, MaxOpen: 100_000}
	for _, query := range []string{"2", "4", "238", "230", "Global"} {
		q := provider.ParseQuery(query)
		got := testing.AllocsPerRun(20, warm(t, NewHost(sys), q))
		dispatcher := testing.AllocsPerRun(20, warm(t, silent{NewHost(sys)}, q))
		if got != dispatcher {
			t.Errorf("query %s: %g allocations for a sample, of which %g are the dispatcher's", query,
				got, dispatcher)
		}
	}
}

func BenchmarkProcess1000(b *testing.B) {
	root := crowd(b, 1000)
	b.Run("winperf", func(b *testing.B) {
		h := NewHost(System{Root: root.Root, Now: func() Times { return testTimes }, MaxOpen: 100_000})
		collect := warm(b, h, provider.ParseQuery("230"))
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		proc, err := root.Open(0, "proc")
		if err != nil {
			b.Fatal(err)
		}
		pids, err := root.Processes(proc, nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			for _, pid := range pids {
				dir := fmt.Sprintf("proc/%d/", pid)
				for _, name := range []string{"stat", "statm", "status", "io", "schedstat", "fd"} {
					referenceParse(root.entries[dir+name].text)
				}
			}
		}
	})
}

// referenceParse reads a text as most programs do: all words, then numbers.
func referenceParse(text string) (n uint64, figures int) {
	for _, word := range strings.Fields(text) {
		if v, err := strconv.ParseUint(word, 10, 64); err == nil {
			n += v
			figures++
		}
	}
	return n, figures
}
