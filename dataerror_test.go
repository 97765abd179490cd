package winperf_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// check is a kind of error that puts into words what was found.
type check struct{ error }

func (check) Describe(got, want int64) string {
	return string(rune('0'+got)) + " bytes, want " + string(rune('0'+want))
}

// TestDataErrorText writes errors of all kinds of places.
func TestDataErrorText(t *testing.T) {
	long, process := strings.Repeat("é", 150), winperf.ObjectID{Index: 230}
	set := winperf.ObjectID{Index: 9, GUID: winperf.GUID{0xFF}}
	for _, test := range []struct {
		err  winperf.DataError
		want string
	}{
		{winperf.DataError{}, "bad data at byte 0: "},
		{winperf.DataError{Offset: 20, Msg: "why"}, "bad data at byte 20: why"},
		{winperf.DataError{Offset: -1, Msg: "why"}, "bad data: why"},
		{winperf.DataError{Err: fs.ErrExist, Offset: 20, Msg: "why"}, "file already exists at byte 20: why"},
		{winperf.DataError{Err: check{fs.ErrExist}, Got: 3, Want: 4}, "file already exists at byte 0: 3 bytes, want 4"},
		{winperf.DataError{Err: check{fs.ErrExist}, Got: 3, Want: 4, Msg: "why"}, "file already exists at byte 0: why"},
		{winperf.DataError{Object: process, Msg: "why"}, "bad data at byte 0: object 230: why"},
		{winperf.DataError{Object: process, Part: "instance", Msg: "why"}, "bad data at byte 0: object 230: instance 0: why"},
		{winperf.DataError{Object: set, Part: "counter", Number: 7, Msg: "why"},
			"bad data at byte 0: counter set {000000ff-0000-0000-0000-000000000000}: counter 7: why"},

		{winperf.DataError{Line: 3, Offset: 60, Msg: "why"}, "bad data in line 3 (offset 60): why"},
		{winperf.DataError{Line: 3, Offset: -1, Msg: "why"}, "bad data in line 3: why"},
		{winperf.DataError{Line: 3, Offset: 60, Part: "field", Number: 2, Msg: "why"}, "bad data in line 3 (offset 60), field 2: why"},
		{winperf.DataError{Line: 3, Column: 4, Msg: "why"}, "bad data in line 3, column 4: why"},

		{winperf.DataError{Source: "f", Line: 3, Column: 4, Msg: "why"}, "f:3:4: why"},
		{winperf.DataError{Source: "f", Line: 3, Msg: "why"}, "f:3: why"},
		{winperf.DataError{Source: "f", Msg: "why"}, "f: byte 0: why"},
		{winperf.DataError{Source: "f", Offset: -1, Msg: "why"}, "f: why"},

		{winperf.DataError{Err: winperf.ErrPath, Text: `\é\`, Offset: 4, Msg: "why"}, `bad counter path "\é\", character 4: why`},
		{winperf.DataError{Text: "\x1b[1m\n", Offset: 0, Msg: "why"}, "bad data \"\uFFFD[1m\uFFFD\", character 1: why"},
		{winperf.DataError{Text: long, Offset: 300, Msg: "why"}, `bad data "` + long[:200] + `...", character 151: why`},
		{winperf.DataError{Text: "x", Offset: 9, Msg: "why"}, `bad data "x", character 2: why`},
		{winperf.DataError{Text: "x", Offset: -9}, `bad data "x", character 1: `},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.err, got, test.want)
		}
	}
}

// TestDataErrorKind tests for the kind of an error, which is bad data where none is
// given.
func TestDataErrorKind(t *testing.T) {
	if !errors.Is(&winperf.DataError{}, winperf.ErrBadData) {
		t.Error("an error without a kind is not ErrBadData")
	}
	err := &winperf.DataError{Err: winperf.ErrPath}
	if !errors.Is(err, winperf.ErrPath) || errors.Is(err, winperf.ErrBadData) {
		t.Error("an error has another kind than its own")
	}
}
