package nametable

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/wire"
)

func countNUL(b []byte) (n int) {
	_, b, found := wire.CutUTF16(b)
	for found {
		n++
		_, b, found = wire.CutUTF16(b)
	}
	return n
}

// writeUTF16 decodes UTF-16LE of even length into w. Each unpaired surrogate is written as
// U+FFFD; bad is called with its offset.
func writeUTF16(w *strings.Builder, b []byte, bad func(off int)) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf && b[i+1] == 0 {
			w.WriteByte(b[i])
			i += 2
			continue
		}
		r, n, ok := wire.Rune(b[i:])
		if !ok {
			bad(i)
		}
		w.WriteRune(r)
		i += n
	}
}

const quoted = 40

func quote(b []byte) string {
	if len(b) > 2*quoted {
		return strconv.Quote(wire.Decode(b[:2*quoted], wire.UTF16LE)) + "…"
	}
	return strconv.Quote(wire.Decode(b, wire.UTF16LE))
}
