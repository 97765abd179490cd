package winapi

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// TestUser reads the user of a token, and refuses identifiers outside the memory and too long ones.
func TestUser(t *testing.T) {
	const sid = "\x01\x02\x00\x00\x00\x00\x00\x05\x20\x00\x00\x00\x21\x02\x00\x00" // S-1-5-32-545
	m := make(Memory, 8)
	heap = m
	user := (*TOKEN_USER)(unsafe.Pointer(&m[0]))
	user.User.Sid = put(m, 48, []byte(sid)...)
	if got, err := m.User(); string(got) != sid || err != nil {
		t.Errorf("%x, error %v", got, err)
	}

	put(m, 49, 3)
	for _, bad := range []uintptr{m.base() + 48, m.base() + 60, m.base() - 1, 0} {
		user.User.Sid = bad
		if got, err := m.User(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("at %d: %x, error %v", int64(bad-m.base()), got, err)
		}
	}

	large := make(Memory, 32)
	heap = large
	*(*TOKEN_USER)(unsafe.Pointer(&large[0])) = TOKEN_USER{SID_AND_ATTRIBUTES{Sid: put(large, 16, 1, 16)}}
	for _, m := range []Memory{large, nil} {
		if got, err := m.User(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%d bytes: %x, error %v", m.Bytes(), got, err)
		}
	}
}
