package nametable

import (
	"fmt"

	"github.com/winperf/winperf"
)

// Fault says what is wrong at one place of a table.
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

// Damage is one thing that is wrong with a table. It is an error that wraps
// [winperf.ErrBadData].
type Damage struct {
	Fault  Fault
	Source string // what was read, such as "Counter 009" or a file's name; may be empty
	Offset int    // in bytes, in the data that were read
	Line   int    // of a text file, from 1; 0 for registry bytes
	Column int    // in bytes, from 1; 0 for registry bytes
	Found  string // what was there
}

// Error says what was read, where, what was found and expected, and what was
// done about it.
func (d Damage) Error() string {
	where := d.Source
	if where == "" {
		where = "name table"
	}
	if d.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", where, d.Line, d.Column)
	} else {
		where = fmt.Sprintf("%s: byte %d", where, d.Offset)
	}
	f := faults[min(d.Fault, Unlisted)]
	return fmt.Sprintf("%s: found %s, expected %s; %s", where, d.Found, f.want, f.done)
}

// Unwrap returns [winperf.ErrBadData].
func (d Damage) Unwrap() error { return winperf.ErrBadData }

// Warning tells whether all texts are there in spite of the damage.
func (d Damage) Warning() bool { return faults[min(d.Fault, Unlisted)].warning }

// damageList collects the damage of one table, at most maxDamage and one entry
// that counts the others.
type damageList struct {
	list     []Damage
	unlisted int
}

// add adds d with what was found, which is only put into words where there is
// room for it.
func (l *damageList) add(d Damage, found func() string) {
	if len(l.list) < maxDamage {
		d.Found = found()
		l.list = append(l.list, d)
		return
	}
	if l.unlisted == 0 {
		d.Fault = Unlisted
		l.list = append(l.list, d)
	}
	l.unlisted++
}

// all returns the list.
func (l *damageList) all() []Damage {
	if l.unlisted > 0 {
		l.list[maxDamage].Found = fmt.Sprintf("%d more damaged places from here on", l.unlisted)
	}
	return l.list
}
