package publish

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
)

// TestWindows reads two objects whose instances are interleaved, with
// parents, by windows and as a copy.
func TestWindows(t *testing.T) {
	dir := tempDir(t)
	p := start(t, dir, schemaText)
	for i := range 500 {
		name := strings.Repeat("x", i%40) + fmt.Sprint(i)
		child := add(t, p, "Job", name, add(t, p, "Peer", name, nil))
		must(t, child.Counter, "Done").Set(uint64(i))
	}

	var texts []string
	for _, window := range []int{0, smallWindow, 1000} {
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.window = window
		texts = append(texts, w.all())
		for _, f := range w.dirs[0].files {
			if f.copied != (window == 0) {
				t.Errorf("window %d: the file was copied: %v", window, f.copied)
			}
		}
		w.expectProblems()
	}
	if texts[1] != texts[0] || texts[2] != texts[0] || strings.Count(texts[0], "Job(") != 500 {
		t.Errorf("a copy gives\n%swindows give\n%sand\n%s", texts[0], texts[1], texts[2])
	}
}

// TestManyPasses: where reading by windows would read the file again and again there is a copy.
func TestManyPasses(t *testing.T) {
	const objects = maxPasses + 2
	var list []string
	for k := range objects {
		list = append(list, fmt.Sprintf(`{"symbol":"O%d","name":"O%d","multi":true,"counters":[
			{"symbol":"C%d","name":"N","type":"PERF_COUNTER_RAWCOUNT"}]}`, k, k, k))
	}
	for _, between := range []bool{true, false} {
		dir := tempDir(t)
		p := start(t, dir, `{"driver":"D","objects":[`+strings.Join(list, ",")+`]}`)
		for i := range 20 * objects {
			object := i / 20
			if between {
				object = i % objects
			}
			add(t, p, fmt.Sprint("O", object), fmt.Sprint(i), nil)
		}

		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.window = smallWindow
		if all := w.all(); strings.Count(all, "\n") != 20*objects {
			t.Errorf("published are\n%s", all)
		}
		for _, f := range w.dirs[0].files {
			if f.copied != between {
				t.Errorf("instances stand between each other: %v, the file was copied: %v", between, f.copied)
			}
		}
	}
}

// changes are what becomes of a file with the peers a, b and c while it is read; at is
// where the slot of b begins. What only b may lose is named.
var changes = map[string]struct {
	change func(b []byte, at int) []byte
	others bool // a and c are there all the same
	wrong  bool // it may be told
}{
	"b goes": {func(b []byte, at int) []byte {
		bump(b, at+pubfile.SlotSequence, 1)
		bump(b, pubfile.HeaderGeneration, 2)
		return b
	}, true, false},
	"b is about to go": {func(b []byte, at int) []byte {
		bump(b, pubfile.HeaderGeneration, 1)
		return b
	}, true, false},
	"b takes the place of c": {func(b []byte, at int) []byte {
		size := int(binary.LittleEndian.Uint32(b[at+pubfile.SlotSize:]))
		copy(b[at+size+pubfile.SlotBody:][:size-pubfile.SlotBody], b[at+pubfile.SlotBody:])
		bump(b, at+size+pubfile.SlotSequence, 2)
		bump(b, at+pubfile.SlotSequence, 1)
		bump(b, pubfile.HeaderGeneration, 4)
		return b
	}, false, false},
	"b goes, untold": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotSequence, 1) },
		true, false},
	"another object": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotObject, 1) },
		true, true},
	"no object": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotObject, 1<<20) },
		true, true},
	"another length": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotLength, 8) },
		true, true},
	"a shorter name": {func(b []byte, at int) []byte {
		return bump(b, at+pubfile.SlotBody+20,
			^uint32(1))
	}, true, true},
	"a name that is long": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotBody+20, 1000) },
		true, true},
	"another size": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotSize, 16) },
		false, true},
	"no size": {func(b []byte, at int) []byte { return bump(b, at+pubfile.SlotSize, 1<<31) },
		false, true},
	"cut within b":   {func(b []byte, at int) []byte { return b[:at+20] }, false, true},
	"cut to nothing": {func(b []byte, _ int) []byte { return b[:0] }, false, true},
}

// bump adds to a number of the file.
func bump(b []byte, at int, n uint32) []byte {
	le := binary.LittleEndian
	le.PutUint32(b[at:], le.Uint32(b[at:])+n)
	return b
}

