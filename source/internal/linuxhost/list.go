package linuxhost

// Listing is the contents of a directory. Its memory is reused by [Root].List.
type Listing struct {
	names   []byte
	entries []listed
}

type listed struct {
	end int // of the name, which starts at the previous end
	id  uint64
	dir bool
}

// Entry is a file or directory of a [Listing].
type Entry struct {
	Name []byte // valid until the listing changes
	// ID is the inode number. It changes if the entry is created again.
	ID  uint64
	Dir bool // not a link
}

// Reset empties the listing.
func (l *Listing) Reset() { l.names, l.entries = l.names[:0], l.entries[:0] }

// Add appends an entry. It copies the name.
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

func (r *reader) list(dir *file, l *Listing) error {
	if err := r.ensure(dir); err != nil {
		return err
	}
	err := r.root.List(dir.h, l)
	if err != nil || !r.keeps(dir.h) {
		r.close(&dir.h)
	}
	return r.noteShort(err)
}
