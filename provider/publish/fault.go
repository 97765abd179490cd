package publish

import (
	"encoding/binary"
	"runtime"
	"runtime/debug"

	"github.com/winperf/winperf/internal/pubfile"
)

// Memory that is a file's ends with the file. Every account with write access can make
// the file shorter, and to touch memory behind its new end is a fault (SIGBUS), which
// ends a Go program. So every access turns a fault into a panic, which is caught: the
// file is made whole again, and the access repeated. That costs an addition less than
// the addition itself, needs no system call, and leaves values where readers look for
// them, at once.

// touch runs f, which reads or writes published memory, and reports whether all
// of it was there. Other panics go on.
func touch(f func()) (done bool) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if done {
			return
		}
		cause := recover()
		if _, fault := cause.(interface {
			runtime.Error
			Addr() uintptr
		}); !fault {
			panic(cause)
		}
	}()

	f()
	return true
}

// restore makes the file whole again after it was made shorter, and reports whether it
// is whole now. What stood behind the end begins anew with 0.
func (p *Publisher) restore() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed && p.memory.restore() == nil
}

// restore writes everything but values again. It goes through the file, which
// cannot fault.
func (m *memory) restore() error {
	if m.isWhole() {
		return nil // another goroutine has done it
	}
	if err := reserve(m.file, 0, m.size); err != nil {
		return err
	}

	// Readers pass over the file until it is complete.
	if err := m.write(pubfile.HeaderMagic, make([]byte, 8)); err != nil {
		return err
	}

	le := binary.LittleEndian
	head := append([]byte(nil), m.static...)
	le.PutUint64(head[pubfile.HeaderGeneration:], m.generation)
	le.PutUint64(head[pubfile.HeaderUsed:], uint64(m.used))
	if err := m.write(pubfile.HeaderVersion, head[pubfile.HeaderVersion:]); err != nil {
		return err
	}

	for _, s := range m.slots {
		if err := m.write(int64(s.offset), s.appendHead(nil)); err != nil {
			return err
		}
	}

	if !m.shown {
		return nil
	}
	return m.write(pubfile.HeaderMagic, le.AppendUint64(nil, pubfile.Magic))
}

// isWhole reports whether the file is as long as it was made, and complete.
func (m *memory) isWhole() bool {
	info, err := m.file.Stat()
	if err != nil || info.Size() < m.size {
		return false
	}
	magic := uint64(0)
	done := touch(func() { magic = *m.word64(pubfile.HeaderMagic) })
	return done && (magic == pubfile.Magic || !m.shown)
}

func (m *memory) write(at int64, p []byte) error {
	_, err := m.file.WriteAt(p, at)
	return err
}
