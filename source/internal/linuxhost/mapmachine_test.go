package linuxhost

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

func TestMapRoot(t *testing.T) {
	m := NewMapRoot(map[string]string{"proc/stat": "abc", "proc/7/stat": "old", "proc/7/fd": "12\n"})
	read := func(h Handle) string {
		buf := make([]byte, 8)
		n, err := m.Read(h, buf, 0)
		if err != nil {
			return err.Error()
		}
		return string(buf[:n])
	}
	open := func(h Handle, err error) Handle {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	stat := open(m.Open(0, "proc/stat"))
	proc := open(m.Open(0, "proc"))
	dir := open(m.Process(proc, 7))
	old := open(m.Open(dir, "stat"))
	m.Set("proc/stat", "abcdef")
	if got := read(stat); got != "abcdef" {
		t.Errorf("changed text reads %q", got)
	}
	buf := make([]byte, 2)
	if n, err := m.Read(stat, buf, 5); n != 1 || err != nil || buf[0] != 'f' {
		t.Errorf("at 5: %q, %v", buf[:n], err)
	}
	if n, err := m.Read(stat, buf, 6); n != 0 || err != nil {
		t.Errorf("at the end: %d, %v", n, err)
	}
	if n, err := m.Size(dir, "fd"); n != 12 || err != nil {
		t.Errorf("size %d, %v", n, err)
	}
	if pids, err := m.Processes(proc, []int{1}); err != nil || !slices.Equal(pids, []int{1, 7}) {
		t.Errorf("processes %d, %v", pids, err)
	}
	m.End(7)
	m.Set("proc/7/stat", "new")
	if got := read(old); got != fs.ErrNotExist.Error() {
		t.Errorf("an ended process's file reads %q", got)
	}
	if _, err := m.Open(dir, "stat"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open in an ended process's directory: %v", err)
	}
	if got := read(open(m.Open(open(m.Process(proc, 7)), "stat"))); got != "new" {
		t.Errorf("the new process's file reads %q", got)
	}
	m.Fail("proc/stat", fs.ErrPermission)
	if _, err := m.Open(0, "proc/stat"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("open what fails: %v", err)
	}
	if err := errors.Join(m.Close(stat), m.Close(proc), m.Close(dir), m.Close(old)); err != nil ||
		m.Handles() != 2 {
		t.Errorf("close: %v, %d handles", err, m.Handles())
	}
	if err := m.Close(stat); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("close twice: %v", err)
	}
}

func TestMapRootStatfs(t *testing.T) {
	m := NewMapRoot(nil)
	if sp, err := m.Statfs("/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a mount that is not there: %+v, %v", sp, err)
	}
	m.SetStatfs("/a", func() (Space, error) { return Space{Blocks: 3}, nil })
	if sp, err := m.Statfs("/a"); err != nil || sp.Blocks != 3 {
		t.Errorf("a mount: %+v, %v", sp, err)
	}
}
