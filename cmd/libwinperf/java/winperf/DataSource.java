package winperf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The counters of this machine, or of a log or capture. Measurement contexts measure its sensors; snapshots measure
 * whole objects, by title index. Any number of threads may use a source.
 */
public final class DataSource implements SensorSource {
	/** The naming of processes and threads. */
	public enum Names {
		/** The names of the source. */
		SOURCE,
		/** Ids: 1234, 1234/5678. */
		PID,
		/** Names and ids: editor:1234. */
		NAME_AND_PID
	}

	private static final int TIMEOUT_MS = 1, RETRIES = 2, REST = 3; // settings
	private static final int PDH_EXACT = 4; // a flag of snapshots
	private static final int GLOBAL = 1, COSTLY = 2, CUSTOM = 3; // kinds of snapshots
	private static final int SENSOR_SIZE = 28; // of winperf_sensor

	private final int handle;
	private final Names names;
	private volatile boolean pdhExact;
	private volatile Map<Long, Sensor> sensors; // by the title indices of object and counter
	private volatile String name = "windows.winperf";

	/** Opens the source of this machine. */
	public DataSource() {
		this("local:");
	}

	/** Opens a source by its URL. Measurement contexts share samples that are at most 500 ms old. */
	public DataSource(String url) {
		this(url, 0, Names.SOURCE);
	}

	/**
	 * Opens a source by its URL. Measurement contexts share samples that are at most freshness milliseconds old. 0
	 * means 500; below 0 nothing is shared.
	 */
	public DataSource(String url, int freshness, Names names) {
		this.handle = WinperfException.check(0, Native.open(Texts.encode(url), freshness));
		this.names = names;
		try {
			refresh();
		} catch (RuntimeException e) {
			Native.closeSource(handle);
			throw e;
		}
	}

	/** Returns the version of the library. */
	public static String version() {
		ByteBuffer text = Texts.buffer(WinperfException.check(0, Native.versionLength()));
		WinperfException.check(0, Native.version(text));
		return Texts.decode(text);
	}

	/** Reads names and sensors again, which are otherwise read once. */
	public synchronized void refresh() {
		check(Native.refresh(handle));
		ByteBuffer texts = Texts.buffer(check(Native.sensorsLength(handle)));
		ByteBuffer made = Texts.buffer(check(Native.sensorsCount(handle)) * SENSOR_SIZE);
		int count = check(Native.sensors(handle, texts, made));
		List<String> all = Texts.split(texts, count);

		Map<Long, Sensor> found = new LinkedHashMap<>();
		for (int i = 0; i < count; i++) {
			found.putIfAbsent(key(made, i * SENSOR_SIZE), sensor(all.get(i), made, i * SENSOR_SIZE));
		}
		sensors = found;
		if (count > 0) {
			name = all.get(0).substring(0, all.get(0).indexOf('/'));
		}
	}

	/** Returns the title indices of the sensor at a position of a buffer. */
	private static long key(ByteBuffer from, int at) {
		return (long) from.getInt(at) << 32 | Integer.toUnsignedLong(from.getInt(at + 4));
	}

	/** Makes the sensor at a position of a buffer. */
	private Sensor sensor(String sensor, ByteBuffer from, int at) {
		SensorKind kind = SensorKind.values()[from.getInt(at + 12)];
		ValueType type = ValueType.of(from.getInt(at + 16));
		Sensor.Title title =
				new Sensor.Title(from.getInt(at), from.getInt(at + 4), from.getInt(at + 8), from.getInt(at + 24) != 0);
		return from.getInt(at + 20) != 0
				? new StaticSensor(this, sensor, kind, type, title)
				: new SingleSensor(this, sensor, kind, type, title);
	}

	/** Returns the prefix of sensor names: windows.winperf, or linux.winperf for a Linux host. */
	@Override
	public String name() {
		return name;
	}

	@Override
	public List<Sensor> sensors() {
		return new ArrayList<>(sensors.values());
	}

	/**
	 * Returns the sensor with a name, in upper or lower case, or null. The name has no instance; it may end with #*,
	 * as in the output of winperf list -o sensors. The path of a counter is also a name, with (*) if the object has
	 * instances. A name or path of one instance returns null: see StaticSensor.instance.
	 */
	public Sensor sensor(String sensor) {
		ByteBuffer found = Texts.buffer(SENSOR_SIZE);
		int code = Native.sensorFind(handle, Texts.encode(sensor), found);
		boolean path = sensor.startsWith("\\");
		boolean one = !path && sensor.contains("#") && !sensor.endsWith("#*");
		if (code == WinperfException.NOT_FOUND || code == WinperfException.ARGUMENT || one) {
			return null;
		}
		check(code);

		Sensor all = sensors.get(key(found, 0));
		boolean instance = path && sensor.contains("(") && !sensor.contains("(*)");
		return instance && all instanceof StaticSensor ? null : all;
	}

