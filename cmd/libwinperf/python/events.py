"""Usage: events.py

Declares its events, listens for experiments, and emits the events of c/events.c.
"""

import sys

import winperf


def main():
    winperf.declare("request", "größer")
    with winperf.listen("events"):
        if not sys.stdin.readline():
            return 1
        winperf.event("request", path="/größer", bytes=-42, ratio=0.5)
        with winperf.Region("job", path="/größer") as job:
            job.event("request")
            job.attributes["result"] = "ok"
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
