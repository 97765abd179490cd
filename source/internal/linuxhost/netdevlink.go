package linuxhost

import (
	"bytes"
	"strings"
)

const maxNetFields = 16

// netColumns maps columns of /proc/net/dev to fields; unused ones are 0.
type netColumns struct {
	table    *fileTable
	byColumn [32]fields // Linux has 16 columns
	n        int
}

// parse parses two head lines, the second "face |bytes packets ...|bytes packets ...", and returns
// the rest.
func (c *netColumns) parse(text []byte) (rest []byte) {
	_, text, _ = cutLine(text)
	head, text, _ := cutLine(text)
	_, head, _ = bytes.Cut(head, []byte{'|'})
	c.n = 0

	for _, half := range [...]string{"Receive", "Transmit"} {
		var names []byte
		names, head, _ = bytes.Cut(head, []byte{'|'})
		for c.n < len(c.byColumn) {
			var name []byte
			if name, names = cutWord(names); len(name) == 0 {
				break
			}
			c.byColumn[c.n] = c.field(half, name)
			c.n++
		}
	}
	return text
}

func (c *netColumns) field(half string, name []byte) fields {
	for _, k := range c.table.keys {
		if k.group == half && k.name == string(name) {
			return k.fields
		}
	}
	return 0
}

func (c *netColumns) all() (f fields) {
	for _, one := range c.byColumn[:c.n] {
		f |= one
	}
	return f
}

// cutInterface cuts the name off. The first count may follow the colon without a blank.
func cutInterface(line []byte) (name, counts []byte, ok bool) {
	name, counts, ok = bytes.Cut(bytes.TrimLeft(line, " "), []byte{':'})
	return name, counts, ok && len(name) > 0
}

// link is a network interface.
type link struct {
	kernelName string
	name       string
	seen       uint64 // the last reading that had it
	counts     values // from the kernel

	index  uint64                 // 0 if unknown
	total  [maxNetFields]wrapping // by position of the field
	values values

	ifindex file
	speed   file
	changes file
	cached  bool // bits is valid for changed
	changed uint64
	bits    uint64 // per second; 0 if unknown
}

func newLink(name []byte) *link {
	l := &link{kernelName: string(name), name: instanceName(name)}
	dir := l.directory()
	l.ifindex.name = dir + "ifindex"
	l.speed.name = dir + "speed"
	l.changes.name = dir + "carrier_changes"
	return l
}

func (l *link) directory() string {
	return "sys/class/net/" + strings.ReplaceAll(l.kernelName, "/", "!") + "/"
}

// readCounts reports whether a count fell.
func (l *link) readCounts(text []byte, c *netColumns) (fell bool) {
	before := l.counts.have
	l.counts.have = 0
	for _, f := range c.byColumn[:c.n] {
		var word []byte
		word, text = cutWord(text)
		n, ok := decimal(word)
		if !ok {
			break
		}
		if f != 0 {
			fell = fell || before&f != 0 && n < l.counts.sum(f)
			l.counts.set(f, n)
		}
	}
	return fell
}

func (l *link) update(s *session, needed fields) {
	l.values.reset()
	index, err := s.readNumber(&l.ifindex)
	if isShort(err) {
		return // the interface is unknown
	}

	known := err == nil
	if !known || index != l.index {
		// Counts of another or an unknown interface start again.
		l.index = index
		l.cached = false
		l.total = [maxNetFields]wrapping{}
	}

	for rest := l.counts.have; rest != 0; rest &= rest - 1 {
		i := rest.position()
		l.values.set(1<<i, l.total[i].next(l.counts.n[i]))
	}

	if known && needed&netBandwidth != 0 {
		l.readSpeed(s)
	}
}

// readSpeed reads the speed after the link has changed, because reading takes a lock of the network
// configuration.
func (l *link) readSpeed(s *session) {
	changed, err := s.readNumber(&l.changes)
	if err != nil || !l.cached || changed != l.changed {
		l.cached = err == nil
		l.changed = changed
		l.bits = 0
		const megabit = 1_000_000
		n, err := s.readNumber(&l.speed)
		if err == nil {
			l.bits, _ = scaled(n, megabit, 1)
		}
		l.cached = l.cached && !isShort(err)
		s.reader.close(&l.speed.h)
	}

	if l.bits != 0 {
		l.values.set(netBandwidth, l.bits)
	}
}

func (l *link) close(s *session) { s.reader.close(&l.ifindex.h, &l.changes.h) }
