package linuxhost

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/provider"
)

var testUnits = func() *units { u := newUnits(100, 4096); return &u }()

// tableOf returns the table of a file.
func tableOf(object, file string) *fileTable { return specOf(object).files.find(file) }

// FuzzPidStat checks that a name is what is between the first opening and
// the last closing bracket, that the instance's name can be in a path, and
// that figures come only from numbers in the text.
func FuzzPidStat(f *testing.F) {
	for _, comm := range []string{"a", "(sd-pam)", "a) b (c", "\xff\n\x00", "", ") 1 (", "#*\\/\u0085"} {
		f.Add([]byte(pidStat(4, comm, 5, 6)))
	}
	f.Add([]byte("1 (x) S 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v values
		comm, behind, ok := tableOf("Process", "stat").readStat(&v, text, testUnits)
		tail := text[bytes.LastIndexByte(text, ')')+1:]
		if n := len(fieldsOf(tail)); v.have != 0 && n == 0 || ok && n < 22-statFirst+1 {
			t.Fatalf("%d fields give %b", n, v.have)
		}
		if !ok {
			return
		}
		before, rest, _ := bytes.Cut(text, []byte{'('})
		if !bytes.HasPrefix(rest, comm) || rest[len(comm)] != ')' ||
			bytes.Contains(rest[len(comm)+1:], []byte{')'}) {
			t.Fatalf("name %q of %q behind %q", comm, text, before)
		}
		if started, _ := decimal(fieldsOf(behind)[22-statFirst]); v.sum(procStarted) != started {
			t.Fatalf("start %d and %d", started, v.sum(procStarted))
		}
		checkName(t, comm)
	})
}

// fieldsOf splits at blanks, tabs and newlines only.
func fieldsOf(text []byte) [][]byte {
	return bytes.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
}

// checkName checks that the name made of raw can be in a path.
func checkName(t *testing.T, raw []byte) {
	t.Helper()
	name := instanceName(raw)
	if name == "" || !utf8.ValidString(name) || strings.ContainsAny(name, `()/\#*`) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		t.Fatalf("%q gives the name %q", raw, name)
	}
	if instanceName([]byte(name)) != name {
		t.Fatalf("the name %q is changed once more to %q", name, instanceName([]byte(name)))
	}
	if n := utf8.RuneCount(raw); n > 0 && utf8.RuneCountInString(name) != n {
		t.Fatalf("%d characters in %q, %q has others", n, raw, name)
	}
}

// FuzzKeys checks on files of keys that every figure is the number
// that follows, as a whole word, one of the lines' names.
func FuzzKeys(f *testing.F) {
	root := fixture(f, "small.txtar")
	for _, name := range []string{"proc/meminfo", "proc/vmstat", "proc/1/status", "proc/1/io"} {
		f.Add([]byte(root.entries[name].text))
	}
	f.Add([]byte("Cached: 1\nCached:\t2\nCached: \nCached"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v values
		table := tableOf("Memory", "proc/meminfo")
		table.read(&v, text, testUnits)
		want := map[string]uint64{}
		for line := range bytes.Lines(text) {
			words := fieldsOf(line)
			if len(words) < 2 || !bytes.HasSuffix(line, []byte{'\n'}) {
				continue
			}
			if n, ok := decimal(words[1]); ok {
				if n, ok := scaled(n, kib, 1); ok {
					want[string(bytes.TrimSuffix(words[0], []byte{':'}))] = n
				}
			}
		}
		for _, k := range table.keys {
			if k.unit != unitKB {
				continue
			}
			n, there := want[k.name]
			if v.has(k.fields) != there || there && v.sum(k.fields) != n {
				t.Fatalf("%s is %d (there: %v), want %d (there: %v)", k.name, v.sum(k.fields),
					v.has(k.fields), n, there)
			}
		}
	})
}

