package perfdata_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
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
	name   string
	text   string
	cut    int // bytes to leave, 0 = all
	opt    perfdata.Options
	check  perfdata.Check
	offset int64
	kind   error
	left   int    // objects that stay
	text1  string // part of the error's text
}{
	{name: "empty", text: plain, cut: -1, check: perfdata.CheckBuffer, offset: 0, kind: perfdata.ErrTruncated},
	{name: "header cut", text: plain, cut: 87, check: perfdata.CheckBuffer, offset: 0, kind: perfdata.ErrTruncated,
		text1: "truncated at byte 0: block header needs 88 bytes, 87 are there"},
	{name: "signature", text: with("block", "set 4=0x00460053"), check: perfdata.CheckSignature, offset: 0, kind: perfdata.ErrSignature},
	{name: "big-endian", text: with("block", "set 0=0x45005000 4=0x46005200"), check: perfdata.CheckByteOrder, offset: 0, kind: perfdata.ErrByteOrder},
	{name: "big-endian values", text: with("block", "set LittleEndian=0"), check: perfdata.CheckByteOrder, offset: 8, kind: perfdata.ErrByteOrder},
	{name: "version", text: with("block", "set Version=2"), check: perfdata.CheckVersion, offset: 12, kind: perfdata.ErrVersion},
	{name: "total", text: with("block", "set TotalByteLength=87"), check: perfdata.CheckTotal, offset: 20, kind: perfdata.ErrLength},
	{name: "cut", text: plain, cut: 231, check: perfdata.CheckTruncated, offset: 20, kind: perfdata.ErrTruncated},
	{name: "total too long", text: with("block", "set TotalByteLength=0xFFFFFFFF"), check: perfdata.CheckTruncated, offset: 20, kind: perfdata.ErrTruncated, left: 1},
	{name: "header short", text: with("block", "set HeaderLength=87"), check: perfdata.CheckHeader, offset: 24, kind: perfdata.ErrLength},
	{name: "header long", text: with("block", "set HeaderLength=233"), check: perfdata.CheckHeader, offset: 24, kind: perfdata.ErrLength},
	{name: "machine", text: with("block", "set SystemNameLength=4 SystemNameOffset=229"), check: perfdata.CheckMachine, offset: 80, kind: perfdata.ErrName, left: 1},
	{name: "machine odd", text: with("block", "set SystemNameLength=3 SystemNameOffset=88"), check: perfdata.CheckMachine, offset: 80, kind: perfdata.ErrName, left: 1},
	{name: "objects", text: with("block", "set NumObjectTypes=0xFFFFFFFF"), check: perfdata.CheckObjectCount, offset: 28, kind: perfdata.ErrCount},
	{name: "object missing", text: with("block", "set NumObjectTypes=2"), check: perfdata.CheckObjectRoom, offset: 232, kind: perfdata.ErrTruncated, left: 1},
	{name: "object length 0", text: with("object", "set TotalByteLength=0"), check: perfdata.CheckObjectLength, offset: 88, kind: perfdata.ErrLength,
		text1: "bad length at byte 88: object 230: object TotalByteLength is 0, want 64 to 144"},
	{name: "object too long", text: with("object", "set TotalByteLength=145"), check: perfdata.CheckObjectLength, offset: 88, kind: perfdata.ErrLength},
	{name: "object header", text: with("object", "set HeaderLength=63"), check: perfdata.CheckObjectHeader, offset: 92, kind: perfdata.ErrLength},
	{name: "definitions", text: with("object", "set DefinitionLength=145"), check: perfdata.CheckObjectHeader, offset: 92, kind: perfdata.ErrLength},
	{name: "counters", text: with("object", "set NumCounters=0xFFFFFFFF"), check: perfdata.CheckCounterCount, offset: 120, kind: perfdata.ErrCount},
	{name: "instances", text: with("object", "set NumInstances=0x7FFFFFFF"), check: perfdata.CheckInstanceCount, offset: 128, kind: perfdata.ErrCount},
	{name: "instances -4", text: with("object", "set NumInstances=0xFFFFFFFC"), check: perfdata.CheckInstanceCount, offset: 128, kind: perfdata.ErrCount,
		text1: "object 230: NumInstances is -4, want -3 to 1"},
	{name: "definition short", text: with("counter", "set ByteLength=39"), check: perfdata.CheckCounterLength, offset: 152, kind: perfdata.ErrLength},
	{name: "definition long", text: with("counter", "set ByteLength=41"), check: perfdata.CheckCounterLength, offset: 152, kind: perfdata.ErrLength,
		text1: "object 230: counter 0: counter definition of 41 bytes, want 40 to 40"},
	{name: "second definition", text: with("counter", "extra 00000000\ncounter 8 65536\nset ByteLength=80\ngap 00"), check: perfdata.CheckCounterLength, offset: 196, kind: perfdata.ErrLength},
	{name: "definition cut", text: "object 230\nset NumCounters=2\ncounter 6 65536\nextra " + strings.Repeat("00", 16) + "\ngap " + strings.Repeat("00", 24),
		check: perfdata.CheckCounterLength, offset: 208, kind: perfdata.ErrLength},
	{name: "map in the length", text: instead("object", "object 230 missing=3"), check: perfdata.CheckMissingMap, offset: 156, kind: perfdata.ErrValue},
	{name: "map", text: strings.Replace(instead("object", "object 230 missing=8"), `"a"`, `"a" size=8`, 1), check: perfdata.CheckMissingMap, offset: 156, kind: perfdata.ErrValue},
	{name: "instance missing", text: plain + "tail " + strings.Repeat("00", 20) + "\n", check: perfdata.CheckInstanceRoom, offset: 232, kind: perfdata.ErrTruncated},
	{name: "instance short", text: with("instance", "set ByteLength=23"), check: perfdata.CheckInstanceLength, offset: 192, kind: perfdata.ErrTruncated},
	{name: "instance long", text: with("instance", "set ByteLength=41"), check: perfdata.CheckInstanceLength, offset: 192, kind: perfdata.ErrTruncated},
	{name: "name", text: instead("instance", `instance "a" namelength=9`), check: perfdata.CheckName, offset: 208, kind: perfdata.ErrName, left: 1},
	{name: "name offset", text: instead("instance", `instance "a" nameoffset=23`), check: perfdata.CheckName, offset: 208, kind: perfdata.ErrName, left: 1},
	{name: "name far", text: instead("instance", `instance "a" nameoffset=0xFFFFFFFF`), check: perfdata.CheckName, offset: 208, kind: perfdata.ErrName, left: 1},
	{name: "name odd", text: instead("instance", `instance "a" namelength=3`), check: perfdata.CheckNameText, offset: 212, kind: perfdata.ErrName, left: 1},
	{name: "surrogate", text: instead("instance", `instance - nameoffset=24 namelength=2 rest=00d8000000000000`), check: perfdata.CheckNameText, offset: 212, kind: perfdata.ErrName, left: 1},
	{name: "no block", text: with("instance", "set ByteLength=40"), check: perfdata.CheckBlockRoom, offset: 232, kind: perfdata.ErrTruncated},
	{name: "block short", text: with("instance", "set BlockByteLength=3"), check: perfdata.CheckBlockLength, offset: 224, kind: perfdata.ErrTruncated},
	{name: "block long", text: with("instance", "set BlockByteLength=9"), check: perfdata.CheckBlockLength, offset: 224, kind: perfdata.ErrTruncated,
		text1: "truncated at byte 224: object 230: instance 0: counter block of 9 bytes, want 4 to 8"},
	{name: "value", text: instead("counter", "counter 6 65536 offset=0xFFFFFFFF"), check: perfdata.CheckValue, offset: 188, kind: perfdata.ErrValue, left: 1},
	{name: "value before", text: instead("counter", "counter 6 65536 offset=3"), check: perfdata.CheckValue, offset: 188, kind: perfdata.ErrValue, left: 1},
	{name: "size", text: instead("counter", "counter 6 65536 size=2"), check: perfdata.CheckSize, offset: 184, kind: perfdata.ErrSize, left: 1,
		text1: "counter 0: CounterSize is 2 of type 0x00010000, want 0, 4 or 8"},
	{name: "odd value", text: instead("counter", "counter 6 65536 offset=5"), check: perfdata.CheckValueAlignment, offset: 188, kind: perfdata.ErrMisaligned, left: 1},
	{name: "odd instance", text: with("counter", "gap 00"), check: perfdata.CheckAlignment, offset: 193, kind: perfdata.ErrMisaligned, left: 1},
	{name: "odd length", text: instead("instance", `instance "a" size=12 : 1`), check: perfdata.CheckPadding, offset: 224, kind: perfdata.ErrMisaligned, left: 1},
	{name: "no base", text: instead("counter", "counter 6 PERF_RAW_FRACTION"), check: perfdata.CheckBase, offset: 180, kind: perfdata.ErrMissingBase, left: 1},
	{name: "no base but a counter", text: instead("counter", "counter 6 PERF_RAW_FRACTION\ncounter 8 65536"), check: perfdata.CheckBase, offset: 180, kind: perfdata.ErrMissingBase, left: 1},
	{name: "other base", text: instead("counter", "counter 6 PERF_RAW_FRACTION\ncounter 6 PERF_SAMPLE_BASE"), check: perfdata.CheckBaseClass, offset: 180, kind: perfdata.ErrMissingBase, left: 1},
	{name: "no count", text: instead("counter", "counter 6 PERF_COUNTER_MULTI_TIMER"), check: perfdata.CheckBase, offset: 180, kind: perfdata.ErrMissingBase, left: 1},
	{name: "slack", text: plain + "slack 0000000000000000", check: perfdata.CheckSlack, offset: 232, kind: perfdata.ErrSlack, left: 1},
	{name: "parent", text: instead("instance", `instance "a" parent=7 position=1 : 1`), check: perfdata.CheckParent, offset: 196, kind: perfdata.ErrDanglingParent, left: 1,
		text1: "parent object 7 has no instance 1"},
	{name: "parent position", text: instead("instance", `instance "a" parent=230 position=1 : 1`), check: perfdata.CheckParent, offset: 196, kind: perfdata.ErrDanglingParent, left: 1},
	{name: "duplicate", text: plain + "object 230\n", check: perfdata.CheckDuplicate, offset: 244, kind: perfdata.ErrDuplicate, left: 2},
	{name: "frequency", text: instead("block", "block"), check: perfdata.CheckTimeBase, offset: 64, kind: perfdata.ErrTimeBase, left: 1},
	{name: "object frequency", text: instead("counter", "counter 684 PERF_ELAPSED_TIME"), check: perfdata.CheckTimeBase, offset: 144, kind: perfdata.ErrTimeBase, left: 1},
	{name: "instance limit", text: plain + `instance "b" : 2`, opt: perfdata.Options{Limits: perfdata.Limits{Instances: 1}},
		check: perfdata.CheckInstanceLimit, offset: 88, kind: perfdata.ErrLimit},
	{name: "value limit", text: plain + `instance "b" : 2`, opt: perfdata.Options{Limits: perfdata.Limits{Values: 1}},
		check: perfdata.CheckValueLimit, offset: 88, kind: perfdata.ErrLimit},
	{name: "name limit", text: plain, opt: perfdata.Options{Limits: perfdata.Limits{NameBytes: 3}},
		check: perfdata.CheckNameLimit, offset: 88, kind: perfdata.ErrLimit, text1: "4 bytes of names, the limit is 3"},
}

