"""Tests of winperf.py with the log that the Go test writes. WINPERF_TEST_URL is its URL."""

import importlib.util
import os
import re
import shutil
import tempfile
import threading
import unittest

import winperf

URL = os.environ["WINPERF_TEST_URL"]
CHANGED = os.environ["WINPERF_TEST_CHANGED"]  # its third sample has a new process, worker
HEADER = os.environ["WINPERF_TEST_HEADER"]


class Caller(unittest.TestCase):
    def test_constants(self):
        with open(HEADER, encoding="utf-8") as header:
            numbers = dict(re.findall(r"WINPERF_(\w+) = (-?\d+)", header.read()))
        states = {name for name in numbers if name.endswith("ING") or name.endswith("ED")}
        for name in numbers.keys() - states | {"NOT_SUPPORTED", "DAMAGED", "FAILED"}:
            self.assertEqual(getattr(winperf, name), int(numbers[name]), name)

    def test_values(self):
        names = [
            "windows.winperf/Process/Working Set#editor",
            "windows.winperf/Process/ID Process#editor",
            "windows.winperf/Process/% Processor Time#editor",
            "windows.winperf/System/Processes",
            "windows.winperf/Process/ID Process#gone",
            "windows.winperf/Process/Big#editor",
        ]
        with winperf.Source(URL) as source, source.sensors(names) as snapshot:
            self.assertFalse(snapshot.cycle())
            by_request = {item.request: item for item in snapshot.items()}
            values = [by_request[i].value for i in range(len(names))]
            self.assertEqual(values, [1 << 40, 3_000_000_000, 100.0, 2, None, (1 << 63) + 1])
            self.assertEqual(by_request[4].status, "no_instance")
            self.assertEqual(snapshot.time(), 1_704_067_201_000_000_000)
            self.assertEqual(snapshot.anomalies(), [])

    def test_sensors(self):
        with winperf.Source(URL) as source:
            sensors = [
                source.find_sensor("windows.winperf/Process/Working%20Set#editor"),
                "\\Process(größer)\\ID Process",
                *(s for s in source.all_sensors() if s.name == "windows.winperf/System/Processes"),
            ]
            with source.sensors(sensors) as snapshot:
                snapshot.cycle()
                self.assertEqual([(i.request, i.value) for i in snapshot.items()], [(0, 1 << 40), (1, 13), (2, 2)])

    def test_anomaly(self):
        with winperf.Source(CHANGED) as source, source.sensors(["windows.winperf/Process/ID Process"]) as snapshot:
            self.assertFalse(snapshot.cycle())
            self.assertTrue(snapshot.cycle())
            self.assertEqual(snapshot.anomalies(), ["instances_came: Process: worker (measured from here on)"])
            self.assertEqual([item.value for item in snapshot.items()], [3_000_000_000, 13, 14])

    def test_pdh_exact(self):
        """The flag can be combined with a flag for names."""
        sensors = ["windows.winperf/Process/% Processor Time#3000000000"]
        with winperf.Source(URL) as source:
            with source.sensors(sensors, winperf.BY_PID | winperf.PDH_EXACT) as snapshot:
                snapshot.cycle()
                self.assertEqual([item.value for item in snapshot.items()], [100.0])
            with self.assertRaises(winperf.Error) as raised:
                source.sensors(sensors, 8)
            self.assertEqual(raised.exception.code, winperf.ARGUMENT)

    def test_structure(self):
        with winperf.Source(URL) as source, source.snapshot() as snapshot:
            process = source.find_object("process")
            self.assertEqual(process, 230)
            self.assertIn(process, snapshot.objects())
            names = [source.name(counter.name) for counter in snapshot.counters(process)]
            self.assertEqual(names, ["% Processor Time", "ID Process", "Working Set", "Big"])
            self.assertEqual([i.name for i in snapshot.instances(process)], ["editor", "größer"])
            self.assertEqual(snapshot.instances(source.find_object("System")), [])
            self.assertEqual(source.names()[784], "ID Process")
            self.assertEqual(source.find_counter(process, "id process"), 784)
            sensor = source.find_sensor("windows.winperf/Process/Working Set")
            self.assertEqual((sensor.object, sensor.counter, sensor.value), (230, 180, winperf.INT64))
            self.assertIn(sensor.counter, [s.counter for s in source.all_sensors()])

    def test_errors(self):
        with winperf.Source(URL) as source:
            for code, call in (
                (winperf.NOT_FOUND, lambda: source.find_object("Proces")),
                (winperf.NOT_FOUND, lambda: source.name(5)),
                (winperf.ARGUMENT, lambda: source.custom([])),
                (winperf.ARGUMENT, lambda: source.set(winperf.RETRIES, -1)),
                (winperf.NOT_SUPPORTED, lambda: winperf.Source("nothing:")),
                (winperf.STATE, source.snapshot().decode),
                (winperf.STATE, source.snapshot().items),
            ):
                with self.assertRaises(winperf.Error) as caught:
                    call()
                self.assertEqual(caught.exception.code, code, caught.exception)
            with self.assertRaisesRegex(winperf.Error, 'did you mean "Process"'):
                source.find_object("Proces")
            with self.assertRaisesRegex(winperf.Error, "name has 1048576 bytes or more"):
                source.find_object("x" * (1 << 20))
            with self.assertRaisesRegex(winperf.Error, "1048577 requests, of at most 1048576"):
                source.custom([(2, 0)] * ((1 << 20) + 1))
        with self.assertRaises(winperf.Error) as caught:
            source.name(230)
        self.assertEqual(caught.exception.code, winperf.HANDLE)

    def test_texts_and_numbers(self):
        """Texts and numbers that would be recorded as other values are refused."""
        with winperf.Source(URL) as source:
            for call in (
                lambda: winperf.Source(URL + "\0"),
                lambda: source.find_object("Process\0or"),
                lambda: source.sensors(["windows.winperf/Process/ID Process\0#editor"]),
                lambda: winperf.listen("one\0two"),
                lambda: winperf.event("one\0two"),
                lambda: winperf.event("one", **{"key\0": 1}),
                lambda: winperf.event("one", text="a\0b"),
                lambda: winperf.Region("one\0two"),
            ):
                with self.assertRaisesRegex(ValueError, "a text with a NUL"):
                    call()
        for number in (1 << 63, -(1 << 63) - 1, 1 << 64):
            with self.assertRaisesRegex(OverflowError, f"attribute a: {number}"):
                winperf.event("one", a=number)
        region = winperf.Region("one", a=(1 << 63) - 1, b=-(1 << 63))
        with self.assertRaises(OverflowError):
            region.end(a=1 << 63)
        with self.assertRaises(winperf.Error) as caught:
            region.end(**{f"a{n}": n for n in range(129)})
        self.assertEqual(caught.exception.code, winperf.TOO_MANY)
        region.event("it can still be ended")
        handle = region._handle
        region.end()
        region.end()  # does nothing
        region._handle = handle
        with self.assertRaises(winperf.Error) as caught:
            region.end()
        self.assertEqual((caught.exception.code, region._handle), (winperf.HANDLE, 0))

    def test_end(self):
        with winperf.Source(URL) as source, source.snapshot() as snapshot:
            snapshot.cycle()
            snapshot.prepare()
            with self.assertRaises(winperf.Error) as caught:
                snapshot.sample()
            self.assertEqual(caught.exception.code, winperf.END)

    def test_threads(self):
        """One thread measures while others read."""
        failures = []
        with winperf.Source("local:") as source, source.custom([(2, 0)]) as snapshot:
            snapshot.cycle()
            done = threading.Event()

            def read():
                while not done.is_set():
                    try:
                        if any(item.object != 2 for item in snapshot.items()):
                            failures.append("an item of another object")
                    except winperf.Error as error:
                        if error.code != winperf.STATE:
                            failures.append(error)

            readers = [threading.Thread(target=read) for _ in range(3)]
            for reader in readers:
                reader.start()
            for _ in range(10):
                snapshot.cycle()
            done.set()
            for reader in readers:
                reader.join()
        self.assertEqual(failures, [])

    def test_closed_by_another_thread(self):
        """An operation on a snapshot that another thread closes ends with STATE or HANDLE."""
        failures = []
        with winperf.Source("local:") as source:
            source.set(winperf.REST, 0)
            snapshot = source.custom([(2, 0)])
            started = threading.Barrier(5)

            def measure():
                started.wait()
                try:
                    while True:
                        snapshot.cycle()
                except winperf.Error as error:
                    if error.code not in (winperf.STATE, winperf.HANDLE):
                        failures.append(error)
                except Exception as error:
                    failures.append(error)

            threads = [threading.Thread(target=measure) for _ in range(4)]
            for thread in threads:
                thread.start()
            started.wait()
            snapshot.close()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])

    def test_fork(self):
        """A forked child gets an error, and its parent can continue."""
        with winperf.Source(URL) as source:
            child = os.fork()
            if child == 0:
                try:
                    source.find_object("Process")
                except winperf.Error as error:
                    os._exit(0 if error.code == winperf.NOT_SUPPORTED else 2)
                os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(source.find_object("Process"), 230)

    def test_another_copy(self):
        """Two copies of the library work independently in one program."""
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(os.environ["LIBWINPERF"], directory)
            shutil.copy(winperf.__file__, directory)
            spec = importlib.util.spec_from_file_location("copied", os.path.join(directory, "winperf.py"))
            copied = importlib.util.module_from_spec(spec)
            loaded = os.environ.pop("LIBWINPERF")
            spec.loader.exec_module(copied)
            os.environ["LIBWINPERF"] = loaded

            with winperf.Source(URL) as here, copied.Source(URL) as there, there.snapshot() as snapshot:
                snapshot.cycle()
                self.assertEqual(here.find_object("Process"), there.find_object("Process"))
                with self.assertRaises(winperf.Error) as caught:
                    winperf._check(0, winperf._library.winperf_snapshot_state(snapshot._handle))
                self.assertEqual(caught.exception.code, winperf.HANDLE)


if __name__ == "__main__":
    unittest.main()
