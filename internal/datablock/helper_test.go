package datablock_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	winperf "github.com/winperf/winperf"
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

// decode decodes a block into a new index.
func decode(b []byte, opt datablock.Options) (*index.Index, error) {
	ix := new(index.Index)
	err := datablock.Decode(b, ix, opt)
	return ix, err
}

// isFailure tells whether err is one that Decode may return.
func isFailure(err error) bool {
	var check datablock.Check
	return errors.As(err, new(*winperf.DataError)) && errors.As(err, &check) &&
		slices.Contains(datablock.FailBlock, check) &&
		errors.Is(err, check.Unwrap()) && errors.Is(err, winperf.ErrBadData)
}
