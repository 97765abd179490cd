import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import winperf.ConversionException;
import winperf.DataSource;
import winperf.DoubleValueHandle;
import winperf.Events;
import winperf.IntValueHandle;
import winperf.LongValueHandle;
import winperf.Measurable;
import winperf.MeasurementContext;
import winperf.Region;
import winperf.Request;
import winperf.Sensor;
import winperf.SensorKind;
import winperf.SensorSource;
import winperf.SingleSensor;
import winperf.Snapshot;
import winperf.StaticSensor;
import winperf.TextValueHandle;
import winperf.ValueHandle;
import winperf.ValueType;
import winperf.WinperfException;

/** Usage: Check URL CHANGED RETYPED ODD. Checks the classes with the logs that the Go test writes. */
public final class Check {
	private static final AtomicInteger failures = new AtomicInteger();

	private Check() {}

	private static void equal(String what, Object got, Object want) {
		if (!Objects.equals(got, want)) {
			System.out.println(what + ": " + got + ", want " + want);
			failures.incrementAndGet();
		}
	}

	/** Returns the result of a call, or the code or class of its exception. */
	private static Object outcome(Callable<?> call) {
		try {
			return call.call();
		} catch (WinperfException e) {
			return e.code();
		} catch (Exception e) {
			return e.getClass();
		}
	}

	public static void main(String[] arguments) throws Exception {
		try (DataSource source = new DataSource(arguments[0])) {
			sensors(source);
			values(source);
			order(source);
			failures(source);
		}
		try (DataSource source = new DataSource(arguments[1])) {
			anomaly(source);
		}
		try (DataSource source = new DataSource(arguments[2])) {
			retyped(source);
		}
		try (DataSource source = new DataSource(arguments[1])) {
			whole(source);
		}
		try (DataSource source = new DataSource(arguments[1])) {
			fewer(source);
		}
		try (DataSource source = new DataSource(arguments[3])) {
			text(source);
		}
		costly();
		sources();
		listener();
		regions();
		names();
		several(arguments[0]);
		threads();
		signals();
		System.out.println(failures.get() == 0 ? "ok" : failures + " failures");
		System.exit(failures.get() == 0 ? 0 : 1);
	}

	private static void sensors(DataSource source) {
		equal("name", source.name(), "windows.winperf");
		Sensor processes = source.sensor("windows.winperf/System/Processes");
		equal("class of a sensor without instances", processes.getClass(), SingleSensor.class);
		equal("type", processes.valueType(), ValueType.INT32);
		equal("kind", processes.kind(), SensorKind.GAUGE);
		StaticSensor time = (StaticSensor) source.sensor("windows.winperf/process/% Processor Time");
		equal("name with a percent sign", time.name(), "windows.winperf/Process/%25 Processor Time");
		equal("type of a rate", time.valueType(), ValueType.DECIMAL);
		equal("instances", time.instances().toString(), "[" + time.name() + "#editor, " + time.name() + "#größer]");
		equal("path", source.sensor("\\Process(*)\\% Processor Time"), time);
		equal("path without an instance", source.sensor("\\System\\Processes"), processes);
		equal("path of an instance", source.sensor("\\Process(editor)\\% Processor Time"), null);
		equal("name of an instance", source.sensor(time.name() + "#editor"), null);
		equal("no such sensor", source.sensor("windows.winperf/System/None"), null);
		equal("sensors", source.sensors().size(), 5);
	}

	private static StaticSensor sensor(DataSource source, String counter) {
		return (StaticSensor) source.sensor("windows.winperf/Process/" + counter);
	}

