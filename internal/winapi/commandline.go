package winapi

import (
	"fmt"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// ProcessCommandLineInformation is the class of a process's command line (ntddk.h: PROCESSINFOCLASS).
const ProcessCommandLineInformation = 60

// UNICODE_STRING (ntdef.h) is the place of a text; its lengths are in bytes.
type UNICODE_STRING struct {
	Length, MaximumLength uint16
	Buffer                uintptr
}

// UnicodeString returns the text in UNICODE_STRING.
func (m Memory) UnicodeString() (string, error) {
	s, err := at[UNICODE_STRING](m, m.base())
	if err != nil || s.Length == 0 {
		return "", err
	}

	off, size := s.Buffer-m.base(), uintptr(m.Bytes())
	if off >= size || uintptr(s.Length) > size-off {
		return "", fmt.Errorf("a text of %d bytes is outside its buffer of %d bytes: %w", s.Length, m.Bytes(),
			winperf.ErrBadData)
	}
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), m.Bytes())
	return wire.Decode(all[off:off+uintptr(s.Length)], wire.UTF16LE), nil
}
