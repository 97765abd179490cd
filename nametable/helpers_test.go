package nametable

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// le returns s in UTF-16LE, independent of the package's own encoder.
func le(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

// pairsOf returns the pairs of a table.
func pairsOf(t *Table) map[uint32]string { return maps.Collect(t.All()) }

// reference reads a table the straightforward way: decode everything, split it
// into strings, fill a map. It stops at the first thing it does not understand.
func reference(b []byte) map[uint32]string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	strs := strings.Split(string(utf16.Decode(units)), "\x00")
	m := map[uint32]string{}
	for i := 0; i+1 < len(strs); i += 2 {
		index, err := strconv.ParseUint(strs[i], 10, 32)
		if err != nil {
			break
		}
		m[uint32(index)] = strs[i+1]
	}
	return m
}

// sharedData returns a file of the shared test data, which lie next to the
// project's root, or skips the test.
func sharedData(t testing.TB, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "..", "shared", "data", filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		t.Skipf("skipped: the shared test data are not there: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}
