package linuxhost

import (
	"bytes"
	"slices"
	"strings"
)

// mountRow is a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type mountRow struct {
	id, parent uint64
	device     deviceID
	root       string // what of the file system is mounted
	point      string // where
	kind       string // type of file system
	source     string // what was mounted, as it was named
}

// parseMounts reads the rows. What is no row is passed over.
func parseMounts(text []byte) (rows []mountRow) {
	for line := range lines(text) {
		if row, ok := parseMount(line); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// parseMount reads "id parent major:minor root point options tag... - type
// source options".
func parseMount(line []byte) (row mountRow, ok bool) {
	var words [5][]byte
	for i := range words {
		words[i], line = cutWord(line)
	}

	_, tail, found := bytes.Cut(line, []byte(" - "))
	kind, tail := cutWord(tail)
	source, _ := cutWord(tail)
	id, okID := decimal(words[0])
	parent, okParent := decimal(words[1])
	major, minor, _ := bytes.Cut(words[2], []byte{':'})
	device, okDevice := parseDeviceID(major, minor)
	row = mountRow{
		id: id, parent: parent, device: device,
		root: unescape(words[3]), point: unescape(words[4]),
		kind: unescape(kind), source: unescape(source),
	}
	return row, found && okID && okParent && okDevice && strings.HasPrefix(row.point, "/")
}

// unescape replaces the kernel's escapes, "\" and three octal digits.
func unescape(word []byte) string {
	b := make([]byte, 0, len(word))
	for i := 0; i < len(word); i++ {
		if c, ok := octal(word[i:]); ok {
			b = append(b, c)
			i += 3
		} else {
			b = append(b, word[i])
		}
	}
	return string(b)
}

// octal reads an escape at the start of text.
func octal(text []byte) (byte, bool) {
	if len(text) < 4 || text[0] != '\\' {
		return 0, false
	}
	n := 0
	for _, c := range text[1:4] {
		if c < '0' || c > '7' {
			return 0, false
		}
		n = n*8 + int(c-'0')
	}
	return byte(n), n <= 0xff
}

// images are types of file systems that are made once, and full.
var images = []string{"squashfs", "erofs", "cramfs", "romfs", "iso9660"}

// ownSpace are types of file systems that have space without a block device of
// their own number. One of overlay is shown as the root alone: each container
// has one.
var ownSpace = []string{"btrfs", "zfs", "overlay"}

// deviceKinds returns the types of file systems that need a block device, of
// /proc/filesystems.
func deviceKinds(text []byte) (kinds []string) {
	for line := range lines(text) {
		if kind, isDevice := bytes.CutPrefix(line, []byte{'\t'}); isDevice {
			kinds = append(kinds, string(kind))
		}
	}
	return kinds
}

// chooseMounts returns the rows that are shown: of each file system on block
// devices, of the types given, one that can be seen.
func chooseMounts(rows []mountRow, kinds []string) (chosen []mountRow) {
	seen := newVisibility(rows)
	at := map[deviceID]int{} // positions in chosen
	for i, r := range rows {
		own := slices.Contains(ownSpace, r.kind)
		switch {
		case !own && !slices.Contains(kinds, r.kind), slices.Contains(images, r.kind):
			continue
		case r.kind == "overlay" && r.point != "/", seen.hidden(i):
			continue
		}

		k, other := at[r.device]
		switch {
		case !other:
			at[r.device] = len(chosen)
			chosen = append(chosen, r)
		case r.before(chosen[k]):
			chosen[k] = r
		}
	}
	return chosen
}

// before tells which of two rows of one file system is shown: the one of the whole file
// system, else the one with the shorter place.
func (r mountRow) before(other mountRow) bool {
	if whole := r.root == "/"; whole != (other.root == "/") {
		return whole
	}
	return len(r.point) < len(other.point)
}

// visibility finds out which mounts others hide.
type visibility struct {
	rows  []mountRow
	last  map[string]int // the last row of each place
	byID  map[uint64]int // rows by their id
	taken map[place]bool // places on a mount where others are mounted
	cover []coverState   // of each row
}

// place is a path on a mount.
type place struct {
	mount uint64
	point string
}

type coverState uint8

const (
	unknownCover coverState = iota
	uncovered
	covered
)

func newVisibility(rows []mountRow) *visibility {
	v := &visibility{
		rows: rows, cover: make([]coverState, len(rows)),
		last: map[string]int{}, byID: map[uint64]int{}, taken: map[place]bool{},
	}
	for i, r := range rows {
		v.last[r.point] = i
		v.byID[r.id] = i
		if r.parent != r.id { // as the first mount of all has it
			v.taken[place{r.parent, r.point}] = true
		}
	}
	return v
}

// hidden tells whether row i cannot be reached: a later one stands at its
// place, or its place is covered.
func (v *visibility) hidden(i int) bool { return v.last[v.rows[i].point] != i || v.covered(i) }

// covered tells whether the place of row i cannot be reached: another mount on
// the same one stands above it, or that one is covered itself.
func (v *visibility) covered(i int) bool {
	if v.cover[i] == unknownCover {
		v.cover[i] = uncovered // ends a chain of parents that leads back
		r := v.rows[i]
		k, known := v.byID[r.parent]
		if v.coveredByOther(r) || known && v.covered(k) {
			v.cover[i] = covered
		}
	}
	return v.cover[i] == covered
}

// coveredByOther tells whether a mount on the same one stands at a directory
// above.
func (v *visibility) coveredByOther(r mountRow) bool {
	for at := r.point; at != "/"; {
		at = at[:strings.LastIndexByte(at, '/')]
		if at == "" {
			at = "/"
		}
		if v.taken[place{r.parent, at}] {
			return true
		}
	}
	return false
}
