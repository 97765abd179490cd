package linuxhost

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MapRoot is a [Root] in memory. It serves tests and captured /proc trees on
// every system. Names are slash-separated and relative: "proc/stat",
// "proc/1/stat". A process is there from its first file until [MapRoot.End].
// The size of a file is the decimal number that its text holds, that of a
// directory 0.
//
// It must not be changed while it is read.
type MapRoot struct {
	*mapTree
	open []*mapEntry // by Handle - 1; nil where closed
}

// mapTree is what all roots of the same files have in common.
type mapTree struct {
	entries map[string]*mapEntry
	made    uint64 // entries so far

	mu     sync.Mutex // guards what follows
	roots  []*MapRoot
	spaces map[string]func() (Space, error)
}

// mapEntry is a file or a directory.
type mapEntry struct {
	name string // of a directory with a slash at its end
	id   uint64
	held []*mapEntry // what a directory holds
	text string
	err  error // what opening and reading return instead
	gone bool
}

// NewMapRoot returns a MapRoot that holds the files.
func NewMapRoot(files map[string]string) *MapRoot {
	m := &MapRoot{mapTree: &mapTree{entries: map[string]*mapEntry{}}}
	m.roots = []*MapRoot{m}
	m.entry("proc/")
	for name, text := range files {
		m.Set(name, text)
	}
	return m
}

// Root returns another root of the same files, for a session of its own: it is
// what [System] takes.
func (m *MapRoot) Root() Root {
	other := &MapRoot{mapTree: m.mapTree}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roots = append(m.roots, other)
	return other
}

// Set gives a file a text. An open handle reads the new text.
func (m *MapRoot) Set(name, text string) {
	e := m.entry(name)
	e.text, e.err = text, nil
}

// Fail makes opening and reading a file fail with err. fs.ErrPermission is
// the error of a file without read permission.
func (m *MapRoot) Fail(name string, err error) {
	m.entry(name).err = &fs.PathError{Op: "read", Path: name, Err: err}
}

// Remove takes a file away, also from open handles.
func (m *MapRoot) Remove(name string) {
	if e := m.entries[name]; e != nil {
		e.gone = true
		delete(m.entries, name)
		if dir := m.entries[parentOf(name)]; dir != nil {
			dir.held = slices.DeleteFunc(dir.held, func(held *mapEntry) bool { return held == e })
		}
	}
}

// SetStatfs says what Statfs of a mount point does: f may return an error, or
// wait for as long as it likes.
func (m *MapRoot) SetStatfs(path string, f func() (Space, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spaces == nil {
		m.spaces = map[string]func() (Space, error){}
	}
	m.spaces[path] = f
}

// End ends a process: all its files are gone. A process that is given the same
// id later has new ones.
func (m *MapRoot) End(pid int) { m.RemoveAll("proc/" + strconv.Itoa(pid)) }

// Handles returns the number of open files and directories of all roots of these
// files. None of them may be in use.
func (m *MapRoot) Handles() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, root := range m.roots {
		for _, e := range root.open {
			if e != nil {
				n++
			}
		}
	}
	return n
}

func (m *MapRoot) entry(name string) *mapEntry {
	e := m.entries[name]
	if e == nil {
		m.made++
		e = &mapEntry{name: name, id: m.made}
		m.entries[name] = e
		if dir := parentOf(name); dir != "" {
			d := m.entry(dir)
			d.held = append(d.held, e)
		}
	}
	return e
}

// at returns what a handle stands for.
func (m *MapRoot) at(h Handle) (*mapEntry, error) {
	if h < 1 || int(h) > len(m.open) || m.open[h-1] == nil {
		return nil, fmt.Errorf("handle %d: %w", h, fs.ErrClosed)
	}
	e := m.open[h-1]
	if e.gone {
		return nil, fs.ErrNotExist
	}
	return e, e.err
}

// find returns the entry of a name in a directory.
func (m *MapRoot) find(dir Handle, name string) (*mapEntry, error) {
	prefix := ""
	if dir != 0 {
		d, err := m.at(dir)
		if err != nil {
			return nil, err
		}
		prefix = d.name
	}
	e := m.entries[prefix+name]
	if e == nil {
		e = m.entries[prefix+name+"/"]
	}
	if e == nil {
		return nil, &fs.PathError{Op: "open", Path: strings.Clone(name), Err: fs.ErrNotExist}
	}
	return e, e.err
}

// Open implements [Root].
func (m *MapRoot) Open(dir Handle, name string) (Handle, error) {
	e, err := m.find(dir, name)
	if err != nil {
		return 0, err
	}
	i := slices.Index(m.open, nil)
	if i < 0 {
		i = len(m.open)
		m.open = append(m.open, nil)
	}
	m.open[i] = e
	return Handle(i + 1), nil
}

// Process implements [Root].
func (m *MapRoot) Process(proc Handle, pid int) (Handle, error) {
	return m.Open(proc, strconv.Itoa(pid)+"/")
}

// Processes implements [Root].
func (m *MapRoot) Processes(proc Handle, dst []int) ([]int, error) {
	dir, err := m.at(proc)
	if err != nil {
		return dst, err
	}
	for _, e := range dir.held {
		if pid, ok := decimal([]byte(e.base())); ok && pid <= maxID && e.isDir() {
			dst = append(dst, int(pid))
		}
	}
	return dst, nil
}

// Read implements [Root].
func (m *MapRoot) Read(file Handle, p []byte, offset int64) (int, error) {
	e, err := m.at(file)
	if err != nil {
		return 0, err
	}
	return copy(p, e.text[min(max(offset, 0), int64(len(e.text))):]), nil
}

// Size implements [Root].
func (m *MapRoot) Size(dir Handle, name string) (int64, error) {
	e, err := m.find(dir, name)
	if err != nil || e.isDir() {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(e.text), 10, 64)
}

// Statfs implements [Root].
func (m *MapRoot) Statfs(path string) (Space, error) {
	m.mu.Lock()
	f := m.spaces[path]
	m.mu.Unlock()
	if f == nil {
		return Space{}, &fs.PathError{Op: "statfs", Path: path, Err: fs.ErrNotExist}
	}
	return f()
}

// Close implements [Root].
func (m *MapRoot) Close(h Handle) error {
	if h < 1 || int(h) > len(m.open) || m.open[h-1] == nil {
		return fmt.Errorf("handle %d: %w", h, fs.ErrClosed)
	}
	m.open[h-1] = nil
	return nil
}
