package pdhlog

import "time"

// stamp is a time stamp: the time on the wall.
type stamp struct {
	year, month, day, hour, minute, second, nanosecond int
}

// parseStamp reads a time stamp as Windows writes it, MM/DD/YYYY HH:MM:SS.mmm,
// and without a doubt as programs for tables do: DD.MM.YYYY and YYYY-MM-DD, one
// digit for two, and without seconds or their fraction.
func parseStamp(b []byte) (s stamp, ok bool) {
	p := stampParser{b: trimBlanks(b)}
	first := p.number(4)
	switch p.one() {
	case '/':
		s.month, s.day, s.year = first, p.number(2), p.behind('/', 4)
	case '.':
		s.day, s.month, s.year = first, p.number(2), p.behind('.', 4)
	case '-':
		s.year, s.month, s.day = first, p.number(2), p.behind('-', 2)
	default:
		return s, false
	}

	if c := p.one(); c != ' ' && c != 'T' {
		return s, false
	}
	s.hour, s.minute = p.number(2), p.behind(':', 2)
	if len(p.b) > 0 {
		s.second = p.behind(':', 2)
	}
	if len(p.b) > 0 {
		s.nanosecond = p.fraction()
	}
	return s, !p.bad && len(p.b) == 0 && s.real()
}

// real reports whether there is such a day and time.
func (s stamp) real() bool {
	if s.year < 1601 || s.month < 1 || s.month > 12 || s.day < 1 || s.hour > 23 || s.minute > 59 || s.second > 59 {
		return false
	}
	return s.day <= time.Date(s.year, time.Month(s.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// in returns the instant in a zone, UTC.
func (s stamp) in(zone *time.Location) time.Time {
	return time.Date(s.year, time.Month(s.month), s.day, s.hour, s.minute, s.second, s.nanosecond, zone).UTC()
}

// notBefore returns which instant is meant where a time stands on the wall
// twice, because clocks are set back: the earlier one, unless it is before the
// instant of the row before.
func notBefore(t, before time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	earlier, later := t, t
	for _, step := range [...]time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour} {
		if sameClock(t, t.Add(-step)) {
			earlier = t.Add(-step)
		}
		if sameClock(t, t.Add(step)) {
			later = t.Add(step)
		}
	}

	if earlier.Before(before) {
		return later.UTC()
	}
	return earlier.UTC()
}

// sameClock reports whether two instants show the same time on the wall.
func sameClock(a, b time.Time) bool {
	_, offsetA := a.Zone()
	_, offsetB := b.Zone()
	return a.Unix()+int64(offsetA) == b.Unix()+int64(offsetB)
}

// stampParser reads numbers and what stands between them.
type stampParser struct {
	b   []byte
	bad bool
}

// number reads one to most digits.
func (p *stampParser) number(most int) int {
	n, i := 0, 0
	for ; i < len(p.b) && i < most && '0' <= p.b[i] && p.b[i] <= '9'; i++ {
		n = n*10 + int(p.b[i]-'0')
	}
	p.b = p.b[i:]
	p.bad = p.bad || i == 0
	return n
}

// one reads one character, 0 at the end.
func (p *stampParser) one() byte {
	if len(p.b) == 0 {
		return 0
	}
	c := p.b[0]
	p.b = p.b[1:]
	return c
}

// behind reads a number behind a character.
func (p *stampParser) behind(c byte, most int) int {
	p.bad = p.one() != c || p.bad
	return p.number(most)
}

// fraction reads the decimals of a second as nanoseconds.
func (p *stampParser) fraction() int {
	if c := p.one(); c != '.' && c != ',' {
		p.bad = true
		return 0
	}
	digits := len(p.b)
	n := p.number(9)
	for ; digits < 9; digits++ {
		n *= 10
	}
	return n
}