// TestChangedBetweenWindows changes a file after each of its reads, once, by an honest
// publisher and by hostile ones: the sample is as of one moment, and what is wrong
// costs the file and nobody else. A copy is made only where positions are told.
func TestChangedBetweenWindows(t *testing.T) {
	other, err := fake(content(t, start(t, tempDir(t), singles)))
	if err != nil {
		t.Fatal(err)
	}
	for _, fixed := range []bool{false, true} {
		p := start(t, tempDir(t), schemaText)
		for _, name := range []string{"a", "b", "c"} {
			peer := add(t, p, "Peer", name, nil)
			if fixed && name == "a" {
				add(t, p, "Job", "of a", peer)
			}
		}
		whole := content(t, p)[:p.memory.used]

		at := slotOf(whole, "b")
		for name, c := range changes {
			reads := 0
			for k := 1; k <= reads || k == 1; k++ {
				f, err := fake(bytes.Clone(whole))
				if err != nil {
					t.Fatal(err)
				}
				file := &changing{content: bytes.Clone(whole)}
				file.change = func(n int, b []byte) {
					if n == k {
						file.content = c.change(b, at)
					}
				}
				f.file, f.window = file, smallWindow
				got, problems := sampleOf(t, f, other)
				reads = file.reads

				what := fmt.Sprintf("%s, after read %d:\n%s%q", name, k, got, problems)
				if !strings.Contains(got, "One 0\n") {
					t.Errorf("the other file is not there: %s", what)
				}
				if c.others && (!strings.Contains(got, "Peer(a) 0\n") ||
					!strings.Contains(got, "Peer(c) 0\n")) {
					t.Errorf("a and c are not there: %s", what)
				}
				if c.wrong {
					continue
				}
				if len(problems) > 0 || strings.Count(got, "Peer(b") > 1 || f.copied && !fixed {
					t.Errorf("nothing is wrong: %s, copied: %v", what, f.copied)
				}
				if fixed && !strings.Contains(got, "Job(a/of a) 0 0 0\n") {
					t.Errorf("what is below a is not there: %s", what)
				}
			}
			if reads < 10 {
				t.Errorf("%s: %d reads", name, reads)
			}
		}
	}
}

// slotOf returns where in a file the slot of an instance begins.
func slotOf(file []byte, name string) int {
	le := binary.LittleEndian
	utf16 := []byte(name + "\x00\x00\x00")
	for at := int(le.Uint32(file[pubfile.HeaderSlots:])); ; at += int(le.Uint32(file[at+pubfile.SlotSize:])) {
		if bytes.HasPrefix(file[at+pubfile.SlotBody+24:], utf16) { // behind PERF_INSTANCE_DEFINITION
			return at
		}
	}
}

// TestSizesThatChange: sizes that are others whenever slots are written would have very
// many bytes read.
func TestSizesThatChange(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	for i := range 500 {
		add(t, p, "Peer", fmt.Sprint(i), nil)
	}
	whole := content(t, p)[:p.memory.used]
	f, err := fake(bytes.Clone(whole))
	if err != nil {
		t.Fatal(err)
	}
	read, walked := 0, false
	begin, end := slotOf(whole, "0"), len(whole)
	large := bytes.Clone(whole)
	for at := begin; at < end; at += int(binary.LittleEndian.Uint32(whole[at+pubfile.SlotSize:])) {
		binary.LittleEndian.PutUint32(large[at+pubfile.SlotSize:],
			uint32(min(end-at, (end-begin)/2)&^(pubfile.SlotAlign-1)))
	}
	f.window = smallWindow
	f.file = &counting{whole, func(content []byte, at int64, n int) []byte {
		read += n
		if walked && n >= pubfile.SlotBody { // a window
			return large
		}
		walked = walked || n >= pubfile.SlotBody && int(at) > end-2*smallWindow
		return content
	}}
	sampleOf(t, f)
	if most := (2*(maxPasses+2) + 4) * len(whole); read > most || !walked {
		t.Errorf("%d bytes of a file of %d were read, want at most %d", read, len(whole), most)
	}
}

