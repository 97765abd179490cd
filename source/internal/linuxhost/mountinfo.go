package linuxhost

import (
	"bytes"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/hostfiles"
)

// mountRow is a line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type mountRow struct {
	id, parent uint64
	device     deviceID
	root       string // mounted directory of the file system
	point      string
	kind       string // file system type
	source     string // device, as given to mount(8)
}

// parseMounts skips invalid lines and mount points that are not below a directory, which it removes from
// the others.
func parseMounts(text []byte, below string) (rows []mountRow) {
	for line := range lines(text) {
		row, ok := parseMount(line)
		if ok && below != "" {
			row.point, ok = hostfiles.Below(row.point, below)
		}
		if ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// parseMount parses "id parent major:minor root point options tag... - type source options".
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

// unescape replaces "\" and three octal digits.
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

// images are always full.
var images = []string{"squashfs", "erofs", "cramfs", "romfs", "iso9660"}

// ownSpace are types without a block device. Of overlay, only the root is shown, because each
// container has one.
var ownSpace = []string{"btrfs", "zfs", "overlay"}

// deviceKinds returns the types in /proc/filesystems that need a block device.
func deviceKinds(text []byte) (kinds []string) {
	for line := range lines(text) {
		if kind, isDevice := bytes.CutPrefix(line, []byte{'\t'}); isDevice {
			kinds = append(kinds, string(kind))
		}
	}
	return kinds
}

// chooseMounts returns one visible mount of each file system on block devices.
func chooseMounts(rows []mountRow, kinds []string) (chosen []mountRow) {
	seen := newVisibility(rows)
	at := map[deviceID]int{} // index in chosen
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

// before prefers mounts of a file system's root, then shorter mount points.
func (r mountRow) before(other mountRow) bool {
	if whole := r.root == "/"; whole != (other.root == "/") {
		return whole
	}
	return len(r.point) < len(other.point)
}

type visibility struct {
	rows  []mountRow
	last  map[string]int // last row of each mount point
	byID  map[uint64]int
	taken map[place]bool // mount points on each mount
	cover []coverState
}

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
		if r.parent != r.id { // the first mount
			v.taken[place{r.parent, r.point}] = true
		}
	}
	return v
}

// hidden reports whether another mount makes row i unreachable.
func (v *visibility) hidden(i int) bool { return v.last[v.rows[i].point] != i || v.covered(i) }

// covered reports whether another mount hides the mount point of row i or of its parent.
func (v *visibility) covered(i int) bool {
	if v.cover[i] == unknownCover {
		v.cover[i] = uncovered // ends a cycle of parents
		r := v.rows[i]
		k, known := v.byID[r.parent]
		if v.coveredByOther(r) || known && v.covered(k) {
			v.cover[i] = covered
		}
	}
	return v.cover[i] == covered
}

// coveredByOther reports whether a mount with the same parent is above.
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
