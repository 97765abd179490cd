package perfdata_test

import (
	"bytes"
	"testing"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

// fixture reads a block in text form.
func fixture(t testing.TB, text string) *perfdata.Block {
	t.Helper()
	b, err := perfdata.ParseText([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// format returns the text form of a block.
func format(b *perfdata.Block, names func(title uint32) string) []byte {
	var text bytes.Buffer
	_ = perfdata.WriteText(&text, b, names) // a Buffer takes everything
	return text.Bytes()
}

// encode returns a block as bytes.
func encode(t testing.TB, b *perfdata.Block) []byte {
	t.Helper()
	encoded, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// decode returns what the decoder says about an encoded block.
func decode(b []byte) (*index.Index, error) {
	ix := new(index.Index)
	err := datablock.Decode(b, ix, datablock.Options{})
	return ix, err
}
