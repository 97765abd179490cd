package winapi

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// TestUnicodeString reads a text, and refuses texts outside the memory.
func TestUnicodeString(t *testing.T) {
	m := make(Memory, 4)
	heap = m
	s := (*UNICODE_STRING)(unsafe.Pointer(&m[0]))
	s.Length, s.Buffer = 6, put(m, 26, 'a', 0, ' ', 0, 0xe4, 0)
	if got, err := m.UnicodeString(); got != "a ä" || err != nil {
		t.Errorf("%q, error %v", got, err)
	}

	for _, bad := range []UNICODE_STRING{
		{Length: 8, Buffer: m.base() + 26}, {Length: 2, Buffer: m.base() + 32}, {Length: 2, Buffer: m.base() - 2},
		{Length: 2}, {Length: 65534, Buffer: m.base()},
	} {
		*s = bad
		if got, err := m.UnicodeString(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%d bytes at %d: %q, error %v", bad.Length, int64(bad.Buffer-m.base()), got, err)
		}
	}

	*s = UNICODE_STRING{}
	if got, err := m.UnicodeString(); got != "" || err != nil {
		t.Errorf("without a text: %q, error %v", got, err)
	}
	if got, err := Memory(nil).UnicodeString(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("no memory: %q, error %v", got, err)
	}
}
