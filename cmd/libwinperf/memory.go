package main

// #include <string.h>
// #include "libwinperf.h"
import "C"

import (
	"unsafe"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// Structures are copied as they are: those of C and of Go have the same size. The types differ
// in nothing else, as the tests in C see.
var (
	_ [unsafe.Sizeof(foreign.Request{})]byte  = [C.sizeof_winperf_request]byte{}
	_ [unsafe.Sizeof(foreign.Sensor{})]byte   = [C.sizeof_winperf_sensor]byte{}
	_ [unsafe.Sizeof(foreign.Counter{})]byte  = [C.sizeof_winperf_counter]byte{}
	_ [unsafe.Sizeof(foreign.Instance{})]byte = [C.sizeof_winperf_instance]byte{}
	_ [unsafe.Sizeof(foreign.Item{})]byte     = [C.sizeof_winperf_item]byte{}
)

// maxText bounds the texts that callers give, in bytes.
const maxText = 1 << 20

// textIn reads a text of the caller. Like the functions below it is given the handle of the call, 0 for none,
// whose object keeps what is wrong.
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

// textsIn reads an array of texts.
func textsIn(of C.winperf_handle, texts **C.char, count C.int32_t, what string) ([]string, foreign.Code) {
	all, code := given[*C.char](of, unsafe.Pointer(texts), count, foreign.MaxRequests, what)
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

// given is an array that the caller gives, of which no more than most elements are read.
func given[T any](of C.winperf_handle, at unsafe.Pointer, count C.int32_t, most int, what string) (
	[]T, foreign.Code,
) {
	if int(count) > most {
		return nil, library.FailTooMany(foreign.Handle(of), int(count), most, what)
	}
	return array[T](of, at, &count, what)
}

// array is an array of the caller as a slice, *count elements long.
func array[T any](of C.winperf_handle, at unsafe.Pointer, count *C.int32_t, what string) ([]T, foreign.Code) {
	if count == nil {
		return nil, library.Fail(foreign.Handle(of), "the length of %s is NULL", what)
	}

	n := int(*count) // once, as another thread may write there
	switch {
	case n < 0:
		return nil, library.Fail(foreign.Handle(of), "the length of %s is %d", what, n)
	case n == 0:
		return nil, foreign.OK
	case at == nil:
		return nil, library.Fail(foreign.Handle(of), "%s is NULL and has the length %d", what, n)
	case uintptr(n) > -uintptr(at)/unsafe.Sizeof(*(*T)(at)):
		return nil, library.Fail(foreign.Handle(of), "%s has the length %d, which goes beyond the end of memory", what, n)
	}
	return unsafe.Slice((*T)(at), n), foreign.OK
}

// size is the result of a function that returns one.
func size(n int, code foreign.Code) C.int32_t {
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return C.int32_t(n)
}

// told is the result of a function that fills an array: how much there is goes into *count.
func told(count *C.int32_t, n int, code foreign.Code) C.int32_t {
	if code == foreign.OK || code == foreign.TooSmall {
		*count = C.int32_t(n)
	}
	return C.int32_t(code)
}

// fill has an array of the caller filled.
func fill[T any](of C.winperf_handle, at unsafe.Pointer, count *C.int32_t, what string,
	do func([]T) (int, foreign.Code),
) C.int32_t {
	out, code := array[T](of, at, count, what)
	if code != foreign.OK {
		return C.int32_t(code)
	}
	n, code := do(out)
	return told(count, n, code)
}

// fillBoth has a list of texts filled and an array of what goes with each.
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
	told(length, bytes, code)
	return told(count, n, code)
}
