"""Usage: everything.py URL

Prints all data of a source, one line each. A test compares the output with Everything.java.
"""

import itertools
import struct
import sys

import winperf

TYPES = {getattr(winperf, name): name for name in ("NONE", "INT32", "INT64", "DECIMAL", "TEXT")}
KINDS = ("GAUGE", "COUNTER")


def show(*fields):
    print(*fields, sep="\t")


def requests(source):
    """The last counter of each object, and the first object as a whole."""
    groups = itertools.groupby(source.all_sensors(), lambda sensor: sensor.object)
    found = [(object, list(sensors)[-1].counter) for object, sensors in groups]
    return [(found[0][0], 0)] + found[1:]


def show_help(source, counter):
    try:
        return source.name(counter.help)
    except winperf.Error as error:
        return f"no help {error.code}"


def show_item(item, instances):
    instance = ""
    if 0 <= item.instance < len(instances[item.object]):
        found = instances[item.object][item.instance]
        instance = found.name + (f"#{found.occurrence}" if found.occurrence else "")
    value = "" if item.value is None else item.value
    if isinstance(value, float):
        value = f"{struct.unpack('<Q', struct.pack('<d', value))[0]:x}"
    show("item", item.object, item.counter, item.request, instance, item.status, value)


def show_snapshot(source, snapshot):
    unusual = snapshot.cycle()
    show("cycle", int(unusual), snapshot.state(), snapshot.time())
    for line in snapshot.anomalies():
        show("anomaly", line)
    instances = {}
    for object in snapshot.objects():
        name = source.name(object)
        show("object", object, name, source.find_object(name))
        for c in snapshot.counters(object):
            show("counter", c.name, show_help(source, c), c.type, KINDS[c.kind], TYPES[c.value], c.scale,
                 source.find_counter(object, source.name(c.name)))
        instances[object] = snapshot.instances(object)
        for i in instances[object]:
            show("instance", i.name, i.parent_object, i.parent_position, i.occurrence)
    for item in snapshot.items():
        show_item(item, instances)


def main(url):
    with winperf.Source(url) as source:
        show("version", winperf.version())
        for index, text in source.names().items():
            show("name", index, text)
        for s in source.all_sensors():
            show("sensor", s.name, s.object, s.counter, s.type, KINDS[s.kind], TYPES[s.value], s.instances, s.costly)

    # A log can be read once, so each snapshot opens it again.
    with winperf.Source(url) as source, source.snapshot() as snapshot:
        show_snapshot(source, snapshot)
    try:
        with winperf.Source(url) as source, source.snapshot(winperf.COSTLY) as snapshot:
            show_snapshot(source, snapshot)
    except winperf.Error as error:
        show("costly", error.code)
    with winperf.Source(url) as source, source.custom(requests(source)) as snapshot:
        show_snapshot(source, snapshot)


if __name__ == "__main__":
    main(sys.argv[1])
