package nametable

import (
	"fmt"

	"github.com/winperf/winperf"
)

// fault is a kind of damage: the expected form, the reaction, and whether nothing is lost.
// A [*winperf.DataError] wraps it.
type fault struct {
	Want, Done string
	Warning    bool
}

var (
	oddLength    = &fault{"an even number", "dropped the last byte", true}
	noTerminator = &fault{"an empty string that ends the list", "used the end of the data", true}
	padding      = &fault{"the end of the data", "ignored them", true}
	earlyEnd     = &fault{"the end of the data after the empty string that ends the list",
		"did not read them", false}
	// only in tolerant mode
	emptyString = &fault{"an index", "continued after it", true}
	badIndex    = &fault{"a decimal index up to 4294967295", "skipped it", false}
	leadingZero = &fault{"an index without leading zeros", "took it", true}
	noText      = &fault{"a text", "dropped the index", false}
	duplicate   = &fault{"each index once", "took the later text", false}
	notRising   = &fault{"rising indices", "took it", true}
	parity      = &fault{"even indices for names and odd ones for help texts", "took it", true}
	badUTF16    = &fault{"a whole surrogate pair", "put U+FFFD in its place", false}
	badUTF8     = &fault{"UTF-8", "skipped the line", false}
	noTab       = &fault{"a TAB between index and text", "skipped the line", false}
	tooLarge    = &fault{"at most 16 MiB", "did not read the rest", false}
	tooMany     = &fault{"at most 1048576 pairs", "did not read the rest", false}
	badLanguage = &fault{"a hexadecimal language id such as 009", "kept it as it is", true}
	unlisted    = &fault{"none", "did not list them", false}
)

const maxDamage = 100

// Error returns the expected form.
func (f *fault) Error() string { return "expected " + f.Want }

func (f *fault) Unwrap() error { return winperf.ErrBadData }

// damageList collects the damage of one table: at most maxDamage entries and one that
// counts the rest.
type damageList struct {
	source   string
	list     []error
	unlisted int
	first    winperf.DataError // the place of the first unlisted fault
}

// add adds a fault at a place. found is called only if the fault is listed.
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

func (l *damageList) all() []error {
	if l.unlisted == 0 {
		return l.list
	}
	more := fmt.Sprintf("%d more damaged places from here on", l.unlisted)
	return append(l.list, l.damage(unlisted, l.first, more))
}

func (l *damageList) damage(f *fault, at winperf.DataError, found string) error {
	at.Err = f
	at.Source = l.source
	at.Warning = f.Warning
	at.Msg = fmt.Sprintf("found %s, expected %s; %s", found, f.Want, f.Done)
	return &at
}
