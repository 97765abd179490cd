import java.util.ArrayList;
import java.util.List;
import winperf.Counter;
import winperf.DataSource;
import winperf.DoubleValueHandle;
import winperf.Instance;
import winperf.Item;
import winperf.Request;
import winperf.Sensor;
import winperf.Snapshot;
import winperf.StaticSensor;
import winperf.WinperfException;

/** Usage: Everything URL. Prints all data of a source in the format of python/everything.py. */
public final class Everything {
	private Everything() {}

	public static void main(String[] arguments) {
		try (DataSource source = new DataSource(arguments[0])) {
			print("version", DataSource.version());
			source.names().forEach((index, text) -> print("name", index, text));
			for (Sensor s : source.sensors()) {
				print("sensor", s.name(), s.object(), s.counter(), Integer.toUnsignedString(s.type()), s.kind(),
						s.valueType(), s instanceof StaticSensor ? 1 : 0, s.costly() ? 1 : 0);
			}
		}

		// A log can be read once, so each snapshot opens it again.
		try (DataSource source = new DataSource(arguments[0]); Snapshot all = source.global()) {
			snapshot(source, all);
		}
		try (DataSource source = new DataSource(arguments[0]); Snapshot costly = source.costly()) {
			snapshot(source, costly);
		} catch (WinperfException e) {
			print("costly", e.code());
		}
		try (DataSource source = new DataSource(arguments[0]); Snapshot some = source.custom(requests(source))) {
			snapshot(source, some);
		}
	}

	/** Returns requests for the last counter of each object, and for the whole first object. */
	private static List<Request> requests(DataSource source) {
		List<Request> all = new ArrayList<>();
		for (Sensor s : source.sensors()) {
			int last = all.size() - 1;
			if (last >= 0 && all.get(last).object() == s.object()) {
				all.remove(last);
			}
			all.add(new Request(s.object(), s.counter()));
		}
		all.set(0, Request.whole(all.get(0).object()));
		return all;
	}

	private static void snapshot(DataSource source, Snapshot snapshot) {
		print("cycle", snapshot.cycle() ? 1 : 0, snapshot.state().ordinal() + 1, snapshot.time());
		snapshot.anomalies().forEach(line -> print("anomaly", line));
		for (int object : snapshot.objects()) {
			print("object", object, source.text(object), source.findObject(source.text(object)));
			for (Counter c : snapshot.counters(object)) {
				print("counter", c.name(), help(source, c), Integer.toUnsignedString(c.type()), c.kind(),
						c.valueType(), c.scale(), source.findCounter(object, source.text(c.name())));
			}
			for (Instance i : snapshot.instances(object)) {
				print("instance", i.name(), i.parentObject(), i.parentPosition(), i.occurrence());
			}
		}
		for (Item i : snapshot.items()) {
			print("item", i.object(), i.counter(), i.request(), i.instance() == null ? "" : i.instance(),
					i.value().status(), value(i));
		}
	}

	private static String help(DataSource source, Counter counter) {
		try {
			return source.text(counter.help());
		} catch (WinperfException e) {
			return "no help " + e.code();
		}
	}

	/** Returns the bits of a decimal, or the text of another value. */
	private static String value(Item i) {
		if (!i.value().isValid()) {
			return "";
		}
		if (i.value() instanceof DoubleValueHandle) {
			return Long.toHexString(Double.doubleToRawLongBits(i.value().getDouble()));
		}
		return i.value().toString();
	}

	private static void print(Object... fields) {
		StringBuilder line = new StringBuilder();
		for (Object field : fields) {
			line.append(line.length() > 0 ? "\t" : "").append(field);
		}
		System.out.println(line);
	}
}
