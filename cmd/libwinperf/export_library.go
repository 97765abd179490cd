package main

// The compiler compares the functions with the header. Go's types cannot be const.

// #include <stdint.h>
// #define const
// #include "libwinperf.h"
// #undef const
import "C"

import (
	"unsafe"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

//export winperf_interface
func winperf_interface() C.int32_t { return 1 }

//export winperf_version_length
func winperf_version_length() C.int32_t { return size(library.VersionSize()) }

//export winperf_version_text
func winperf_version_text(text *C.char, length *C.int32_t) C.int32_t {
	return fill(0, unsafe.Pointer(text), length, "text", library.Version)
}

//export winperf_code_text
func winperf_code_text(code C.int32_t, text *C.char, length *C.int32_t) C.int32_t {
	return fill(0, unsafe.Pointer(text), length, "text", func(out []byte) (int, foreign.Code) {
		return library.Describe(foreign.Code(code), out)
	})
}

//export winperf_status_text
func winperf_status_text(status C.int32_t, text *C.char, length *C.int32_t) C.int32_t {
	return fill(0, unsafe.Pointer(text), length, "text", func(out []byte) (int, foreign.Code) {
		return library.Status(int32(status), out)
	})
}

//export winperf_error_length
func winperf_error_length(object C.winperf_handle) C.int32_t {
	return size(library.ErrorSize(foreign.Handle(object)))
}

//export winperf_error_text
func winperf_error_text(object C.winperf_handle, text *C.char, length *C.int32_t) C.int32_t {
	return fill(0, unsafe.Pointer(text), length, "text", func(out []byte) (int, foreign.Code) {
		return library.Error(foreign.Handle(object), out)
	})
}

//export winperf_set
func winperf_set(object C.winperf_handle, setting, value C.int32_t) C.int32_t {
	return C.int32_t(library.Set(foreign.Handle(object), foreign.Setting(setting), int32(value)))
}
