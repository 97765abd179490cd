package pdhlog

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/wire"
)

// BLGZone is the time zone in the head of a log: TIME_ZONE_INFORMATION of
// timezoneapi.h. Biases are in minutes, UTC minus local.
type BLGZone struct {
	Bias         int32
	StandardName string // may be a reference to a resource: "@tzres.dll,-212"
	StandardDate BLGDate
	StandardBias int32
	DaylightName string
	DaylightDate BLGDate
	DaylightBias int32
}

// BLGDate says when a zone changes to standard or daylight time (SYSTEMTIME as
// TIME_ZONE_INFORMATION uses it). With a Year it is a date, without one the
// Day-th Weekday of the month, 5 being the last. Month 0 is never.
type BLGDate struct {
	Year, Month, Weekday, Day, Hour, Minute uint16
}

const (
	blgZoneSize = 172
	blgZoneName = 32 // UTF-16 units
	blgDateSize = 16
)

// places in TIME_ZONE_INFORMATION
const (
	blgAtStandardName = 4
	blgAtStandardDate = blgAtStandardName + 2*blgZoneName
	blgAtStandardBias = blgAtStandardDate + blgDateSize
	blgAtDaylightName = blgAtStandardBias + 4
	blgAtDaylightDate = blgAtDaylightName + 2*blgZoneName
	blgAtDaylightBias = blgAtDaylightDate + blgDateSize
)

// parseZone reads a TIME_ZONE_INFORMATION of 172 bytes.
func parseZone(b []byte) BLGZone {
	le := binary.LittleEndian
	i32 := func(at int) int32 { return int32(le.Uint32(b[at:])) }
	name := func(at int) string { return wire.Text(b[at:][:2*blgZoneName], wire.UTF16LE) }
	date := func(at int) BLGDate {
		u := func(field int) uint16 { return le.Uint16(b[at+2*field:]) }
		return BLGDate{Year: u(0), Month: u(1), Weekday: u(2), Day: u(3), Hour: u(4), Minute: u(5)}
	}
	return BLGZone{
		Bias:         i32(0),
		StandardName: name(blgAtStandardName), StandardDate: date(blgAtStandardDate), StandardBias: i32(blgAtStandardBias),
		DaylightName: name(blgAtDaylightName), DaylightDate: date(blgAtDaylightDate), DaylightBias: i32(blgAtDaylightBias),
	}
}

// append appends the structure.
func (z *BLGZone) append(dst []byte) []byte {
	le := binary.LittleEndian
	name := func(s string) {
		var field [2 * blgZoneName]byte
		copy(field[:len(field)-2], wire.AppendUTF16(nil, s))
		dst = append(dst, field[:]...)
	}

	date := func(d BLGDate) {
		for _, u := range [...]uint16{d.Year, d.Month, d.Weekday, d.Day, d.Hour, d.Minute, 0, 0} {
			dst = le.AppendUint16(dst, u)
		}
	}

	dst = le.AppendUint32(dst, uint32(z.Bias))
	name(z.StandardName)
	date(z.StandardDate)
	dst = le.AppendUint32(dst, uint32(z.StandardBias))
	name(z.DaylightName)
	date(z.DaylightDate)
	return le.AppendUint32(dst, uint32(z.DaylightBias))
}

// Location returns the zone as a time.Location, with its rules in every year as
// the log has them for one; nil where they make no sense.
func (z BLGZone) Location() *time.Location {
	standard, daylight := int(z.Bias)+int(z.StandardBias), int(z.Bias)+int(z.DaylightBias)
	if !possibleBias(standard) {
		return nil
	}

	name := abbreviation(z.StandardName, standard)
	if !z.hasDaylight() {
		return time.FixedZone(name, -60*standard)
	}

	to, okTo := z.DaylightDate.rule()
	from, okFrom := z.StandardDate.rule()
	if !okTo || !okFrom || !possibleBias(daylight) {
		return nil
	}

	rules := fmt.Sprintf("<%s>%s<%s>%s,%s,%s", name, posixBias(standard), abbreviation(z.DaylightName, daylight), posixBias(daylight), to, from)
	loc, err := time.LoadLocationFromTZData(name, tzFile(-60*standard, name, rules))
	if err != nil {
		return nil
	}
	return loc
}

func (z *BLGZone) hasDaylight() bool { return z.DaylightDate.Month != 0 && z.StandardDate.Month != 0 }

