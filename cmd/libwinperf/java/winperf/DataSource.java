package winperf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A source of readings: this machine, a log, a capture. It has sensors, and measurement contexts measure them.
 * It may be used by any number of threads.
 */
public final class DataSource implements AutoCloseable {
	/** How instances of processes and threads are named. */
	public enum Names {
		/** As the source names them. */
		SOURCE,
		/** By their ids: 1234, 1234/5678. */
		PID,
		/** By name and ids: editor:1234. */
		NAME_AND_PID
	}

	private static final int TIMEOUT_MS = 1, RETRIES = 2, REST = 3; // settings
	private static final int SENSOR_SIZE = 28, INSTANCE_SIZE = 12; // of winperf_sensor, winperf_instance

	private final int handle;
	private final Names names;
	private final Map<String, Sensor> sensors = new LinkedHashMap<>(); // by name in lower case
	private String name = "windows.winperf";

	/** Opens this machine's source. */
	public DataSource() {
		this("local:");
	}

	/** Opens a source by its URL. Contexts share samples that are no older than half a second. */
	public DataSource(String url) {
		this(url, 0, Names.SOURCE);
	}

	/**
	 * Opens a source. freshness is how old a sample may be that contexts share, in milliseconds: 0 is 500, and less
	 * than 0 shares none.
	 */
	public DataSource(String url, int freshness, Names names) {
		this.handle = WinperfException.check(0, Native.open(Texts.encode(url), freshness));
		this.names = names;
		try {
			readSensors();
		} catch (RuntimeException e) {
			Native.closeSource(handle);
			throw e;
		}
	}

	private void readSensors() {
		int count = check(Native.sensorsCount(handle));
		ByteBuffer texts = Texts.buffer(check(Native.sensorsLength(handle)));
		ByteBuffer made = Texts.buffer(count * SENSOR_SIZE);
		count = check(Native.sensors(handle, texts, made));
		List<String> all = Texts.split(texts, count);
		for (int i = 0; i < count; i++) {
			add(all.get(i), made, i * SENSOR_SIZE);
		}
	}

	/** Adds the sensor at a place of a buffer. One whose readings are no numbers is left out. */
	private void add(String sensor, ByteBuffer from, int at) {
		ValueType type = ValueType.of(from.getInt(at + 16));
		if (type == null) {
			return;
		}
		int object = from.getInt(at);
		SensorKind kind = SensorKind.values()[from.getInt(at + 12)];
		boolean instances = from.getInt(at + 20) != 0;
		name = sensor.substring(0, sensor.indexOf('/'));
		sensors.putIfAbsent(sensor.toLowerCase(Locale.ROOT), instances
				? new StaticSensor(this, sensor, kind, type, object)
				: new SingleSensor(this, sensor, kind, type, object));
	}

	/** The name that sensor names begin with: windows.winperf, or linux.winperf for a Linux host. */
	public String name() {
		return name;
	}

	/** All sensors, in the order of the source. */
	public List<Sensor> sensors() {
		return new ArrayList<>(sensors.values());
	}

	/**
	 * The sensor of a name without an instance, in either case; null where there is none. #* behind the name, as
	 * winperf list -o sensors writes it, says that the sensor has instances.
	 */
	public Sensor sensor(String sensor) {
		if (!sensor.endsWith("#*")) {
			return find(sensor);
		}
		Sensor found = find(sensor.substring(0, sensor.length() - 2));
		return found instanceof StaticSensor ? found : null;
	}

	private Sensor find(String sensor) {
		return sensors.get(sensor.replaceAll("%(?!2[Ff]|23|25)", "%25").toLowerCase(Locale.ROOT));
	}

	/** How long an operation may last. Contexts that are made from now on have it. */
	public void setTimeout(int milliseconds) {
		check(Native.set(handle, TIMEOUT_MS, milliseconds));
	}

	/** How often decode samples again because instances came or left: 3, if it is not set. */
	public void setRetries(int retries) {
		check(Native.set(handle, RETRIES, retries));
	}

	/** Whether prepare waits until a sample gives rates, up to 10 ms; it does, if that is not set. */
	public void setRest(boolean rest) {
		check(Native.set(handle, REST, rest ? 1 : 0));
	}

	/** The instances of a sensor that are there now: those of a snapshot that is made and destroyed for that. */
	List<SensorInstance> instances(StaticSensor sensor) {
		int object = sensor.object();
		int snapshot = check(Native.createWhole(handle, object, flags()));
		try {
			int count = WinperfException.check(snapshot, Native.instancesCount(snapshot, object));
			int length = WinperfException.check(snapshot, Native.instancesLength(snapshot, object));
			ByteBuffer texts = Texts.buffer(length), rest = Texts.buffer(count * INSTANCE_SIZE);
			count = WinperfException.check(snapshot, Native.instances(snapshot, object, texts, rest));

			List<SensorInstance> found = new ArrayList<>();
			List<String> all = Texts.split(texts, count);
			for (int i = 0; i < count; i++) {
				found.add(sensor.instance(all.get(i), rest.getInt(i * INSTANCE_SIZE + 8)));
			}
			return found;
		} finally {
			Native.destroy(snapshot);
		}
	}

	/** Makes a snapshot of sensors by their names, and returns its handle. */
	int snapshot(List<Measurable> of) {
		StringBuilder list = new StringBuilder();
		for (Measurable m : of) {
			list.append(m.name()).append('\0');
		}
		byte[] bytes = list.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
		return check(Native.createSensors(handle, bytes, of.size(), flags()));
	}

	private int flags() {
		return names.ordinal(); // 0, WINPERF_BY_PID and WINPERF_BY_NAME_AND_PID
	}

	private int check(int result) {
		return WinperfException.check(handle, result);
	}

	/** Closes the source. Measurement contexts go on. */
	@Override
	public void close() {
		Native.closeSource(handle);
	}
}
