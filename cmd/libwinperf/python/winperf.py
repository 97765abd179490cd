"""Performance counters in the Windows model, through libwinperf.

    import winperf

    with winperf.Source("local:") as source:
        with source.sensors(["linux.winperf/Processor/% Processor Time#_Total"]) as snapshot:
            snapshot.cycle()
            for item in snapshot.items():
                print(item.value)

The module looks for the library in the file that the environment variable LIBWINPERF names, in its own
directory, and in the system's library directories. Any thread may call any function; a call waits for
incompatible calls on the same snapshot.
"""

import collections
import ctypes
import os
import sys

if sys.version_info < (3, 10):
    raise ImportError(
        "winperf needs Python 3.10 or later, not {}.{}.{}: "
        "older versions handle signals without SA_ONSTACK".format(*sys.version_info[:3])
    )

OK, FAILED, HANDLE, KIND, STATE, ARGUMENT, ANOMALY = 0, -1, -2, -3, -4, -5, -6
SIZE, NOT_FOUND, NOT_SUPPORTED, TIMEOUT, END, DAMAGED, TOO_MANY = -7, -8, -9, -10, -11, -12, -13

TIMEOUT_MS, RETRIES, REST = 1, 2, 3  # settings
GLOBAL, COSTLY, CUSTOM = 1, 2, 3  # kinds of snapshots
BY_PID, BY_NAME_AND_PID = 1, 2  # flags: how instances are named
PDH_EXACT = 4  # flag: a process or thread that started after the last cycle has no rate, as in PDH
NONE, INT32, INT64, DECIMAL, TEXT = 0, 1, 2, 3, 4  # types of values
GAUGE, COUNTER = 0, 1  # kinds of values

Sensor = collections.namedtuple("Sensor", "name object counter type kind value instances costly")
Counter = collections.namedtuple("Counter", "name help type kind value scale")
Instance = collections.namedtuple("Instance", "name parent_object parent_position occurrence")
# An Item is a value of the last cycle. object and counter are title indices, instance is the position
# in instances(object). value is a number or a text, or None if status is not "ok".
Item = collections.namedtuple("Item", "object counter instance request type status value")


class Error(Exception):
    """An error of the library. code is one of the codes of this module."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class _Sensor(ctypes.Structure):
    _fields_ = [
        ("object", ctypes.c_uint32), ("counter", ctypes.c_uint32), ("type", ctypes.c_uint32),
        ("kind", ctypes.c_int32), ("value", ctypes.c_int32), ("instances", ctypes.c_int32),
        ("costly", ctypes.c_int32),
    ]


class _Request(ctypes.Structure):
    _fields_ = [("object", ctypes.c_uint32), ("counter", ctypes.c_uint32)]


class _Counter(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_uint32), ("help", ctypes.c_uint32), ("type", ctypes.c_uint32),
        ("kind", ctypes.c_int32), ("value", ctypes.c_int32), ("scale", ctypes.c_int32),
    ]


class _Instance(ctypes.Structure):
    _fields_ = [
        ("parent_object", ctypes.c_uint32), ("parent_position", ctypes.c_int32),
        ("occurrence", ctypes.c_int32),
    ]


class _Value(ctypes.Union):
    _fields_ = [("int32", ctypes.c_uint32), ("int64", ctypes.c_uint64), ("decimal", ctypes.c_double)]


class _AttributeValue(ctypes.Union):
    _fields_ = [("int64", ctypes.c_int64), ("decimal", ctypes.c_double), ("text", ctypes.c_char_p)]


class _Attribute(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("type", ctypes.c_int32), ("value", _AttributeValue)]


class _Item(ctypes.Structure):
    _fields_ = [
        ("object", ctypes.c_uint32), ("counter", ctypes.c_uint32), ("instance", ctypes.c_int32),
        ("request", ctypes.c_int32), ("type", ctypes.c_int32), ("status", ctypes.c_int32),
        ("value", _Value),
    ]


def _load():
    name = {"win32": "libwinperf.dll", "darwin": "libwinperf.dylib"}.get(sys.platform, "libwinperf.so")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    path = os.environ.get("LIBWINPERF") or (beside if os.path.exists(beside) else name)
    library = ctypes.CDLL(path)
    if library.winperf_interface() != 1:
        raise Error(NOT_SUPPORTED, f"{path} has interface {library.winperf_interface()}, expected 1")
    return library


_library = _load()


class _Forked:
    """Replaces the library in a forked process, which has none of the library's threads."""

    def __getattr__(self, name):
        raise Error(NOT_SUPPORTED, "winperf cannot be used after a fork: start the process with spawn or exec")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_library=_Forked()))


