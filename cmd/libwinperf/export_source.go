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

//export winperf_source_open
func winperf_source_open(url *C.char, freshness C.int32_t) C.winperf_handle {
	address, code := textIn(0, url, "url")
	if code != foreign.OK {
		return C.winperf_handle(code)
	}
	setOnStack()
	return handle(library.OpenSource(address, int32(freshness)))
}

func handle(h foreign.Handle, code foreign.Code) C.winperf_handle {
	if code != foreign.OK {
		return C.winperf_handle(code)
	}
	return C.winperf_handle(h)
}

//export winperf_source_close
func winperf_source_close(source C.winperf_handle) C.int32_t {
	return C.int32_t(library.CloseSource(foreign.Handle(source)))
}

//export winperf_source_refresh
func winperf_source_refresh(source C.winperf_handle) C.int32_t {
	return C.int32_t(library.Refresh(foreign.Handle(source)))
}

//export winperf_names_count
func winperf_names_count(source C.winperf_handle) C.int32_t {
	return size(library.NamesCount(foreign.Handle(source)))
}

//export winperf_names_length
func winperf_names_length(source C.winperf_handle) C.int32_t {
	return size(library.NamesSize(foreign.Handle(source)))
}

//export winperf_names_get
func winperf_names_get(source C.winperf_handle, names *C.char, length *C.int32_t, indices *C.uint32_t,
	count *C.int32_t,
) C.int32_t {
	return fillBoth(source, names, length, unsafe.Pointer(indices), count, "indices",
		func(out []byte, indices []uint32) (int, int, foreign.Code) {
			return library.Names(foreign.Handle(source), out, indices)
		})
}

//export winperf_name_length
func winperf_name_length(source C.winperf_handle, index C.uint32_t) C.int32_t {
	return size(library.NameSize(foreign.Handle(source), uint32(index)))
}

//export winperf_name_get
func winperf_name_get(source C.winperf_handle, index C.uint32_t, name *C.char, length *C.int32_t) C.int32_t {
	return fill(source, unsafe.Pointer(name), length, "name", func(out []byte) (int, foreign.Code) {
		return library.Name(foreign.Handle(source), uint32(index), out)
	})
}

//export winperf_object_find
func winperf_object_find(source C.winperf_handle, name *C.char, object *C.uint32_t) C.int32_t {
	text, code := textIn(source, name, "name")
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return found(source, object, func() (uint32, foreign.Code) {
		return library.FindObject(foreign.Handle(source), text)
	})
}

func found(source C.winperf_handle, index *C.uint32_t, find func() (uint32, foreign.Code)) C.int32_t {
	if index == nil {
		return C.int32_t(library.Fail(foreign.Handle(source), "the pointer for the index is NULL"))
	}
	n, code := find()
	if code == foreign.OK {
		*index = C.uint32_t(n)
	}
	return C.int32_t(code)
}

//export winperf_counter_find
func winperf_counter_find(source C.winperf_handle, object C.uint32_t, name *C.char,
	counter *C.uint32_t,
) C.int32_t {
	text, code := textIn(source, name, "name")
	if code != foreign.OK {
		return C.int32_t(code)
	}
	return found(source, counter, func() (uint32, foreign.Code) {
		return library.FindCounter(foreign.Handle(source), uint32(object), text)
	})
}

//export winperf_sensors_count
func winperf_sensors_count(source C.winperf_handle) C.int32_t {
	return size(library.SensorsCount(foreign.Handle(source)))
}

//export winperf_sensors_length
func winperf_sensors_length(source C.winperf_handle) C.int32_t {
	return size(library.SensorsSize(foreign.Handle(source)))
}

//export winperf_sensors_get
func winperf_sensors_get(source C.winperf_handle, names *C.char, length *C.int32_t, sensors *C.winperf_sensor,
	count *C.int32_t,
) C.int32_t {
	return fillBoth(source, names, length, unsafe.Pointer(sensors), count, "sensors",
		func(out []byte, sensors []foreign.Sensor) (int, int, foreign.Code) {
			return library.Sensors(foreign.Handle(source), out, sensors)
		})
}

//export winperf_sensor_find
func winperf_sensor_find(source C.winperf_handle, name *C.char, sensor *C.winperf_sensor) C.int32_t {
	text, code := textIn(source, name, "name")
	switch {
	case code != foreign.OK:
		return C.int32_t(code)
	case sensor == nil:
		return C.int32_t(library.Fail(foreign.Handle(source), "the pointer for the sensor is NULL"))
	}

	made, code := library.FindSensor(foreign.Handle(source), text)
	if code == foreign.OK {
		*(*foreign.Sensor)(unsafe.Pointer(sensor)) = made
	}
	return C.int32_t(code)
}
