package nametable

import (
	"fmt"

	"github.com/winperf/winperf"
)

// fault says what is wrong at one place of a table: what was expected, what was done, and
// whether nothing is lost. It is what damage, a [*winperf.DataError], wraps.
type fault struct {
	Want, Done string
	Warning    bool
}

// The faults.
var (
	// UTF-16 has an even number of bytes
	oddLength = &fault{"an even number", "dropped the last byte", true}
	// the list does not end with an empty string
	noTerminator = &fault{"an empty string that ends the list", "took the end of the data for it", true}
	// zero bytes follow the end of the list
	padding = &fault{"the end of the data", "ignored them", true}
	// the list ends and data follow
	earlyEnd = &fault{"the end of the data after the empty string that ends the list",
		"did not read them", false}
	// an empty string inside the list, passed over in tolerant mode
	emptyString = &fault{"an index", "went on after it", true}
	// an index is not a number of 32 bits
	badIndex = &fault{"a decimal index up to 4294967295", "skipped it", false}
	// an index has leading zeros
	leadingZero = &fault{"an index without leading zeros", "took it", true}
	// an index has no text
	noText = &fault{"a text", "dropped the index", false}
	// an index stands twice
	duplicate = &fault{"each index once", "took the later text", false}
	// an index is lower than the one before
	notRising = &fault{"rising indices", "took it", true}
	// an odd index in a counter table or an even one in a help table
	parity = &fault{"even indices for names and odd ones for help texts", "took it", true}
	// half of a surrogate pair
	badUTF16 = &fault{"a whole surrogate pair", "put U+FFFD in its place", false}
	// a line of text that is not UTF-8
	badUTF8 = &fault{"UTF-8", "skipped the line", false}
	// a line of text without the TAB between index and text
	noTab = &fault{"a TAB between index and text", "skipped the line", false}
	// more than MaxBytes bytes
	tooLarge = &fault{"at most 16 MiB", "did not read the rest", false}
	// more than MaxPairs pairs
	tooMany = &fault{"at most 1048576 pairs", "did not read the rest", false}
	// a language id that cannot be read
	badLanguage = &fault{"a hexadecimal language id such as 009", "kept it as it is", true}
	// more damage than is listed
	unlisted = &fault{"none", "did not list them", false}
)

// maxDamage bounds the list of damage of one table, so that it never outgrows
// the table itself.
const maxDamage = 100

// Error returns what was expected.
func (f *fault) Error() string { return "expected " + f.Want }

// Unwrap returns [winperf.ErrBadData].
func (f *fault) Unwrap() error { return winperf.ErrBadData }

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
func (l *damageList) add(f *fault, at winperf.DataError, found func() string) {
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
func (l *damageList) damage(f *fault, at winperf.DataError, found string) error {
	at.Err = f
	at.Source = l.source
	at.Warning = f.Warning
	at.Msg = fmt.Sprintf("found %s, expected %s; %s", found, f.Want, f.Done)
	return &at
}