// TestTorn has another instance take a slot while its window is read, the first time or
// the second: what was read is not shown.
func TestTorn(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	for _, name := range []string{"a", "b", "c"} {
		add(t, p, "Peer", name, nil)
	}
	whole := content(t, p)[:p.memory.used]
	b := slotOf(whole, "b")
	for k := 1; k <= 2; k++ {
		f, err := fake(whole)
		if err != nil {
			t.Fatal(err)
		}
		reads := 0
		f.window = smallWindow
		f.file = &counting{bytes.Clone(whole), func(content []byte, at int64, n int) []byte {
			if n <= 8 || int(at) > b || b >= int(at)+n {
				return content
			}
			if reads++; reads != k {
				return content
			}
			content[b+pubfile.SlotBody+24] = 'z' // behind PERF_INSTANCE_DEFINITION
			torn := bytes.Clone(content)
			bump(content, b+pubfile.SlotSequence, 2)
			bump(content, pubfile.HeaderGeneration, 2)
			return torn
		}}
		got, problems := sampleOf(t, f)
		if got != "Transfer 0 0 0\nPeer(a) 0\nPeer(c) 0\n" || len(problems) > 0 || f.copied {
			t.Errorf("torn when read %d times: copied %v\n%s%q", k, f.copied, got, problems)
		}
	}
}

// TestFilled: what is in a slot when it is written is what was found in it.
func TestFilled(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	add(t, p, "Peer", "n", nil)
	whole := content(t, p)[:p.memory.used]
	at := slotOf(whole, "n")
	bumps := map[int]uint32{pubfile.SlotSequence: 2, pubfile.SlotObject: 1, pubfile.SlotLength: 16,
		pubfile.SlotBody + 20: ^uint32(3)}
	for what, n := range bumps {
		b := bytes.Clone(whole)
		f, err := fake(b)
		if err != nil {
			t.Fatal(err)
		}
		f.window = smallWindow
		if _, err := f.sample(defaultBudget, false); err != nil || f.copied {
			t.Fatal(f.copied, err)
		}
		in := f.of(1)[0]
		if _, ok, err := f.filled(in); !ok || err != nil {
			t.Error(ok, err)
		}
		bump(b, at+what, n)
		f.freeBuf()
		if _, ok, err := f.filled(in); ok || err != nil {
			t.Errorf("with other bytes at %d of the slot: %v, %v", what, ok, err)
		}
	}
}

// counting is a file whose content depends on what is read.
type counting struct {
	content []byte
	now     func(content []byte, at int64, n int) []byte
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(c.now(c.content, at, len(p))).ReadAt(p, at)
}

// sampleOf is a sample of files, and what is told of them.
func sampleOf(t *testing.T, files ...*foreign) (shown string, problems []string) {
	t.Helper()
	w := watch(t, ReaderOptions{Dirs: []string{}})
	m := w.newMerger()
	if err := m.merge(t.Context(), files, w.view.includes); err != nil {
		t.Fatal(err)
	}
	w.view.replace(m)
	f, names := w.block(w.view.last.Load(), "Global")
	return text(f, names), w.problems
}

// TestRestless: a file in which positions are told and that changed while it was read
// is copied, until it is still.
func TestRestless(t *testing.T) {
	p := start(t, tempDir(t), schemaText)
	add(t, p, "Job", "job", add(t, p, "Peer", "peer", nil))
	add(t, p, "Peer", "x", nil)
	whole := content(t, p)[:p.memory.used]
	f, err := fake(whole)
	if err != nil {
		t.Fatal(err)
	}
	still := f.file
	x := slotOf(whole, "x")
	due, tears := 0, false
	change := func(content []byte, at int64, n int) []byte {
		switch all := n > 2*smallWindow && n != pubfile.HeaderSize; {
		case all && tears:
			bump(content, pubfile.HeaderGeneration, 2)
		case n > 8 && int(at) <= x && x < int(at)+n:
			due = 2
		case due > 0:
			if due--; due == 0 { // between two windows
				bump(content, x+pubfile.SlotSequence, 2)
				bump(content, pubfile.HeaderGeneration, 2)
			}
		}
		return content
	}
	f.window = smallWindow
	for n, step := range []struct{ changes, tears, copied, restless bool }{
		{false, false, false, false},
		{true, false, true, true}, // by windows first
		{true, true, true, true},
		{false, false, true, false},
		{false, false, false, false},
	} {
		if f.file = still; step.changes {
			f.file, tears = &counting{bytes.Clone(whole), change}, step.tears
		}
		got, problems := sampleOf(t, f)
		all := true
		for _, line := range []string{"Peer(peer) 0\n", "Peer(x) 0\n", "Job(peer/job) 0 0 0\n"} {
			all = all && strings.Contains(got, line)
		}
		if f.copied != step.copied || f.restless != step.restless || !all || len(problems) > 0 {
			t.Errorf("sample %d was copied: %v, restless: %v\n%s%q", n, f.copied, f.restless, got, problems)
		}
	}
}
