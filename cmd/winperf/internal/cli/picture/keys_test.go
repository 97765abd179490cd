package picture

import (
	"slices"
	"testing"

	"github.com/winperf/winperf/sink"
)

// TestKeys finds keys in bytes, in one piece and in several.
func TestKeys(t *testing.T) {
	const typed = "k\x1b[A\x1bOB\x1b[5~x\x1b[6~\x1b[Hä\x1b[4~\x03\x1a"
	want := []key{
		key(sink.LineUp), key(sink.LineUp), key(sink.LineDown), key(sink.PageUp), key(sink.PageDown),
		key(sink.Home), key(sink.End), keyInterrupt, keyStop,
	}
	for size := 1; size <= len(typed); size++ {
		var p keyParser
		var got []key
		for piece := range slices.Chunk([]byte(typed), size) {
			got = append(got, p.parse(piece)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %v, want %v", size, got, want)
		}
	}

	var p keyParser
	if got := p.parse([]byte("\x1bOq")); len(got) > 0 {
		t.Errorf("an unknown key is %v", got)
	}
}