def _utf8(text):
    """Encodes a text for the library. A NUL would hide the rest and raises a ValueError."""
    if "\0" in text:
        raise ValueError(f"a text with a NUL: {text!r}")
    return text.encode("utf-8")


def _text(function, *arguments):
    """Calls a function that writes one text, again with a larger buffer if it was too small."""
    room = 256
    while True:
        out, length = ctypes.create_string_buffer(room), ctypes.c_int32(room)
        code = function(*arguments, out, ctypes.byref(length))
        if code != SIZE:
            return code, out.value.decode("utf-8")
        room = length.value


def _check(handle, result):
    """Returns a result, and raises an Error for a failure. An anomaly is not a failure."""
    if result >= 0 or result == ANOMALY:
        return result
    text = ""
    for where in (handle, 0):
        if not text and where >= 0:
            _, text = _text(_library.winperf_error_text, where)
    raise Error(result, text or _text(_library.winperf_code_text, result)[1])


def _list(raw):
    """Splits a list of texts that end with NULs."""
    return [text.decode("utf-8") for text in bytes(raw).split(b"\0")[:-2]]


def version():
    """Returns the version of the library."""
    return _text(_library.winperf_version_text)[1]


class _Object:
    """An object of the library with a handle."""

    def __init__(self, handle):
        self._handle = handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def set(self, setting, value):
        """Changes a setting: TIMEOUT_MS, RETRIES or REST."""
        _check(self._handle, _library.winperf_set(self._handle, setting, value))

    def _call(self, name, *arguments):
        return _check(self._handle, getattr(_library, name)(self._handle, *arguments))

    def _array(self, name, element, *arguments):
        """Reads an array, again if another thread changes its size between the two calls."""
        while True:
            count = ctypes.c_int32(self._call(f"{name}_count_safe", *arguments))
            out = (element * count.value)()
            get = getattr(_library, f"{name}_get_safe")
            code = get(self._handle, *arguments, out, ctypes.byref(count))
            if code != SIZE:
                _check(self._handle, code)
                return out[: count.value]

    def _named(self, name, suffix, element, *arguments):
        """Reads a list of texts and an array with one element for each."""
        while True:
            length = ctypes.c_int32(self._call(f"{name}_length{suffix}", *arguments))
            count = ctypes.c_int32(self._call(f"{name}_count{suffix}", *arguments))
            texts, out = (ctypes.c_char * length.value)(), (element * count.value)()
            get = getattr(_library, f"{name}_get{suffix}")
            code = get(self._handle, *arguments, texts, ctypes.byref(length), out, ctypes.byref(count))
            if code != SIZE:
                _check(self._handle, code)
                return zip(_list(texts[: length.value]), out[: count.value])


