package publish

import (
	"encoding/binary"
	"runtime"
	"runtime/debug"

	"github.com/winperf/winperf/internal/pubfile"
)

// An account with write access can shorten the file. Touching mapped memory beyond its end is a fault
// (SIGBUS), which ends a Go program. Every access therefore turns a fault into a panic, recovers from it,
// restores the file and is repeated. This costs less than the addition itself and needs no system call.

// touch runs f, which accesses published memory, and reports whether all of the memory exists. Other
// panics continue.
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

// restore restores a shortened file, and reports whether the file is complete. Lost values begin again at
// 0.
func (p *Publisher) restore() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed && p.memory.restore() == nil
}

// restore writes everything except values. It writes to the file, which cannot fault.
func (m *memory) restore() error {
	if m.isWhole() {
		return nil
	}
	if err := reserve(m.file, 0, m.size); err != nil {
		return err
	}

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
