package main

// #include <string.h>
// #include "libwinperf.h"
import "C"

import (
	"unsafe"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// Structures are copied: C's and Go's have the same size. Tests in C check the fields.
var (
	_ [unsafe.Sizeof(foreign.Request{})]byte  = [C.sizeof_winperf_request]byte{}
	_ [unsafe.Sizeof(foreign.Sensor{})]byte   = [C.sizeof_winperf_sensor]byte{}
	_ [unsafe.Sizeof(foreign.Counter{})]byte  = [C.sizeof_winperf_counter]byte{}
	_ [unsafe.Sizeof(foreign.Instance{})]byte = [C.sizeof_winperf_instance]byte{}
	_ [unsafe.Sizeof(foreign.Item{})]byte     = [C.sizeof_winperf_item]byte{}
)

// maxText limits texts of callers, in bytes.
const maxText = 1 << 20

// textIn reads a text of the caller. Like the functions below it takes the handle of the call, or 0,
// whose object stores errors.
func textIn(of C.winperf_handle, text *C.char, what string) (string, foreign.Code) {
	if text == nil {
		return "", library.Fail(foreign.Handle(of), "%s is NULL", what)
	}
	n := C.strnlen(text, maxText)
	if n == maxText {
		return "", library.Fail(foreign.Handle(of), "%s has %d bytes or more", what, maxText)
	}
	return C.GoStringN(text, C.int(n)), foreign.OK
}

func textsIn(of C.winperf_handle, texts **C.char, count C.int32_t, what string) ([]string, foreign.Code) {
	all, code := arrayIn[*C.char](of, unsafe.Pointer(texts), count, foreign.MaxRequests, what)
	if code != foreign.OK {
		return nil, code
	}
	read := make([]string, len(all))
	for i := range all {
		if read[i], code = textIn(of, all[i], what); code != foreign.OK {
			return nil, code
		}
	}
	return read, foreign.OK
}

// arrayIn returns an array of the caller with at most most elements.
func arrayIn[T any](of C.winperf_handle, at unsafe.Pointer, count C.int32_t, most int, what string) (
	[]T, foreign.Code,
) {
	if int(count) > most {
		return nil, library.FailTooMany(foreign.Handle(of), int(count), most, what)
	}
	return array[T](of, at, &count, what)
}

// array returns an array of the caller, with *count elements, as a slice.
func array[T any](of C.winperf_handle, at unsafe.Pointer, count *C.int32_t, what string) ([]T, foreign.Code) {
	if count == nil {
		return nil, library.Fail(foreign.Handle(of), "the length of %s is NULL", what)
	}

	n := int(*count) // read once, as another thread may change it
	switch {
	case n < 0:
		return nil, library.Fail(foreign.Handle(of), "the length of %s is %d", what, n)
	case n == 0:
		return nil, foreign.OK
	case at == nil:
		return nil, library.Fail(foreign.Handle(of), "%s is NULL and has the length %d", what, n)
	case uintptr(n) > -uintptr(at)/unsafe.Sizeof(*(*T)(at)):
		const form = "%s has the length %d, which exceeds the address space"
		return nil, library.Fail(foreign.Handle(of), form, what, n)
	}
	return unsafe.Slice((*T)(at), n), foreign.OK
}

func size(n int, code foreign.Code) C.int32_t {
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return C.int32_t(n)
}

// setCount sets *count to the number of available elements and returns the code.
func setCount(count *C.int32_t, n int, code foreign.Code) C.int32_t {
	if code == foreign.OK || code == foreign.TooSmall {
		*count = C.int32_t(n)
	}
	return C.int32_t(code)
}

func fill[T any](of C.winperf_handle, at unsafe.Pointer, count *C.int32_t, what string,
	do func([]T) (int, foreign.Code),
) C.int32_t {
	out, code := array[T](of, at, count, what)
	if code != foreign.OK {
		return C.int32_t(code)
	}
	n, code := do(out)
	return setCount(count, n, code)
}

// fillBoth lets do fill a list of texts and an array of related elements.
func fillBoth[T any](of C.winperf_handle, texts *C.char, length *C.int32_t, at unsafe.Pointer,
	count *C.int32_t, what string, do func([]byte, []T) (int, int, foreign.Code),
) C.int32_t {
	out, code := array[byte](of, unsafe.Pointer(texts), length, "names")
	if code != foreign.OK {
		return C.int32_t(code)
	}
	rest, code := array[T](of, at, count, what)
	if code != foreign.OK {
		return C.int32_t(code)
	}

	bytes, n, code := do(out, rest)
	setCount(length, bytes, code)
	return setCount(count, n, code)
}