// FuzzStat samples a host whose /proc/stat changes from one text to another:
// what is given of a processor's idle time never falls by a little, the totals
// never fall, and each processor is there once.
func FuzzStat(f *testing.F) {
	f.Add([]byte(statText([3]int{0, 1, 100})), []byte(statText([3]int{0, 2, 99}, [3]int{1, 5, 5})))
	f.Add([]byte("cpu0\n"), []byte("cpu0 1 2 3 4 5\ncpu0 1 2 3 4 5\ncpu65536 1 1 1 1 1\ncpu\n"))
	h := NewHost(System{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		root := NewMapRoot(map[string]string{"proc/stat": string(first)})
		s := newSession(System{Root: root.Root, Now: func() Times { return testTimes }})
		r := newProcessorSource(specOf("Processor")).(*processorSource)
		o := &object{source: r, spec: specOf("Processor")}
		if err := o.open(s); err != nil {
			t.Fatal(err)
		}
		var before values
		for _, text := range [][]byte{first, second, first} {
			root.Set("proc/stat", string(text))
			given := map[uint64]uint64{}
			for _, p := range s.kernel.online {
				given[p.number] = p.idleReported
			}
			idle := s.kernel.idle
			s.begin()
			if !o.choose(&provider.Query{Global: true}) {
				continue
			}
			write(t, h, func(w *provider.Writer) error { return o.collect(t.Context(), s, o, w) })
			for _, p := range s.kernel.online {
				if was, ok := given[p.number]; ok && p.idleReported < was &&
					was-p.idleReported <= uint64(maxDecrease*tick) {
					t.Fatalf("idle time of processor %d fell from %d to %d", p.number, was, p.idleReported)
				}
				if p.seen != s.kernel.reads || p.number >= maxProcessors {
					t.Fatalf("processor %d was not read", p.number)
				}
			}
			if len(s.kernel.online) > bytes.Count(text, []byte("cpu")) {
				t.Fatalf("%d processors in %q", len(s.kernel.online), text)
			}
			checkRise(t, &before, &r.totals, idle, s.kernel.idle)
		}
	})
}

// writing is the host with a function in place of its own collecting.
type writing struct {
	*Host
	write func(w *provider.Writer) error
}

func (p writing) Open(context.Context) (provider.Session, error) { return p, nil }

func (p writing) Collect(_ context.Context, _ *provider.Query, w *provider.Writer) error {
	return p.write(w)
}

func (p writing) Close() error { return nil }

// write calls f with a writer of the host's objects.
func write(t *testing.T, h *Host, f func(w *provider.Writer) error) {
	t.Helper()
	problem := func(p provider.Problem) { t.Errorf("problem: %+v", p) }
	d, err := provider.NewDispatcher(provider.Options{OnProblem: problem}, writing{h, f})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Collect(t.Context(), &provider.Query{Global: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkRise checks that no total fell, but for wraps at 64 bits, which only
// times of thousands of years bring about.
func checkRise(t *testing.T, before *values, tot *totals, idleBefore, idle uint64) {
	t.Helper()
	const wraps = 1 << 62
	for i, n := range tot.total {
		if was := before.n[i]; n < was && was < wraps {
			t.Fatalf("total %d fell from %d to %d", i, was, n)
		}
		before.n[i] = n
	}
	if idle < idleBefore && idleBefore < wraps {
		t.Fatalf("idle time of all fell from %d to %d", idleBefore, idle)
	}
}

// FuzzColumns checks that each sum is that of whole rows.
func FuzzColumns(f *testing.F) {
	root := fixture(f, "small.txtar")
	f.Add([]byte(root.entries["proc/interrupts"].text))
	f.Add([]byte(root.entries["proc/softirqs"].text))
	f.Add([]byte("CPU0 CPU0 CPUx CPU1\nA: 1 2 3\nB: 1 x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c columns
		c.parse(text)
		if len(c.numbers) != len(c.sums) || len(c.numbers) > len(text)/4 {
			t.Fatalf("%d numbers, %d sums in %d bytes", len(c.numbers), len(c.sums), len(text))
		}
		twice := columns{}
		_, rows, _ := cutLine(text)
		if !bytes.HasSuffix(text, []byte{'\n'}) {
			rows = rows[:bytes.LastIndexByte(rows, '\n')+1]
		}
		twice.parse(append(bytes.Clone(text[:len(text)-len(rows)]), append(bytes.Clone(rows), rows...)...))
		for i := range c.sums {
			if len(rows) > 0 && bytes.HasSuffix(text, []byte{'\n'}) && twice.sums[i] != 2*c.sums[i] {
				t.Fatalf("column %d: %d, and %d with every row twice", i, c.sums[i], twice.sums[i])
			}
		}
	})
}
