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

//export winperf_snapshot_items_count
func winperf_snapshot_items_count(snapshot C.winperf_handle) C.int32_t {
	return size(library.ItemsCount(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_items_count_safe
func winperf_snapshot_items_count_safe(snapshot C.winperf_handle) C.int32_t {
	return size(library.ItemsCount(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_items_get
func winperf_snapshot_items_get(snapshot C.winperf_handle, items *C.winperf_item, count *C.int32_t,
) C.int32_t {
	return itemsGet(snapshot, items, count, foreign.Plain)
}

//export winperf_snapshot_items_get_safe
func winperf_snapshot_items_get_safe(snapshot C.winperf_handle, items *C.winperf_item, count *C.int32_t,
) C.int32_t {
	return itemsGet(snapshot, items, count, foreign.Safe)
}

func itemsGet(
	snapshot C.winperf_handle, items *C.winperf_item, count *C.int32_t, a foreign.Access,
) C.int32_t {
	return fill(snapshot, unsafe.Pointer(items), count, "items", func(out []foreign.Item) (int, foreign.Code) {
		return library.Items(foreign.Handle(snapshot), a, out)
	})
}

//export winperf_snapshot_text_length
func winperf_snapshot_text_length(snapshot C.winperf_handle, item C.int32_t) C.int32_t {
	return size(library.TextSize(foreign.Handle(snapshot), foreign.Plain, int(item)))
}

//export winperf_snapshot_text_length_safe
func winperf_snapshot_text_length_safe(snapshot C.winperf_handle, item C.int32_t) C.int32_t {
	return size(library.TextSize(foreign.Handle(snapshot), foreign.Safe, int(item)))
}

//export winperf_snapshot_text_get
func winperf_snapshot_text_get(snapshot C.winperf_handle, item C.int32_t,
	text *C.char, length *C.int32_t,
) C.int32_t {
	return textGet(snapshot, item, text, length, foreign.Plain)
}

//export winperf_snapshot_text_get_safe
func winperf_snapshot_text_get_safe(snapshot C.winperf_handle, item C.int32_t,
	text *C.char, length *C.int32_t,
) C.int32_t {
	return textGet(snapshot, item, text, length, foreign.Safe)
}

func textGet(snapshot C.winperf_handle, item C.int32_t, text *C.char, length *C.int32_t,
	a foreign.Access,
) C.int32_t {
	return fill(snapshot, unsafe.Pointer(text), length, "text", func(out []byte) (int, foreign.Code) {
		return library.Text(foreign.Handle(snapshot), a, int(item), out)
	})
}

//export winperf_snapshot_time
func winperf_snapshot_time(snapshot C.winperf_handle, ns *C.int64_t) C.int32_t {
	return timeGet(snapshot, ns, foreign.Plain)
}

//export winperf_snapshot_time_safe
func winperf_snapshot_time_safe(snapshot C.winperf_handle, ns *C.int64_t) C.int32_t {
	return timeGet(snapshot, ns, foreign.Safe)
}

func timeGet(snapshot C.winperf_handle, ns *C.int64_t, a foreign.Access) C.int32_t {
	if ns == nil {
		return C.int32_t(library.Fail(foreign.Handle(snapshot), "the pointer for the time is NULL"))
	}
	t, code := library.Time(foreign.Handle(snapshot), a)
	if code == foreign.OK {
		*ns = C.int64_t(t)
	}
	return C.int32_t(code)
}

//export winperf_snapshot_anomalies_count
func winperf_snapshot_anomalies_count(snapshot C.winperf_handle) C.int32_t {
	return size(library.AnomaliesCount(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_anomalies_count_safe
func winperf_snapshot_anomalies_count_safe(snapshot C.winperf_handle) C.int32_t {
	return size(library.AnomaliesCount(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_anomalies_length
func winperf_snapshot_anomalies_length(snapshot C.winperf_handle) C.int32_t {
	return size(library.AnomaliesSize(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_anomalies_length_safe
func winperf_snapshot_anomalies_length_safe(snapshot C.winperf_handle) C.int32_t {
	return size(library.AnomaliesSize(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_anomalies_get
func winperf_snapshot_anomalies_get(snapshot C.winperf_handle, lines *C.char, length *C.int32_t) C.int32_t {
	return anomaliesGet(snapshot, lines, length, foreign.Plain)
}

//export winperf_snapshot_anomalies_get_safe
func winperf_snapshot_anomalies_get_safe(snapshot C.winperf_handle, lines *C.char, length *C.int32_t,
) C.int32_t {
	return anomaliesGet(snapshot, lines, length, foreign.Safe)
}

func anomaliesGet(snapshot C.winperf_handle, lines *C.char, length *C.int32_t, a foreign.Access) C.int32_t {
	return fill(snapshot, unsafe.Pointer(lines), length, "lines", func(out []byte) (int, foreign.Code) {
		return library.Anomalies(foreign.Handle(snapshot), a, out)
	})
}
