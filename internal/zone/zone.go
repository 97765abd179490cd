// Package zone describes time zones as Windows does, so that a record can keep the rules
// of the machine that it is of.
package zone

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/wire"
)

// Info is a time zone as records keep it: TIME_ZONE_INFORMATION of timezoneapi.h.
// Biases are in minutes, UTC minus local.
type Info struct {
	Bias         int32
	StandardName string // may be a reference to a resource: "@tzres.dll,-212"
	StandardDate Date
	StandardBias int32
	DaylightName string
	DaylightDate Date
	DaylightBias int32
}

// Date says when a zone changes to standard or daylight time (SYSTEMTIME as
// TIME_ZONE_INFORMATION uses it). With a Year it is a date, without one the
// Day-th Weekday of the month, 5 being the last. Month 0 is never.
type Date struct {
	Year, Month, Weekday, Day, Hour, Minute uint16
}

// Size is the length of the structure in bytes.
const Size = 172

const (
	nameUnits = 32 // UTF-16 units of a name
	dateSize  = 16
)

// places in TIME_ZONE_INFORMATION
const (
	atStandardName = 4
	atStandardDate = atStandardName + 2*nameUnits
	atStandardBias = atStandardDate + dateSize
	atDaylightName = atStandardBias + 4
	atDaylightDate = atDaylightName + 2*nameUnits
	atDaylightBias = atDaylightDate + dateSize
)

// Parse reads the structure, of which b holds Size bytes.
func Parse(b []byte) Info {
	le := binary.LittleEndian
	i32 := func(at int) int32 { return int32(le.Uint32(b[at:])) }
	name := func(at int) string { return wire.Text(b[at:][:2*nameUnits], wire.UTF16LE) }
	date := func(at int) Date {
		u := func(field int) uint16 { return le.Uint16(b[at+2*field:]) }
		return Date{Year: u(0), Month: u(1), Weekday: u(2), Day: u(3), Hour: u(4), Minute: u(5)}
	}
	return Info{
		Bias:         i32(0),
		StandardName: name(atStandardName),
		StandardDate: date(atStandardDate),
		StandardBias: i32(atStandardBias),
		DaylightName: name(atDaylightName),
		DaylightDate: date(atDaylightDate),
		DaylightBias: i32(atDaylightBias),
	}
}

// Append appends the structure.
func (z *Info) Append(dst []byte) []byte {
	le := binary.LittleEndian
	name := func(s string) {
		var field [2 * nameUnits]byte
		copy(field[:len(field)-2], wire.AppendUTF16(nil, s))
		dst = append(dst, field[:]...)
	}

	date := func(d Date) {
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
// the record has them for one; nil where they make no sense.
func (z Info) Location() *time.Location {
	standard, daylight := int(z.Bias)+int(z.StandardBias), int(z.Bias)+int(z.DaylightBias)
	if !PossibleBias(standard) {
		return nil
	}

	name := abbreviation(z.StandardName, standard, standard)
	if !z.hasDaylight() {
		return time.FixedZone(name, -60*standard)
	}

	to, okTo := z.DaylightDate.rule()
	from, okFrom := z.StandardDate.rule()
	if !okTo || !okFrom || !PossibleBias(daylight) {
		return nil
	}

	summer := abbreviation(z.DaylightName, standard, daylight)
	winterRule := "<" + name + ">" + posixBias(standard)
	summerRule := "<" + summer + ">" + posixBias(daylight)
	rules := winterRule + summerRule + "," + to + "," + from
	loc, err := time.LoadLocationFromTZData(name, tzFile(-60*standard, name, rules))
	if err != nil {
		return nil
	}
	return loc
}

func (z *Info) hasDaylight() bool { return z.DaylightDate.Month != 0 && z.StandardDate.Month != 0 }

// PossibleBias tells whether a bias in minutes can be one: zones reach from 12
// hours behind UTC to 14 ahead, and summer time may add to that.
func PossibleBias(minutes int) bool { return -16*60 <= minutes && minutes <= 16*60 }

// Name is what the zone is called in standard time, "" where that is not known.
func (z *Info) Name() string {
	standard := int(z.Bias) + int(z.StandardBias)
	return resolve(z.StandardName, standard, standard)
}

// abbreviation is what a zone of a standard bias is called in formatted times: its name,
// or the hours where that is only a reference.
func abbreviation(name string, standard, bias int) string {
	name = resolve(name, standard, standard)
	if name == "" || strings.ContainsAny(name, "<>") {
		return Hours(bias)
	}
	return name
}

// Hours is what a zone without a name is called: "+0530".
func Hours(bias int) string {
	sign := '-'
	if bias <= 0 {
		sign, bias = '+', -bias
	}
	if bias%60 == 0 {
		return fmt.Sprintf("%c%02d", sign, bias/60)
	}
	return fmt.Sprintf("%c%02d%02d", sign, bias/60, bias%60)
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
func (d Date) rule() (s string, ok bool) {
	if d.Month < 1 || d.Month > 12 || d.Hour > 23 || d.Minute > 59 {
		return "", false
	}
	clock := fmt.Sprintf("/%d:%02d", d.Hour, d.Minute)
	if d.Year == 0 {
		ok = 1 <= d.Day && d.Day <= 5 && d.Weekday <= 6
		return fmt.Sprintf("M%d.%d.%d", d.Month, d.Day, d.Weekday) + clock, ok
	}
	ok = 1 <= d.Day && d.Day <= 31
	day := time.Date(int(d.Year), time.Month(d.Month), int(d.Day), 0, 0, 0, 0, time.UTC)
	return fmt.Sprintf("%d", day.YearDay()-1) + clock, ok
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

// At describes a location's rules in the year of t, as far as two changes a
// year can say them.
func At(loc *time.Location, t time.Time) Info {
	t = t.In(loc)
	to, from := changes(loc, t)
	if to.IsZero() || from.IsZero() {
		name, offset := t.Zone()
		return Info{Bias: int32(-offset / 60), StandardName: name, DaylightName: name}
	}

	standard, standardOffset := from.Zone()
	daylight, daylightOffset := to.Zone()
	return Info{
		Bias:         int32(-standardOffset / 60),
		StandardName: standard, StandardDate: dateOf(from, daylightOffset),
		DaylightName: daylight, DaylightDate: dateOf(to, standardOffset),
		DaylightBias: int32((standardOffset - daylightOffset) / 60),
	}
}

// changes are when daylight time and standard time begin in the year of t, zero where
// they do not.
func changes(loc *time.Location, t time.Time) (to, from time.Time) {
	year := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, loc)
	for at := year; ; {
		_, end := at.ZoneBounds()
		if !end.IsZero() && !end.After(at) {
			end = at.Add(24 * time.Hour) // a zone of rules only, on the last day of a leap year
		}
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

	return to, from
}

// dateOf is the rule for a change at t, in the local time until then.
func dateOf(t time.Time, offset int) Date {
	t = t.In(time.FixedZone("", offset))
	day := uint16((t.Day()-1)/7 + 1)
	if t.AddDate(0, 0, 7).Month() != t.Month() {
		day = 5
	}
	return Date{
		Month: uint16(t.Month()), Weekday: uint16(t.Weekday()), Day: day,
		Hour: uint16(t.Hour()), Minute: uint16(t.Minute()),
	}
}
