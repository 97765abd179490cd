package linuxhost

import "bytes"

// unit is the form and unit of a number. Times become 100 ns, sizes bytes.
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
	unitLimit      // bytes; the highest numbers mean no limit
	unitHundredths // "0.05"
	unitAfterSlash // the second number of "1/91"
	unitPriority   // from -100, which becomes 0
)

type units struct {
	ticks  uint64 // per second
	page   uint64 // bytes
	ratios [unitLimit]struct{ num, den uint64 }
}

const (
	// perSecond is the number of units of FILETIME and of the object clock, 100 ns, per second.
	perSecond      = 10_000_000
	perMillisecond = perSecond / 1_000
	perMicrosecond = perMillisecond / 1_000

	kib    = 1024 // the kernel's kB
	sector = 512  // bytes, for all devices
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
	for i := range u.ratios { // whole ratios avoid the division
		if r := &u.ratios[i]; r.num%r.den == 0 {
			r.num, r.den = r.num/r.den, 1
		}
	}
	return u
}

// noLimit is the least number that cgroup v1 shows for no limit.
const noLimit = 1 << 62

const priorityOffset = 100

// set sets a field unless the word is damaged or too large.
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

func parseOther(word []byte, as unit) (uint64, bool) {
	switch as {
	case unitHundredths:
		return parseHundredths(word)
	case unitPriority:
		n, ok := signed(word)
		return uint64(max(0, n+priorityOffset)), ok
	case unitAfterSlash:
		_, word, _ = bytes.Cut(word, []byte{'/'})
		return decimal(word)
	}
	n, ok := decimal(word)
	return n, ok && n < noLimit
}