	private static void values(DataSource source) {
		Measurable id = sensor(source, "ID Process").instance("editor");
		Measurable small = sensor(source, "ID Process").instance("größer");
		Measurable set = sensor(source, "Working Set").instance("editor");
		Measurable big = sensor(source, "Big").instance("editor");
		Measurable inexact = sensor(source, "Working Set").instance("größer");
		Measurable time = sensor(source, "% Processor Time").instance("editor");
		Measurable gone = sensor(source, "ID Process").instance("gone");
		try (MeasurementContext context =
				new MeasurementContext(List.of(id, small, set, big, inexact, time, gone))) {
			ValueHandle before = context.value(id);
			equal("before a cycle", before.status(), "not_measured");
			context.prepare();
			context.sample();
			equal("anomaly", context.decode(), false);
			equal("the same storage", context.value(id) == before, true);
			equal("time", context.time(source), 1_704_067_201_000_000_000L);

			// 3,000,000,000 fits 32 bits without a sign, and no int.
			conversions("32 bits", context.value(id), IntValueHandle.class, ConversionException.class,
					3_000_000_000L, 3e9);
			conversions("a small one", context.value(small), IntValueHandle.class, 13, 13L, 13.0);
			conversions("64 bits", context.value(set), LongValueHandle.class, ConversionException.class,
					1L << 40, 0x1p40);
			conversions("more than a long", context.value(big), LongValueHandle.class, ConversionException.class,
					ConversionException.class, ConversionException.class);
			equal("as text", context.value(big).toString(), "9223372036854775809");
			conversions("more than a double", context.value(inexact), LongValueHandle.class,
					ConversionException.class, (1L << 53) + 1, ConversionException.class);
			conversions("a decimal", context.value(time), DoubleValueHandle.class, ConversionException.class,
					ConversionException.class, 100.0);
			conversions("nothing", context.value(gone), IntValueHandle.class, ConversionException.class,
					ConversionException.class, ConversionException.class);
			equal("why", context.value(gone).status(), "no_instance");
			equal("is valid", context.value(gone).isValid(), false);
		}
		Measurable any = sensor(source, "Working Set").instance("*");
		try (MeasurementContext context = new MeasurementContext(List.of(any))) {
			context.prepare();
			context.sample();
			context.decode();
			equal("the first that fits", context.value(any).getLong(), 1L << 40);
		}
	}

	/** Storage of one type refuses values of another type. */
	private static void retyped(DataSource source) {
		List<Measurable> all = new ArrayList<>();
		for (String counter : List.of("ID Process", "Working Set", "% Processor Time")) {
			all.add(sensor(source, counter).instance("editor"));
		}
		try (MeasurementContext context = new MeasurementContext(all)) {
			context.prepare();
			context.sample();
			context.decode();
			for (Measurable m : all) {
				equal(m + " of another type", context.value(m).toString(), "[other_type]");
				equal(m + " of another type as a double", outcome(context.value(m)::getDouble),
						ConversionException.class);
			}
		}
	}

	/** The third sample has a new process. */
	private static void anomaly(DataSource source) {
		Measurable editor = sensor(source, "ID Process").instance("editor");
		Measurable worker = sensor(source, "ID Process").instance("worker");
		try (MeasurementContext context = new MeasurementContext(List.of(editor, worker))) {
			context.prepare();
			context.sample();
			equal("no anomaly", context.decode(), false);
			equal("not there", context.value(worker).status(), "no_instance");
			context.prepare();
			context.sample();
			equal("an anomaly", context.decode(), true);
			equal("anomalies", context.anomalies(), List.of("instances_came: Process: worker (measured from here on)"));
			equal("a value beside it", outcome(context.value(editor)::getLong), 3_000_000_000L);
			equal("a value of the new one", outcome(context.value(worker)::getInt), 14);
		}
	}

