package winperf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath is PDH_MAX_COUNTER_PATH of pdh.h, in UTF-16 units.
const maxPath = 2048

// ParsePath parses a counter path:
//
//	[\\machine]\object[(instance)]\counter
//
// The form has no escape. Separators in names are resolved by this order:
//
//   - machine: after two leading backslashes, up to the next backslash;
//   - object: up to the first ( or backslash;
//   - instance: up to the last ) directly before a backslash, so the name may contain parentheses;
//     `#*` or `#` and a number up to 2^31-1 at its end is the index;
//   - counter: the rest.
//
// The wildcards * and ? may occur in object, instance and counter: \*(*)\* is every counter of
// every instance. (PDH refuses wildcards in the object.) The instance may be empty, because
// instances without a name exist; object and counter must not be empty.
//
// Parsing is strict. ParsePath does not remove blanks or quotes around the path, and refuses paths
// with more than 2,048 UTF-16 units, control characters or invalid UTF-8. The error is a
// *DataError, which wraps ErrPath.
func ParsePath(s string) (Path, error) {
	p := pathParser{text: s}
	path := p.parse()
	if p.err != nil {
		return Path{}, p.err
	}
	return path, nil
}

// pathParser parses text part by part. After an error all further steps do nothing.
type pathParser struct {
	text string
	pos  int // byte offset of the unread rest
	err  error
}

func (p *pathParser) parse() (path Path) {
	p.checkText()
	path.Machine = p.machine()
	path.Object = p.object(path.Machine)
	path.Instance, path.HasInstance = p.instance()
	path.Instance, path.Index = cutIndex(path.Instance)
	path.Counter = p.counter()
	return path
}

func (p *pathParser) fail(offset int, format string, args ...any) {
	p.err = pathError(p.text, offset, fmt.Sprintf(format, args...))
}

// pathError returns an error at a byte offset of a path.
func pathError(text string, offset int, msg string) error {
	return &DataError{Err: ErrPath, Text: text, Offset: int64(offset), Msg: msg}
}

// checkText checks length, encoding and characters of the whole path.
func (p *pathParser) checkText() {
	units := 0
	for i, r := range p.text {
		if r == utf8.RuneError && !strings.HasPrefix(p.text[i:], "\uFFFD") {
			p.fail(i, "invalid UTF-8 (byte %#02x)", p.text[i])
			return
		}

		if unicode.IsControl(r) {
			p.fail(i, "control character %U in the path", r)
			return
		}

		units++
		if r > 0xFFFF {
			units++
		}

		if units > maxPath {
			p.fail(i, "the path is longer than %d characters", maxPath)
			return
		}
	}
}

// badStart lists common mistakes at the start of a path.
var badStart = []struct{ prefix, hint string }{
	{"/", "use backslashes, not slashes"},
	{" ", "remove the blank before it"},
	{"'", "remove the quotes around it"},
	{`"`, "remove the quotes around it"},
}

// machine parses two backslashes and the name, if present.
func (p *pathParser) machine() string {
	if p.err != nil {
		return ""
	}
	rest, found := strings.CutPrefix(p.text, `\\`)
	if !found {
		p.checkStart()
		return ""
	}

	name, _, found := strings.Cut(rest, `\`)
	p.pos = len(p.text) - len(rest) + len(name)
	switch i := strings.IndexAny(name, "*?"); {
	case name == "":
		p.fail(2, "the machine name is empty; write one backslash before an object, two before a machine")
	case i >= 0:
		p.fail(2+i, "a machine name cannot hold the wildcard %c", name[i])
	case !found:
		p.fail(p.pos, `expected \object\counter after the machine "%s"; write one backslash before an object`,
			printable(name))
	}
	return name
}

// checkStart checks for the backslash of a path without machine.
func (p *pathParser) checkStart() {
	if p.text == "" {
		p.fail(0, "the path is empty")
		return
	}

	if p.text[0] == '\\' {
		return
	}
	for _, bad := range badStart {
		if strings.HasPrefix(p.text, bad.prefix) {
			p.fail(0, "a path begins with a backslash; %s", bad.hint)
			return
		}
	}
	p.fail(0, "a path begins with a backslash")
}

// object parses the backslash and the name up to, not including, the separator.
func (p *pathParser) object(machine string) string {
	if p.err != nil {
		return ""
	}
	p.pos++
	rest := p.text[p.pos:]

	end := strings.IndexAny(rest, `(\`)
	switch {
	case end == 0:
		p.fail(p.pos, "the object name is empty")
	case end > 0:
		p.pos += end
		return rest[:end]
	case rest == "":
		p.fail(p.pos, "expected an object name")
	case machine != "":
		p.fail(len(p.text), "expected a backslash and a counter name; "+
			`"%s" after two backslashes is a machine name`, printable(machine))
	case strings.Contains(rest, "/"):
		p.fail(len(p.text), "expected a backslash and a counter name; use backslashes, not slashes")
	default:
		p.fail(len(p.text), "expected a backslash and a counter name, or an instance in parentheses")
	}
	return ""
}

// instance parses the parentheses, if present, and returns the text in them.
func (p *pathParser) instance() (text string, found bool) {
	if p.err != nil || p.text[p.pos] != '(' {
		return "", false
	}
	rest := p.text[p.pos+1:]
	end := strings.LastIndex(rest, `)\`)
	switch {
	case end >= 0:
		p.pos += len("(") + end + len(")")
		return rest[:end], true
	case strings.HasSuffix(rest, ")"):
		p.fail(len(p.text), "expected a backslash and a counter name after the instance")
	default:
		p.fail(p.pos, `this parenthesis is not closed: expected ) and a backslash after the instance`)
	}
	return "", false
}

// counter parses the backslash and the rest.
func (p *pathParser) counter() string {
	if p.err != nil {
		return ""
	}
	p.pos++
	if p.pos == len(p.text) {
		p.fail(p.pos, "the counter name is empty")
	}
	return p.text[p.pos:]
}

// Validate returns an error if ParsePath does not parse the text of String to the same Path. Some
// names cannot be written because the form has no escape: an object with ( or a backslash, a
// counter with `)\` after an instance, any name with control characters. The error is a *DataError.
func (p Path) Validate() error {
	text := p.String()
	back, err := ParsePath(text)
	if err != nil {
		return err
	}

	object := len(`\`)
	if p.Machine != "" {
		object = len(`\\`) + len(p.Machine) + len(`\`)
	}

	instance := object + len(p.Object) + len("(")
	// HasInstance needs no row: if the object reads back the same, so does the character after it.
	for _, part := range []struct {
		name     string
		offset   int
		is, back any
	}{
		{"machine", len(`\\`), p.Machine, back.Machine},
		{"object", object, p.Object, back.Object},
		{"instance", instance, p.Instance, back.Instance},
		{"index", instance, p.Index, back.Index},
		{"counter", len(text) - len(p.Counter), p.Counter, back.Counter},
	} {
		if part.is != part.back {
			return pathError(text, part.offset, fmt.Sprintf(
				`the %s "%s" cannot be written in a path: it reads back as "%s"`,
				part.name, printable(fmt.Sprint(part.is)), printable(fmt.Sprint(part.back))))
		}
	}
	return nil
}
