"""Usage: rates.py

Measures all processes of this machine once for each input line. The output is the output of c/rates.c.
"""

import sys

import winperf

NAMES = ["linux.winperf/Process/ID Process", "linux.winperf/Process/% Processor Time"]


def main():
    with winperf.Source(freshness_ms=-1) as source, source.sensors(NAMES) as snapshot:
        for _ in sys.stdin:
            unusual = snapshot.cycle()
            items = [item for item in snapshot.items() if item.value is not None]
            ids = {item.instance: item.value for item in items if item.request == 0}
            for item in items:
                if item.request == 1:
                    print(ids[item.instance], repr(item.value))
            print("=", snapshot.time(), winperf.ANOMALY if unusual else winperf.OK, flush=True)


if __name__ == "__main__":
    main()
