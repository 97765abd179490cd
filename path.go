package winperf

import (
	"strconv"
	"strings"
)

// Path names a counter: \\machine\object(parent/instance#n)\counter.
//
// Instance holds the text between the parentheses without the trailing
// #index: `name` or `parent/name`. It is kept whole because no escape exists
// and names may hold slashes themselves; matching compares the whole text.
//
// The form is that of "Specifying a Counter Path" on Microsoft Learn.
// [ParsePath] reads it, [Path.String] writes it, [Path.Validate] reports whether
// what is written reads back as the same Path, and [Path.Matcher] compares it
// with the names in a sample.
type Path struct {
	Machine  string // without backslashes, "" = the source's own
	Object   string
	Instance string // parent/name, without #index
	Index    int    // which of several equal instances, 0-based; AnyIndex for #*
	Counter  string
	// HasInstance reports whether parentheses were there: \Object()\Counter is not \Object\Counter.
	HasInstance bool
}

// AnyIndex is the Index of a path whose index is a wildcard: (svchost#*).
const AnyIndex = -1

// String returns the path as text: the parts as they are, the machine only if
// there is one, the index only where it is needed. Index 0 is not written,
// except after a name that itself ends like an index: the first instance named
// `build#5` is written (build#5#0), because (build#5) is the sixth `build`.
//
// Every Path that ParsePath returned reads back as the same Path. A Path made
// of other names need not; Validate tells.
func (p Path) String() string {
	var buf [128]byte
	return string(p.append(buf[:0]))
}

// AppendText appends the text of String to b. The error is always nil; it is
// there for [encoding.TextAppender].
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

// InstanceText is what stands between the parentheses: Instance and, where it
// is needed, #index.
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

// cutIndex splits the text between the parentheses into the instance and the
// index behind its last #. What is no index stays in the name, also a number
// too large to count instances (PERF_OBJECT_TYPE.NumInstances of winperf.h is
// a signed 32-bit number).
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

// SplitInstance splits Instance into the parent and the name at its first
// slash. An instance that begins with a slash, such as a mount point, or holds
// none has no parent.
//
// Where the names of a sample are at hand, do not split but compare the whole
// text, as Matcher does: a name such as `kworker/0:1` has a slash and no
// parent, and only the sample can tell.
func (p Path) SplitInstance() (parent, name string) {
	parent, name, found := strings.Cut(p.Instance, "/")
	if !found || parent == "" {
		return "", p.Instance
	}
	return parent, name
}

// HasWildcard reports whether the path may name several counters: whether * or ?
// stands in the object, the instance or the counter, or the index is AnyIndex.
func (p Path) HasWildcard() bool {
	return hasWildcard(p.Object) || hasWildcard(p.Counter) ||
		p.HasInstance && (p.Index == AnyIndex || hasWildcard(p.Instance))
}

// EqualFold reports whether p and q are the same text but for case, under
// Unicode simple folding. It does not expand wildcards.
func (p Path) EqualFold(q Path) bool {
	return p.Index == q.Index && p.HasInstance == q.HasInstance &&
		strings.EqualFold(p.Counter, q.Counter) &&
		strings.EqualFold(p.Instance, q.Instance) &&
		strings.EqualFold(p.Object, q.Object) &&
		strings.EqualFold(p.Machine, q.Machine)
}
