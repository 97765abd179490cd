package picture

import (
	"bytes"
	"strings"

	"github.com/winperf/winperf/sink"
)

// key is what a key asks for: a sink.Motion or one of those below.
type key int

const (
	keyInterrupt key = iota + key(sink.End) + 1
	keyStop
	keyAbort
)

// keyNames are what terminals send for keys: the cursor keys in their two modes, keys
// as a VT220 and as xterm names them, and letters as pagers have them.
var keyNames = map[string]key{
	"\x1b[A": key(sink.LineUp), "\x1bOA": key(sink.LineUp), "k": key(sink.LineUp),
	"\x1b[B": key(sink.LineDown), "\x1bOB": key(sink.LineDown), "j": key(sink.LineDown),
	"\x1b[5~": key(sink.PageUp), "b": key(sink.PageUp),
	"\x1b[6~": key(sink.PageDown), " ": key(sink.PageDown),
	"\x1b[H": key(sink.Home), "\x1bOH": key(sink.Home), "\x1b[1~": key(sink.Home), "g": key(sink.Home),
	"\x1b[F": key(sink.End), "\x1bOF": key(sink.End), "\x1b[4~": key(sink.End), "G": key(sink.End),
	"\x03": keyInterrupt, "q": keyInterrupt,
	"\x1a": keyStop,
	"\x1c": keyAbort,
}

// keyParser finds keys in what a terminal sends.
type keyParser struct {
	rest []byte // the beginning of a key
}

// parse returns the keys in b. What comes of a key in two pieces is one.
func (p *keyParser) parse(b []byte) (keys []key) {
	p.rest = append(p.rest, b...)
	for len(p.rest) > 0 {
		name, begun := findKey(p.rest)
		switch {
		case name != "":
			keys = append(keys, keyNames[name])
			p.rest = p.rest[len(name):]
		case begun:
			return keys
		case p.rest[0] == '\x1b': // an unknown key, whose letters are no keys
			p.rest = nil
		default:
			p.rest = p.rest[1:]
		}
	}
	return keys
}

// findKey returns the name at the beginning of b, or whether b may become one.
func findKey(b []byte) (name string, begun bool) {
	for name := range keyNames {
		if bytes.HasPrefix(b, []byte(name)) {
			return name, true
		}
		begun = begun || strings.HasPrefix(name, string(b))
	}
	return "", begun
}
