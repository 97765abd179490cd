package main

// The compiler compares the functions with the header. Go's types cannot be const.

// #include <stdint.h>
// #define const
// #include "libwinperf.h"
// #undef const
import "C"

import (
	"log/slog"
	"unsafe"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

//export winperf_listen
func winperf_listen(name *C.char) C.winperf_handle {
	text, code := textIn(0, name, "name")
	if code != foreign.OK {
		return C.winperf_handle(code)
	}
	setOnStack()
	return handle(library.Listen(text))
}

//export winperf_listen_end
func winperf_listen_end(listener C.winperf_handle) C.int32_t {
	return C.int32_t(library.EndListen(foreign.Handle(listener)))
}

//export winperf_event_declare
func winperf_event_declare(name *C.char) C.int32_t {
	text, code := textIn(0, name, "name")
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return C.int32_t(library.Declare(text))
}

//export winperf_event
func winperf_event(
	region C.winperf_handle, name *C.char, attributes *C.winperf_attribute, count C.int32_t,
) C.int32_t {
	text, attrs, code := eventIn(region, name, attributes, count)
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return C.int32_t(library.Event(foreign.Handle(region), text, attrs))
}

//export winperf_region_begin
func winperf_region_begin(region C.winperf_handle, name *C.char, attributes *C.winperf_attribute,
	count C.int32_t,
) C.winperf_handle {
	text, attrs, code := eventIn(region, name, attributes, count)
	if code != foreign.OK {
		return C.winperf_handle(code)
	}
	return handle(library.BeginRegion(foreign.Handle(region), text, attrs))
}

//export winperf_region_end
func winperf_region_end(region C.winperf_handle, attributes *C.winperf_attribute, count C.int32_t) C.int32_t {
	attrs, code := attributesIn(region, attributes, count)
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return C.int32_t(library.EndRegion(foreign.Handle(region), attrs))
}

func eventIn(region C.winperf_handle, name *C.char, attributes *C.winperf_attribute, count C.int32_t) (
	string, []slog.Attr, foreign.Code,
) {
	text, code := textIn(region, name, "name")
	if code != foreign.OK {
		return "", nil, code
	}
	attrs, code := attributesIn(region, attributes, count)
	return text, attrs, code
}

// maxAttributes is the largest number of attributes of an event, as in records.
const maxAttributes = 128

func attributesIn(region C.winperf_handle, attributes *C.winperf_attribute, count C.int32_t) (
	[]slog.Attr, foreign.Code,
) {
	all, code := arrayIn[C.winperf_attribute](
		region, unsafe.Pointer(attributes), count, maxAttributes, "attributes",
	)
	if code != foreign.OK || len(all) == 0 {
		return nil, code
	}
	attrs := make([]slog.Attr, len(all))
	for i := range all {
		if attrs[i], code = attributeIn(region, &all[i]); code != foreign.OK {
			return nil, code
		}
	}
	return attrs, foreign.OK
}

func attributeIn(region C.winperf_handle, a *C.winperf_attribute) (slog.Attr, foreign.Code) {
	key, code := textIn(region, a.key, "key of an attribute")
	if code != foreign.OK {
		return slog.Attr{}, code
	}

	at := unsafe.Pointer(&a.value)
	switch a._type {
	case C.WINPERF_INT64:
		return slog.Int64(key, *(*int64)(at)), foreign.OK
	case C.WINPERF_DECIMAL:
		return slog.Float64(key, *(*float64)(at)), foreign.OK
	case C.WINPERF_TEXT:
		text, code := textIn(region, *(**C.char)(at), "attribute "+key)
		return slog.String(key, text), code
	}
	return slog.Attr{}, library.Fail(foreign.Handle(region), "attribute %s has the type %d", key, int32(a._type))
}
