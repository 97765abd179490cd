package winapi

import (
	"fmt"
	"unsafe"

	"github.com/winperf/winperf"
)

// Rights and a class for the user of a process (winnt.h).
const (
	PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
	TOKEN_QUERY                       = 8
	TokenUser                         = 1
)

// TOKEN_USER (winnt.h) is the user of a token.
type TOKEN_USER struct{ User SID_AND_ATTRIBUTES }

// SID_AND_ATTRIBUTES (winnt.h) is the place of a security identifier.
type SID_AND_ATTRIBUTES struct {
	Sid        uintptr
	Attributes uint32
}

// SID is the bytes of a security identifier (winnt.h). It can be compared.
type SID string

// The parts of a SID: revision, number of subauthorities, authority (6 bytes), subauthorities.
const (
	sidHeader      = 8
	subauthority   = 4
	subauthorities = 15 // SID_MAX_SUB_AUTHORITIES
)

// User returns the user in TOKEN_USER.
func (m Memory) User() (SID, error) {
	user, err := at[TOKEN_USER](m, m.base())
	if err != nil {
		return "", err
	}
	header, err := at[[sidHeader]byte](m, user.User.Sid)
	if err != nil {
		return "", err
	}

	size := sidHeader + subauthority*uintptr(header[1])
	off := user.User.Sid - m.base()
	if header[1] > subauthorities || off+size > uintptr(m.Bytes()) {
		return "", fmt.Errorf("a security identifier of %d bytes is outside its buffer of %d bytes: %w",
			size, m.Bytes(), winperf.ErrBadData)
	}
	return SID(unsafe.Slice((*byte)(unsafe.Pointer(header)), size)), nil
}