	/** Returns the names of all objects and counters by title index, in the order of the source. */
	public synchronized Map<Integer, String> names() {
		ByteBuffer texts = Texts.buffer(check(Native.namesLength(handle)));
		ByteBuffer indices = Texts.buffer(check(Native.namesCount(handle)) * Integer.BYTES);
		int count = check(Native.names(handle, texts, indices));
		List<String> all = Texts.split(texts, count);
		Map<Integer, String> found = new LinkedHashMap<>();
		for (int i = 0; i < count; i++) {
			found.put(indices.getInt(i * Integer.BYTES), all.get(i));
		}
		return found;
	}

	/** Returns the name or the help text of a title index. Throws a WinperfException with NOT_FOUND without one. */
	public synchronized String text(int index) {
		ByteBuffer text = Texts.buffer(check(Native.nameLength(handle, index)));
		check(Native.name(handle, index, text));
		return Texts.decode(text);
	}

	/** Returns the title index of the object with a name, in upper or lower case. */
	public int findObject(String object) {
		ByteBuffer found = Texts.buffer(Integer.BYTES);
		check(Native.objectFind(handle, Texts.encode(object), found));
		return found.getInt(0);
	}

	/** Returns the title index of a counter. Counters of several objects can have the same name. */
	public int findCounter(int object, String counter) {
		ByteBuffer found = Texts.buffer(Integer.BYTES);
		check(Native.counterFind(handle, object, Texts.encode(counter), found));
		return found.getInt(0);
	}

	/** Makes a snapshot of all objects that are not costly. It takes a sample, as every new snapshot does. */
	public Snapshot global() {
		return snapshot(GLOBAL, List.of());
	}

	/** Makes a snapshot of all costly objects. */
	public Snapshot costly() {
		return snapshot(COSTLY, List.of());
	}

	/** Makes a snapshot of counters and whole objects. */
	public Snapshot custom(List<Request> requests) {
		return snapshot(CUSTOM, requests);
	}

	private Snapshot snapshot(int kind, List<Request> requests) {
		ByteBuffer pairs = Texts.buffer(requests.size() * 2 * Integer.BYTES);
		for (Request r : requests) {
			pairs.putInt(r.object()).putInt(r.counter());
		}
		return new Snapshot(check(Native.create(handle, kind, pairs, flags())), List.of());
	}

	@Override
	public ProbeContext probe(List<Measurable> measured) {
		StringBuilder list = new StringBuilder();
		for (Measurable m : measured) {
			list.append(m.name()).append('\0');
		}
		byte[] bytes = list.toString().getBytes(StandardCharsets.UTF_8);
		return new Snapshot(check(Native.createSensors(handle, bytes, measured.size(), flags())), measured);
	}

	/** Returns the current instances of a sensor. Takes a sample of the object. */
	@Override
	public List<SensorInstance> instances(StaticSensor sensor) {
		try (Snapshot snapshot = custom(List.of(Request.whole(sensor.object())))) {
			List<SensorInstance> found = new ArrayList<>();
			for (Instance i : snapshot.instances(sensor.object())) {
				found.add(sensor.instance(i.name(), i.occurrence()));
			}
			return found;
		}
	}

	/** Sets the timeout of an operation, for contexts and snapshots that are made afterwards. */
	public void setTimeout(int milliseconds) {
		check(Native.set(handle, TIMEOUT_MS, milliseconds));
	}

	/**
	 * Sets how often decode samples again if instances change, for contexts and snapshots that are made afterwards.
	 * The default is 3.
	 */
	public void setRetries(int retries) {
		check(Native.set(handle, RETRIES, retries));
	}

	/**
	 * Sets whether prepare waits up to 10 ms so that the sample has rates, for contexts and snapshots that are made
	 * afterwards. The default is true.
	 */
	public void setRest(boolean rest) {
		check(Native.set(handle, REST, rest ? 1 : 0));
	}

	/**
	 * Sets whether a process or thread that started after the last cycle has no rate, as in PDH, for contexts and
	 * snapshots that are made afterwards. By default it counts from zero.
	 */
	public void setPdhExact(boolean exact) {
		pdhExact = exact;
	}

	private int flags() {
		return names.ordinal() // 0, WINPERF_BY_PID and WINPERF_BY_NAME_AND_PID
			| (pdhExact ? PDH_EXACT : 0);
	}

	private int check(int result) {
		return WinperfException.check(handle, result);
	}

	/** Closes the source. Its measurement contexts and snapshots stay usable. */
	@Override
	public void close() {
		Native.closeSource(handle);
	}
}
