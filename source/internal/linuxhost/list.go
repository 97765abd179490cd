package linuxhost

// Listing is what a directory holds. The zero Listing is empty; its memory is
// used again by the next [Root].List.
type Listing struct {
	names   []byte
	entries []listed
}

type listed struct {
	end int // of the name in names, which begins where the one before ends
	id  uint64
	dir bool
}

// Entry is one file or directory of a [Listing].
type Entry struct {
	Name []byte // valid until the listing changes
	// ID is the inode number: one that is taken away and made anew under the
	// same name has another.
	ID  uint64
	Dir bool // a directory; a link is not one
}

// Reset empties the listing.
func (l *Listing) Reset() { l.names, l.entries = l.names[:0], l.entries[:0] }

// Add appends an entry, whose name is copied.
func (l *Listing) Add(e Entry) { addEntry(l, e.Name, e.ID, e.Dir) }

func addEntry[T string | []byte](l *Listing, name T, id uint64, dir bool) {
	l.names = append(l.names, name...)
	l.entries = append(l.entries, listed{len(l.names), id, dir})
}

// Len returns the number of entries.
func (l *Listing) Len() int { return len(l.entries) }

// At returns entry i.
func (l *Listing) At(i int) Entry {
	start := 0
	if i > 0 {
		start = l.entries[i-1].end
	}
	e := &l.entries[i]
	return Entry{Name: l.names[start:e.end], ID: e.id, Dir: e.dir}
}

// list lists a directory, which is kept open like a file.
func (r *reader) list(dir *file, l *Listing) error {
	if err := r.ensure(dir); err != nil {
		return err
	}
	err := r.root.List(dir.h, l)
	if err != nil || !r.keeps(dir.h) {
		r.close(&dir.h)
	}
	return r.judge(err)
}
