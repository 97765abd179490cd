package linuxhost

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// List implements [Root].
func (d *directory) List(dir Handle, l *Listing) error {
	l.Reset()
	return d.eachBlock(dir, l.addEntries)
}

func (d *directory) eachBlock(dir Handle, f func(entries []byte)) error {
	fd := int(descriptor(dir))
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return systemError(err)
	}

	for {
		n, err := unix.Getdents(fd, d.list)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return systemError(err)
		}
		if n <= 0 {
			return nil
		}
		f(d.list[:n])
	}
}

// addEntries omits "." and "..".
func (l *Listing) addEntries(entries []byte) {
	for len(entries) > 0 {
		var e Entry
		e, entries = cutEntry(entries)
		// a string variable would allocate
		if len(e.Name) > 0 && string(e.Name) != "." && string(e.Name) != ".." {
			l.Add(e)
		}
	}
}

// cutEntry cuts off a struct linux_dirent64: inode (8 bytes), offset (8), length (2), type (1),
// NUL-terminated name. A damaged entry ends the list.
func cutEntry(entries []byte) (e Entry, rest []byte) {
	const length, kind, name = 16, 18, 19
	if len(entries) <= name {
		return Entry{}, nil
	}

	size := int(binary.NativeEndian.Uint16(entries[length:]))
	if size <= name || size > len(entries) {
		return Entry{}, nil
	}

	e.Name, _, _ = bytes.Cut(entries[name:size], []byte{0})
	e.ID = binary.NativeEndian.Uint64(entries)
	e.Dir = entries[kind] == unix.DT_DIR
	return e, entries[size:]
}
