package spool

import (
	"errors"
	"sync"
	"time"
)

// ErrFull tells that there is no room: some reader has to forget something first.
var ErrFull = errors.New("the queue is full")

// Memory is a spool in memory, which ends with the program. Unlike one on disk it drops
// the oldest entries only where another reader than the one that lags has everything:
// else it is full.
type Memory struct {
	entries int
	bytes   int64
	now     func() time.Time

	mu      sync.Mutex
	queue   []Entry
	total   int64
	next    uint64
	dropped uint64
	cursors cursors
}

// NewMemory returns a queue of at most so many entries and, but for one entry, bytes.
func NewMemory(entries int, bytes int64, readers []string, now func() time.Time) *Memory {
	m := &Memory{entries: entries, bytes: bytes, now: now, next: 1}
	m.cursors.Readers = make(map[string]uint64, len(readers))
	for _, name := range readers {
		m.cursors.Readers[name] = 0
	}
	return m
}

// Append adds an entry, which nobody changes any more. The error is ErrFull.
func (m *Memory) Append(data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.full(int64(len(data))) {
		if m.cursors.most() < m.next-1 {
			return ErrFull
		}
		m.dropped++
		m.removeOldest()
	}
	m.queue = append(m.queue, Entry{m.next, m.now(), data})
	m.total += int64(len(data))
	m.next++
	return nil
}

func (m *Memory) full(more int64) bool {
	return len(m.queue) > 0 && (len(m.queue) >= m.entries || m.total+more > m.bytes)
}

func (m *Memory) removeOldest() {
	m.total -= int64(len(m.queue[0].Data))
	m.queue[0].Data = nil
	m.queue = m.queue[1:]
}

// State returns the state.
func (m *Memory) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return State{Last: m.next - 1, Waiting: uint64(len(m.queue)), Bytes: m.total, Dropped: m.dropped}
}

// MemoryReader is a Reader of a Memory.
type MemoryReader struct {
	memory *Memory
	name   string
	after  uint64
}

// Reader returns the reader of a name that NewMemory was given.
func (m *Memory) Reader(name string) *MemoryReader { return &MemoryReader{memory: m, name: name} }

// AddReader adds a reader. It begins with what is appended next, or as the only one with
// what is there.
func (m *Memory) AddReader(name string) *MemoryReader {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &MemoryReader{m, name, m.cursors.add(name, m.next-1)}
}

// RemoveReader removes a reader. Where it was the only one, what is there stays for the next.
func (m *Memory) RemoveReader(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cursors.remove(name)
	m.removeForgotten()
}

func (m *Memory) removeForgotten() {
	for len(m.queue) > 0 && m.queue[0].Number <= m.cursors.least() {
		m.removeOldest()
	}
	if len(m.queue) == 0 {
		m.queue = nil
	}
}

// Read is Reader.Read.
func (r *MemoryReader) Read(most int, bytes int64) (entries []Entry, lost uint64, err error) {
	m := r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	first := m.next - uint64(len(m.queue))
	if r.after+1 < first {
		lost = first - r.after - 1
		r.after = first - 1
	}

	for _, e := range m.queue[r.after+1-first:] {
		if bytes -= int64(len(e.Data)); len(entries) == most || bytes < 0 && len(entries) > 0 {
			break
		}
		entries = append(entries, e)
		r.after = e.Number
	}
	return entries, lost, nil
}

// Forget is Reader.Forget.
func (r *MemoryReader) Forget(through uint64) error {
	m := r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cursors.Readers[r.name] = max(m.cursors.Readers[r.name], min(through, m.next-1))
	m.removeForgotten()
	return nil
}
