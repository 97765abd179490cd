"""Performance counters in the Windows model, through libwinperf.

    import winperf

    with winperf.Source("local:") as source:
        with source.sensors(["linux.winperf/Processor/% Processor Time#_Total"]) as snapshot:
            snapshot.cycle()
            for item in snapshot.items():
                print(item.value)

The library is looked for in the file that the environment variable LIBWINPERF names, beside this
module, and where the system has its libraries. Every function may be called from any thread; one
that cannot go together with what is under way on the same snapshot waits.
"""

import collections
import ctypes
import os
import sys

if sys.version_info < (3, 10):
    raise ImportError(
        "winperf needs Python 3.10 or later, and this is {}.{}.{}: "
        "older versions handle signals without SA_ONSTACK".format(*sys.version_info[:3])
    )

OK, FAILED, HANDLE, KIND, STATE, ARGUMENT, ANOMALY = 0, -1, -2, -3, -4, -5, -6
SIZE, NOT_FOUND, NOT_SUPPORTED, TIMEOUT, END, DAMAGED, TOO_MANY = -7, -8, -9, -10, -11, -12, -13

TIMEOUT_MS, RETRIES, REST = 1, 2, 3  # settings
GLOBAL, COSTLY, CUSTOM = 1, 2, 3  # kinds of snapshots
BY_PID, BY_NAME_AND_PID = 1, 2  # flags: how instances are named
PDH_EXACT = 4  # flag: a process or thread that started after the last cycle has no rate, as in PDH
NONE, INT32, INT64, DECIMAL, TEXT = 0, 1, 2, 3, 4  # types of values
GAUGE, COUNTER = 0, 1  # what values do

Sensor = collections.namedtuple("Sensor", "name object counter type kind value instances costly")
Counter = collections.namedtuple("Counter", "name help type kind value scale")
Instance = collections.namedtuple("Instance", "name parent_object parent_position occurrence")
# Item is a value of the last cycle: object and counter are title indices, instance is the position
# in instances(object). value is a number or a text, and None where status is not "ok".
Item = collections.namedtuple("Item", "object counter instance request type status value")


class Error(Exception):
    """What the library refused or could not do. code is one of the codes of this module."""

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
        raise Error(NOT_SUPPORTED, f"{path} has interface {library.winperf_interface()}, and this module knows 1")
    return library


_library = _load()


class _Forked:
    """In place of the library in a process that was forked off: the library's threads are not there."""

    def __getattr__(self, name):
        raise Error(NOT_SUPPORTED, "winperf cannot be used after a fork: start the process with spawn or exec")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_library=_Forked()))


def _utf8(text):
    """A text as the library takes it. A NUL within would hide the rest."""
    if "\0" in text:
        raise ValueError(f"a text with a NUL: {text!r}")
    return text.encode("utf-8")


def _text(function, *arguments):
    """Calls a function that writes one text, with room for more each time that it was too little."""
    room = 256
    while True:
        out, length = ctypes.create_string_buffer(room), ctypes.c_int32(room)
        code = function(*arguments, out, ctypes.byref(length))
        if code != SIZE:
            return code, out.value.decode("utf-8")
        room = length.value


def _check(handle, result):
    """Returns a result that is no failure. An anomaly is none."""
    if result >= 0 or result == ANOMALY:
        return result
    text = ""
    for where in (handle, 0):
        if not text and where >= 0:
            _, text = _text(_library.winperf_error_text, where)
    raise Error(result, text or _text(_library.winperf_code_text, result)[1])


def _list(raw):
    """Splits a list of texts."""
    return [text.decode("utf-8") for text in bytes(raw).split(b"\0")[:-2]]


def version():
    """The version of the library."""
    return _text(_library.winperf_version_text)[1]


