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

//export winperf_snapshot_objects_count
func winperf_snapshot_objects_count(snapshot C.winperf_handle) C.int32_t {
	return size(library.ObjectsCount(foreign.Handle(snapshot), foreign.Plain))
}

//export winperf_snapshot_objects_count_safe
func winperf_snapshot_objects_count_safe(snapshot C.winperf_handle) C.int32_t {
	return size(library.ObjectsCount(foreign.Handle(snapshot), foreign.Safe))
}

//export winperf_snapshot_objects_get
func winperf_snapshot_objects_get(snapshot C.winperf_handle, out *C.uint32_t, count *C.int32_t,
) C.int32_t {
	return objectsGet(snapshot, out, count, foreign.Plain)
}

//export winperf_snapshot_objects_get_safe
func winperf_snapshot_objects_get_safe(snapshot C.winperf_handle, out *C.uint32_t, count *C.int32_t,
) C.int32_t {
	return objectsGet(snapshot, out, count, foreign.Safe)
}

func objectsGet(snapshot C.winperf_handle, out *C.uint32_t, count *C.int32_t, a foreign.Access) C.int32_t {
	return fill(snapshot, unsafe.Pointer(out), count, "objects", func(out []uint32) (int, foreign.Code) {
		return library.Objects(foreign.Handle(snapshot), a, out)
	})
}

//export winperf_snapshot_counters_count
func winperf_snapshot_counters_count(snapshot C.winperf_handle, object C.uint32_t) C.int32_t {
	return size(library.CountersCount(foreign.Handle(snapshot), foreign.Plain, uint32(object)))
}

//export winperf_snapshot_counters_count_safe
func winperf_snapshot_counters_count_safe(snapshot C.winperf_handle, object C.uint32_t) C.int32_t {
	return size(library.CountersCount(foreign.Handle(snapshot), foreign.Safe, uint32(object)))
}

//export winperf_snapshot_counters_get
func winperf_snapshot_counters_get(snapshot C.winperf_handle, object C.uint32_t,
	counters *C.winperf_counter, count *C.int32_t,
) C.int32_t {
	return countersGet(snapshot, object, counters, count, foreign.Plain)
}

//export winperf_snapshot_counters_get_safe
func winperf_snapshot_counters_get_safe(snapshot C.winperf_handle, object C.uint32_t,
	counters *C.winperf_counter, count *C.int32_t,
) C.int32_t {
	return countersGet(snapshot, object, counters, count, foreign.Safe)
}

func countersGet(snapshot C.winperf_handle, object C.uint32_t, counters *C.winperf_counter, count *C.int32_t,
	a foreign.Access,
) C.int32_t {
	read := func(out []foreign.Counter) (int, foreign.Code) {
		return library.Counters(foreign.Handle(snapshot), a, uint32(object), out)
	}
	return fill(snapshot, unsafe.Pointer(counters), count, "counters", read)
}

//export winperf_snapshot_instances_count
func winperf_snapshot_instances_count(snapshot C.winperf_handle, object C.uint32_t) C.int32_t {
	return size(library.InstancesCount(foreign.Handle(snapshot), foreign.Plain, uint32(object)))
}

//export winperf_snapshot_instances_count_safe
func winperf_snapshot_instances_count_safe(snapshot C.winperf_handle, object C.uint32_t) C.int32_t {
	return size(library.InstancesCount(foreign.Handle(snapshot), foreign.Safe, uint32(object)))
}

//export winperf_snapshot_instances_length
func winperf_snapshot_instances_length(snapshot C.winperf_handle, object C.uint32_t) C.int32_t {
	return size(library.InstancesSize(foreign.Handle(snapshot), foreign.Plain, uint32(object)))
}

//export winperf_snapshot_instances_length_safe
func winperf_snapshot_instances_length_safe(snapshot C.winperf_handle, object C.uint32_t) C.int32_t {
	return size(library.InstancesSize(foreign.Handle(snapshot), foreign.Safe, uint32(object)))
}

//export winperf_snapshot_instances_get
func winperf_snapshot_instances_get(snapshot C.winperf_handle, object C.uint32_t,
	names *C.char, length *C.int32_t, instances *C.winperf_instance, count *C.int32_t,
) C.int32_t {
	return instancesGet(snapshot, object, names, length, instances, count, foreign.Plain)
}

//export winperf_snapshot_instances_get_safe
func winperf_snapshot_instances_get_safe(snapshot C.winperf_handle, object C.uint32_t,
	names *C.char, length *C.int32_t, instances *C.winperf_instance, count *C.int32_t,
) C.int32_t {
	return instancesGet(snapshot, object, names, length, instances, count, foreign.Safe)
}

func instancesGet(snapshot C.winperf_handle, object C.uint32_t, names *C.char, length *C.int32_t,
	instances *C.winperf_instance, count *C.int32_t, a foreign.Access,
) C.int32_t {
	return fillBoth(snapshot, names, length, unsafe.Pointer(instances), count, "instances",
		func(out []byte, rest []foreign.Instance) (int, int, foreign.Code) {
			return library.Instances(foreign.Handle(snapshot), a, uint32(object), out, rest)
		})
}
