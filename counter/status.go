package counter

import "slices"

// Status says whether a counter has a displayable value and, if not, why.
// Only OK goes with a value.
type Status uint8

// The statuses. Their words (see [Status.String]) are a fixed set that other
// programs may rely on.
const (
	OK                  Status = iota // the value can be used
	NoPrevious                        // two samples are needed and there is only one of this instance
	InvalidData                       // a clock or base stands still or is missing, types changed, damage
	NegativeDenominator               // a clock or base went back
	NegativeValue                     // a cumulative value went back
	NegativeTimebase                  // the frequency of the clock is zero or negative
	NoInstance                        // the instance is not in the newer sample
	NoCounter                         // the object has no such counter
	NoObject                          // there is no such object
	Unsupported                       // the type has no displayable value: bases, headings, unknown types
	NotPermitted                      // there is a value, and the reader has no right to it
	TooClose                          // a rate of two samples that are less apart than Options.Least
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

// ParseStatus returns the status that a word stands for; false for any other word.
func ParseStatus(word string) (Status, bool) {
	i := slices.Index(statusWords[:], word)
	return Status(max(i, 0)), i >= 0
}

// NamesNothing reports whether the status says that a path names nothing: NoInstance, NoCounter or NoObject.
func (s Status) NamesNothing() bool { return s == NoInstance || s == NoCounter || s == NoObject }

// MarshalText writes the status word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Unit is the unit of a displayable value. It follows from the counter's type.
type Unit uint8

// The units.
const (
	NoUnit    Unit = iota // the type has no displayable value
	Count                 // a plain number: a raw count, a difference, an average of items, a queue length
	Percent               // percent; may exceed 100 where several processors or requests add up
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

// ParseUnit returns the unit that a word stands for; false for any other word.
func ParseUnit(word string) (Unit, bool) {
	i := slices.Index(unitWords[:], word)
	return Unit(max(i, 0)), i >= 0
}

// MarshalText writes the unit's word.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), nil }
