package picture

import (
	"bytes"
	"strings"

	"github.com/winperf/winperf/sink"
)

type key int

const (
	keyInterrupt key = iota + key(sink.End) + 1
	keyStop
	keyAbort
)

// keyNames are the sequences sent by terminals: cursor keys in both modes, keys of the VT220 and xterm,
// and letters as in pagers.
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

type keyParser struct {
	rest []byte // an incomplete key
}

// parse returns the keys in b. A key may be split between two calls.
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
		case p.rest[0] == '\x1b': // an unknown key, whose letters are ignored
			p.rest = nil
		default:
			p.rest = p.rest[1:]
		}
	}
	return keys
}

// findKey returns the key at the beginning of b, or reports that b may be its beginning.
func findKey(b []byte) (name string, begun bool) {
	for name := range keyNames {
		if bytes.HasPrefix(b, []byte(name)) {
			return name, true
		}
		begun = begun || strings.HasPrefix(name, string(b))
	}
	return "", begun
}
