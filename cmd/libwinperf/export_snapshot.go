package main

// The compiler compares the functions with the header. Go's types cannot be const.

// #include <stdint.h>
// #define const
// #include "libwinperf.h"
// #undef const
import "C"

import (
	"slices"
	"unsafe"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

//export winperf_snapshot_create
func winperf_snapshot_create(source C.winperf_handle, kind C.int32_t, requests *C.winperf_request,
	count C.int32_t, flags C.uint32_t,
) C.winperf_handle {
	var requested []foreign.Request
	if foreign.Kind(kind) == foreign.Custom {
		all, code := arrayIn[foreign.Request](
			source, unsafe.Pointer(requests), count, foreign.MaxRequests, "requests",
		)
		if code != foreign.OK {
			return C.winperf_handle(code)
		}
		requested = slices.Clone(all) // the caller may free the array after this call
	}
	return handle(library.Create(foreign.Handle(source), foreign.Kind(kind), requested, foreign.Flags(flags)))
}

//export winperf_snapshot_create_sensors
func winperf_snapshot_create_sensors(source C.winperf_handle, names **C.char, count C.int32_t,
	flags C.uint32_t,
) C.winperf_handle {
	requested, code := textsIn(source, names, count, "names")
	if code != foreign.OK {
		return C.winperf_handle(code)
	}
	return handle(library.CreateSensors(foreign.Handle(source), requested, foreign.Flags(flags)))
}

//export winperf_snapshot_state
func winperf_snapshot_state(snapshot C.winperf_handle) C.int32_t {
	state, code := library.State(foreign.Handle(snapshot))
	return size(int(state), code)
}

//export winperf_snapshot_destroy
func winperf_snapshot_destroy(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Destroy(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_destroy_safe
func winperf_snapshot_destroy_safe(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Destroy(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_prepare
func winperf_snapshot_prepare(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Prepare(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_prepare_safe
func winperf_snapshot_prepare_safe(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Prepare(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_sample
func winperf_snapshot_sample(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Sample(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_sample_safe
func winperf_snapshot_sample_safe(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Sample(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_decode
func winperf_snapshot_decode(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Decode(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_decode_safe
func winperf_snapshot_decode_safe(snapshot C.winperf_handle) C.int32_t {
	return C.int32_t(library.Decode(foreign.Handle(snapshot), foreign.Safe))
}
