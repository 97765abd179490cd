package counter

import "slices"

// Status is the reason why a counter has no displayable value, or OK if it has one.
type Status uint8

// The statuses. Programs may rely on their words (see [Status.String]), which are a fixed set.
const (
	OK                  Status = iota // the value can be used
	NoPrevious                        // the formula needs two samples, and the instance has one
	InvalidData                       // a clock or base did not advance or is missing, types changed, damage
	NegativeDenominator               // a clock or base went back
	NegativeValue                     // a cumulative value went back
	NegativeTimebase                  // the frequency of the clock is zero or negative
	NoInstance                        // the instance is not in the newer sample
	NoCounter                         // the object has no such counter
	NoObject                          // the source has no such object
	Unsupported                       // the type has no displayable value: a base, NoData, an unknown type
	NotPermitted                      // the reader has no right to the value
	TooClose                          // a rate of two samples closer than Options.Least
)

var statusWords = [...]string{
	"ok", "no_previous", "invalid_data", "negative_denominator", "negative_value",
	"negative_timebase", "no_instance", "no_counter", "no_object", "unsupported",
	"not_permitted", "too_close",
}

// String returns the status word, such as "no_previous".
func (s Status) String() string {
	if int(s) < len(statusWords) {
		return statusWords[s]
	}
	return "invalid_data"
}

// ParseStatus returns the status of a word, and false for an unknown word.
func ParseStatus(word string) (Status, bool) {
	i := slices.Index(statusWords[:], word)
	return Status(max(i, 0)), i >= 0
}

// NamesNothing reports whether s is NoInstance, NoCounter or NoObject: the path matches nothing.
func (s Status) NamesNothing() bool { return s == NoInstance || s == NoCounter || s == NoObject }

// MarshalText returns the status word. The error is always nil.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Unit is the unit of a displayable value. The counter's type defines it.
type Unit uint8

// The units.
const (
	NoUnit    Unit = iota // the type has no displayable value
	Count                 // a plain number: a raw count, a difference, an average of items, a queue length
	Percent               // percent; above 100 if several processors or requests add up
	PerSecond             // events or amounts per second
	Seconds               // seconds, or seconds per operation
	TextUnit              // text
)

var unitWords = [...]string{"none", "count", "percent", "per_second", "seconds", "text"}

// String returns the unit's word, such as "per_second".
func (u Unit) String() string {
	if int(u) < len(unitWords) {
		return unitWords[u]
	}
	return "none"
}

// ParseUnit returns the unit of a word, and false for an unknown word.
func ParseUnit(word string) (Unit, bool) {
	i := slices.Index(unitWords[:], word)
	return Unit(max(i, 0)), i >= 0
}

// MarshalText returns the unit's word. The error is always nil.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), nil }
