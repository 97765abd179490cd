package nametable

import (
	"fmt"

	"github.com/winperf/winperf"
)

// fault says what is wrong at one place of a table. It is what damage, a
// [*winperf.DataError], wraps.
type fault uint8

// The faults.
const (
	oddLength    fault = iota // UTF-16 has an even number of bytes
	noTerminator              // the list does not end with an empty string
	padding                   // zero bytes follow the end of the list
	earlyEnd                  // the list ends and data follow
	emptyString               // an empty string inside the list, passed over in tolerant mode
	badIndex                  // an index is not a number of 32 bits
	leadingZero               // an index has leading zeros
	noText                    // an index has no text
	duplicate                 // an index stands twice
	notRising                 // an index is lower than the one before
	parity                    // an odd index in a counter table or an even one in a help table
	badUTF16                  // half of a surrogate pair
	badUTF8                   // a line of text that is not UTF-8
	noTab                     // a line of text without the TAB between index and text
	tooLarge                  // more than MaxBytes bytes
	tooMany                   // more than MaxPairs pairs
	badLanguage               // a language id that cannot be read
	unlisted                  // more damage than is listed
)

// faults is the table of all faults: what was expected, what was done, and
// whether nothing is lost.
var faults = [...]struct {
	want, done string
	warning    bool
}{
	oddLength:    {"an even number", "dropped the last byte", true},
	noTerminator: {"an empty string that ends the list", "took the end of the data for it", true},
	padding:      {"the end of the data", "ignored them", true},
	earlyEnd: {"the end of the data after the empty string that ends the list",
		"did not read them", false},
	emptyString: {"an index", "went on after it", true},
	badIndex:    {"a decimal index up to 4294967295", "skipped it", false},
	leadingZero: {"an index without leading zeros", "took it", true},
	noText:      {"a text", "dropped the index", false},
	duplicate:   {"each index once", "took the later text", false},
	notRising:   {"rising indices", "took it", true},
	parity:      {"even indices for names and odd ones for help texts", "took it", true},
	badUTF16:    {"a whole surrogate pair", "put U+FFFD in its place", false},
	badUTF8:     {"UTF-8", "skipped the line", false},
	noTab:       {"a TAB between index and text", "skipped the line", false},
	tooLarge:    {"at most 16 MiB", "did not read the rest", false},
	tooMany:     {"at most 1048576 pairs", "did not read the rest", false},
	badLanguage: {"a hexadecimal language id such as 009", "kept it as it is", true},
	unlisted:    {"none", "did not list them", false},
}

// maxDamage bounds the list of damage of one table, so that it never outgrows
// the table itself.
const maxDamage = 100

// Error returns what was expected.
func (f fault) Error() string { return "expected " + faults[f].want }

// Unwrap returns [winperf.ErrBadData].
func (f fault) Unwrap() error { return winperf.ErrBadData }

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
func (l *damageList) add(f fault, at winperf.DataError, found func() string) {
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
	return append(l.list, l.damage(unlisted, l.first, more))
}

// damage is a fault at a place: what was found and expected, and what was done
// about it.
func (l *damageList) damage(f fault, at winperf.DataError, found string) error {
	rule := faults[f]
	at.Err = f
	at.Source = l.source
	at.Warning = rule.warning
	at.Msg = fmt.Sprintf("found %s, expected %s; %s", found, rule.want, rule.done)
	return &at
}
