package linuxhost

import "strings"

// RemoveAll takes a file or directory away with all that it holds, also from
// open handles. What is made anew under the same name is another.
func (m *MapRoot) RemoveAll(name string) {
	if dir := m.entries[name+"/"]; dir != nil {
		for len(dir.held) > 0 {
			m.RemoveAll(strings.TrimSuffix(dir.held[0].name, "/"))
		}
		m.Remove(dir.name)
	}
	m.Remove(name)
}

// List implements [Root].
func (m *MapRoot) List(dir Handle, l *Listing) error {
	l.Reset()
	d, err := m.at(dir)
	if err != nil {
		return err
	}
	for _, e := range d.held {
		addEntry(l, e.base(), e.id, e.isDir())
	}
	return nil
}

func (e *mapEntry) isDir() bool { return strings.HasSuffix(e.name, "/") }

// base is the entry's name in its directory.
func (e *mapEntry) base() string {
	return strings.TrimSuffix(e.name[len(parentOf(e.name)):], "/")
}

// parentOf returns the name of the directory that holds a file or directory,
// "" for the root.
func parentOf(name string) string {
	return name[:strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1]
}