class _Object:
    """Something that the library knows by a handle."""

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
        """Reads an array. Between the two calls another thread may measure: then once more."""
        while True:
            count = ctypes.c_int32(self._call(f"{name}_count_safe", *arguments))
            out = (element * count.value)()
            get = getattr(_library, f"{name}_get_safe")
            code = get(self._handle, *arguments, out, ctypes.byref(count))
            if code != SIZE:
                _check(self._handle, code)
                return out[: count.value]

    def _named(self, name, suffix, element, *arguments):
        """Reads a list of texts with an array of what goes with each."""
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
        """Closes the source. Its snapshots go on."""
        if self._handle > 0:
            handle, self._handle = self._handle, 0
            _check(handle, _library.winperf_source_close(handle))

    def refresh(self):
        """Has names and definitions read anew."""
        self._call("winperf_source_refresh")

    def names(self):
        """The names of objects and counters by title index."""
        return {index: name for name, index in self._named("winperf_names", "", ctypes.c_uint32)}

    def name(self, index):
        """The name or the help text of a title index."""
        code, text = _text(_library.winperf_name_get, self._handle, index)
        _check(self._handle, code)
        return text

    def find_object(self, name):
        """The title index of an object."""
        found = ctypes.c_uint32()
        self._call("winperf_object_find", _utf8(name), ctypes.byref(found))
        return found.value

    def find_counter(self, object, name):
        """The title index of a counter of an object."""
        found = ctypes.c_uint32()
        self._call("winperf_counter_find", object, _utf8(name), ctypes.byref(found))
        return found.value

    def all_sensors(self):
        """All sensors, without instances."""
        return [
            Sensor(name, *(getattr(s, field) for field, _ in _Sensor._fields_))
            for name, s in self._named("winperf_sensors", "", _Sensor)
        ]

    def find_sensor(self, name):
        """The sensor with a name, or with the path of its counter."""
        s = _Sensor()
        self._call("winperf_sensor_find", _utf8(name), ctypes.byref(s))
        return Sensor(name, *(getattr(s, field) for field, _ in _Sensor._fields_))

    def snapshot(self, kind=GLOBAL, requests=(), flags=0):
        """A snapshot of all objects of a kind, or of requests: pairs of object and counter, 0 for all."""
        array = (_Request * len(requests))(*requests)
        return Snapshot(self._call("winperf_snapshot_create", kind, array, len(requests), flags))

    def custom(self, requests, flags=0):
        """A snapshot of requests."""
        return self.snapshot(CUSTOM, requests, flags)

    def sensors(self, sensors, flags=0):
        """A snapshot of sensors: each is a name, the path of a counter or a Sensor.

        Item.request is the position in the list.
        """
        names = [sensor.name if isinstance(sensor, Sensor) else sensor for sensor in sensors]
        array = (ctypes.c_char_p * len(names))(*(_utf8(name) for name in names))
        return Snapshot(self._call("winperf_snapshot_create_sensors", array, len(names), flags))


class Snapshot(_Object):
    """A measurement: prepare, sample, decode, then values."""

    def close(self):
        """Ends the snapshot, and what another thread does with it."""
        if self._handle > 0:
            handle, self._handle = self._handle, 0
            _check(handle, _library.winperf_snapshot_destroy_safe(handle))

    def prepare(self):
        """Makes a sample possible."""
        self._call("winperf_snapshot_prepare_safe")

    def sample(self):
        """Takes the raw data. Returns whether something was unusual."""
        return self._call("winperf_snapshot_sample_safe") == ANOMALY

    def decode(self):
        """Computes the values. Returns whether something was unusual: see anomalies."""
        return self._call("winperf_snapshot_decode_safe") == ANOMALY

    def cycle(self):
        """Does the three steps. Returns whether something was unusual."""
        self.prepare()
        grew = self.sample()
        return self.decode() or grew

    def state(self):
        """What the snapshot is doing, as a number from 1, initializing, to 7, decoding."""
        return self._call("winperf_snapshot_state")

    def objects(self):
        """The title indices of the objects of the last sample."""
        return self._array("winperf_snapshot_objects", ctypes.c_uint32)

    def counters(self, object):
        """The counters of an object. Their names are title indices: see Source.name."""
        return [
            Counter(*(getattr(c, field) for field, _ in _Counter._fields_))
            for c in self._array("winperf_snapshot_counters", _Counter, object)
        ]

    def instances(self, object):
        """The instances of an object; none for one that is a thing itself."""
        return [
            Instance(name, rest.parent_object, rest.parent_position, rest.occurrence)
            for name, rest in self._named("winperf_snapshot_instances", "_safe", _Instance, object)
        ]

    def items(self):
        """The values of the last cycle."""
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
        """When the last sample was taken, in nanoseconds since 1970 in UTC."""
        ns = ctypes.c_int64()
        self._call("winperf_snapshot_time_safe", ctypes.byref(ns))
        return ns.value

    def anomalies(self):
        """What was unusual in the last cycle, a line each."""
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
    """The attributes of an event as the library takes them: an array and its length."""
    array = (_Attribute * len(values))()
    for at, (key, value) in enumerate(values.items()):
        array[at].key = _utf8(key)
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                raise OverflowError(f"attribute {key}: {value} has more than 64 bits with a sign")
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
    """Says that something happened. Returns when the samples that experiments bind to it are begun."""
    _check(0, _library.winperf_event(0, _utf8(name), *_attributes(attributes)))


class Region:
    """A part of the program that experiments measure as a whole, from its begin to its end."""

    def __init__(self, name, /, within=None, **attributes):
        around = within._handle if within else 0
        begun = _library.winperf_region_begin(around, _utf8(name), *_attributes(attributes))
        self._handle = _check(0, begun)
        self.attributes = {}  # of the end

    def event(self, name, /, **attributes):
        """Says that something happened within the region."""
        _check(0, _library.winperf_event(self._handle, _utf8(name), *_attributes(attributes)))

    def end(self, **attributes):
        """Ends the region, with further attributes."""
        if self._handle > 0:
            all_of_them = _attributes({**self.attributes, **attributes})  # the region stays open where one is refused
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
    """Lets experiments be attached to this program from outside, until what is returned is closed."""
    return _Listener(_check(0, _library.winperf_listen(_utf8(name))))
