package perfdata_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/perfdata"
)

// TestTextErrors checks where errors are said to be.
func TestTextErrors(t *testing.T) {
	object := "object 2\ncounter 4 65536\n"
	for _, c := range []struct {
		text         string
		line, column int
		want         string
	}{
		{"nothing", 1, 1, `unknown keyword "nothing"`},
		{"\n\n  block name=\"a", 3, 14, "a string without its closing quote"},
		{"block name=a", 1, 12, "expected a string in double quotes"},
		{`block name="a\x00b"`, 1, 12, "has a NUL"},
		{"block # comment\nblock", 2, 1, "the block line must be the first one and occur once"},
		{"object 2\nblock", 2, 1, "the block line must be the first one"},
		{"block perftime", 1, 7, `"perftime" is not key=value`},
		{"block perftime=x", 1, 16, `"x" is not a signed number of 64 bits`},
		{"block nme=x", 1, 7, `unknown key "nme"`},
		{"block systemtime=1,2", 1, 18, "expected 8 numbers"},
		{"block systemtime=1,2,3,4,5,6,7,70000", 1, 32, `"70000" is not a number of 16 bits`},
		{"block rest=0", 1, 12, "expected hexadecimal digits"},
		{"object", 1, 1, "object needs a number"},
		{"object 4294967296", 1, 8, "is not a number of 32 bits"},
		{"object 2 form=two", 1, 15, `unknown form "two"`},
		{"counter 4 65536", 1, 1, "counter belongs to an object"},
		{"object 2\ncounter 4", 2, 1, "expected a title index and a type"},
		{"object 2\ncounter 4 PERF_COUNTER_RAWCOUN", 2, 11, "did you mean PERF_COUNTER_RAWCOUNT?"},
		{object + "instance \"a\" : 1\ncounter 6 65536", 4, 1, "before its instances"},
		{"object 2 form=single\ninstance \"a\"", 2, 1, "object with instances"},
		{"object 2\nvalues", 2, 1, "object without instances"},
		{object + "instance", 3, 1, "instance needs a name"},
		{object + "instance \"a\" : 1 2", 3, 18, "too many values: the object has 1 counters"},
		{object + "instance \"a\" : 0x100000000", 3, 16, "does not fit 4 bytes"},
		{object + "instance \"a\" : ?", 3, 16, "no place for a mark"},
		{object + "instance \"a\" : \"x\"", 3, 16, "no place for a text"},
		{object + "instance \"a\" : hex:0102030405", 3, 16, "no place for a value"},
		{object + "instance \"a\" size=3", 3, 1, "counter block of 3 bytes"},
		{object + "instance \"a\" size=4000000000", 3, 1, "counter block of 4000000000 bytes"},
		{"object 2 codepage=1252\ninstance \"\u4e00\"", 2, 10, "text not in code page 1252"},
		{object + "instance \"a\"\nbytes 3 00", 4, 1, "not inside the counter block of 8 bytes"},
		{object + "instance \"a\"\nbytes 8 00", 4, 1, "not inside the counter block of 8 bytes"},
		{object + "instance \"a\"\nbytes 4", 4, 1, "hexadecimal digits and nothing else"},
		{object + "bytes 4 00", 3, 1, "bytes belongs to an instance"},
		{"set Nothing=1", 1, 5, `the structure above has no field "Nothing"`},
		{"set Version", 1, 5, `"Version" is not field=value`},
		{"set Version=x", 1, 13, `"x" is not a number of 32 bits`},
		{"extra 00", 1, 1, "extra belongs to an object or counter"},
		{"gap 00", 1, 1, "gap belongs to an object"},
		{"tail 00", 1, 1, "tail belongs to an object"},
		{"raw 0g", 1, 5, "expected hexadecimal digits"},
	} {
		_, err := perfdata.ParseText([]byte(c.text))
		var at *winperf.DataError
		if !errors.As(err, &at) || !errors.Is(err, perfdata.ErrText) || !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%q: error %v", c.text, err)
			continue
		}
		if at.Line != c.line || at.Column != c.column || !strings.Contains(at.Msg, c.want) {
			t.Errorf("%q: %v, want line %d, column %d and %q", c.text, err, c.line, c.column, c.want)
		}
	}
}

// TestTextBudget grants counter blocks 16 bytes for each byte of the text, beyond
// 16 MiB for any text.
func TestTextBudget(t *testing.T) {
	const length = 4096
	text := func(last int) string {
		s := "object 2\n" + strings.Repeat("instance - size=1048576\n", 16) +
			fmt.Sprintf("instance - size=%d\n#", last)
		return s + strings.Repeat("-", length-len(s))
	}
	if _, err := perfdata.ParseText([]byte(text(16 * length))); err != nil {
		t.Error(err)
	}
	_, err := perfdata.ParseText([]byte(text(16*length + 1)))
	if want := "bad text form in line 18, column 1: counter block of 65537 bytes, expected " +
		"4 to 65536"; err == nil ||
		err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestTextForms reads every word for a form.
func TestTextForms(t *testing.T) {
	for word, want := range map[string]perfdata.Form{
		"multiple": perfdata.Multiple, "single": perfdata.Single,
		"metadata-multiple": perfdata.MetadataMultiple, "metadata-single": perfdata.MetadataSingle,
	} {
		if got := fixture(t, "object 2 form="+word).Objects[0].Form; got != want {
			t.Errorf("%s: form %d, want %d", word, got, want)
		}
	}
}

// everyWord is a block in whose text form every word appears once.
const everyWord = `block name="HOST" default=238 perftime=-1 perffreq=2 time100ns=3 systemtime=1,2,3,4,5,6,7,8
set LittleEndian=2 52=7
object 2 help=9 detail=200 default=-1 codepage=1252 time=4 freq=5 missing=36 # "two"
set ObjectNameTitle=1 NumCounters=4
extra 0102
  counter 4 PERF_COUNTER_RAWCOUNT help=1 scale=-3 detail=300 # "four"
set CounterNameTitle=1
extra 03
  counter 6 0x00012345 size=4 offset=12
  counter 8 PERF_COUNTER_TEXT size=16
gap 04
  instance "a" parent=2 position=1 id=7 : 1 ?2 "x"
  instance - nameoffset=24 namelength=2 rest=6100 size=48 : 1 0 hex:00000100000000000000000000000000 # "a"
bytes 9 05
set ByteLength=1 BlockByteLength=2
tail 06
object 10 form=single
  values :
raw 0708
slack 09
`

// TestTextOfNames writes every word of the text form once, with names.
func TestTextOfNames(t *testing.T) {
	names := map[uint32]string{2: "two", 4: "four"}
	got := string(format(fixture(t, everyWord), func(title uint32) string { return names[title] }))
	if got != everyWord {
		t.Errorf("got\n%s\nwant\n%s", got, everyWord)
	}
}
