package linuxhost

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// wholeLines returns the lines of a text that end.
func wholeLines(text []byte) (lines []string) {
	for line := range strings.Lines(string(text)) {
		if whole, ok := strings.CutSuffix(line, "\n"); ok {
			lines = append(lines, whole)
		}
	}
	return lines
}

// splitWords splits a line at blanks and tabs.
func splitWords(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
}

// parseNumber is decimal by other means.
func parseNumber(word string) (uint64, bool) {
	n, err := strconv.ParseUint(word, 10, 64)
	return n, err == nil && word[0] != '+'
}

// FuzzDiskstats reads two texts one after the other and compares the table with
// a simple reading of the second: each device once, with its columns.
func FuzzDiskstats(f *testing.F) {
	text := fixture(f, "disks.txtar").entries["proc/diskstats"].text
	f.Add([]byte(text), []byte(strings.ReplaceAll(text, "sda", "sdz")))
	f.Add([]byte("8 0 a 1 2 3\n8 0 b 4\n4096 0 c 1\n 8 x d 1\n8 1"),
		[]byte("8 0 a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n8 4294967296 x\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		root := NewMapRoot(map[string]string{"proc/diskstats": string(first)})
		s := newSession(System{Root: root.Root, Now: func() Times { return testTimes }})
		for _, text := range [][]byte{first, second} {
			root.Set("proc/diskstats", string(text))
			s.begin()
			if err := s.disks.read(s); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[string]bool{}
		disks := s.disks.disks
		for _, line := range wholeLines(second) {
			w := splitWords(line)
			if len(w) < 3 {
				continue
			}
			major, okMajor := parseNumber(w[0])
			minor, okMinor := parseNumber(w[1])
			id := w[0] + ":" + w[1]
			if okMajor && okMinor {
				id = strconv.FormatUint(major, 10) + ":" + strconv.FormatUint(minor, 10)
			}
			if !okMajor || !okMinor || major > 0xfff || minor > 0xfffff || seen[id] {
				continue
			}
			seen[id] = true
			if len(disks) == 0 {
				t.Fatalf("line %q is not in the table", line)
			}
			d := disks[0]
			disks = disks[1:]
			if d.kernelName != w[2] || d.id.directory() != "sys/dev/block/"+id+"/" ||
				s.disks.device(d.id) != d {
				t.Fatalf("line %q gives device %s %q", line, d.id.directory(), d.kernelName)
			}
			checkColumns(t, d, w[3:])
			checkName(t, []byte(d.kernelName))
		}
		if len(disks) != 0 || len(s.disks.known) != len(s.disks.disks) {
			t.Fatalf("%d devices too many, %d known", len(disks), len(s.disks.known))
		}
	})
}

func checkColumns(t *testing.T, d *disk, w []string) {
	t.Helper()
	n := 0
	for n < len(w) && n < diskColumns {
		v, ok := parseNumber(w[n])
		if !ok {
			break
		}
		if d.columns[n] != v {
			t.Fatalf("column %d is %d, want %s", n+1, d.columns[n], w[n])
		}
		n++
	}
	if d.n != n {
		t.Fatalf("%d columns of %q", d.n, w)
	}
}

// escape writes a name as the kernel does in mountinfo.
func escape(name string) string {
	return strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`).Replace(name)
}

// FuzzMountinfo compares what is shown with what follows from the rules, row by
// row: types, places that can be reached, one mount of each file system.
func FuzzMountinfo(f *testing.F) {
	root := fixture(f, "disks.txtar")
	f.Add([]byte(root.entries["proc/self/mountinfo"].text), "\text4\n\tbtrfs\n")
	f.Add([]byte("1 2 8:1 / /a rw - ext4 s rw\n2 1 8:2 / /b rw - ext4 s rw\n1 1 8:1 /x / - ext4 s\n"),
		"\text4\n")
	f.Add([]byte("1 0 8:1 / / rw - ext4 s rw\n2 1 8:2 / /a/b rw - ext4 s rw\n3 1 8:3 / /a rw - autofs "+
		"s rw\n4 3 8:3 / /a/b rw - ext4 s\n"), "\text4\n\tautofs\n")
	f.Fuzz(func(t *testing.T, text []byte, filesystems string) {
		rows := parseMounts(text, "")
		kinds := deviceKinds([]byte(filesystems))
		chosen := chooseMounts(rows, kinds)
		devices := map[deviceID]bool{}
		for _, c := range chosen {
			if devices[c.device] {
				t.Fatalf("device %d twice", c.device)
			}
			devices[c.device] = true
			if !mayBeShown(c, kinds) {
				t.Fatalf("a file system of the type %q at %q", c.kind, c.point)
			}
			if unescape([]byte(escape(c.point))) != c.point {
				t.Fatalf("place %q does not survive its escapes", c.point)
			}
			name := fileName([]byte(c.point))
			if !strings.HasPrefix(name, "/") || strings.ContainsAny(name, `()\#*`) ||
				strings.ContainsFunc(name, unicode.IsControl) {
				t.Fatalf("place %q gives the name %q", c.point, name)
			}
		}
		for i, r := range rows {
			if !mayBeShown(r, kinds) || hiddenRow(rows, i) {
				if slices.Contains(chosen, r) && !slices.Contains(rows[i+1:], r) &&
					!slices.Contains(rows[:i], r) {
					t.Fatalf("row %d, %+v, is shown", i, r)
				}
				continue
			}
			k := slices.IndexFunc(chosen, func(c mountRow) bool { return c.device == r.device })
			if k < 0 || r.before(chosen[k]) {
				t.Fatalf("row %d, %+v, is not shown", i, r)
			}
		}
	})
}

