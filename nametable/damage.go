package nametable

import (
	"fmt"

	"github.com/winperf/winperf"
)

// Fault says what is wrong at one place of a table. It is what damage, a
// [*winperf.DataError], wraps.
type Fault uint8

// The faults.
const (
	OddLength    Fault = iota // UTF-16 has an even number of bytes
	NoTerminator              // the list does not end with an empty string
	Padding                   // zero bytes follow the end of the list
	EarlyEnd                  // the list ends and data follow
	EmptyString               // an empty string inside the list, passed over in tolerant mode
	BadIndex                  // an index is not a number of 32 bits
	LeadingZero               // an index has leading zeros
	NoText                    // an index has no text
	Duplicate                 // an index stands twice
	NotRising                 // an index is lower than the one before
	Parity                    // an odd index in a counter table or an even one in a help table
	BadUTF16                  // half of a surrogate pair
	BadUTF8                   // a line of text that is not UTF-8
	NoTab                     // a line of text without the TAB between index and text
	TooLarge                  // more than MaxBytes bytes
	TooMany                   // more than MaxPairs pairs
	BadLanguage               // a language id that cannot be read
	Unlisted                  // more damage than is listed
)

// faults is the table of all faults: what was expected, what was done, and
// whether nothing is lost.
var faults = [...]struct {
	want, done string
	warning    bool
}{
	OddLength:    {"an even number", "dropped the last byte", true},
	NoTerminator: {"an empty string that ends the list", "took the end of the data for it", true},
	Padding:      {"the end of the data", "ignored them", true},
	EarlyEnd:     {"the end of the data after the empty string that ends the list", "did not read them", false},
	EmptyString:  {"an index", "went on after it", true},
	BadIndex:     {"a decimal index up to 4294967295", "skipped it", false},
	LeadingZero:  {"an index without leading zeros", "took it", true},
	NoText:       {"a text", "dropped the index", false},
	Duplicate:    {"each index once", "took the later text", false},
	NotRising:    {"rising indices", "took it", true},
	Parity:       {"even indices for names and odd ones for help texts", "took it", true},
	BadUTF16:     {"a whole surrogate pair", "put U+FFFD in its place", false},
	BadUTF8:      {"UTF-8", "skipped the line", false},
	NoTab:        {"a TAB between index and text", "skipped the line", false},
	TooLarge:     {"at most 16 MiB", "did not read the rest", false},
	TooMany:      {"at most 1048576 pairs", "did not read the rest", false},
	BadLanguage:  {"a hexadecimal language id such as 009", "kept it as it is", true},
	Unlisted:     {"none", "did not list them", false},
}

// maxDamage bounds the list of damage of one table, so that it never outgrows
// the table itself.
const maxDamage = 100

// Error returns what was expected.
func (f Fault) Error() string { return "expected " + faults[f].want }

// Unwrap returns [winperf.ErrBadData].
func (f Fault) Unwrap() error { return winperf.ErrBadData }

// damageList collects the damage of one table, at most maxDamage and one entry
// that counts the others.
type damageList struct {
	source   string
	list     []error
	unlisted int
	first    winperf.DataError // the place of the first that is not listed
}

// add adds a fault at a place with what was found, which is only put into words
// where there is room for it.
func (l *damageList) add(f Fault, at winperf.DataError, found func() string) {
	if len(l.list) < maxDamage {
		l.list = append(l.list, l.damage(f, at, found()))
		return
	}
	if l.unlisted == 0 {
		l.first = at
	}
	l.unlisted++
}

// all returns the list.
func (l *damageList) all() []error {
	if l.unlisted == 0 {
		return l.list
	}
	more := fmt.Sprintf("%d more damaged places from here on", l.unlisted)
	return append(l.list, l.damage(Unlisted, l.first, more))
}

// damage is a fault at a place: what was found and expected, and what was done
// about it.
func (l *damageList) damage(f Fault, at winperf.DataError, found string) error {
	rule := faults[f]
	at.Err, at.Source, at.Warning = f, l.source, rule.warning
	at.Msg = fmt.Sprintf("found %s, expected %s; %s", found, rule.want, rule.done)
	return &at
}
