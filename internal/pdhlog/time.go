package pdhlog

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/zone"
)

// ticksPerMinute is in 100 ns.
const ticksPerMinute = 60 * 10_000_000

// maxAhead limits the difference of local time and UTC, in 100 ns.
const maxAhead = 16 * 60 * ticksPerMinute

// settleTime sets the time of a sample. The log has local times, and UTC in performance
// data blocks and counters with the 100 ns clock; together they give the difference.
func (r *Reader) settleTime(rec *record, s *Sample) {
	utc, ahead, ok := r.clocks(s)
	if !ok {
		ahead = r.rules(s.Local)
		utc = s.Local - ahead
	}
	s.Ahead = time.Duration(ahead) * 100
	s.Time = winperf.FromFiletime(utc)
	if r.samples > 1 && s.Time.Before(r.last) && !r.anyOrder {
		r.damage.at(rec.offset, "the time of sample %d goes back by %v", r.samples, r.last.Sub(s.Time))
	}
	r.last = s.Time
}

// clocks returns the first plausible UTC time in a sample and local time minus UTC, in 100
// ns.
func (r *Reader) clocks(s *Sample) (utc, ahead int64, ok bool) {
	for i := range s.Values {
		v := &s.Values[i]
		var local int64
		switch {
		case v.Block != nil:
			head, _ := datablock.HeadOf(v.Block) // other blocks were dropped
			local, utc = winperf.ToFiletime(head.SystemTime()), head.Clocks().Time100ns
		case v.Counter == nil || !v.Valid() || !hasUTC(v.Counter.Type):
			continue
		case v.Kind == Single:
			local, utc = s.Local, v.Second
		case len(v.Items) > 0:
			local, utc = s.Local, v.Items[0].Second
		default:
			continue
		}

		if ahead, ok = r.ahead(local - utc); ok && possibleTime(utc) && near(s.Local, utc+ahead) {
			return utc, ahead, true
		}
	}
	return 0, 0, false
}

// hasUTC reports whether raw values of a type include the time of a 100 ns clock.
func hasUTC(t counter.Type) bool {
	_, clock := t.Second()
	return clock == counter.Clock100ns
}

// near reports whether two times can be of one sample: sampling all counters may take a
// while.
func near(a, b int64) bool { return -10*ticksPerMinute < a-b && a-b < 10*ticksPerMinute }

// ahead rounds a difference of local time and UTC to the zone's standard or daylight bias
// if near, else to a quarter of an hour.
func (r *Reader) ahead(difference int64) (int64, bool) {
	if difference < -maxAhead || difference > maxAhead {
		return 0, false
	}
	z := &r.head.zone
	for _, bias := range [...]int32{z.StandardBias, z.DaylightBias} {
		minutes := int(z.Bias) + int(bias)
		ahead := -int64(minutes) * ticksPerMinute
		if near(difference, ahead) && zone.PossibleBias(minutes) {
			return ahead, true
		}
	}

	const quarter = 15 * ticksPerMinute
	half := int64(quarter / 2)
	if difference < 0 {
		half = -half
	}
	return (difference + half) / quarter * quarter, true
}

// rules returns local time minus UTC by the rules of the zone, 0 if unknown.
func (r *Reader) rules(local int64) int64 {
	if r.location == nil || !possibleTime(local) {
		return 0
	}
	t := winperf.FromFiletime(local)
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	_, offset := time.Date(year, month, day, hour, minute, second, 0, r.location).Zone()
	return int64(offset) * 10_000_000
}
