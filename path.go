package winperf

import (
	"strconv"
	"strings"
)

// Path is a counter path: \\machine\object(parent/instance#n)\counter, as in "Specifying a Counter
// Path" on Microsoft Learn.
//
// Instance is the text in the parentheses without the trailing #index: `name` or `parent/name`. It
// is not split into parent and name, because names may contain slashes and the form has no escape.
//
// [ParsePath] parses a path, [Path.String] formats it, [Path.Validate] checks that its text parses
// to the same Path, and [Path.Matcher] compares it with the names in a sample.
type Path struct {
	Machine  string // without backslashes; "" means the machine of the source
	Object   string
	Instance string // parent/name, without #index
	Index    int    // number among instances with equal names, from 0; AnyIndex for #*
	Counter  string
	// HasInstance reports whether the path has parentheses: \Object()\Counter is not
	// \Object\Counter.
	HasInstance bool
}

// AnyIndex is the Index of a path with a wildcard as index: (svchost#*).
const AnyIndex = -1

// String returns the path as text, with the machine if it has one. It omits index 0, except after a
// name that ends like an index: the first instance named `build#5` is written (build#5#0), because
// (build#5) means the sixth instance named `build`.
//
// The text of every Path that ParsePath returned parses to the same Path. Validate checks this for
// other paths.
func (p Path) String() string {
	var buf [128]byte
	return string(p.append(buf[:0]))
}

// AppendText appends the text of String to b. The error is always nil. It implements
// [encoding.TextAppender].
func (p Path) AppendText(b []byte) ([]byte, error) {
	return p.append(b), nil
}

func (p Path) append(b []byte) []byte {
	if p.Machine != "" {
		b = append(b, `\\`...)
		b = append(b, p.Machine...)
	}

	b = append(b, '\\')
	b = append(b, p.Object...)
	if p.HasInstance {
		b = append(b, '(')
		b = p.appendInstance(b)
		b = append(b, ')')
	}
	b = append(b, '\\')
	return append(b, p.Counter...)
}

// InstanceText returns the text in the parentheses: Instance and, if needed, #index.
func (p Path) InstanceText() string { return string(p.appendInstance(nil)) }

func (p Path) appendInstance(b []byte) []byte {
	return p.appendIndex(append(b, p.Instance...))
}

func (p Path) appendIndex(b []byte) []byte {
	if p.Index == AnyIndex {
		return append(b, "#*"...)
	}
	if p.Index == 0 {
		if name, _ := cutIndex(p.Instance); name == p.Instance {
			return b
		}
	}
	b = append(b, '#')
	return strconv.AppendInt(b, int64(p.Index), 10)
}

// cutIndex splits the text in parentheses into the instance and the index after its last #. Other
// text after # remains in the name, as does a number of more than 31 bits:
// PERF_OBJECT_TYPE.NumInstances of winperf.h is a signed 32-bit number.
func cutIndex(text string) (name string, index int) {
	i := strings.LastIndexByte(text, '#')
	if i < 0 {
		return text, 0
	}
	if text[i+1:] == "*" {
		return text[:i], AnyIndex
	}

	n, err := strconv.ParseUint(text[i+1:], 10, 31) // digits only: no sign, no blank
	if err != nil {
		return text, 0
	}
	return text[:i], int(n)
}

// SplitInstance splits Instance into parent and name at its first slash. An instance without a
// slash, or with a slash at its beginning such as a mount point, has no parent.
//
// To find an instance in a sample, use Matcher, which compares the whole text: a name such as
// `kworker/0:1` contains a slash although it has no parent.
func (p Path) SplitInstance() (parent, name string) {
	parent, name, found := strings.Cut(p.Instance, "/")
	if !found || parent == "" {
		return "", p.Instance
	}
	return parent, name
}

// HasWildcard reports whether the path may match several counters: the object, instance or counter
// contains * or ?, or the index is AnyIndex.
func (p Path) HasWildcard() bool {
	return hasWildcard(p.Object) || hasWildcard(p.Counter) ||
		p.HasInstance && (p.Index == AnyIndex || hasWildcard(p.Instance))
}

// EqualFold reports whether p and q are equal under Unicode simple case folding. It does not expand
// wildcards.
func (p Path) EqualFold(q Path) bool {
	return p.Index == q.Index && p.HasInstance == q.HasInstance &&
		strings.EqualFold(p.Counter, q.Counter) &&
		strings.EqualFold(p.Instance, q.Instance) &&
		strings.EqualFold(p.Object, q.Object) &&
		strings.EqualFold(p.Machine, q.Machine)
}
