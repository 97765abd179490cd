package datablock_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

// plain is a block with nothing wrong. The object is at byte 88, its definition
// at 152, the instance at 192, its counter block at 224, the end at 232. Each
// line has a mark behind which a case can put something else.
const plain = `
block perffreq=10000000 # block
object 230 # object
counter 6 PERF_COUNTER_COUNTER # counter
instance "a" # instance
`

// with puts lines behind the marked line of the plain block.
func with(mark, lines string) string {
	return strings.Replace(plain, "# "+mark, "\n"+lines, 1)
}

// instead puts a line in the place of the marked line.
func instead(mark, line string) string {
	lines := strings.Split(plain, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(l, "# "+mark) })
	lines[i] = line
	return strings.Join(lines, "\n")
}

// checkCases has a case for every check.
var checkCases = []struct {
	name  string
	text  string
	cut   int // bytes to leave, 0 = all
	opt   datablock.Options
	check datablock.Check
	kind  error
	left  int    // objects that stay
	want  string // the error's text
}{
	{name: "empty", text: plain, cut: -1, check: datablock.CheckBuffer, kind: datablock.ErrTruncated,
		want: "truncated at byte 0: block header needs 88 bytes, 0 are there"},
	{name: "header cut", text: plain, cut: 87, check: datablock.CheckBuffer, kind: datablock.ErrTruncated,
		want: "truncated at byte 0: block header needs 88 bytes, 87 are there"},
	{name: "signature", text: with("block", "set 4=0x00460053"),
		check: datablock.CheckSignature, kind: datablock.ErrSignature,
		want: "bad signature at byte 0: got 0x0046005300450050, want 0x0046005200450050"},
	{name: "big-endian", text: with("block", "set 0=0x45005000 4=0x46005200"),
		check: datablock.CheckByteOrder, kind: datablock.ErrByteOrder,
		want: "unsupported byte order at byte 0: LittleEndian is 0, want 1"},
	{name: "big-endian values", text: with("block", "set LittleEndian=0"),
		check: datablock.CheckByteOrder, kind: datablock.ErrByteOrder,
		want: "unsupported byte order at byte 8: LittleEndian is 0, want 1"},
	{name: "version", text: with("block", "set Version=2"),
		check: datablock.CheckVersion, kind: datablock.ErrVersion,
		want: "unsupported version at byte 12: got 2, want 1"},
	{name: "total", text: with("block", "set TotalByteLength=87"),
		check: datablock.CheckTotal, kind: datablock.ErrLength,
		want: "bad length at byte 20: TotalByteLength is 87, want at least 88"},
	{name: "cut", text: plain, cut: 231, check: datablock.CheckTruncated, kind: datablock.ErrTruncated,
		want: "truncated at byte 20: TotalByteLength is 232, 231 bytes are there"},
	{name: "total too long", text: with("block", "set TotalByteLength=0xFFFFFFFF"),
		check: datablock.CheckTruncated, kind: datablock.ErrTruncated, left: 1,
		want: "truncated at byte 20: TotalByteLength is 4294967295, 232 bytes are there"},
	{name: "header short", text: with("block", "set HeaderLength=87"),
		check: datablock.CheckHeader, kind: datablock.ErrLength,
		want: "bad length at byte 24: HeaderLength is 87, want 88 to 232"},
	{name: "header long", text: with("block", "set HeaderLength=233"),
		check: datablock.CheckHeader, kind: datablock.ErrLength,
		want: "bad length at byte 24: HeaderLength is 233, want 88 to 232"},
	{name: "objects", text: with("block", "set NumObjectTypes=3"),
		check: datablock.CheckObjectCount, kind: datablock.ErrCount,
		want: "implausible count at byte 28: NumObjectTypes is 3, there is room for 2"},
	{name: "object missing", text: with("block", "set NumObjectTypes=2"),
		check: datablock.CheckObjectSpace, kind: datablock.ErrTruncated, left: 1,
		want: "truncated at byte 232: object needs 64 bytes, 0 are left"},
	{name: "object length 0", text: with("object", "set TotalByteLength=0"),
		check: datablock.CheckObjectLength, kind: datablock.ErrLength,
		want: "bad length at byte 88: object 230: object TotalByteLength is 0, want 64 to 144"},
	{name: "object too long", text: with("object", "set TotalByteLength=145"),
		check: datablock.CheckObjectLength, kind: datablock.ErrLength,
		want: "bad length at byte 88: object 230: object TotalByteLength is 145, want 64 to 144"},
	{name: "object header", text: with("object", "set HeaderLength=63"),
		check: datablock.CheckObjectHeader, kind: datablock.ErrLength,
		want: "bad length at byte 92: object 230: HeaderLength is 63 and DefinitionLength 104, want 64 " +
			"<= HeaderLength <= DefinitionLength <= TotalByteLength"},
	{name: "definitions", text: with("object", "set DefinitionLength=145"),
		check: datablock.CheckObjectHeader, kind: datablock.ErrLength,
		want: "bad length at byte 92: object 230: HeaderLength is 64 and DefinitionLength 145, want 64 " +
			"<= HeaderLength <= DefinitionLength <= TotalByteLength"},
	{name: "counters", text: with("object", "set NumCounters=2"),
		check: datablock.CheckCounterCount, kind: datablock.ErrCount,
		want: "implausible count at byte 120: object 230: NumCounters is 2, there is room for 1"},
	{name: "instances", text: with("object", "set NumInstances=2"),
		check: datablock.CheckInstanceCount, kind: datablock.ErrCount,
		want: "implausible count at byte 128: object 230: NumInstances is 2, want -3 to 1"},
	{name: "instances -4", text: with("object", "set NumInstances=0xFFFFFFFC"),
		check: datablock.CheckInstanceCount, kind: datablock.ErrCount,
		want: "implausible count at byte 128: object 230: NumInstances is -4, want -3 to 1"},
	{name: "definition short", text: with("counter", "set ByteLength=39"),
		check: datablock.CheckCounterLength, kind: datablock.ErrLength,
		want: "bad length at byte 152: object 230: counter 0: counter definition of 39 bytes, want 40 to 40"},
	{name: "definition long", text: with("counter", "set ByteLength=41"),
		check: datablock.CheckCounterLength, kind: datablock.ErrLength,
		want: "bad length at byte 152: object 230: counter 0: counter definition of 41 bytes, want 40 to 40"},
	{name: "second definition", text: with("counter",
		"extra 00000000\ncounter 8 65536\nset ByteLength=80\ngap 00"),
		check: datablock.CheckCounterLength, kind: datablock.ErrLength,
		want: "bad length at byte 196: object 230: counter 1: counter definition of 80 bytes, want 40 to 41"},
	{name: "definition cut", text: "object 230\nset NumCounters=2\ncounter 6 65536\nextra " +
		strings.Repeat("00", 16) + "\ngap " + strings.Repeat("00", 24),
		check: datablock.CheckCounterLength, kind: datablock.ErrLength,
		want: "bad length at byte 208: object 230: counter 1: counter definition of 24 bytes, want 40 to 24"},
	{name: "map in the length", text: instead("object", "object 230 missing=3"),
		check: datablock.CheckMissingMap, kind: datablock.ErrValue,
		want: "value out of range at byte 156: object 230: bit map of missing values ends at 4 of 152 " +
			"bytes, or begins before byte 4"},
	{name: "map", text: strings.Replace(instead("object", "object 230 missing=8"), `"a"`, `"a" size=8`, 1),
		check: datablock.CheckMissingMap, kind: datablock.ErrValue,
		want: "value out of range at byte 156: object 230: bit map of missing values ends at 9 of 8 " +
			"bytes, or begins before byte 4"},
	{name: "map far", text: instead("object", "object 230 missing=0xFFFFFFFF"),
		check: datablock.CheckMissingMap, kind: datablock.ErrValue,
		want: "value out of range at byte 156: object 230: bit map of missing values ends at 4294967296 " +
			"of 8 bytes, or begins before byte 4"},
	{name: "map far, no instances",
		text:  "block perffreq=1\nobject 230 missing=0xFFFFFFFF\ncounter 6 PERF_COUNTER_COUNTER",
		check: datablock.CheckMissingMap, kind: datablock.ErrValue,
		want: "value out of range at byte 156: object 230: bit map of missing values ends at 4294967296 " +
			"of 4294967295 bytes, or begins before byte 4"},
	{name: "definition and no block", text: with("object", "set NumInstances=2") + "tail 18000000" +
		strings.Repeat("00", 20),
		check: datablock.CheckBlockSpace, kind: datablock.ErrTruncated,
		want: "truncated at byte 256: object 230: instance 1: counter block needs 4 bytes, 0 are left"},
	{name: "instance missing", text: with("object", "set NumInstances=2") + "tail " +
		strings.Repeat("00", 20),
		check: datablock.CheckInstanceSpace, kind: datablock.ErrTruncated,
		want: "truncated at byte 232: object 230: instance 1: instance definition needs 24 bytes, " +
			"20 are left"},
	{name: "instance short", text: with("instance", "set ByteLength=23"),
		check: datablock.CheckInstanceLength, kind: datablock.ErrTruncated,
		want: "truncated at byte 192: object 230: instance 0: instance definition of 23 bytes, " +
			"want 24 to 40"},
	{name: "instance long", text: with("instance", "set ByteLength=41"),
		check: datablock.CheckInstanceLength, kind: datablock.ErrTruncated,
		want: "truncated at byte 192: object 230: instance 0: instance definition of 41 bytes, " +
			"want 24 to 40"},
	{name: "name", text: instead("instance", `instance "a" namelength=9`),
		check: datablock.CheckName, kind: datablock.ErrName, left: 1,
		want: "bad name at byte 208: object 230: instance 0: name ends at 33 of the 32 bytes of its " +
			"definition, or begins before byte 24"},
	{name: "name offset", text: instead("instance", `instance "a" nameoffset=23`),
		check: datablock.CheckName, kind: datablock.ErrName, left: 1,
		want: "bad name at byte 208: object 230: instance 0: name ends at 27 of the 32 bytes of its " +
			"definition, or begins before byte 24"},
	{name: "name far", text: instead("instance", `instance "a" nameoffset=0xFFFFFFFF`),
		check: datablock.CheckName, kind: datablock.ErrName, left: 1,
		want: "bad name at byte 208: object 230: instance 0: name ends at 4294967299 of the 32 bytes of " +
			"its definition, or begins before byte 24"},
	{name: "no block", text: with("instance", "set ByteLength=40"),
		check: datablock.CheckBlockSpace, kind: datablock.ErrTruncated,
		want: "truncated at byte 232: object 230: instance 0: counter block needs 4 bytes, 0 are left"},
	{name: "block short", text: with("instance", "set BlockByteLength=3"),
		check: datablock.CheckBlockLength, kind: datablock.ErrTruncated,
		want: "truncated at byte 224: object 230: instance 0: counter block of 3 bytes, want 4 to 8"},
	{name: "block long", text: with("instance", "set BlockByteLength=9"),
		check: datablock.CheckBlockLength, kind: datablock.ErrTruncated,
		want: "truncated at byte 224: object 230: instance 0: counter block of 9 bytes, want 4 to 8"},
	{name: "value", text: instead("counter", "counter 6 65536 offset=0xFFFFFFFF"),
		check: datablock.CheckValue, kind: datablock.ErrValue, left: 1,
		want: "value out of range at byte 188: object 230: counter 0: value ends at 4294967299 of the 8 " +
			"bytes of the shortest counter block, or begins before byte 4"},
	{name: "value before", text: instead("counter", "counter 6 65536 offset=3"),
		check: datablock.CheckValue, kind: datablock.ErrValue, left: 1,
		want: "value out of range at byte 188: object 230: counter 0: value ends at 7 of the 8 bytes of " +
			"the shortest counter block, or begins before byte 4"},
	{name: "size", text: instead("counter", "counter 6 65536 size=2"),
		check: datablock.CheckSize, kind: datablock.ErrSize, left: 1,
		want: "unsupported size at byte 184: object 230: counter 0: CounterSize is 2 of type 0x00010000, " +
			"want 0, 4 or 8"},
	{name: "no base", text: instead("counter", "counter 6 PERF_RAW_FRACTION"),
		check: datablock.CheckBase, kind: datablock.ErrMissingBase, left: 1,
		want: "missing base at byte 180: object 230: counter 0: type 0x20020400 needs a base, type " +
			"0x00000000 follows"},
	{name: "no base but a counter", text: instead("counter", "counter 6 PERF_RAW_FRACTION\ncounter 8 65536"),
		check: datablock.CheckBase, kind: datablock.ErrMissingBase, left: 1,
		want: "missing base at byte 180: object 230: counter 0: type 0x20020400 needs a base, type " +
			"0x00010000 follows"},
	{name: "no count", text: instead("counter", "counter 6 PERF_COUNTER_MULTI_TIMER"),
		check: datablock.CheckBase, kind: datablock.ErrMissingBase, left: 1,
		want: "missing base at byte 180: object 230: counter 0: type 0x22410500 needs a base, type " +
			"0x00000000 follows"},
	{name: "frequency", text: instead("block", "block"),
		check: datablock.CheckTimeBase, kind: datablock.ErrTimeBase, left: 1,
		want: "bad time base at byte 64: object 230: counter 0: frequency is 0, type 0x10410400 needs " +
			"one above 0"},
	{name: "object frequency", text: instead("counter", "counter 684 PERF_ELAPSED_TIME"),
		check: datablock.CheckTimeBase, kind: datablock.ErrTimeBase, left: 1,
		want: "bad time base at byte 144: object 230: counter 0: frequency is 0, type 0x30240500 needs " +
			"one above 0"},
	{name: "value limit", text: "object 2\n" + strings.Repeat("counter 4 65536 offset=4\n", 100) +
		strings.Repeat("instance - : 1\n", 100),
		check: datablock.CheckValueLimit, kind: datablock.ErrLimit,
		want: "over limit at byte 88: object 2: 10000 values, the limit is 3676"},
}