func mayBeShown(r mountRow, kinds []string) bool {
	return (slices.Contains(kinds, r.kind) || slices.Contains(ownSpace, r.kind)) &&
		!slices.Contains(images, r.kind) &&
		(r.kind != "overlay" || r.point == "/")
}

// hiddenRow is visibility.hidden as a simple loop over all rows, for each of
// the mounts that the row is on.
func hiddenRow(rows []mountRow, i int) bool {
	for _, later := range rows[i+1:] {
		if later.point == rows[i].point {
			return true
		}
	}
	seen := map[int]bool{}
	for !seen[i] {
		seen[i] = true
		r, parent := rows[i], -1
		for k, other := range rows {
			if other.parent == r.parent && other.parent != other.id && other.point != r.point &&
				(other.point == "/" || strings.HasPrefix(r.point, other.point+"/")) {
				return true
			}
			if other.id == r.parent {
				parent = k
			}
		}
		if parent < 0 {
			return false
		}
		i = parent
	}
	return false
}

// FuzzNetDev compares the interfaces with a simple reading of the table.
func FuzzNetDev(f *testing.F) {
	f.Add([]byte(fixture(f, "network.txtar").entries["proc/net/dev"].text))
	f.Add([]byte("\n|bytes|packets bytes drop\n a:1 2 3\na: 4\n:5\n b: x\n c: 18446744073709551616 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newSession(System{Root: NewMapRoot(map[string]string{"proc/net/dev": string(text)}).Root,
			Now: func() Times { return testTimes }})
		r := newInterfaceSource(specOf("Network Interface")).(*interfaceSource)
		if err := r.read(s); err != nil {
			t.Fatal(err)
		}
		lines := wholeLines(text)
		links := r.links
		seen := map[string]bool{}
		for _, line := range lines[min(2, len(lines)):] {
			name, counts, ok := strings.Cut(strings.TrimLeft(line, " "), ":")
			if !ok || name == "" || seen[name] {
				continue
			}
			seen[name] = true
			if len(links) == 0 || links[0].kernelName != name {
				t.Fatalf("line %q is not in its place", line)
			}
			links[0].update(s, 0)
			want := map[fields]uint64{}
			for i, word := range splitWords(counts)[:min(len(splitWords(counts)), r.columns.n)] {
				n, ok := parseNumber(word)
				if !ok {
					break
				}
				if f := r.columns.byColumn[i]; f != 0 {
					want[f] = n
				}
			}
			for _, f := range r.columns.table.keys {
				n, there := want[f.fields]
				if got := links[0].values; got.has(f.fields) != there || there && got.sum(f.fields) != n {
					t.Fatalf("line %q: %s is %d (there: %v), want %d", line, f.name, got.sum(f.fields),
						got.has(f.fields), n)
				}
			}
			links = links[1:]
		}
		if len(links) != 0 {
			t.Fatalf("%d interfaces too many", len(links))
		}
	})
}

