"""Usage: print.py URL

Prints the values of one cycle of all objects that are not costly, like c/print.c.
"""

import sys

import winperf


def instance_name(instances, position):
    if not 0 <= position < len(instances):
        return ""
    instance = instances[position]
    return instance.name + (f"#{instance.occurrence}" if instance.occurrence else "")


def main(url):
    with winperf.Source(url) as source, source.snapshot() as snapshot:
        if snapshot.cycle():
            print("\n".join(snapshot.anomalies()), file=sys.stderr)

        instances = {}
        for item in snapshot.items():
            if item.object not in instances:
                instances[item.object] = snapshot.instances(item.object)
            value = f"[{item.status}]"
            if item.value is not None:
                value = f"{item.value:.17g}" if item.type == winperf.DECIMAL else item.value
            name = instance_name(instances[item.object], item.instance)
            print(source.name(item.object), source.name(item.counter), name, value, sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: print.py URL")
    try:
        main(sys.argv[1])
    except winperf.Error as error:
        sys.exit(f"{error.code}: {error}")