func TestChecks(t *testing.T) {
	reached := map[datablock.Check]bool{}
	for _, c := range checkCases {
		t.Run(c.name, func(t *testing.T) {
			b := encode(t, fixture(t, c.text))
			if c.cut != 0 {
				b = b[:max(c.cut, 0)]
			}
			ix, err := decode(b, c.opt)
			found := finding(ix, err, c.check)
			if found == nil {
				t.Fatalf("check %v not found: error %v, damage %v", c.check, err, ix.Damage)
			}
			reached[c.check] = true
			if !errors.Is(found, c.kind) || !errors.Is(found, winperf.ErrBadData) {
				t.Errorf("%v does not wrap %v and winperf.ErrBadData", found, c.kind)
			}
			if found.Error() != c.want {
				t.Errorf("error %q, want %q", found, c.want)
			}
			if fails := slices.Contains(datablock.FailBlock, c.check); (err != nil) != fails || found.Warning {
				t.Errorf("error %v, fails %v, warning %v", err, fails, found.Warning)
			}
			if len(ix.Objects) != c.left {
				t.Errorf("%d objects left, want %d", len(ix.Objects), c.left)
			}
		})
	}
	source, err := os.ReadFile("check.go")
	if err != nil {
		t.Fatal(err)
	}
	n := strings.Count(string(source), "= index.New") - strings.Count(string(source), "= index.NewKind")
	if n != len(datablock.Checks) {
		t.Errorf("%d checks are listed, there are %d", len(datablock.Checks), n)
	}
	for i, check := range datablock.Checks {
		if !reached[check] {
			t.Errorf("check %d (%v) has no case", i, check)
		}
	}
}

