package winperf_test

import (
	"encoding"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
)

var _ encoding.TextAppender = winperf.Path{}

// paths are texts that String returns again as they are.
var paths = []struct {
	text string
	want winperf.Path
}{
	// The ten forms of "Specifying a Counter Path".
	{`\\host\Object(parent/name#2)\Counter`, winperf.Path{Machine: "host", Object: "Object", Instance: "parent/name", Index: 2, HasInstance: true, Counter: "Counter"}},
	{`\\host\Object(parent/name)\Counter`, winperf.Path{Machine: "host", Object: "Object", Instance: "parent/name", HasInstance: true, Counter: "Counter"}},
	{`\\host\Object(name#2)\Counter`, winperf.Path{Machine: "host", Object: "Object", Instance: "name", Index: 2, HasInstance: true, Counter: "Counter"}},
	{`\\host\Object(name)\Counter`, winperf.Path{Machine: "host", Object: "Object", Instance: "name", HasInstance: true, Counter: "Counter"}},
	{`\\host\Object\Counter`, winperf.Path{Machine: "host", Object: "Object", Counter: "Counter"}},
	{`\Object(parent/name#2)\Counter`, winperf.Path{Object: "Object", Instance: "parent/name", Index: 2, HasInstance: true, Counter: "Counter"}},
	{`\Object(parent/name)\Counter`, winperf.Path{Object: "Object", Instance: "parent/name", HasInstance: true, Counter: "Counter"}},
	{`\Object(name#2)\Counter`, winperf.Path{Object: "Object", Instance: "name", Index: 2, HasInstance: true, Counter: "Counter"}},
	{`\Object(name)\Counter`, winperf.Path{Object: "Object", Instance: "name", HasInstance: true, Counter: "Counter"}},
	{`\Object\Counter`, winperf.Path{Object: "Object", Counter: "Counter"}},

	// Names that hold separators.
	{`\PhysicalDisk(0 C:)\% Disk Time`, winperf.Path{Object: "PhysicalDisk", Instance: "0 C:", HasInstance: true, Counter: "% Disk Time"}},
	{`\Network Interface(Intel[R] PRO_1000 MT)\Bytes Total/sec`, winperf.Path{Object: "Network Interface", Instance: "Intel[R] PRO_1000 MT", HasInstance: true, Counter: "Bytes Total/sec"}},
	{`\Network Interface(Intel(R) PRO_1000 MT)\Bytes Total/sec`, winperf.Path{Object: "Network Interface", Instance: "Intel(R) PRO_1000 MT", HasInstance: true, Counter: "Bytes Total/sec"}},
	{`\O(a)\b)\c`, winperf.Path{Object: "O", Instance: `a)\b`, HasInstance: true, Counter: "c"}},
	{`\O((a))\c`, winperf.Path{Object: "O", Instance: "(a)", HasInstance: true, Counter: "c"}},
	{`\Memory\Standby Cache Lifetime (s)`, winperf.Path{Object: "Memory", Counter: "Standby Cache Lifetime (s)"}},
	{`\Memory\a(b)\c`, winperf.Path{Object: "Memory", Counter: `a(b)\c`}},
	{`\.NET CLR Memory(app)\# Gen 0 Collections`, winperf.Path{Object: ".NET CLR Memory", Instance: "app", HasInstance: true, Counter: "# Gen 0 Collections"}},
	{`\\10.0.0.1\MSSQL$DB:Locks(_Total)\Lock Waits/sec`, winperf.Path{Machine: "10.0.0.1", Object: "MSSQL$DB:Locks", Instance: "_Total", HasInstance: true, Counter: "Lock Waits/sec"}},
	{`\\fe80::1\Système\Utilisé #1`, winperf.Path{Machine: "fe80::1", Object: "Système", Counter: "Utilisé #1"}},
	{`\LogicalDisk(/var/log)\Free Megabytes`, winperf.Path{Object: "LogicalDisk", Instance: "/var/log", HasInstance: true, Counter: "Free Megabytes"}},
	{`\O()\c`, winperf.Path{Object: "O", HasInstance: true, Counter: "c"}},
	{`\O(#3)\c`, winperf.Path{Object: "O", Index: 3, HasInstance: true, Counter: "c"}},

	// The index, and names that only look as if they had one.
	{`\O(C#)\c`, winperf.Path{Object: "O", Instance: "C#", HasInstance: true, Counter: "c"}},
	{`\O(a#b)\c`, winperf.Path{Object: "O", Instance: "a#b", HasInstance: true, Counter: "c"}},
	{`\O(a#+1)\c`, winperf.Path{Object: "O", Instance: "a#+1", HasInstance: true, Counter: "c"}},
	{`\O(a#1 )\c`, winperf.Path{Object: "O", Instance: "a#1 ", HasInstance: true, Counter: "c"}},
	{`\O(a#1/b)\c`, winperf.Path{Object: "O", Instance: "a#1/b", HasInstance: true, Counter: "c"}},
	{`\O(a#2147483647)\c`, winperf.Path{Object: "O", Instance: "a", Index: math.MaxInt32, HasInstance: true, Counter: "c"}},
	{`\O(a#2147483648)\c`, winperf.Path{Object: "O", Instance: "a#2147483648", HasInstance: true, Counter: "c"}},
	{`\O(name#5#0)\c`, winperf.Path{Object: "O", Instance: "name#5", HasInstance: true, Counter: "c"}},
	{`\O(name#05#0)\c`, winperf.Path{Object: "O", Instance: "name#05", HasInstance: true, Counter: "c"}},
	{`\O(name#5#3)\c`, winperf.Path{Object: "O", Instance: "name#5", Index: 3, HasInstance: true, Counter: "c"}},
	{`\O(name#*#0)\c`, winperf.Path{Object: "O", Instance: "name#*", HasInstance: true, Counter: "c"}},

	// Wildcards.
	{`\*(*)\*`, winperf.Path{Object: "*", Instance: "*", HasInstance: true, Counter: "*"}},
	{`\Process(svchost#*)\ID Process`, winperf.Path{Object: "Process", Instance: "svchost", Index: winperf.AnyIndex, HasInstance: true, Counter: "ID Process"}},
	{`\Thread(*/*#*)\% *`, winperf.Path{Object: "Thread", Instance: "*/*", Index: winperf.AnyIndex, HasInstance: true, Counter: "% *"}},
	{`\O(a#?)\c?`, winperf.Path{Object: "O", Instance: "a#?", HasInstance: true, Counter: "c?"}},
}

