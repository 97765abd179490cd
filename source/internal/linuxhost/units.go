package linuxhost

import "bytes"

// unit says how a number stands in a file and what it counts. Times become
// 100 ns and sizes bytes.
type unit uint8

const (
	unitNumber unit = iota
	unitKB
	unitKBToMB
	unitKBToPages
	unitMicroseconds
	unitNanoseconds
	unitTicks
	unitPages
	unitSectors
	unitLimit       // a number of bytes; the highest numbers stand for no limit
	unitHundredths  // two decimal places, such as "0.05"
	unitBehindSlash // the second number of "1/91"
	unitPriority    // from -100 up; it becomes 0
)

// units are the host's units.
type units struct {
	ticks  uint64 // clock ticks in a second
	page   uint64 // bytes in a page
	ratios [unitLimit]struct{ num, den uint64 }
}

const (
	// perSecond is the number of the object clock's and of FILETIME's units, of
	// 100 ns, in a second.
	perSecond      = 10_000_000
	perMillisecond = perSecond / 1_000
	perMicrosecond = perMillisecond / 1_000

	kib    = 1024 // what the kernel calls kB
	sector = 512  // bytes, whatever a device's own sectors are
)

func newUnits(ticks, page uint64) units {
	u := units{ticks: ticks, page: page}
	u.ratios = [...]struct{ num, den uint64 }{
		unitNumber:       {1, 1},
		unitKB:           {kib, 1},
		unitKBToMB:       {1, kib},
		unitKBToPages:    {kib, page},
		unitMicroseconds: {perMicrosecond, 1},
		unitNanoseconds:  {1, 100},
		unitTicks:        {perSecond, ticks},
		unitPages:        {page, 1},
		unitSectors:      {sector, 1},
	}
	for i := range u.ratios { // a whole number spares the division
		if r := &u.ratios[i]; r.num%r.den == 0 {
			r.num, r.den = r.num/r.den, 1
		}
	}
	return u
}

// noLimit is what cgroup v1 has for no limit: the highest number of whole
// pages, whatever their size.
const noLimit = 1 << 62

// priorityOffset brings the kernel's priorities, -100 to 39, above 0.
const priorityOffset = 100

// set takes the number of a word as the figure of a key, unless it is damaged or
// too large.
func (u *units) set(v *values, k *key, word []byte) {
	if k.unit == unitNumber {
		if n, ok := decimal(word); ok {
			v.set(k.fields, n)
		}
		return
	}
	if n, ok := u.parse(word, k.unit); ok {
		v.set(k.fields, n)
	}
}

// parse reads the number in a word.
func (u *units) parse(word []byte, as unit) (uint64, bool) {
	if as >= unitLimit {
		return parseOther(word, as)
	}
	n, ok := decimal(word)
	if !ok {
		return 0, false
	}
	r := &u.ratios[as]
	return scaled(n, r.num, r.den)
}

// parseOther reads a number that is more than one of a unit.
func parseOther(word []byte, as unit) (uint64, bool) {
	switch as {
	case unitHundredths:
		return parseHundredths(word)
	case unitPriority:
		n, ok := signed(word)
		return uint64(max(0, n+priorityOffset)), ok
	case unitBehindSlash:
		_, word, _ = bytes.Cut(word, []byte{'/'})
		return decimal(word)
	}
	n, ok := decimal(word)
	return n, ok && n < noLimit
}