class Source(_Object):
    """A source of samples: this machine, a log, a capture; see winperf_source_open."""

    def __init__(self, url="local:", freshness_ms=0):
        super().__init__(_check(0, _library.winperf_source_open(_utf8(url), freshness_ms)))

    def close(self):
        """Closes the source. Its snapshots stay usable."""
        if self._handle > 0:
            handle, self._handle = self._handle, 0
            _check(handle, _library.winperf_source_close(handle))

    def refresh(self):
        """Reads names and definitions again."""
        self._call("winperf_source_refresh")

    def names(self):
        """Returns the names of objects and counters by title index."""
        return {index: name for name, index in self._named("winperf_names", "", ctypes.c_uint32)}

    def name(self, index):
        """Returns the name or the help text of a title index."""
        code, text = _text(_library.winperf_name_get, self._handle, index)
        _check(self._handle, code)
        return text

    def find_object(self, name):
        """Returns the title index of an object."""
        found = ctypes.c_uint32()
        self._call("winperf_object_find", _utf8(name), ctypes.byref(found))
        return found.value

    def find_counter(self, object, name):
        """Returns the title index of a counter of an object."""
        found = ctypes.c_uint32()
        self._call("winperf_counter_find", object, _utf8(name), ctypes.byref(found))
        return found.value

    def all_sensors(self):
        """Returns all sensors, without instances."""
        return [
            Sensor(name, *(getattr(s, field) for field, _ in _Sensor._fields_))
            for name, s in self._named("winperf_sensors", "", _Sensor)
        ]

    def find_sensor(self, name):
        """Returns the sensor with a name, or with the path of its counter."""
        s = _Sensor()
        self._call("winperf_sensor_find", _utf8(name), ctypes.byref(s))
        return Sensor(name, *(getattr(s, field) for field, _ in _Sensor._fields_))

    def snapshot(self, kind=GLOBAL, requests=(), flags=0):
        """Makes a snapshot of a kind. A request is a pair of object and counter; counter 0 is the whole object."""
        array = (_Request * len(requests))(*requests)
        return Snapshot(self._call("winperf_snapshot_create", kind, array, len(requests), flags))

    def custom(self, requests, flags=0):
        """Makes a snapshot of requests."""
        return self.snapshot(CUSTOM, requests, flags)

    def sensors(self, sensors, flags=0):
        """Makes a snapshot of sensors: names, paths of counters or Sensor objects.

        Item.request is the position of the sensor in the list.
        """
        names = [sensor.name if isinstance(sensor, Sensor) else sensor for sensor in sensors]
        array = (ctypes.c_char_p * len(names))(*(_utf8(name) for name in names))
        return Snapshot(self._call("winperf_snapshot_create_sensors", array, len(names), flags))


class Snapshot(_Object):
    """A measurement in cycles of prepare, sample and decode."""

    def close(self):
        """Ends the snapshot, and stops a running operation of another thread."""
        if self._handle > 0:
            handle, self._handle = self._handle, 0
            _check(handle, _library.winperf_snapshot_destroy_safe(handle))

    def prepare(self):
        """Does all work before a sample that can be done in advance."""
        self._call("winperf_snapshot_prepare_safe")

    def sample(self):
        """Reads the raw data. Returns True after an anomaly."""
        return self._call("winperf_snapshot_sample_safe") == ANOMALY

    def decode(self):
        """Computes the values. Returns True after an anomaly: see anomalies."""
        return self._call("winperf_snapshot_decode_safe") == ANOMALY

    def cycle(self):
        """Runs the three steps. Returns True after an anomaly."""
        self.prepare()
        grew = self.sample()
        return self.decode() or grew

    def state(self):
        """Returns the state of the snapshot: 1 (initializing) to 7 (decoding), as in libwinperf.h."""
        return self._call("winperf_snapshot_state")

    def objects(self):
        """Returns the title indices of the objects of the last sample."""
        return self._array("winperf_snapshot_objects", ctypes.c_uint32)

    def counters(self, object):
        """Returns the counters of an object. Their names are title indices: see Source.name."""
        return [
            Counter(*(getattr(c, field) for field, _ in _Counter._fields_))
            for c in self._array("winperf_snapshot_counters", _Counter, object)
        ]

    def instances(self, object):
        """Returns the instances of an object, or an empty list for an object without instances."""
        return [
            Instance(name, rest.parent_object, rest.parent_position, rest.occurrence)
            for name, rest in self._named("winperf_snapshot_instances", "_safe", _Instance, object)
        ]

    def items(self):
        """Returns the values of the last cycle."""
        return [self._item(at, item) for at, item in enumerate(self._array("winperf_snapshot_items", _Item))]

    def _item(self, at, item):
        value = None
        if item.status == 0 and item.type == TEXT:
            code, value = _text(_library.winperf_snapshot_text_get_safe, self._handle, at)
            _check(self._handle, code)
        elif item.status == 0 and item.type != NONE:
            value = {INT32: item.value.int32, INT64: item.value.int64, DECIMAL: item.value.decimal}[item.type]
        return Item(item.object, item.counter, item.instance, item.request, item.type, _status(item.status), value)

    def time(self):
        """Returns the time of the last sample, in nanoseconds since 1970 in UTC."""
        ns = ctypes.c_int64()
        self._call("winperf_snapshot_time_safe", ctypes.byref(ns))
        return ns.value

    def anomalies(self):
        """Returns the anomalies of the last cycle, one line each."""
        while True:
            length = ctypes.c_int32(self._call("winperf_snapshot_anomalies_length_safe"))
            out = (ctypes.c_char * length.value)()
            code = _library.winperf_snapshot_anomalies_get_safe(self._handle, out, ctypes.byref(length))
            if code != SIZE:
                _check(self._handle, code)
                return _list(out[: length.value])