	/** A sensor with all its instances has a new instance, and not one that has disappeared. */
	private static void whole(DataSource source) {
		StaticSensor id = sensor(source, "ID Process");
		Measurable processes = (SingleSensor) source.sensor("windows.winperf/System/Processes");
		try (MeasurementContext context = new MeasurementContext(List.of(id, processes))) {
			List<String> cycles = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				context.prepare();
				context.sample();
				context.decode();
				cycles.add(context.values(id).toString());
				equal("beside a sensor as a whole", context.value(processes).getInt(), 2);
			}
			String editor = "{" + id.name() + "#editor=3000000000, ", last = id.name() + "#größer=13}";
			equal("the first cycle", cycles.get(0), editor + last);
			equal("an instance came", cycles.get(1), editor + id.name() + "#größer=13, " + id.name() + "#worker=14}");
			equal("it is measured, and another has left", cycles.get(2), editor + id.name() + "#worker=14}");

			equal("by name", context.values(id).get(id.instance("Worker")).getInt(), 14);
			equal("no storage of its own", context.value(id), null);
			equal("not measured", context.values(sensor(source, "Big")).isEmpty(), true);
		}
	}

	/** A cycle with fewer items than the previous one has no old items. */
	private static void fewer(DataSource source) {
		try (Snapshot snapshot = source.custom(List.of(new Request(230, 784)))) {
			List<Integer> counts = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				snapshot.cycle();
				counts.add(snapshot.items().size());
			}
			equal("items of each cycle", counts, List.of(2, 3, 2));
		}
	}

	/** Values that are texts, and counters without values. */
	private static void text(DataSource source) {
		SingleSensor text = (SingleSensor) source.sensor("windows.winperf/Odd/Text");
		SingleSensor heading = (SingleSensor) source.sensor("windows.winperf/Odd/Heading");
		equal("type of a text", text.valueType(), ValueType.TEXT);
		equal("raw type of a text", text.type(), 0xB00);
		equal("title indices", List.of(text.object(), text.counter()), List.of(300, 302));
		equal("type of a heading", heading.valueType(), ValueType.NONE);
		equal("help", source.text(303), "Tells it.");
		equal("no help", outcome(() -> source.text(305)), WinperfException.NOT_FOUND);
		equal("what may have been meant", outcome(() -> source.findObject("Od")), WinperfException.NOT_FOUND);
		source.refresh();
		try (MeasurementContext context = new MeasurementContext(List.of(text, heading))) {
			context.prepare();
			context.sample();
			context.decode();
			equal("a text", ((TextValueHandle) context.value(text)).getText(), "größe");
			equal("a text as a number", outcome(context.value(text)::getLong), ConversionException.class);
			equal("a heading is valid", context.value(heading).isValid(), false);
		}
	}

	/** The sensors of costly objects are marked, and a costly snapshot has their objects. */
	private static void costly() {
		try (DataSource here = new DataSource(); Snapshot costly = here.costly(); Snapshot global = here.global()) {
			Set<Integer> objects = new TreeSet<>();
			here.sensors().stream().filter(Sensor::costly).forEach(s -> objects.add(s.object()));
			equal("costly objects", new TreeSet<>(costly.objects()), objects);
			equal("there are some", objects.isEmpty(), false);
			equal("all others", Collections.disjoint(global.objects(), objects), true);
		}
	}

	/** ServiceLoader finds the sources, and one context measures them. */
	private static void sources() {
		List<Measurable> measured = new ArrayList<>();
		Map<String, SensorSource> found = new TreeMap<>();
		ServiceLoader.load(SensorSource.class).forEach(source -> found.put(source.name(), source));
		equal("sources", found.keySet(), Set.of("jvm.memory", "linux.winperf"));
		DataSource here = (DataSource) found.get("linux.winperf");
		SensorSource memory = found.get("jvm.memory");

		Measurable processes = (SingleSensor) here.sensor("linux.winperf/System/Processes");
		StaticSensor pools = (StaticSensor) memory.sensors().get(1);
		SingleSensor heap = (SingleSensor) memory.sensors().get(0);
		measured.addAll(List.of(heap, pools, processes));
		try (MeasurementContext context = new MeasurementContext(measured)) {
			context.prepare();
			context.sample();
			context.decode();
			equal("heap", context.value(heap).getLong() > 0, true);
			equal("pools", new ArrayList<>(context.values(pools).keySet()), pools.instances());
			equal("processes", context.value(processes).getInt() > 1, true);
			equal("time", context.time(memory) > 1_704_067_200_000_000_000L, true);
		}
		found.values().forEach(SensorSource::close);
	}

	private static void conversions(String what, ValueHandle value, Object type, Object i, Object l, Object d) {
		equal(what + ": class", value.getClass(), type);
		equal(what + ": int", outcome(value::getInt), i);
		equal(what + ": long", outcome(value::getLong), l);
		equal(what + ": double", outcome(value::getDouble), d);
	}

	private static Callable<?> step(Runnable step) {
		return () -> {
			step.run();
			return "done";
		};
	}

	/** Steps in the wrong order are refused and have no effect. */
	private static void order(DataSource source) {
		Measurable processes = (SingleSensor) source.sensor("windows.winperf/System/Processes");
		MeasurementContext context = new MeasurementContext(List.of(processes));
		equal("sample first", outcome(context::sample), WinperfException.STATE);
		equal("decode first", outcome(context::decode), WinperfException.STATE);
		equal("prepare", outcome(step(context::prepare)), "done");
		equal("prepare again", outcome(step(context::prepare)), "done");
		equal("decode before sample", outcome(context::decode), WinperfException.STATE);
		equal("sample", outcome(context::sample), false);
		equal("sample again", outcome(context::sample), WinperfException.STATE);
		equal("decode", outcome(context::decode), false);
		equal("value", context.value(processes).getInt(), 2);
		context.prepare();
		equal("at the end", outcome(context::sample), WinperfException.END);
		context.close();
		equal("after the end", outcome(step(context::prepare)), WinperfException.HANDLE);
	}

	private static void failures(DataSource source) {
		Measurable processes = (SingleSensor) source.sensor("windows.winperf/System/Processes");
		equal("the same twice", outcome(() -> new MeasurementContext(List.of(processes, processes))),
				IllegalArgumentException.class);
		equal("no source", outcome(() -> new DataSource("nothing:")), WinperfException.NOT_SUPPORTED);
		equal("a text with a NUL", outcome(() -> new DataSource("local:\0")), IllegalArgumentException.class);
		equal("retries", outcome(step(() -> source.setRetries(-1))), WinperfException.ARGUMENT);
		source.setPdhExact(true);
		equal("as PDH", outcome(step(() -> new MeasurementContext(List.of(processes)).close())), "done");
		source.setPdhExact(false);
	}

	/** A listener can be closed twice. */
	private static void listener() {
		Events.Listener listener = Events.listen("check");
		listener.close();
		equal("closed again", outcome(step(listener::close)), "done");
	}

	/** A region whose end is refused stays open and can be ended again. */
	private static void regions() {
		Region region = new Region("region");
		equal("a key alone", outcome(step(() -> region.atEnd("key"))), IllegalArgumentException.class);
		equal("a NUL", outcome(step(() -> region.atEnd("key", "\0"))), IllegalArgumentException.class);
		region.atEnd(Collections.nCopies(2 * 129, "x").toArray());
		equal("129 attributes", outcome(step(region::close)), WinperfException.TOO_MANY);
		region.event("it is open");
		region.atEnd("key", "value");
		region.close();
		region.close();
		equal("an event in what was ended", outcome(step(() -> region.event("late"))), WinperfException.HANDLE);
	}

	/** Names are found in upper and lower case, with escapes, and in the form that commands print. */
	private static void names() {
		try (DataSource here = new DataSource()) {
			Sensor switches = here.sensor(here.name() + "/System/Context Switches%2Fsec");
			equal("a name in lower case", here.sensor(here.name() + "/system/context switches%2fsec"), switches);
			equal("is a sensor", switches != null, true);
			equal("all instances of none", here.sensor(switches.name() + "#*"), null);
			Sensor time = here.sensor(here.name() + "/Processor/% Processor Time");
			equal("all instances", here.sensor(time.name() + "#*"), time);
		}
	}

	/** One context measures sensors of several sources. */
	private static void several(String url) {
		try (DataSource record = new DataSource(url); DataSource here = new DataSource()) {
			Measurable recorded = (SingleSensor) record.sensor("windows.winperf/System/Processes");
			Measurable live = (SingleSensor) here.sensor(here.name() + "/System/Processes");
			try (MeasurementContext context = new MeasurementContext(List.of(recorded, live))) {
				context.prepare();
				context.sample();
				context.decode();
				equal("recorded", context.value(recorded).getInt(), 2);
				equal("live", context.value(live).getInt() > 2, true);
			}
		}
	}

	/** The virtual machine detects null pointers and full stacks by signals, which the library handles too. */
	private static void signals() {
		int caught = 0;
		for (int i = 0; i < 200_000; i++) {
			try {
				caught += length(i % 2 == 0 ? null : new int[0]);
			} catch (NullPointerException e) {
				caught++;
			}
		}
		equal("null pointers", caught, 100_000);
		equal("a full stack", overflow(), true);
	}

	private static int length(int[] array) {
		return array.length;
	}

	private static boolean overflow() {
		try {
			return deeper(1) == 0;
		} catch (StackOverflowError e) {
			return true;
		}
	}

	private static int deeper(int n) {
		return deeper(n + 1) + 1;
	}

	/** One thread measures and others read while the collector moves objects. */
	private static void threads() throws InterruptedException {
		try (DataSource here = new DataSource()) {
			Measurable processes = (SingleSensor) here.sensor(here.name() + "/System/Processes");
			try (MeasurementContext context = new MeasurementContext(List.of(processes))) {
				AtomicBoolean done = new AtomicBoolean();
				List<Thread> readers = new ArrayList<>();
				for (int i = 0; i < 3; i++) {
					Thread reader = new Thread(() -> {
						while (!done.get()) {
							Object got = outcome(context.value(processes)::getInt);
							if (got instanceof Integer && (Integer) got <= 0) {
								equal("processes", got, "more than 0");
							}
						}
					});
					readers.add(reader);
					reader.start();
				}
				for (int i = 0; i < 10; i++) {
					context.prepare();
					context.sample();
					context.decode();
					System.gc();
				}
				done.set(true);
				for (Thread reader : readers) {
					reader.join();
				}
			}
		}
	}
}