// FuzzGroups checks that every figure is the number that is below its name
// in the first two lines of the group.
func FuzzGroups(f *testing.F) {
	f.Add([]byte(fixture(f, "network.txtar").entries["proc/net/snmp"].text))
	f.Add([]byte("Udp: InDatagrams OutDatagrams\nTcp: 1 2\nUdp: InDatagrams\nUdp: 3\nUdp:"))
	f.Fuzz(func(t *testing.T, text []byte) {
		want := map[string]uint64{}
		lines := wholeLines(text)
		isGroup := func(line string) bool { w := splitWords(line); return len(w) > 0 && w[0] == "Udp:" }
		if i := slices.IndexFunc(lines, isGroup); i >= 0 && i+1 < len(lines) &&
			strings.HasPrefix(lines[i+1], "Udp:") {
			numbers := splitWords(strings.TrimPrefix(lines[i+1], "Udp:"))
			for k, name := range splitWords(lines[i])[1:] {
				if k < len(numbers) {
					if n, ok := parseNumber(numbers[k]); ok {
						want[name] = n
					}
				}
			}
		}
		var v values
		table := tableOf("UDPv4", "proc/net/snmp#Udp:")
		table.read(&v, text, testUnits)
		for _, k := range table.keys {
			n, there := want[k.name]
			if v.has(k.fields) != there || there && v.sum(k.fields) != n {
				t.Fatalf("%s is %d (there: %v), want %d (there: %v)", k.name, v.sum(k.fields),
					v.has(k.fields), n, there)
			}
		}
	})
}

// FuzzSwaps compares the paging files with a simple reading of the lines.
func FuzzSwaps(f *testing.F) {
	f.Add([]byte("Filename Type Size Used Priority\n/a\\040b file 10 2 -2\n/dev/sda2 partition 7 0 " +
		"-3\n/cut file 3\n"))
	f.Add([]byte("x Used Used Size\n a 1 2 3\n\n \nb c d e\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := newPagingSource(specOf("Paging File")).(*pagingSource)
		used, size := pagingUsed, pagingSize
		r.parse([]byte("Filename Size Used\n/before 1 1\n/before 2 2\n"), testUnits)
		r.parse(text, testUnits)
		files := r.files[:r.n]
		lines := append(wholeLines(text), "")
		head := splitWords(lines[0])
		for _, line := range lines[1:] {
			figures := map[string]uint64{}
			w := splitWords(line)
			for k := 1; k < min(len(w), len(head)); k++ {
				if n, ok := parseNumber(w[k]); ok {
					figures[head[k]] = n
				}
			}
			wantUsed, okUsed := figures["Used"]
			wantSize, okSize := figures["Size"]
			if !okUsed || !okSize {
				continue
			}
			if len(files) == 0 {
				t.Fatalf("line %q is not there", line)
			}
			file := files[0]
			files = files[1:]
			if file.name != fileName([]byte(unescape([]byte(w[0])))) || file.values.sum(used) != wantUsed ||
				file.values.sum(size) != wantSize {
				t.Fatalf("line %q gives %q, %d of %d", line, file.name, file.values.sum(used),
					file.values.sum(size))
			}
		}
		if len(files) != 0 {
			t.Fatalf("%d files too many", len(files))
		}
	})
}