_statuses = {}


def _status(number):
    if number not in _statuses:
        _statuses[number] = _text(_library.winperf_status_text, number)[1]
    return _statuses[number]


def _attributes(values):
    """Returns the attributes of an event as an array for the library, and its length."""
    array = (_Attribute * len(values))()
    for at, (key, value) in enumerate(values.items()):
        array[at].key = _utf8(key)
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                raise OverflowError(f"attribute {key}: {value} is not a signed 64-bit integer")
            array[at].type, array[at].value.int64 = INT64, value
        elif isinstance(value, float):
            array[at].type, array[at].value.decimal = DECIMAL, value
        else:
            array[at].type, array[at].value.text = TEXT, _utf8(str(value))
    return array, len(values)


def declare(*names):
    """Declares names of events and regions, which winperf experiment list shows before they happen."""
    for name in names:
        _check(0, _library.winperf_event_declare(_utf8(name)))


def event(name, /, **attributes):
    """Emits an event. Returns when the samples that experiments bind to it have started."""
    _check(0, _library.winperf_event(0, _utf8(name), *_attributes(attributes)))


class Region:
    """A span of the program that experiments measure from its begin to its end."""

    def __init__(self, name, /, within=None, **attributes):
        around = within._handle if within else 0
        begun = _library.winperf_region_begin(around, _utf8(name), *_attributes(attributes))
        self._handle = _check(0, begun)
        self.attributes = {}  # attributes of the end

    def event(self, name, /, **attributes):
        """Emits an event within the region."""
        _check(0, _library.winperf_event(self._handle, _utf8(name), *_attributes(attributes)))

    def end(self, **attributes):
        """Ends the region, with further attributes."""
        if self._handle > 0:
            # An invalid attribute raises an error here, and the region stays open.
            all_of_them = _attributes({**self.attributes, **attributes})
            handle, self._handle = self._handle, 0
            code = _library.winperf_region_end(handle, *all_of_them)
            if code < 0 and code != HANDLE:
                self._handle = handle
            _check(handle, code)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class _Listener(_Object):
    def close(self):
        if self._handle > 0:
            handle, self._handle = self._handle, 0
            _check(handle, _library.winperf_listen_end(handle))


def listen(name):
    """Lets other programs attach experiments to this program, until the returned listener is closed."""
    return _Listener(_check(0, _library.winperf_listen(_utf8(name))))