// finding returns the finding of a check, from the error or the damage.
func finding(ix *index.Index, err error, check datablock.Check) *winperf.DataError {
	for _, e := range append([]error{err}, ix.Damage...) {
		var found *winperf.DataError
		if errors.As(e, &found) && errors.Is(found, check) {
			return found
		}
	}
	return nil
}

// TestFailureAfterMuchDamage fails at a block behind more findings than are listed.
func TestFailureAfterMuchDamage(t *testing.T) {
	bad := strings.Repeat("instance \"a\" nameoffset=23 : 1\n", 102)
	text := with("counter", "counter 4 65536 offset=5") + bad +
		"object 2\n" + strings.Repeat("counter 4 65536 offset=4\n", 200) + strings.Repeat("instance - : 1\n", 200)
	ix, err := decode(encode(t, fixture(t, text)), datablock.Options{})
	want := "over limit at byte 5176: object 2: 40206 values, the limit is 9820"
	if err == nil || err.Error() != want || len(ix.Damage) != 100 || ix.MoreDamage != 2 {
		t.Errorf("error %v, %d findings and %d more, want %q", err, len(ix.Damage), ix.MoreDamage, want)
	}
}

// TestPlain makes sure that what TestChecks finds is not in the plain block.
func TestPlain(t *testing.T) {
	ix, err := decode(encode(t, fixture(t, plain)), datablock.Options{})
	if err != nil || len(ix.Damage) != 0 || len(ix.Objects) != 1 {
		t.Errorf("%d objects, error %v, damage %v", len(ix.Objects), err, ix.Damage)
	}
}