func TestChecks(t *testing.T) {
	reached := map[perfdata.Check]bool{}
	for _, c := range checkCases {
		t.Run(c.name, func(t *testing.T) {
			b := encode(t, fixture(t, c.text))
			if c.name == "instance missing" {
				b[88+40] = 2 // NumInstances, with the right total
			}
			if c.cut != 0 {
				b = b[:max(c.cut, 0)]
			}
			c.opt.Warnings = true
			ix, err := decode(b, c.opt)
			found := finding(ix, err, c.check)
			if found == nil {
				t.Fatalf("check %d not found: error %v, damage %v", c.check, err, ix.Damage)
			}
			reached[c.check] = true
			if found.Offset != c.offset {
				t.Errorf("offset %d, want %d: %v", found.Offset, c.offset, found)
			}
			if !errors.Is(found, c.kind) || !errors.Is(found, winperf.ErrBadData) {
				t.Errorf("%v does not wrap %v and winperf.ErrBadData", found, c.kind)
			}
			if !strings.Contains(found.Error(), c.text1) {
				t.Errorf("error %q, want in it %q", found, c.text1)
			}
			if (err != nil) != (found.Severity() == perfdata.FailBlock) {
				t.Errorf("error %v with a finding of severity %q", err, found.Severity())
			}
			if err != nil && finding(ix, nil, perfdata.CheckSlack) != nil {
				t.Error("slack in a block that was not read to its end")
			}
			if len(ix.Objects) != c.left {
				t.Errorf("%d objects left, want %d", len(ix.Objects), c.left)
			}
		})
	}
	for check := range perfdata.Checks() {
		if !reached[check] {
			t.Errorf("check %d (%v) has no case", check, check.Kind())
		}
	}
}

// finding returns the finding of a check, from the error or the damage.
func finding(ix *index.Index, err error, check perfdata.Check) *perfdata.Error {
	for _, e := range append([]error{err}, ix.Damage...) {
		var found *perfdata.Error
		if errors.As(e, &found) && found.Check == check {
			return found
		}
	}
	return nil
}

// TestPlain makes sure that what TestChecks finds is not in the plain block.
func TestPlain(t *testing.T) {
	ix, err := decode(encode(t, fixture(t, plain)), perfdata.Options{Warnings: true})
	if err != nil || len(ix.Damage) != 0 || len(ix.Objects) != 1 {
		t.Errorf("%d objects, error %v, damage %v", len(ix.Objects), err, ix.Damage)
	}
}

// TestWarningsOnlyIfAskedFor decodes every case without warnings: only what
// costs something is listed.
func TestWarningsOnlyIfAskedFor(t *testing.T) {
	for _, c := range checkCases {
		ix, _ := decode(encode(t, fixture(t, c.text)), perfdata.Options{})
		for _, err := range ix.Damage {
			var e *perfdata.Error
			if !errors.As(err, &e) || e.Severity() == perfdata.Warning {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}
