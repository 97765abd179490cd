package winperf_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/winperf/winperf"
)

// checkPathError checks what holds for every error about the path text.
func checkPathError(t *testing.T, text string, err error) {
	t.Helper()
	var pathError *winperf.DataError
	if !errors.Is(err, winperf.ErrPath) || !errors.As(err, &pathError) {
		t.Fatalf("%s: error %v is no DataError that wraps ErrPath", text, err)
	}
	if pathError.Text != text || pathError.Msg == "" || pathError.Offset < 0 || pathError.Offset > int64(len(text)) {
		t.Errorf("%s: error %+v", text, pathError)
	}
	if strings.ContainsFunc(err.Error(), unicode.IsControl) {
		t.Errorf("%s: message %q is not fit for a terminal", text, err)
	}
}

// writable is the rule for paths that can be written, apart from the parser.
func writable(p winperf.Path) bool {
	text := p.String()
	switch {
	case !utf8.ValidString(text), strings.ContainsFunc(text, unicode.IsControl), len(utf16.Encode([]rune(text))) > 2048:
		return false
	case strings.ContainsAny(p.Machine, `\*?`):
		return false
	case p.Object == "", strings.ContainsAny(p.Object, `\(`):
		return false
	case p.Counter == "":
		return false
	case !p.HasInstance:
		return p.Instance == "" && p.Index == 0
	}
	return !strings.Contains(p.Counter, `)\`) && p.Index >= winperf.AnyIndex && p.Index <= math.MaxInt32
}

// FuzzPath: what parses is written as text that parses to the same.
func FuzzPath(f *testing.F) {
	for _, path := range paths {
		f.Add(path.text)
	}
	f.Add(`\O(a)\b)c\`)
	f.Add(`/O/c`)
	f.Add(`\O(a#00#*)\c`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := winperf.ParsePath(text)
		if err != nil {
			checkPathError(t, text, err)
			if p != (winperf.Path{}) {
				t.Errorf("%+v beside an error", p)
			}
			return
		}
		again, err := winperf.ParsePath(p.String())
		if err != nil || again != p {
			t.Errorf("%s is written as %s, which reads as %+v, %v", text, p, again, err)
		}
		if !writable(p) {
			t.Errorf("%s parses to %+v, which cannot be written", text, p)
		}
		if len(p.String()) > len(text) {
			t.Errorf("%s grows to %s", text, p)
		}
		if m := p.Matcher(); !m.Machine(p.Machine) || !m.Object(p.Object) || !m.Instance(p.Instance, max(p.Index, 0)) || !m.Counter(p.Counter) {
			t.Errorf("%s does not match its own names", p)
		}
	})
}

// FuzzValidate: Validate is nil for just the paths that read back the same.
func FuzzValidate(f *testing.F) {
	for _, path := range paths {
		p := path.want
		f.Add(p.Machine, p.Object, p.HasInstance, p.Instance, int64(p.Index), p.Counter)
	}
	f.Add(``, `\a`, false, ``, int64(0), `b\c`)
	f.Add(``, `a(b)\c`, true, `d`, int64(0), `e`)
	f.Add(`m`, `o`, false, "\x00", int64(0), `c`) // a part that is not written
	f.Add(`m\o`, `a`, true, `d)\`, int64(1<<31), `e)\f`)
	f.Fuzz(func(t *testing.T, machine, object string, hasInstance bool, instance string, index int64, counter string) {
		p := winperf.Path{Machine: machine, Object: object, HasInstance: hasInstance, Instance: instance, Index: int(index), Counter: counter}
		err := p.Validate()
		if (err == nil) != writable(p) {
			t.Errorf("Validate(%+v) = %v", p, err)
		}
		if err != nil {
			checkPathError(t, p.String(), err)
			return
		}
		if again, err := winperf.ParsePath(p.String()); err != nil || again != p {
			t.Errorf("%+v is valid, but reads back as %+v, %v", p, again, err)
		}
	})
}

// matches is the definition of a pattern; its time is exponential.
func matches(pattern, name []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == '*' && matches(pattern[1:], name):
		return true
	case len(name) == 0:
		return false
	case pattern[0] == '*':
		return matches(pattern, name[1:])
	}
	return (pattern[0] == '?' || strings.EqualFold(string(pattern[0]), string(name[0]))) &&
		matches(pattern[1:], name[1:])
}

// FuzzMatch compares patterns with their definition where that has an end.
func FuzzMatch(f *testing.F) {
	for _, test := range patterns {
		f.Add(test.pattern, test.name)
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p := winperf.CompilePattern(pattern)
		got := p.Match(name)
		if rp, rn := []rune(pattern), []rune(name); len(rp) <= 10 && len(rn) <= 10 {
			if want := matches(rp, rn); got != want {
				t.Errorf("%q matches %q: %v, want %v", pattern, name, got, want)
			}
		}
		if !p.HasWildcard() && got != strings.EqualFold(pattern, name) {
			t.Errorf("%q without wildcards matches %q: %v", pattern, name, got)
		}
		if !p.Match(pattern) {
			t.Errorf("%q does not match itself", pattern)
		}
		if upper := strings.ToUpper(name); strings.EqualFold(upper, name) && p.Match(upper) != got {
			t.Errorf("%q matches %q: %v, but not so %q", pattern, name, got, upper)
		}
		if got && !winperf.CompilePattern("*"+pattern+"*").Match("x"+name+"yz") {
			t.Errorf("%q matches %q, but not with anything around both", pattern, name)
		}
	})
}
