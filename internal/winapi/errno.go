package winapi

import (
	"fmt"
	"io/fs"
)

// Errno is a Windows error number (winerror.h). Its text is the same on every system,
// because numbers also arrive over the network.
type Errno uint32

// The error numbers that callers distinguish.
const (
	ERROR_SUCCESS                Errno = 0
	ERROR_FILE_NOT_FOUND         Errno = 2
	ERROR_PATH_NOT_FOUND         Errno = 3
	ERROR_ACCESS_DENIED          Errno = 5
	ERROR_INVALID_HANDLE         Errno = 6
	ERROR_NOT_ENOUGH_MEMORY      Errno = 8
	ERROR_NO_MORE_FILES          Errno = 18
	ERROR_WRITE_PROTECT          Errno = 19
	ERROR_NOT_READY              Errno = 21
	ERROR_NOT_SUPPORTED          Errno = 50
	ERROR_BAD_NETPATH            Errno = 53
	ERROR_INVALID_PARAMETER      Errno = 87
	ERROR_BUFFER_OVERFLOW        Errno = 111
	ERROR_INSUFFICIENT_BUFFER    Errno = 122
	ERROR_MOD_NOT_FOUND          Errno = 126
	ERROR_PROC_NOT_FOUND         Errno = 127
	ERROR_LOCK_FAILED            Errno = 167
	ERROR_BUSY                   Errno = 170
	ERROR_MORE_DATA              Errno = 234
	WAIT_TIMEOUT                 Errno = 258
	ERROR_NO_MORE_ITEMS          Errno = 259
	ERROR_BADKEY                 Errno = 1010
	ERROR_NONE_MAPPED            Errno = 1332
	RPC_S_SERVER_UNAVAILABLE     Errno = 1722
	RPC_S_CALL_FAILED            Errno = 1726
	ERROR_WMI_GUID_NOT_FOUND     Errno = 4200
	ERROR_WMI_INSTANCE_NOT_FOUND Errno = 4201
)

var errnoNames = map[Errno]string{
	ERROR_FILE_NOT_FOUND:         "ERROR_FILE_NOT_FOUND",
	ERROR_PATH_NOT_FOUND:         "ERROR_PATH_NOT_FOUND",
	ERROR_ACCESS_DENIED:          "ERROR_ACCESS_DENIED",
	ERROR_INVALID_HANDLE:         "ERROR_INVALID_HANDLE",
	ERROR_NOT_ENOUGH_MEMORY:      "ERROR_NOT_ENOUGH_MEMORY",
	ERROR_NO_MORE_FILES:          "ERROR_NO_MORE_FILES",
	ERROR_WRITE_PROTECT:          "ERROR_WRITE_PROTECT",
	ERROR_NOT_READY:              "ERROR_NOT_READY",
	ERROR_NOT_SUPPORTED:          "ERROR_NOT_SUPPORTED",
	ERROR_BAD_NETPATH:            "ERROR_BAD_NETPATH",
	ERROR_INVALID_PARAMETER:      "ERROR_INVALID_PARAMETER",
	ERROR_BUFFER_OVERFLOW:        "ERROR_BUFFER_OVERFLOW",
	ERROR_INSUFFICIENT_BUFFER:    "ERROR_INSUFFICIENT_BUFFER",
	ERROR_MOD_NOT_FOUND:          "ERROR_MOD_NOT_FOUND",
	ERROR_PROC_NOT_FOUND:         "ERROR_PROC_NOT_FOUND",
	ERROR_LOCK_FAILED:            "ERROR_LOCK_FAILED",
	ERROR_BUSY:                   "ERROR_BUSY",
	ERROR_MORE_DATA:              "ERROR_MORE_DATA",
	WAIT_TIMEOUT:                 "WAIT_TIMEOUT",
	ERROR_NO_MORE_ITEMS:          "ERROR_NO_MORE_ITEMS",
	ERROR_BADKEY:                 "ERROR_BADKEY",
	ERROR_NONE_MAPPED:            "ERROR_NONE_MAPPED",
	RPC_S_SERVER_UNAVAILABLE:     "RPC_S_SERVER_UNAVAILABLE",
	RPC_S_CALL_FAILED:            "RPC_S_CALL_FAILED",
	ERROR_WMI_GUID_NOT_FOUND:     "ERROR_WMI_GUID_NOT_FOUND",
	ERROR_WMI_INSTANCE_NOT_FOUND: "ERROR_WMI_INSTANCE_NOT_FOUND",
}

// Error returns the number, its name and, on Windows, the system's text.
func (e Errno) Error() string {
	s := fmt.Sprintf("Windows error %d", uint32(e))
	if name := errnoNames[e]; name != "" {
		s += " (" + name + ")"
	}
	if text := e.systemText(); text != "" {
		s += ": " + text
	}
	return s
}

// Is implements errors.Is for errors of package io/fs.
func (e Errno) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return e == ERROR_FILE_NOT_FOUND || e == ERROR_PATH_NOT_FOUND
	case fs.ErrPermission:
		return e == ERROR_ACCESS_DENIED
	}
	return false
}

// Err returns nil for ERROR_SUCCESS, otherwise the number.
func (e Errno) Err() error {
	if e == ERROR_SUCCESS {
		return nil
	}
	return e
}
