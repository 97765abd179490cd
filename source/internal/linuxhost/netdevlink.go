package linuxhost

import (
	"bytes"
	"strings"
)

// maxNetFigures bounds the figures of an interface.
const maxNetFigures = 16

// netColumns are the figures of the columns of /proc/net/dev; 0 where a column
// is of no interest.
type netColumns struct {
	table   *fileTable
	figures [32]fields // Linux has 16 columns
	n       int
}

// parse reads the two head lines and returns the text behind them. The second
// one is "face |bytes packets ...|bytes packets ...".
func (c *netColumns) parse(text []byte) (rest []byte) {
	_, text, _ = cutLine(text)
	head, text, _ := cutLine(text)
	_, head, _ = bytes.Cut(head, []byte{'|'})
	c.n = 0

	for _, half := range [...]string{"Receive", "Transmit"} {
		var names []byte
		names, head, _ = bytes.Cut(head, []byte{'|'})
		for c.n < len(c.figures) {
			var name []byte
			if name, names = cutWord(names); len(name) == 0 {
				break
			}
			c.figures[c.n] = c.figure(half, name)
			c.n++
		}
	}
	return text
}

func (c *netColumns) figure(half string, name []byte) fields {
	for _, k := range c.table.keys {
		if k.group == half && k.name == string(name) {
			return k.fields
		}
	}
	return 0
}

// given returns all figures.
func (c *netColumns) given() (f fields) {
	for _, one := range c.figures[:c.n] {
		f |= one
	}
	return f
}

// cutInterface cuts a line of an interface behind its name, in which there is
// no colon. Its first count may follow without a blank.
func cutInterface(line []byte) (name, counts []byte, ok bool) {
	name, counts, ok = bytes.Cut(bytes.TrimLeft(line, " "), []byte{':'})
	return name, counts, ok && len(name) > 0
}

// link is a network interface.
type link struct {
	kernelName string
	name       string // the instance's name made of kernelName
	seen       uint64 // the last reading that had it
	counts     values // as the kernel gives them

	index  uint64                  // the kernel's number of it; 0: not known
	total  [maxNetFigures]wrapping // of the figures in counts, by position
	values values

	ifindex file
	speed   file
	changes file   // how often the link went up or down
	cached  bool   // bits is of the time of changed
	changed uint64 // what changes held
	bits    uint64 // speed in bits per second; 0: none
}

func newLink(name []byte) *link {
	l := &link{kernelName: string(name), name: instanceName(name)}
	dir := l.directory()
	l.ifindex.name = dir + "ifindex"
	l.speed.name = dir + "speed"
	l.changes.name = dir + "carrier_changes"
	return l
}

// directory returns the interface's directory. The kernel allows no slash in
// names.
func (l *link) directory() string {
	return "sys/class/net/" + strings.ReplaceAll(l.kernelName, "/", "!") + "/"
}

// readCounts reads the counts of a line and tells whether one of them fell.
func (l *link) readCounts(text []byte, c *netColumns) (fell bool) {
	before := l.counts.have
	l.counts.have = 0
	for _, f := range c.figures[:c.n] {
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

// settle brings the values up to date.
func (l *link) settle(s *session, wanted fields) {
	l.values.reset()
	index, err := s.readNumber(&l.ifindex)
	if isShort(err) {
		return // the interface of these counts is unknown now
	}

	known := err == nil
	if !known || index != l.index {
		// Another interface, or an unknown one: a count that falls was reset.
		l.index = index
		l.cached = false
		l.total = [maxNetFigures]wrapping{}
	}

	for rest := l.counts.have; rest != 0; rest &= rest - 1 {
		i := rest.position()
		l.values.set(1<<i, l.total[i].next(l.counts.n[i]))
	}

	if known && wanted&netBandwidth != 0 {
		l.readSpeed(s)
	}
}

// readSpeed gets the speed. To read it takes a lock of the kernel's network
// configuration, so that is done only when the link has changed.
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

// close closes the files.
func (l *link) close(s *session) { s.reader.close(&l.ifindex.h, &l.changes.h) }
