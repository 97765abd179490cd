package winapi

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

func TestErrno(t *testing.T) {
	if err := ERROR_SUCCESS.Err(); err != nil {
		t.Errorf("success is %v", err)
	}
	if err := ERROR_MORE_DATA.Err(); !errors.Is(err, ERROR_MORE_DATA) ||
		!strings.HasPrefix(err.Error(), "Windows error 234 (ERROR_MORE_DATA)") {
		t.Errorf("error %v", err)
	}
	if s := Errno(4_000_000).Error(); !strings.HasPrefix(s, "Windows error 4000000") {
		t.Errorf("error %q", s)
	}
	for _, c := range []struct {
		errno Errno
		want  error
		is    bool
	}{
		{ERROR_FILE_NOT_FOUND, fs.ErrNotExist, true},
		{ERROR_PATH_NOT_FOUND, fs.ErrNotExist, true},
		{ERROR_ACCESS_DENIED, fs.ErrPermission, true},
		{ERROR_ACCESS_DENIED, fs.ErrNotExist, false},
		{ERROR_BUSY, fs.ErrPermission, false},
	} {
		if errors.Is(c.errno, c.want) != c.is {
			t.Errorf("%v is %v: want %v", c.errno, c.want, c.is)
		}
	}
}

func TestMissingError(t *testing.T) {
	for _, c := range []struct {
		err  *MissingError
		want string
	}{
		{&MissingError{Library: "a.dll", Function: "Do", Err: ERROR_PROC_NOT_FOUND},
			"library a.dll has no function Do: Windows error 127"},
		{&MissingError{Library: "a.dll", Err: ERROR_MOD_NOT_FOUND},
			"library a.dll cannot be loaded: Windows error 126"},
	} {
		if !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("error %q, want %q", c.err, c.want)
		}
		if !errors.Is(c.err, winperf.ErrNotSupported) || !errors.Is(c.err, c.err.Err) {
			t.Errorf("%v wraps too little", c.err)
		}
	}
}