func TestParsePath(t *testing.T) {
	for _, test := range paths {
		got, err := winperf.ParsePath(test.text)
		if err != nil {
			t.Errorf("ParsePath(%s): %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("ParsePath(%s): -want +got\n%s", test.text, diff)
		}
		if s := test.want.String(); s != test.text {
			t.Errorf("String = %s, want %s", s, test.text)
		}
		if b, err := test.want.AppendText([]byte("x")); string(b) != "x"+test.text || err != nil {
			t.Errorf("AppendText = %s, %v, want x%s", b, err, test.text)
		}
		if err := test.want.Validate(); err != nil {
			t.Errorf("Validate(%s): %v", test.text, err)
		}
	}
}

// Some texts are more than one spelling of a path.
func TestParsePathSpellings(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`\O(a#0)\c`, `\O(a)\c`},
		{`\O(a#002)\c`, `\O(a#2)\c`},
		{`\O(a#00)\c`, `\O(a)\c`},
		{`\O(#0)\c`, `\O()\c`},
	} {
		p, err := winperf.ParsePath(test.text)
		if err != nil || p.String() != test.want {
			t.Errorf("ParsePath(%s) = %s, %v, want %s", test.text, p, err, test.want)
		}
	}
}

func TestParsePathErrors(t *testing.T) {
	tests := []struct {
		text   string
		offset int64
		msg    string
	}{
		{``, 0, "the path is empty"},
		{`Processor(_Total)\x`, 0, "a path begins with a backslash"},
		{`/Processor(_Total)/x`, 0, "a path begins with a backslash; use backslashes, not slashes"},
		{` \Processor(_Total)\x`, 0, "a path begins with a backslash; remove the blank before it"},
		{`'\Processor(_Total)\x'`, 0, "a path begins with a backslash; remove the quotes around it"},
		{`"\Processor(_Total)\x"`, 0, "a path begins with a backslash; remove the quotes around it"},
		{`\`, 1, "expected an object name"},
		{`\Memory`, 7, "expected a backslash and a counter name, or an instance in parentheses"},
		{`\Memory/Available MBytes`, 24, "expected a backslash and a counter name; use backslashes, not slashes"},
		{`\(a)\c`, 1, "the object name is empty"},
		{`\Memory\`, 8, "the counter name is empty"},
		{`\Process(a)\`, 12, "the counter name is empty"},
		{`\Process(a)`, 11, "expected a backslash and a counter name after the instance"},
		{`\Process(a\c`, 8, "this parenthesis is not closed: expected ) and a backslash after the instance"},
		{`\Process(a)c`, 8, "this parenthesis is not closed: expected ) and a backslash after the instance"},
		{`\\`, 2, "the machine name is empty; write one backslash before an object, two before a machine"},
		{`\\\O\c`, 2, "the machine name is empty; write one backslash before an object, two before a machine"},
		{`\\host`, 6, `expected \object\counter after the machine "host"; write one backslash before an object`},
		{`\\host\`, 7, "expected an object name"},
		{`\\host\\c`, 7, "the object name is empty"},
		{`\\h*st\O\c`, 3, "a machine name cannot hold the wildcard *"},
		{`\\hos?\O\c`, 5, "a machine name cannot hold the wildcard ?"},
		{`\\Processor(_Total)\% Processor Time`, 36, `expected a backslash and a counter name; "Processor(_Total)" after two backslashes is a machine name`},
		{`\Processor(_Total)\% Processor` + "\tTime", 30, "control character U+0009 in the path"},
		{"\\Memory\\a\x00", 9, "control character U+0000 in the path"},
		{"\\Memory\\a\u0085", 9, "control character U+0085 in the path"},
		{"\\Memory\\é\xff", 10, "invalid UTF-8 (byte 0xff)"},
		{`\O\` + strings.Repeat("c", 2046), 2048, "the path is longer than 2048 characters"},
		{`\O\` + strings.Repeat("😀", 1023), 3 + 4*1022, "the path is longer than 2048 characters"},
	}
	for _, test := range tests {
		got, err := winperf.ParsePath(test.text)
		want := winperf.DataError{Err: winperf.ErrPath, Text: test.text, Offset: test.offset, Msg: test.msg}
		if e := new(winperf.DataError); !errors.As(err, &e) || *e != want {
			t.Errorf("ParsePath(%s): error %+v, want %+v", test.text, *e, want)
		}
		if got != (winperf.Path{}) {
			t.Errorf("ParsePath(%s) = %+v with an error", test.text, got)
		}
		checkPathError(t, test.text, err)
	}
}

// The error of Select names each path that cannot be read.
func TestSelect(t *testing.T) {
	sel, err := winperf.Select(`\System\Processes`, `System\Threads`, `\Memory`)
	if len(sel.Paths) != 0 || !errors.Is(err, winperf.ErrPath) ||
		!strings.Contains(err.Error(), `"System\Threads"`) || !strings.Contains(err.Error(), `"\Memory"`) {
		t.Errorf("%v, error %v", sel.Paths, err)
	}
}

func TestParsePathLimit(t *testing.T) {
	for _, text := range []string{
		`\O\` + strings.Repeat("c", 2045),
		`\O\c` + strings.Repeat("😀", 1022),
		`\O\` + strings.Repeat("ы", 2045),
	} {
		if _, err := winperf.ParsePath(text); err != nil {
			t.Errorf("a path of 2,048 UTF-16 units: %v", err)
		}
	}
}

func TestValidateErrors(t *testing.T) {
	tests := []struct {
		path   winperf.Path
		offset int64
		msg    string
	}{
		{winperf.Path{}, 2, "the machine name is empty; write one backslash before an object, two before a machine"},
		{winperf.Path{Machine: "h", Counter: "c"}, 4, "the object name is empty"},
		{winperf.Path{Object: "O"}, 3, "the counter name is empty"},
		{winperf.Path{Machine: `a\b`, Object: "O", Counter: "c"}, 2, `the machine "a\b" cannot be written in a path: it reads back as "a"`},
		{winperf.Path{Machine: `a*b`, Object: "O", Counter: "c"}, 3, "a machine name cannot hold the wildcard *"},
		{winperf.Path{Object: `\O`, Counter: `c\d`}, 2, `the machine "" cannot be written in a path: it reads back as "O"`},
		{winperf.Path{Object: "O(x)", Counter: "c"}, 1, `the object "O(x)" cannot be written in a path: it reads back as "O"`},
		{winperf.Path{Machine: "h", Object: `a\b`, Counter: "c"}, 4, `the object "a\b" cannot be written in a path: it reads back as "a"`},
		{winperf.Path{Machine: "h", Object: "O", Instance: "i", HasInstance: true, Counter: `c)\d`}, 6, `the instance "i" cannot be written in a path: it reads back as "i)\c"`},
		{winperf.Path{Object: "O", Instance: "i", Counter: "c"}, 3, `the instance "i" cannot be written in a path: it reads back as ""`},
		{winperf.Path{Object: "O", Index: 2, Counter: "c"}, 3, `the index "2" cannot be written in a path: it reads back as "0"`},
		{winperf.Path{Object: "O", Index: -2, HasInstance: true, Counter: "c"}, 3, `the instance "" cannot be written in a path: it reads back as "#-2"`},
		{winperf.Path{Object: "O", Counter: "c\n"}, 4, "control character U+000A in the path"},
	}
	for _, test := range tests {
		err := test.path.Validate()
		want := winperf.DataError{Err: winperf.ErrPath, Text: test.path.String(), Offset: test.offset, Msg: test.msg}
		if e := new(winperf.DataError); !errors.As(err, &e) || *e != want {
			t.Errorf("Validate(%+v): error %+v, want %+v", test.path, *e, want)
		}
		checkPathError(t, test.path.String(), err)
	}
}

func TestSplitInstance(t *testing.T) {
	for _, test := range []struct{ instance, parent, name string }{
		{"", "", ""},
		{"name", "", "name"},
		{"parent/name", "parent", "name"},
		{"parent/a/b", "parent", "a/b"},
		{"parent/", "parent", ""},
		{"/", "", "/"},
		{"/var/log", "", "/var/log"},
		{"*/*", "*", "*"},
	} {
		parent, name := winperf.Path{Instance: test.instance}.SplitInstance()
		if parent != test.parent || name != test.name {
			t.Errorf("SplitInstance(%s) = %q, %q, want %q, %q", test.instance, parent, name, test.parent, test.name)
		}
	}
}

func TestHasWildcard(t *testing.T) {
	for text, want := range map[string]bool{
		`\O\c`:           false,
		`\O(i#2)\c`:      false,
		`\O?\c`:          true,
		`\O\c*`:          true,
		`\O(*)\c`:        true,
		`\O(a?)\c`:       true,
		`\O(a#*)\c`:      true,
		`\\host\O(i)\*`:  true,
		`\\host\O(i)\% `: false,
	} {
		if got := mustParse(t, text).HasWildcard(); got != want {
			t.Errorf("HasWildcard(%s) = %v", text, got)
		}
	}
}

func TestEqualFold(t *testing.T) {
	base := mustParse(t, `\\Host\Système(Parent/Name#1)\% Time`)
	for text, want := range map[string]bool{
		`\\HOST\SYSTÈME(PARENT/NAME#1)\% TIME`:  true,
		`\\Hosts\Système(Parent/Name#1)\% Time`: false,
		`\Système(Parent/Name#1)\% Time`:        false,
		`\\Host\System(Parent/Name#1)\% Time`:   false,
		`\\Host\Système(Parent/Name#2)\% Time`:  false,
		`\\Host\Système(Parent/Nam#1)\% Time`:   false,
		`\\Host\Système\% Time`:                 false,
		`\\Host\Système(Parent/Name#1)\% Times`: false,
	} {
		if got := base.EqualFold(mustParse(t, text)); got != want {
			t.Errorf("EqualFold(%s) = %v", text, got)
		}
	}
	if mustParse(t, `\O()\c`).EqualFold(mustParse(t, `\O\c`)) {
		t.Error("a path with empty parentheses equals one without")
	}
}

func mustParse(t testing.TB, text string) winperf.Path {
	t.Helper()
	p, err := winperf.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