// possibleBias tells whether a bias in minutes can be one: zones reach from 12
// hours behind UTC to 14 ahead, and summer time may add to that.
func possibleBias(minutes int) bool { return -16*60 <= minutes && minutes <= 16*60 }

// abbreviation is what a zone is called in formatted times: its name, or the
// hours where that is only a reference.
func abbreviation(name string, bias int) string {
	if name == "" || name[0] == '@' || strings.ContainsAny(name, "<>") {
		sign := '-'
		if bias <= 0 {
			sign, bias = '+', -bias
		}
		if bias%60 == 0 {
			return fmt.Sprintf("%c%02d", sign, bias/60)
		}
		return fmt.Sprintf("%c%02d%02d", sign, bias/60, bias%60)
	}
	return name
}

// posixBias writes a bias as the environment variable TZ has it (POSIX.1,
// "Other Environment Variables").
func posixBias(minutes int) string {
	sign := ""
	if minutes < 0 {
		sign, minutes = "-", -minutes
	}
	return fmt.Sprintf("%s%d:%02d", sign, minutes/60, minutes%60)
}

// rule writes a date as the environment variable TZ has it.
func (d BLGDate) rule() (s string, ok bool) {
	if d.Month < 1 || d.Month > 12 || d.Hour > 23 || d.Minute > 59 {
		return "", false
	}
	clock := fmt.Sprintf("/%d:%02d", d.Hour, d.Minute)
	if d.Year == 0 {
		ok = 1 <= d.Day && d.Day <= 5 && d.Weekday <= 6
		return fmt.Sprintf("M%d.%d.%d", d.Month, d.Day, d.Weekday) + clock, ok
	}
	ok = 1 <= d.Day && d.Day <= 31
	return fmt.Sprintf("%d", time.Date(int(d.Year), time.Month(d.Month), int(d.Day), 0, 0, 0, 0, time.UTC).YearDay()-1) + clock, ok
}

// tzFile makes a time zone file (RFC 8536) without transitions, whose footer
// holds the rules.
func tzFile(offset int, name, rules string) []byte {
	be := binary.BigEndian
	head := func(b []byte, types, chars uint32) []byte {
		b = append(append(b, "TZif2"...), make([]byte, 15)...)
		for _, n := range [...]uint32{0, 0, 0, 0, types, chars} {
			b = be.AppendUint32(b, n)
		}
		return b
	}

	block := func(b []byte) []byte {
		b = be.AppendUint32(b, uint32(int32(offset)))
		b = append(b, 0, 0) // standard time, name at 0
		return append(append(b, name...), 0)
	}

	b := block(head(nil, 1, uint32(len(name)+1)))
	b = block(head(b, 1, uint32(len(name)+1)))
	return append(append(append(b, '\n'), rules...), '\n')
}

// zoneAt describes a location's rules in the year of t, as far as two changes a
// year can say them.
func zoneAt(loc *time.Location, t time.Time) BLGZone {
	t = t.In(loc)
	name, offset := t.Zone()
	fixed := BLGZone{Bias: int32(-offset / 60), StandardName: name, DaylightName: name}
	year := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, loc)

	var to, from time.Time // when daylight time and standard time begin
	for at := year; ; {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.In(loc).Year() != t.Year() {
			break
		}

		was := at.IsDST()
		at = end.In(loc)
		switch { // where the rules are only known as such, the end of a year is a bound too
		case at.IsDST() && !was:
			to = at
		case was && !at.IsDST():
			from = at
		}
	}

	if to.IsZero() || from.IsZero() {
		return fixed
	}
	standard, standardOffset := from.Zone()
	daylight, daylightOffset := to.Zone()
	return BLGZone{
		Bias:         int32(-standardOffset / 60),
		StandardName: standard, StandardDate: dateOf(from, daylightOffset),
		DaylightName: daylight, DaylightDate: dateOf(to, standardOffset),
		DaylightBias: int32((standardOffset - daylightOffset) / 60),
	}
}

// dateOf is the rule for a change at t, in the local time until then.
func dateOf(t time.Time, offset int) BLGDate {
	t = t.In(time.FixedZone("", offset))
	day := uint16((t.Day()-1)/7 + 1)
	if t.AddDate(0, 0, 7).Month() != t.Month() {
		day = 5
	}
	return BLGDate{Month: uint16(t.Month()), Weekday: uint16(t.Weekday()), Day: day, Hour: uint16(t.Hour()), Minute: uint16(t.Minute())}
}
